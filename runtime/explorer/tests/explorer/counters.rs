//! What `counters` merges: hand-derived counts, and random programs. Brute force has its own table of what commutes: it
//! runs every interleaving, sees in each what every counter answered, and checks that what it merges is the same state.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs, `DPOR_ORACLE_SEED` the first seed.

use crate::brute;
use crate::brute::State;
use crate::compare::{compare_search, config, Defects};
use crate::interpreter::{Interpreter, Op, Threads, WHOLE};
use crate::observed::{expected, Expected, Judge};
use crate::random::{program, shrink, Flavour, Random};
use crate::simulation;
use crate::simulation::Setting;
use dpor_explorer::{Config, Explorer, Fault, Mutation, Order};
use dpor_model::{update, Counter, Test};
use std::collections::HashSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

/// Programs with more moves in their merged state space are skipped.
const MOVES_MAX: usize = 4_000;

fn environment(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

fn with(counters: bool, order: Order, mutation: Mutation, checkpoints: bool) -> Config {
    let mut config = config(order, mutation, checkpoints);
    config.reductions.commute = counters;
    config.reductions.counters = counters;
    config
}

/// Executions, and the states in which they end.
fn explore(threads: &Threads, config: Config) -> (u64, HashSet<String>) {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    let mut ends = HashSet::new();
    while explorer.next(&mut program).expect("a program").is_some() {
        ends.insert(format!("{:?}", program.machine));
    }
    (explorer.counters().executions(), ends)
}

#[track_caller]
fn check(threads: &Threads, counters: u64, none: u64) {
    let right = |counters| with(counters, Order::Leftmost, Mutation::None, true);
    let (with_it, ends) = explore(threads, right(true));
    let (without, all) = explore(threads, right(false));
    assert_eq!((with_it, without), (counters, none), "{threads:?}");
    assert_eq!(ends, all, "{threads:?}");
}

/// `fetch_add(operand) == value`.
fn equals(operand: i8, value: i8) -> Op {
    let counter = Counter {
        operator: update::ADD as u8,
        operand,
        test: Test::Equal,
        value,
    };
    Op::Count(X, counter, WHOLE, R)
}

/// Drops one of so many counts.
fn dropped(counts: usize) -> Op {
    equals(-1, 1 - counts as i8)
}

/// Who drops the last of n counts is all that can differ: n executions, of n!. (The cell begins with 0, so that the
/// last one finds 1 - n.)
#[test]
fn n_threads_drop_one_count_each() {
    let mut orders = 1;
    for n in 2..=5 {
        orders *= n as u64;
        check(&vec![vec![dropped(n)]; n], n as u64, orders);
    }
    let right = with(true, Order::Leftmost, Mutation::None, true);
    assert_eq!(explore(&vec![vec![dropped(9)]; 9], right).0, 9);
}

/// Nobody is the last: one execution. Each of two threads drops two of four: who is the last, and nothing else.
#[test]
fn counts_that_stay_and_several_of_one_thread() {
    check(&vec![vec![dropped(4)]; 3], 1, 6);
    check(&vec![vec![dropped(4), dropped(4)]; 2], 2, 6);
}

/// What the last one does comes after all: its store and a thread's load of that cell conflict. Of two threads either is
/// the last one, and a third one loads before its store or after it.
#[test]
fn the_last_one_goes_on() {
    let thread = vec![dropped(2), Op::SkipUnless(R, 1, 1), Op::Store(Y, 1)];
    check(&vec![thread.clone(), thread, vec![Op::Load(Y, 2)]], 4, 4);
}

/// A count that is taken conflicts with each that is dropped: one of three threads takes one first. Then there are four
/// to drop of three, and nobody is the last; the taker comes before both others, between them, or after both.
#[test]
fn a_count_that_is_taken() {
    let take = Op::Update(X, update::ADD, WHOLE, 1);
    check(&vec![vec![dropped(3)], vec![dropped(3)], vec![take]], 4, 6);
}

/// Different operands, constants, comparisons and bytes conflict.
#[test]
fn only_with_its_like() {
    let pair = |a, b| vec![vec![a], vec![b]];
    check(&pair(equals(-1, 5), equals(-1, 5)), 1, 2);
    check(&pair(equals(-1, 5), equals(-2, 5)), 2, 2);
    check(&pair(equals(-1, 5), equals(-1, 6)), 2, 2);
    let Op::Count(_, counter, ..) = equals(-1, 5) else {
        unreachable!()
    };
    let half = Op::Count(X, counter, (0, 4), R);
    check(&pair(half, half), 1, 2);
    check(&pair(half, equals(-1, 5)), 2, 2);
    let differs = Counter {
        test: Test::NotEqual,
        ..counter
    };
    let differs = Op::Count(X, differs, WHOLE, R);
    check(&pair(differs, differs), 1, 2);
    check(&pair(differs, equals(-1, 5)), 2, 2);
}

/// The first two of four are told that they are below 2: which two, of 24 orders.
#[test]
fn several_may_be_told_yes() {
    let counter = Counter {
        operator: update::ADD as u8,
        operand: 1,
        test: Test::Below,
        value: 2,
    };
    check(&vec![vec![Op::Count(X, counter, WHOLE, R)]; 4], 6, 24);
}

/// A reader sees how many were dropped, and which: 3 drop counts of four, 2^3 sets.
#[test]
fn a_reader() {
    let mut threads = vec![vec![dropped(4)]; 3];
    threads.push(vec![Op::Load(X, 2)]);
    check(&threads, 8, 24);
}

fn orders(seed: u64) -> [(Order, bool); 3] {
    [
        (Order::Leftmost, true),
        (Order::Leftmost, false),
        (Order::Random(seed), true),
    ]
}

/// The traces, and what is wrong with the search.
fn trial(
    threads: &Threads,
    counters: bool,
    seed: u64,
    mutation: Mutation,
) -> Option<(usize, Defects)> {
    let expected = brute::traces_from(State::with(threads, counters), threads, MOVES_MAX)?;
    for (order, checkpoints) in orders(seed) {
        let mut explorer = Explorer::new(with(counters, order, mutation, checkpoints));
        let found = compare_search(threads, counters, &expected, &mut explorer);
        if found.any() {
            return Some((expected.len(), found));
        }
    }
    Some((expected.len(), Defects::default()))
}

/// Random programs, with the reduction and without: the traces of brute force, each once, and the same states at the
/// ends.
#[test]
fn random_programs() {
    let (mut merged, mut all, mut done) = (0, 0, 0);
    let programs = environment("DPOR_ORACLE_PROGRAMS", 1_000);
    for seed in environment("DPOR_ORACLE_SEED", 1).. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed), Flavour::Counters);
        let Some((plain, without)) = trial(&threads, false, seed, Mutation::None) else {
            continue;
        };
        let with_it = trial(&threads, true, seed, Mutation::None);
        let (count, with_it) = with_it.expect("fewer than without");
        if without.any() || with_it.any() {
            let fails = |t: &Threads| {
                let any = |c| {
                    let found = trial(t, c, seed, Mutation::None);
                    found.is_some_and(|(_, d)| d.any())
                };
                any(true) == with_it.any() && any(false) == without.any()
            };
            let small = shrink(threads, fails);
            panic!("seed {seed}: {without:?} {with_it:?}\n{small:?}");
        }
        let ends = [true, false]
            .map(|c| explore(&threads, with(c, Order::Leftmost, Mutation::None, true)).1);
        assert_eq!(ends[0], ends[1], "seed {seed}: {threads:?}");
        done += 1;
        merged += count;
        all += plain;
    }
    println!("{done} programs, {all} traces, {merged} with counters");
    assert!(
        merged * 4 < all * 3,
        "the reduction was hardly used: {merged} of {all}"
    );
}

