//! Orders of marks: those that the traces of a search leave are those of all interleavings, each with what threads read.
//!
//! Brute force makes a mark a move of its own, which may come anywhere in an interleaving. It knows nothing of traces:
//! compared are the pairs of what all threads read and the order in which the marks came.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs, `DPOR_ORACLE_SEED` the first seed.

use crate::interpreter::{Interpreter, Machine, Op, Plain, Threads, WHOLE};
use crate::random::Random;
use dpor_explorer::{Config, Explorer, Mutation, Program};
use dpor_model::*;
use std::collections::{BTreeSet, HashSet};

const R: usize = 0;
/// A register that nothing is read into.
const ZERO: usize = 3;

/// What threads have read and where they are at the end, and the marks in their order.
type Ends = BTreeSet<(String, Vec<u64>)>;

/// Of each thread, its marks: behind how many operations, and the number.
type Places = Vec<Vec<(usize, u64)>>;

/// The interpreter, whose threads pass marks.
struct Marked {
    inner: Interpreter,
    places: Places,
    passed: Vec<Operation>,
}

impl Marked {
    /// Passes the marks behind `performed` operations.
    fn pass(&mut self, t: usize, performed: usize) {
        for &(_, number) in self.places[t].iter().filter(|mark| mark.0 == performed) {
            self.passed.push(Operation {
                argument: Argument::of_program(number),
                ..Operation::new(Kind::Mark, SiteId::UNKNOWN)
            });
        }
    }
}

impl Program for Marked {
    fn restore(&mut self, checkpoint: Checkpoint) {
        self.inner.restore(checkpoint);
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        self.inner.checkpoint()
    }

    fn discard(&mut self, checkpoint: Checkpoint) {
        self.inner.discard(checkpoint);
    }

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        self.inner.root()
    }

    fn step(&mut self, thread: ThreadId, decision: Decision) -> &Executed {
        let t = usize::from(thread.0);
        let begun = self.inner.machine.begun[t];
        let before = self.inner.machine.performed[t];
        self.inner.step(thread, decision);
        let joins = self.inner.passed().to_vec();
        self.passed.clear();
        // Its start is no operation.
        let first = if begun { before + 1 } else { 0 };
        self.pass(t, first);
        for (k, join) in joins.into_iter().enumerate() {
            self.passed.push(join);
            self.pass(t, first + k + 1);
        }
        self.inner.step_executed()
    }

    fn passed(&self) -> &[Operation] {
        &self.passed
    }

    fn operand(&mut self) -> u64 {
        self.inner.operand()
    }

    fn peek(&mut self, cell: ObjectId) -> Option<u64> {
        self.inner.peek(cell)
    }
}

fn end(machine: &Machine) -> String {
    format!("{:?} {:?}", machine.registers, machine.pc)
}

/// Adds all orders that go on from this one, and in which each mark comes behind those that have to come before it.
fn orders(marks: &[(u64, u64)], order: &mut Vec<u64>, end: &str, ends: &mut Ends) {
    if order.len() == marks.len() {
        ends.insert((end.to_owned(), order.clone()));
    }
    let made = order.iter().fold(0, |all, mark| all | 1 << mark);
    for &(number, before) in marks {
        if made >> number & 1 == 0 && before & !made == 0 {
            order.push(number);
            orders(marks, order, end, ends);
            order.pop();
        }
    }
}

/// By the traces of a search that makes this mistake, and their number.
fn by_traces(threads: &Threads, places: &Places, reduces: bool, mistake: Mutation) -> (Ends, u64) {
    let mut program = Marked {
        inner: Interpreter::new(threads),
        places: places.clone(),
        passed: Vec::new(),
    };
    let mut config = Config::default();
    config.reductions.commute = reduces;
    config.reductions.observers = reduces;
    config.reductions.counters = reduces;
    // Few events are worth a checkpoint here, so that marks are taken back.
    config.checkpoint_after = 1;
    config.mutation = mistake.into();
    let mut explorer = Explorer::new(config);
    let mut ends = Ends::new();
    while explorer.next(&mut program).expect("a program").is_some() {
        let marks = explorer.trace().marks();
        let end = end(&program.inner.machine);
        orders(&marks, &mut Vec::new(), &end, &mut ends);
    }
    (ends, explorer.counters().executions())
}

