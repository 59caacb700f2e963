//! The oracle of the reduction `observers`, and programs to try it on.
//!
//! The oracle runs every interleaving and knows what happened only when it is over: a store is
//! *observed* if what touches its cell next is not another store to it (or the end, or a plain read
//! comes before that). Two executions are equivalent if they have the same events, and the same
//! order of every two that touch a common object, do not commute, and are not two stores that
//! nobody observed; and if their plain reads see the same stores. That is: the same reads-from, and
//! the same order of every two writes to a cell of which one is read. If somebody waits for a value of a
//! cell in any execution, all stores to it count as observed.

use crate::brute::{self, mix_all, Ending, State, Step};
use crate::compare::{name, Defects};
use crate::interpreter::{cell, Op, Threads, CELLS, WHOLE};
use crate::random::{program, Flavour, Random, FLAVOURS};
use dpor_explorer::End;
use dpor_model::{update, ObjectId, ThreadId, NO_OBJECT};
use std::collections::{HashMap, HashSet};

const X: usize = 0;
const R: usize = 0;

/// True if the next step that touches the cell, may read anything, or reads it
/// plainly, is not another store to it.
fn is_observed(steps: &[Step], at: usize, cell_index: usize, awaited: u64) -> bool {
    if awaited >> cell_index & 1 == 1 {
        return true;
    }
    let reads = |step: &Step| step.unseen || step.read.contains(&cell(cell_index));
    if reads(&steps[at]) {
        return true;
    }
    for step in &steps[at + 1..] {
        if step.opaque {
            return true;
        }
        let touches = step.touches.iter().any(|t| t.0 == (1, cell_index));
        if touches {
            return step.store != Some(cell_index);
        }
        if reads(step) {
            return true;
        }
    }
    false
}

fn conflict(a: &Step, b: &Step) -> bool {
    let common = |x: &(brute::Name, brute::Touch)| {
        b.touches.iter().any(|y| x.0 == y.0 && !x.1.commutes(y.1))
    };
    a.everything || b.everything || a.touches.iter().any(common)
}

fn observed(steps: &[Step], awaited: u64) -> Vec<bool> {
    let observed = |i: usize| { steps[i].store }.is_some_and(|x| is_observed(steps, i, x, awaited));
    (0..steps.len()).map(observed).collect()
}

/// What reads without a name in an execution are not ordered with.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Disorder {
    /// Stores.
    pub stores: bool,
    /// Whatever may change memory.
    pub changes: bool,
}

/// The disorder of an execution by its definition, from all pairs of steps. Only for programs whose threads wait in
/// joins alone.
fn disorder(steps: &[Step], awaited: u64) -> Disorder {
    let observed = observed(steps, awaited);
    let n = steps.len();
    let mut before = vec![vec![false; n]; n];
    for j in 0..n {
        before[j][j] = true;
        for i in (0..j).rev() {
            let (a, b) = (&steps[i], &steps[j]);
            let free = a.store.is_some() && a.store == b.store && !observed[i] && !observed[j];
            let edge = a.thread == b.thread
                || (!a.passive && !b.passive && conflict(a, b) && !free)
                || (!a.passive && a.other == Some(b.thread))
                || (b.passive && b.other == Some(a.thread));
            if edge {
                for row in &mut before[..=i] {
                    row[j] |= row[i];
                }
            }
        }
    }
    let mut found = Disorder::default();
    for (i, read) in steps.iter().enumerate().filter(|(_, step)| step.unseen) {
        // The next steps: what happens after the read happens after one of them.
        let next = |k: usize| {
            k > i
                && (steps[k].thread == read.thread
                    || (steps[k].passive && steps[k].other == Some(read.thread)))
        };
        for (j, step) in steps.iter().enumerate() {
            let after = (i + 1..n).any(|k| next(k) && before[k][j]);
            if !after && !before[j][i] {
                let reads = |touch: &(brute::Name, brute::Touch)| touch.1 == brute::Touch::Read;
                found.stores |= step.store.is_some();
                found.changes |= !step.passive && !step.touches.iter().all(reads);
            }
        }
    }
    found
}