/// What is wrong with several workers, with `observers`.
fn simulate(threads: &Threads, setting: Option<Setting>) -> Option<(Defects, bool)> {
    let expected = expected(threads, true, MOVES_MAX)?;
    let mut config = with(true, Order::Leftmost, Mutation::None, true);
    config.reductions.observers = true;
    judge(threads, setting, config, &expected)
}

/// What is wrong with a search of one explorer, or of several workers in a setting, and whether it is outcomes. `None`: it
/// gave up increments, so that something else is expected.
pub fn judge(
    threads: &Threads,
    setting: Option<Setting>,
    mut config: Config,
    expected: &Expected,
) -> Option<(Defects, bool)> {
    let limit = expected.classes.len();
    let mut judge = Judge::new(threads, true, expected);
    config.crowded_barriers = expected.one.crowded.barriers();
    let mut faults = 0;
    let mut unfinished = false;
    match setting {
        None => {
            let mut program = Interpreter::new(threads);
            let mut explorer = Explorer::new(config);
            let mut restarts = 0;
            for _ in 0..10 * limit + 100 {
                match explorer.next(&mut program) {
                    Ok(Some(execution)) => {
                        if explorer.gave_up_increments() {
                            return None;
                        }
                        if explorer.counters().restarts > restarts {
                            restarts = explorer.counters().restarts;
                            judge = Judge::new(threads, true, expected);
                        }
                        judge.note(&execution.end, &explorer.schedule());
                    }
                    Ok(None) => break,
                    Err(_) => {
                        faults += 1;
                        break;
                    }
                }
            }
        }
        Some(setting) => loop {
            let note = |end: &_, schedule: &[_]| judge.note(end, schedule);
            let run = simulation::run(threads, setting, &config, limit, note);
            match run.fault {
                Some(Fault::AwaitedCell { cell }) => {
                    config.awaited_cells.push(cell);
                    judge = Judge::new(threads, true, expected);
                    continue;
                }
                Some(Fault::Miscounted) => return None,
                _ => {}
            }
            faults += usize::from(run.fault.is_some());
            unfinished = run.unfinished;
            break;
        },
    }
    let (mut defects, wrong) = judge.judge();
    defects.fault += faults;
    defects.unfinished += usize::from(unfinished);
    Some((defects, wrong))
}