/// All interleavings of what is left.
struct Brute<'a> {
    threads: &'a Threads,
    places: &'a Places,
    seen: HashSet<String>,
    ends: Ends,
}

#[derive(Clone)]
struct State {
    machine: Machine,
    owners: [Option<usize>; 2],
    marks: Vec<u64>,
}

impl Brute<'_> {
    fn mark(&self, state: &State, t: usize) -> Option<u64> {
        let here = |mark: &&(usize, u64)| {
            mark.0 == state.machine.performed[t] && !state.marks.contains(&mark.1)
        };
        let marks = &self.places[t];
        marks.iter().find(here).map(|&(_, number)| number)
    }

    fn is_enabled(&self, state: &State, t: usize) -> bool {
        let machine = &state.machine;
        match machine.op(self.threads, t) {
            None => false,
            Some(Op::Lock(m) | Op::TimedLock(m, _)) => state.owners[m].is_none(),
            Some(Op::Await(x, _, _, (_, value), _)) => machine.memory[x] == value,
            Some(Op::Join(other)) => {
                machine.is_finished(self.threads, other) && self.mark(state, other).is_none()
            }
            Some(_) => true,
        }
    }

    fn perform(&self, state: &mut State, t: usize, alternative: u32) {
        let op = state.machine.op(self.threads, t);
        let mut plain = Plain::default();
        let machine = &mut state.machine;
        machine.perform(self.threads, t, alternative, 0, &mut plain);
        match op {
            Some(Op::Lock(m)) => state.owners[m] = Some(t),
            Some(Op::TimedLock(m, _)) if alternative != TIMEOUT => state.owners[m] = Some(t),
            Some(Op::Unlock(m)) => state.owners[m] = None,
            // A thread begins at once: that touches nothing.
            Some(Op::Create(other)) => machine.perform(self.threads, other, 0, 0, &mut plain),
            _ => {}
        }
    }

    fn all(&mut self, state: &State) {
        let key = format!("{:?} {:?} {:?}", state.machine, state.owners, state.marks);
        if !self.seen.insert(key) {
            return;
        }
        let mut goes_on = false;
        for t in (0..self.threads.len()).filter(|&t| state.machine.begun[t]) {
            let mut next = state.clone();
            if let Some(mark) = self.mark(state, t) {
                next.marks.push(mark);
            } else if self.is_enabled(state, t) {
                self.perform(&mut next, t, 0);
            } else {
                continue;
            }
            goes_on = true;
            self.all(&next);
        }
        if goes_on {
            return;
        }
        let timed =
            |t: &usize| matches!(state.machine.op(self.threads, *t), Some(Op::TimedLock(..)));
        let timed: Vec<usize> = (0..self.threads.len()).filter(timed).collect();
        for &t in timed.iter().filter(|&&t| state.machine.begun[t]) {
            goes_on = true;
            let mut next = state.clone();
            self.perform(&mut next, t, TIMEOUT);
            self.all(&next);
        }
        if !goes_on {
            let end = end(&state.machine);
            self.ends.insert((end, state.marks.clone()));
        }
    }
}

fn by_brute_force(threads: &Threads, places: &Places) -> Ends {
    let mut brute = Brute {
        threads,
        places,
        seen: HashSet::new(),
        ends: Ends::new(),
    };
    brute.all(&State {
        machine: Machine::new(threads),
        owners: [None; 2],
        marks: Vec::new(),
    });
    brute.ends
}

#[track_caller]
fn check(threads: &Threads, places: &Places) -> (usize, u64) {
    let expected = by_brute_force(threads, places);
    let (all, traces) = by_traces(threads, places, false, Mutation::None);
    let (reduced, _) = by_traces(threads, places, true, Mutation::None);
    for (ends, what) in [(all, "traces"), (reduced, "with reductions")] {
        let invented: Vec<_> = ends.difference(&expected).take(3).collect();
        let missed: Vec<_> = expected.difference(&ends).take(3).collect();
        assert!(
            invented.is_empty() && missed.is_empty(),
            "{what}: {threads:?} {places:?}\ninvented {invented:?}\nmissed {missed:?}"
        );
    }
    (expected.len(), traces)
}