/// The class of an execution, as a sum of hashes.
pub fn class(steps: &[Step], awaited: u64) -> u128 {
    let observed = observed(steps, awaited);
    let mut form = 0u128;
    let mut last: HashMap<ObjectId, u128> = HashMap::new();
    for (j, second) in steps.iter().enumerate() {
        form = form.wrapping_add(mix_all(&[1, second.word]));
        for (i, first) in steps[..j].iter().enumerate() {
            let two_stores = first.store.is_some() && first.store == second.store;
            let free = two_stores && !observed[i] && !observed[j];
            if !second.passive && !first.passive && conflict(first, second) && !free {
                form = form.wrapping_add(mix_all(&[2, first.word, second.word]));
            }
        }
        if let Some(x) = second.store {
            last.insert(cell(x), second.word);
        }
        let all: Vec<ObjectId> = (0..CELLS).filter(|_| second.unseen).map(cell).collect();
        let named = second.read.iter().filter(|&&read| read != NO_OBJECT);
        for (n, read) in named.chain(&all).enumerate() {
            let seen = last.get(read).copied().unwrap_or(0);
            form = form.wrapping_add(mix_all(&[3, second.word, n as u128, seen]));
        }
    }
    form
}

/// What threads know at the end, and how it ended: everything but memory, which nobody read.
pub type Outcome = String;

pub fn outcome(threads: &Threads, state: &State) -> Outcome {
    let m = &state.machine;
    let ending = state.ending(threads);
    format!("{:?} {:?} {:?} {ending:?}", m.pc, m.registers, m.dead)
}

pub struct Expected {
    pub classes: HashMap<u128, Ending>,
    pub outcomes: HashSet<Outcome>,
    /// Bit x: somebody waits for a value of cell x in some execution.
    pub awaited: u64,
    pub traces: usize,
    /// The disorder that one of the class's traces has, whichever.
    pub disorder: Disorder,
    /// The state at the end of one of the class's traces, whichever.
    pub one: State,
}

pub fn expected(threads: &Threads, commute: bool, moves_max: usize) -> Option<Expected> {
    expected_from(State::with(threads, commute), threads, moves_max)
}

/// What is expected from a state that says what commutes and whether turns in vain are left out.
pub fn expected_from(start: State, threads: &Threads, moves_max: usize) -> Option<Expected> {
    let start = start.remembering();
    let traces = brute::traces_from(start, threads, moves_max)?;
    let states = traces.values();
    let awaited = { traces.values() }.fold(0, |all, state| all | state.awaited);
    Some(Expected {
        awaited,
        classes: states
            .map(|s| (class(&s.steps(), awaited), s.ending(threads)))
            .collect(),
        outcomes: traces.values().map(|s| outcome(threads, s)).collect(),
        traces: traces.len(),
        disorder: { traces.values() }.fold(Disorder::default(), |all, state| {
            let one = disorder(&state.steps(), awaited);
            Disorder {
                stores: all.stores | one.stores,
                changes: all.changes | one.changes,
            }
        }),
        one: traces
            .values()
            .next()
            .expect("some execution is maximal")
            .clone(),
    })
}

/// Like [`finals`], with reads that nobody can name.
fn unseen(r: &mut Random) -> Threads {
    let mut threads = finals(r);
    let everywhere = r.percent(30);
    for (t, ops) in threads.iter_mut().enumerate() {
        for at in (0..=ops.len()).rev() {
            let often = match t {
                0 => 20,
                _ if everywhere => 8,
                _ => 0,
            };
            let skip = at.checked_sub(1).and_then(|before| ops.get(before));
            if r.percent(often) && !matches!(skip, Some(Op::SkipUnless(..))) {
                let next = ops.get(at).copied();
                ops.insert(at, Op::Unseen(R));
                // What is read plainly has to stay ordered.
                let orders = matches!(next, Some(Op::Create(_) | Op::Join(_)));
                if !orders && r.percent(30) {
                    ops.insert(at + 1, Op::SkipUnless(R, 1 + r.below(9) as u64, 1));
                }
            }
        }
    }
    threads
}

