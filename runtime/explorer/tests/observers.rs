//! What `observers` merges: hand-derived counts, and random programs.
//!
//! The oracle runs every interleaving and knows what happened only when it is over: a store is
//! *observed* if what touches its cell next is not another store to it (or the end, or a plain read
//! comes before that). Two executions are equivalent if they have the same events, and the same
//! order of every two that touch a common object, do not commute, and are not two stores that
//! nobody observed; and if their plain reads see the same stores. That is: the same reads-from, and
//! the same order of every two writes to a cell of which one is read.
//!
//! Code of which nobody knows what it reads is a plain read of all cells. If such a read and a store are
//! not ordered in some execution, the explorer has to say so ([`Explorer::is_disordered`]), and only then.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs (3,000 unless set), `DPOR_ORACLE_SEED` the first
//! seed.

mod brute;
mod compare;
mod interpreter;
mod random;

use brute::{mix_all, Ending, State, Step};
use compare::{config, Defects};
use dpor_explorer::program::{update, ObjectId, NO_OBJECT};
use dpor_explorer::{Config, End, Explorer, Mutation, Order};
use interpreter::{cell, Interpreter, Op, Threads, CELLS, WHOLE};
use random::{program, shrink, Flavour, Random, FLAVOURS};
use std::collections::{HashMap, HashSet};

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

fn with(order: Order, mutation: Mutation, commute: bool) -> Config {
    let mut config = config(order, mutation, true);
    config.reductions.commute = commute;
    config.reductions.observers = true;
    config
}

/// True if the next step that touches the cell, may read anything, or reads it
/// plainly, is not another store to it.
fn is_observed(steps: &[Step], at: usize, cell_index: usize) -> bool {
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

fn observed(steps: &[Step]) -> Vec<bool> {
    let observed = |i: usize| steps[i].store.is_some_and(|x| is_observed(steps, i, x));
    (0..steps.len()).map(observed).collect()
}

/// What reads without a name in an execution are not ordered with.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Disorder {
    /// Stores.
    stores: bool,
    /// Whatever may change memory.
    changes: bool,
}