/// Thread 0 creates the others, and joins them.
fn with_main(bodies: Vec<Vec<Op>>) -> Threads {
    let others = 1..=bodies.len();
    let main = others.clone().map(Op::Create).chain(others.map(Op::Join));
    std::iter::once(main.collect()).chain(bodies).collect()
}

/// What a thread does where main keeps mutex 0: who wants it gives up, and may let others go on by that.
fn piece_beside_an_owner(r: &mut Random) -> Vec<Op> {
    match r.below(6) {
        0 => vec![GIVES_UP],
        1 => vec![GIVES_UP, Op::Store(0, 1)],
        2 => vec![GIVES_UP, Op::FetchAdd(1, 1, R)],
        3 => vec![WAITS],
        4 => vec![WAITS, GIVES_UP],
        _ => vec![Op::Load(1, R)],
    }
}

fn piece(r: &mut Random) -> Vec<Op> {
    let (x, value) = (r.below(2), 1 + r.below(2) as u64);
    let counter = Counter {
        operator: update::ADD as u8,
        operand: 1,
        test: Test::Equal,
        value: 1,
    };
    match r.below(12) {
        0 | 1 => vec![Op::Load(x, r.below(3))],
        2 | 3 => vec![Op::Store(x, value)],
        4 => vec![Op::FetchAdd(x, 1, R)],
        5 => vec![Op::Update(x, update::ADD, WHOLE, value)],
        6 => vec![Op::Count(x, counter, WHOLE, 1)],
        7 => vec![Op::Cas(x, 0, value, R)],
        8 => vec![Op::Await(x, WHOLE, Test::Equal, (ZERO, value), R)],
        9 => vec![Op::Lock(x), Op::Load(x, R), Op::Unlock(x)],
        10 => vec![Op::Lock(x), Op::Unlock(x)],
        _ => vec![Op::TimedLock(x, 2)],
    }
}

fn random(seed: u64) -> (Threads, Places) {
    let r = &mut Random(seed);
    let count = 2 + r.below(2);
    let mut bodies: Vec<Vec<Op>> = Vec::new();
    if r.percent(20) {
        for _ in 0..count {
            let pieces = 1 + r.below(2);
            bodies.push((0..pieces).flat_map(|_| piece_beside_an_owner(r)).collect());
        }
        return places(r, beside_an_owner(bodies), count);
    }
    for _ in 0..count {
        let pieces = 1 + r.below(4 - count);
        bodies.push((0..pieces).flat_map(|_| piece(r)).collect());
    }
    if r.percent(25) {
        // One of them has a thread of its own do something in between.
        let helper = bodies.len() + 1;
        bodies.push(piece(r));
        let at = r.below(bodies[0].len() + 1);
        bodies[0].splice(at..at, [Op::Create(helper), Op::Join(helper)]);
        let last = bodies.pop().expect("the helper");
        let mut threads = with_main(bodies);
        threads.push(last);
        return places(r, threads, count);
    }
    places(r, with_main(bodies), count)
}

/// Two marks for each of the first threads besides main.
fn places(r: &mut Random, threads: Threads, count: usize) -> (Threads, Places) {
    let mut number = 0;
    let marks = threads.iter().enumerate().map(|(t, body)| {
        let mut own: Vec<usize> = match (1..=count).contains(&t) {
            true => (0..2).map(|_| r.below(body.len() + 1)).collect(),
            false => Vec::new(),
        };
        own.sort_unstable();
        own.into_iter()
            .map(|at| {
                number += 1;
                (at, number)
            })
            .collect()
    });
    let marks = marks.collect();
    (threads, marks)
}

fn a_store_and_a_load() -> (Threads, Places) {
    let threads = with_main(vec![vec![Op::Store(0, 1)], vec![Op::Load(0, R)]]);
    let places = vec![vec![], vec![(0, 1), (1, 2)], vec![(0, 3), (1, 4)]];
    (threads, places)
}