/// Programs in which stores are frequent.
fn stores(r: &mut Random) -> Threads {
    let (threads, length, cells) = r.pick(&[
        (3, 4, 2),
        (4, 3, 2),
        (4, 3, 1),
        (3, 4, 1),
        (5, 2, 2),
        (5, 2, 1),
        (2, 6, 2),
    ]);
    let mut thread = || {
        let mut ops = Vec::new();
        for _ in 0..1 + r.below(length) {
            let x = r.below(cells);
            ops.push(match r.below(100) {
                0..33 => Op::Load(x, R),
                33..75 => Op::Store(x, 1 + r.below(3) as u64),
                75..85 => Op::StoreSum(x, R, 1),
                85..90 => Op::FetchAdd(x, 1, R),
                90..94 => Op::Update(x, update::ADD, WHOLE, 1),
                94..97 => Op::StoreWide(X, 1),
                _ => Op::Cas(x, r.below(2) as u64, 2, R),
            });
            if r.percent(15) {
                ops.push(Op::SkipUnless(R, r.below(2) as u64, 1));
            }
        }
        ops
    };
    (0..threads).map(|_| thread()).collect()
}

/// The first thread creates the others, joins them and then reads cells without events.
fn finals(r: &mut Random) -> Threads {
    let (others, length) = r.pick(&[(2, 4), (3, 3), (2, 3), (4, 2)]);
    let mut threads = vec![Vec::new()];
    for t in 1..=others {
        let mut ops = Vec::new();
        for _ in 0..1 + r.below(length) {
            let x = r.below(2);
            ops.push(match r.below(10) {
                0..2 => Op::Load(x, R),
                2..8 => Op::Store(x, 1 + r.below(3) as u64),
                8 => Op::StoreSum(x, R, 1),
                _ => Op::Cas(x, r.below(2) as u64, 2, R),
            });
        }
        threads.push(ops);
        threads[0].push(Op::Create(t));
    }
    if r.percent(40) {
        threads[0].push(Op::Store(r.below(2), 5));
    }
    threads[0].extend((1..=others).map(Op::Join));
    for _ in 0..1 + r.below(3) {
        threads[0].push(Op::PlainLoad(r.below(2), R));
        if r.percent(50) {
            threads[0].push(Op::SkipUnless(R, 1 + r.below(2) as u64, 1));
        }
        if r.percent(30) {
            threads[0].push(Op::Store(r.below(2), 7));
        }
    }
    threads
}

pub fn any_program(seed: u64) -> Threads {
    let r = &mut Random(seed);
    match seed % 6 {
        0 | 1 => stores(r),
        2 => finals(r),
        3 => unseen(r),
        4 => program(r, Flavour::Await),
        _ => {
            let all: Vec<Flavour> = FLAVOURS.to_vec();
            let flavour = all[r.below(all.len())];
            program(r, flavour)
        }
    }
}

/// What a search did, execution by execution.
pub struct Judge<'a> {
    threads: &'a Threads,
    commute: bool,
    expected: &'a Expected,
    seen: HashMap<u128, usize>,
    outcomes: HashSet<Outcome>,
    defects: Defects,
}

impl<'a> Judge<'a> {
    pub fn new(threads: &'a Threads, commute: bool, expected: &'a Expected) -> Self {
        Judge {
            threads,
            commute,
            expected,
            seen: HashMap::new(),
            outcomes: HashSet::new(),
            defects: Defects::default(),
        }
    }

    pub fn note(&mut self, end: &End, schedule: &[(ThreadId, u32)]) {
        if *end == End::Redundant {
            self.defects.redundant += 1;
            return;
        }
        let threads = self.threads;
        let state = State::with(threads, self.commute).crowding(&self.expected.one.crowded);
        let one = &self.expected.one;
        let state = state.leaving_out(one.turns).incrementing(one.increments);
        let state = state.looking(one.looks);
        let mut state = state.remembering();
        state.settle(threads);
        for &(thread, alternative) in schedule {
            state.step(threads, usize::from(thread.0), alternative);
            state.settle(threads);
        }
        self.outcomes.insert(outcome(threads, &state));
        let form = class(&state.steps(), self.expected.awaited);
        self.defects.extra += usize::from(!self.expected.classes.contains_key(&form));
        self.defects.misnamed += usize::from(state.ending(threads) != name(end));
        *self.seen.entry(form).or_default() += 1;
    }

    /// The defects, and whether an outcome was missed or is impossible.
    pub fn judge(mut self) -> (Defects, bool) {
        let classes = self.expected.classes.keys();
        self.defects.missed = classes.filter(|form| !self.seen.contains_key(form)).count();
        self.defects.duplicate = self.seen.values().map(|n| n - 1).sum();
        (self.defects, self.outcomes != self.expected.outcomes)
    }
}