/// Counters that find what a store left which a plan puts behind others: whether they are the last is told from that store,
/// and from what comes behind it.
#[test]
fn behind_a_store_that_is_read_late() {
    let last = Op::Count(X, Counter::LAST, WHOLE, 1);
    let threads = vec![
        vec![Op::Store(X, 3), last, Op::Load(Y, 2), last],
        vec![last, Op::Store(Y, 2)],
        vec![Op::Store(Y, 3), last],
    ];
    assert_eq!(simulate(&threads, None), Some((Defects::default(), false)));
}

/// With `observers` as well, one worker and several: the classes of brute force, each once.
#[test]
fn with_observers_and_workers() {
    let programs = environment("DPOR_WORKERS_PROGRAMS", 400);
    let (mut done, mut classes) = (0, 0);
    for seed in environment("DPOR_WORKERS_SEED", 1).. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed), Flavour::Counters);
        let Some(all) = expected(&threads, true, MOVES_MAX) else {
            continue;
        };
        let mut random = Random(seed ^ 0x434f_554e);
        let settings = [None, Some(Setting::random(&mut random))];
        for setting in settings {
            let run = |t: &Threads| {
                let run = || simulate(t, setting);
                let ran = catch_unwind(AssertUnwindSafe(run));
                ran.unwrap_or(Some((Defects::default(), true)))
            };
            let found = run(&threads).expect("small");
            if found != (Defects::default(), false) {
                let fails = |t: &Threads| run(t).is_some_and(|f| f != (Defects::default(), false));
                let small = shrink(threads, fails);
                panic!("seed {seed}, {setting:?}: {found:?}\n{small:?}");
            }
        }
        done += 1;
        classes += all.classes.len();
    }
    println!("{done} programs, {classes} classes");
}

/// Number of random programs that are tried to notice a mistake.
const TRIES: u64 = 2_000;

fn caught(mutation: Mutation) {
    let noticed = (1..TRIES).position(|seed| {
        let threads = program(&mut Random(seed), Flavour::Counters);
        let found = trial(&threads, true, seed, mutation);
        found.is_some_and(|(_, defects)| defects.missed > 0)
    });
    println!("{mutation:?}: noticed in program {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

#[test]
fn answers_ignored() {
    caught(Mutation::AnswersIgnored);
}

#[test]
fn operands_ignored() {
    caught(Mutation::OperandsIgnored);
}

#[test]
fn turned_sleep_on() {
    caught(Mutation::TurnedSleepOn);
}

#[test]
fn turned_cover() {
    caught(Mutation::TurnedCover);
}

#[test]
fn answers_alike() {
    caught(Mutation::AnswersAlike);
}

#[test]
fn like_not_reversed() {
    caught(Mutation::LikeNotReversed);
}