/// A store and a load of another thread, with a mark on either side of each: the load finds the store or not. If it
/// does, `3 1`, `3 2` (the first mark of the reader before both, between) and `1 3 2` … : of the 6 orders of `1 2` with
/// `3 4`, those in which 4 comes before 1 are out, one. If not, those in which 2 comes before 3, one. The same for a
/// counter that is asked.
#[test]
fn orders_by_hand() {
    let (threads, places) = a_store_and_a_load();
    assert_eq!(check(&threads, &places), (10, 2));
    // Nothing in common: all six, in one trace.
    let threads = with_main(vec![vec![Op::Store(0, 1)], vec![Op::Load(1, R)]]);
    assert_eq!(check(&threads, &places), (6, 1));
}

/// Who gives up a lock that its owner keeps does so when nobody can go on.
#[test]
fn who_gives_up_comes_last() {
    let threads = with_main(vec![
        vec![Op::Lock(0), Op::Store(1, 1)],
        vec![Op::TimedLock(0, 2)],
    ]);
    let places = vec![vec![], vec![(0, 1), (2, 2)], vec![(0, 3), (1, 4)]];
    check(&threads, &places);
}

/// Main keeps mutex 0.
fn beside_an_owner(bodies: Vec<Vec<Op>>) -> Threads {
    let mut threads = with_main(bodies);
    threads[0].insert(0, Op::Lock(0));
    threads
}

const GIVES_UP: Op = Op::TimedLock(0, 2);
const WAITS: Op = Op::Await(0, WHOLE, Test::Equal, (ZERO, 1), R);

/// Who gives up lets another go on: the mark 1 between the two comes first, the marks 2 and 3 behind them in any order.
fn one_gives_up() -> (Threads, Places) {
    let threads = beside_an_owner(vec![vec![GIVES_UP, Op::Store(0, 1)], vec![WAITS]]);
    let places = vec![vec![], vec![(1, 1), (2, 2)], vec![(1, 3)]];
    (threads, places)
}

/// The first who gives up lets the second go on. Thread 1 has passed mark 1 by then, so that it comes before the marks 2 and
/// 3, which come in any order; both come before the second gives up, and so before mark 4.
fn two_give_up() -> (Threads, Places) {
    let threads = beside_an_owner(vec![
        vec![Op::Store(1, 1)],
        vec![GIVES_UP, Op::Store(0, 1)],
        vec![WAITS, GIVES_UP],
    ]);
    let places = vec![vec![], vec![(1, 1)], vec![(2, 2)], vec![(1, 3), (2, 4)]];
    (threads, places)
}

#[test]
fn each_who_gives_up_parts_what_is_before_from_what_is_behind() {
    for (threads, places) in [one_gives_up(), two_give_up()] {
        assert_eq!(check(&threads, &places), (2, 1));
    }
}

/// Each mistake in the order of marks has orders too many or too few in one of these programs.
#[test]
fn mistakes_in_the_order_of_marks_are_noticed() {
    for (mistake, (threads, places)) in [
        (Mutation::LatestEventIsBehind, a_store_and_a_load()),
        (Mutation::TimeoutsPartNothing, two_give_up()),
        (Mutation::LatestTimeoutParts, two_give_up()),
        (Mutation::FirstTimeoutParts, two_give_up()),
        (Mutation::TimeoutsBeforeBothPart, one_gives_up()),
    ] {
        let expected = by_brute_force(&threads, &places);
        assert_eq!(
            by_traces(&threads, &places, true, Mutation::None).0,
            expected
        );
        let (wrong, _) = by_traces(&threads, &places, true, mistake);
        assert_ne!(wrong, expected, "{mistake:?} is not noticed");
    }
}

#[test]
fn orders_are_those_of_all_interleavings() {
    let number = |name: &str, otherwise: u64| {
        let value = std::env::var(name).ok();
        value.map_or(otherwise, |value| value.parse().expect("a number"))
    };
    let (programs, first) = (
        number("DPOR_ORACLE_PROGRAMS", 300),
        number("DPOR_ORACLE_SEED", 1),
    );
    let (mut compared, mut traces) = (0, 0);
    for seed in first..first + programs {
        let (threads, places) = random(seed);
        let (ends, searched) = check(&threads, &places);
        compared += ends;
        traces += searched;
    }
    println!("{programs} programs, {compared} orders with what was read, {traces} traces");
    assert!(compared as u64 > 4 * traces);
}