/// By the definition: all pairs of steps. Only for programs whose threads wait in joins alone.
fn disorder(steps: &[Step]) -> Disorder {
    let observed = observed(steps);
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
fn class(steps: &[Step]) -> u128 {
    let observed = observed(steps);
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
type Outcome = String;

fn outcome(threads: &Threads, state: &State) -> Outcome {
    let m = &state.machine;
    let ending = state.ending(threads);
    format!("{:?} {:?} {:?} {ending:?}", m.pc, m.registers, m.dead)
}

struct Expected {
    classes: HashMap<u128, Ending>,
    outcomes: HashSet<Outcome>,
    traces: usize,
    /// Of any of the traces.
    disorder: Disorder,
    /// Any of the traces.
    one: State,
}

fn expected(threads: &Threads, commute: bool, moves_max: usize) -> Option<Expected> {
    let start = State::with(threads, commute).remembering();
    let traces = brute::traces_from(start, threads, moves_max)?;
    let states = traces.values();
    Some(Expected {
        classes: states
            .map(|s| (class(&s.steps()), s.ending(threads)))
            .collect(),
        outcomes: traces.values().map(|s| outcome(threads, s)).collect(),
        traces: traces.len(),
        disorder: { traces.values() }.fold(Disorder::default(), |all, state| {
            let one = disorder(&state.steps());
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

fn name(end: &End) -> Ending {
    match end {
        End::Complete => Ending::Complete,
        End::Blocked => Ending::Blocked,
        End::Deadlock(_) => Ending::Deadlock,
        End::Exited => Ending::Exited,
        End::Misuse(_) => Ending::Misuse,
        other => panic!("no maximal execution ends so: {other:?}"),
    }
}

/// Explores and compares. The last: an outcome that was missed or is impossible.
fn compare(threads: &Threads, expected: &Expected, config: Config) -> (Defects, bool) {
    let mut program = Interpreter::new(threads);
    let commute = config.reductions.commute;
    let mut explorer = Explorer::new(config);
    let mut seen: HashMap<u128, usize> = HashMap::new();
    let mut outcomes = HashSet::new();
    let mut defects = Defects::default();
    let mut restarts = 0;
    for _ in 0..10 * expected.classes.len() + 100 {
        let execution = match explorer.next(&mut program) {
            Ok(Some(execution)) => execution,
            Ok(None) => break,
            Err(_) => {
                defects.fault += 1;
                break;
            }
        };
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            seen.clear();
            outcomes.clear();
            defects = Defects::default();
        }
        if execution.end == End::Redundant {
            defects.redundant += 1;
            continue;
        }
        let state = State::with(threads, commute).crowding(&expected.one.crowded);
        let mut state = state.remembering();
        state.settle(threads);
        for (thread, alternative) in explorer.schedule() {
            state.step(threads, usize::from(thread.0), alternative);
            state.settle(threads);
        }
        outcomes.insert(outcome(threads, &state));
        let form = class(&state.steps());
        defects.extra += usize::from(!expected.classes.contains_key(&form));
        defects.misnamed += usize::from(state.ending(threads) != name(&execution.end));
        *seen.entry(form).or_default() += 1;
    }
    let classes = expected.classes.keys();
    defects.missed = classes.filter(|form| !seen.contains_key(form)).count();
    defects.duplicate = seen.values().map(|n| n - 1).sum();
    if explorer.is_disordered() != expected.disorder.stores {
        defects.fault += 1;
    } else if expected.disorder.changes {
        // Found out; what such reads see is not for this search to say.
        return (Defects::default(), false);
    }
    (defects, outcomes != expected.outcomes)
}

#[track_caller]
fn check(threads: &Threads, classes: usize) {
    let expected = expected(threads, true, 4_000_000).expect("small");
    assert_eq!(
        expected.classes.len(),
        classes,
        "by brute force: {threads:?}"
    );
    for order in [Order::Leftmost, Order::Random(1)] {
        let found = compare(threads, &expected, with(order, Mutation::None, true));
        assert_eq!(found, (Defects::default(), false), "{threads:?}");
    }
}

fn executions(threads: &Threads) -> u64 {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(with(Order::Leftmost, Mutation::None, true));
    while explorer.next(&mut program).expect("a program").is_some() {}
    explorer.counters().executions()
}

fn writers(n: usize) -> Threads {
    (0..n).map(|i| vec![Op::Store(X, i as u64)]).collect()
}

#[test]
fn writers_without_reader() {
    for n in 1..=5 {
        check(&writers(n), 1);
    }
    assert_eq!(executions(&writers(12)), 1);
}

/// The reader sees the initial value, and then all n writers come after it; or it sees one of the n,
/// and each of the other n - 1 is before that one or after the reader: n * 2^(n - 1) + 1.
#[test]
fn writers_and_a_reader() {
    for n in 1..=8 {
        let mut threads = writers(n);
        threads.push(vec![Op::Load(X, R)]);
        let classes = n * (1 << (n - 1)) + 1;
        if n <= 4 {
            check(&threads, classes);
        }
        assert_eq!(executions(&threads), classes as u64);
    }
}

/// Own stores are in order: of two threads that each write twice, one that is read has what its
/// thread wrote before it before itself. Nobody reads: 1.
#[test]
fn two_stores_each() {
    let thread = vec![Op::Store(X, 1), Op::Store(X, 2)];
    check(&vec![thread; 3], 1);
}

/// An update reads what it changes; its order with each of two stores counts, and which of the two
/// was last if it comes after both: update first, one of the two before it (2), both (2).
#[test]
fn updates_observe() {
    for change in [Op::FetchAdd(X, 1, R), Op::Update(X, update::ADD, WHOLE, 1)] {
        check(
            &vec![vec![Op::Store(X, 1)], vec![Op::Store(X, 2)], vec![change]],
            5,
        );
    }
}

/// Two writers, each joined; then the creator reads without an event: either may be last.
fn joined() -> Threads {
    vec![
        vec![
            Op::Create(1),
            Op::Create(2),
            Op::Join(1),
            Op::Join(2),
            Op::PlainLoad(X, R),
        ],
        vec![Op::Store(X, 1)],
        vec![Op::Store(X, 2)],
    ]
}

#[test]
fn plain_reads_after_join() {
    check(&joined(), 2);
}

#[test]
fn reads_without_a_name() {
    // As with a plain read.
    let mut threads = joined();
    threads[0][4] = Op::Unseen(R);
    check(&threads, 2);
    // Before the writers there is nothing to see.
    threads[0] = vec![Op::Create(1), Op::Join(1), Op::Unseen(R), Op::Create(2)];
    check(&threads, 1);
    // Only the last of each cell's: 2 * 2.
    threads[0] = vec![
        Op::Create(1),
        Op::Create(2),
        Op::Join(1),
        Op::Join(2),
        Op::Unseen(R),
        Op::Unseen(R),
    ];
    threads[1].push(Op::Store(Y, 1));
    threads[2].push(Op::Store(Y, 2));
    check(&threads, 4);
}

fn is_disordered(threads: &Threads) -> bool {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(with(Order::Leftmost, Mutation::None, true));
    while explorer.next(&mut program).expect("a program").is_some() {}
    let expected = expected(threads, true, 100_000).expect("small");
    assert_eq!(explorer.is_disordered(), expected.disorder.stores);
    explorer.is_disordered()
}

/// A read without a name is next to a store: before it or after it.
#[test]
fn disorder_is_noticed() {
    let main = vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)];
    let writer = vec![Op::Store(X, 1)];
    for reads_first in [true, false] {
        let reader = vec![Op::Store(Y, 1), Op::Unseen(R)];
        let (one, two) = match reads_first {
            true => (reader, writer.clone()),
            false => (writer.clone(), reader),
        };
        assert!(is_disordered(&vec![main.clone(), one, two]));
    }
    // The creator reads while the thread may be writing.
    let main = vec![Op::Create(1), Op::Unseen(R), Op::Join(1)];
    assert!(is_disordered(&vec![main, writer.clone()]));
    // A mutex or a join orders them.
    let locked = |op| vec![Op::Lock(0), op, Op::Store(Y, 3), Op::Unlock(0)];
    assert!(!is_disordered(&vec![
        locked(Op::Store(X, 1)),
        locked(Op::Unseen(R))
    ]));
    let main = vec![
        Op::Create(1),
        Op::Join(1),
        Op::Create(2),
        Op::Join(2),
        Op::Unseen(R),
    ];
    let reader = vec![Op::Store(Y, 1), Op::Unseen(R)];
    assert!(!is_disordered(&vec![main, reader, writer]));
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

fn any_program(seed: u64) -> Threads {
    let r = &mut Random(seed);
    match seed % 5 {
        0 | 1 => stores(r),
        2 => finals(r),
        3 => unseen(r),
        _ => {
            let all: Vec<Flavour> = FLAVOURS.to_vec();
            let flavour = all[r.below(all.len())];
            program(r, flavour)
        }
    }
}

const MOVES_MAX: usize = 4_000;

fn trial(threads: &Threads, seed: u64) -> Option<(usize, usize, (Defects, bool))> {
    let commute = seed & 8 == 0;
    if threads.iter().flatten().any(|op| op.is_timed()) {
        return None; // The reduction is given up where one is reached.
    }
    let expected = expected(threads, commute, MOVES_MAX)?;
    let (classes, traces) = (expected.classes.len(), expected.traces);
    for order in [Order::Leftmost, Order::Random(seed)] {
        let found = compare(threads, &expected, with(order, Mutation::None, commute));
        if found != (Defects::default(), false) {
            return Some((classes, traces, found));
        }
    }
    Some((classes, traces, (Defects::default(), false)))
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok();
    value.map(|value| value.parse().expect("a number"))
}

#[test]
fn random_programs() {
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(3_000);
    let (mut done, mut classes, mut traces) = (0, 0, 0);
    for seed in setting("DPOR_ORACLE_SEED").unwrap_or(0).. {
        if done == programs {
            break;
        }
        let threads = any_program(seed);
        let Some((count, all, defects)) = trial(&threads, seed) else {
            continue;
        };
        if defects != (Defects::default(), false) {
            let kind = |(d, o): &(Defects, bool)| (d.missed > 0, d.fault > 0, *o);
            // What is read plainly has to stay ordered.
            let joins = |t: &Threads| {
                let all = t.iter().flatten();
                all.filter(|op| matches!(op, Op::Create(_) | Op::Join(_)))
                    .count()
            };
            let fails = |t: &Threads| {
                joins(t) == joins(&threads)
                    && trial(t, seed).is_some_and(|(.., d)| kind(&d) == kind(&defects))
            };
            let small = shrink(threads.clone(), fails);
            let again = trial(&small, seed);
            panic!("seed {seed}: {defects:?}\nsmaller: {small:?}\n{again:?}");
        }
        done += 1;
        classes += count;
        traces += all;
    }
    println!("{done} programs, {traces} traces, {classes} classes");
    assert!(
        classes * 10 < traces * 9,
        "hardly used: {classes} of {traces}"
    );
}

/// Which readers of a lock have to go together depends on which of their stores is read.
fn readers_that_store() -> Threads {
    vec![
        vec![Op::RwWrite(0), Op::Load(X, R), Op::RwUnlock(0)],
        vec![Op::RwRead(0), Op::Store(X, 1), Op::RwUnlock(0)],
        vec![Op::RwRead(0), Op::Store(X, 2), Op::RwUnlock(0)],
    ]
}

/// The writer comes first (1), between the readers (2), or last, and then either store may be the
/// last (2).
#[test]
fn readers_of_a_lock_that_store() {
    check(&readers_that_store(), 5);
}

#[test]
fn races_change_with_observations() {
    let threads = readers_that_store();
    let mut program = Interpreter::new(&threads);
    let wrong = Mutation::RacesStayAsNoted;
    let mut explorer = Explorer::new(with(Order::Leftmost, wrong, true));
    let mut count = 0;
    while let Ok(Some(_)) = explorer.next(&mut program) {
        count += 1;
    }
    assert_ne!(count, 5, "{wrong:?} was not noticed");
}

/// Which stores are read is not followed beyond a time-out: the search has to begin again without.
#[test]
fn time_outs_end_the_reduction() {
    let stores = vec![Op::Store(X, 1)];
    let late = vec![Op::TimedSemWait(0, R), Op::Load(X, R)];
    let in_time = vec![Op::SemPost(0)];
    for (threads, disordered) in [
        (vec![stores.clone(), stores.clone(), late.clone()], true),
        (vec![stores.clone(), stores, late, in_time], false),
    ] {
        let mut program = Interpreter::new(&threads);
        let mut explorer = Explorer::new(with(Order::Leftmost, Mutation::None, true));
        while let Ok(Some(_)) = explorer.next(&mut program) {}
        assert_eq!(explorer.is_disordered(), disordered, "{threads:?}");
    }
}

/// So many programs are tried to notice a mistake.
const TRIES: u64 = 400;

#[track_caller]
fn caught(mutation: Mutation, defect: fn(&Defects) -> bool) {
    let noticed = (0..TRIES).position(|seed| {
        let threads = any_program(seed);
        let Some(expected) = expected(&threads, true, MOVES_MAX) else {
            return false;
        };
        let config = with(Order::Leftmost, mutation, true);
        defect(&compare(&threads, &expected, config).0)
    });
    println!("{mutation:?}: noticed in program {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

#[test]
fn mistakes_are_noticed() {
    caught(Mutation::UnreadStaysFirst, |d| d.missed > 0);
    caught(Mutation::LoadsObserveNothing, |d| d.missed > 0);
    caught(Mutation::PlainReadsObserveNothing, |d| d.missed > 0);
    caught(Mutation::UnseenReadsObserveNothing, |d| d.missed > 0);
    caught(Mutation::ReadStoresSleep, |d| d.missed > 0);
    caught(Mutation::NothingOwed, |d| d.duplicate > 0);
}

/// A cell that is written once, and read by the writer of another.
#[test]
fn a_pattern_of_message_passing() {
    // The reads of Y and X: neither write, Y's alone is impossible, X's alone, both.
    let threads = vec![
        vec![Op::Store(X, 1), Op::Store(Y, 1)],
        vec![Op::Load(Y, R), Op::Load(X, 1)],
    ];
    check(&threads, 3);
}
