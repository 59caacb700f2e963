//! What `observers` merges: hand-derived counts, and random programs.
//!
//! The oracle: `observed`.
//!
//! Code of which nobody knows what it reads is a plain read of all cells. If such a read and a store are
//! not ordered in some execution, the explorer has to say so ([`Explorer::is_disordered`]), and only then.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs (3,000 unless set), `DPOR_ORACLE_SEED` the first
//! seed.

use crate::brute::State;
use crate::compare::{config, Defects};
use crate::interpreter::{Interpreter, Op, Threads, WHOLE};
use crate::observed::{any_program, expected, expected_from, Expected, Judge};
use crate::random::shrink;
use dpor_explorer::{Config, Explorer, Mutation, Order};
use dpor_model::update;

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

fn with(order: Order, mutation: Mutation, commute: bool) -> Config {
    let mut config = config(order, mutation, true);
    config.reductions.commute = commute;
    config.reductions.observers = true;
    config
}

/// Explores and compares. The last: an outcome that was missed or is impossible.
fn compare(threads: &Threads, expected: &Expected, config: Config) -> (Defects, bool) {
    let mut program = Interpreter::new(threads);
    let commute = config.reductions.commute;
    let mut explorer = Explorer::new(config);
    let mut judge = Judge::new(threads, commute, expected);
    let mut faults = 0;
    let mut restarts = 0;
    for _ in 0..10 * expected.classes.len() + 100 {
        let execution = match explorer.next(&mut program) {
            Ok(Some(execution)) => execution,
            Ok(None) => break,
            Err(_) => {
                faults += 1;
                break;
            }
        };
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            judge = Judge::new(threads, commute, expected);
        }
        judge.note(&execution.end, &explorer.schedule());
    }
    let (mut defects, wrong) = judge.judge();
    defects.fault += faults;
    if explorer.is_disordered() != expected.disorder.stores {
        defects.fault += 1;
    } else if expected.disorder.changes {
        // Found out; what such reads see is not for this search to say.
        return (Defects::default(), false);
    }
    (defects, wrong)
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

const MOVES_MAX: usize = 4_000;

fn trial(threads: &Threads, seed: u64) -> Option<(usize, usize, (Defects, bool))> {
    let commute = seed & 8 == 0;
    if threads.iter().flatten().any(|op| op.is_timed()) {
        return None; // The reduction is given up where one is reached.
    }
    let turns = seed & 16 == 0;
    let start = State::with(threads, commute).leaving_out(turns);
    let expected = expected_from(start, threads, MOVES_MAX)?;
    let (classes, traces) = (expected.classes.len(), expected.traces);
    for order in [Order::Leftmost, Order::Random(seed)] {
        let mut config = with(order, Mutation::None, commute);
        config.reductions.turns = turns;
        let found = compare(threads, &expected, config);
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

/// Number of random programs that are tried to notice a mistake.
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
