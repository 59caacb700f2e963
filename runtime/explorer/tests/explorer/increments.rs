//! What `increments` merges: hand-derived counts, and random programs that count references, with mistakes and without.
//! Brute force has its own table of what commutes, and looks in each state of every interleaving whether that is right:
//! where it is not, the search has to notice, and to find what there is without.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs, `DPOR_ORACLE_SEED` the first seed.

use crate::brute::{self, State};
use crate::compare::{compare_search, config, Defects};
use crate::counters::judge;
use crate::interpreter::{Interpreter, Op, Threads, WHOLE};
use crate::observed::expected_from;
use crate::random::{program, references, shrink, Flavour, Random};
use crate::simulation::Setting;
use dpor_explorer::{Config, Explorer, Mutation, Order};
use dpor_model::{update, Counter};
use std::collections::HashSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

const X: usize = 0;
const Y: usize = 1;
const R: usize = 1;

/// Programs with more moves in their merged state space are skipped.
const MOVES_MAX: usize = 6_000;

fn environment(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

fn with(increments: bool, order: Order, mutation: Mutation, checkpoints: bool) -> Config {
    let mut config = config(order, mutation, checkpoints);
    config.reductions.commute = true;
    config.reductions.counters = true;
    config.reductions.increments = increments;
    config
}

/// Executions, the states in which they end, and whether increments were given up.
fn explore(threads: &Threads, increments: bool) -> (u64, HashSet<String>, bool) {
    let mut program = Interpreter::new(threads);
    let config = with(increments, Order::Leftmost, Mutation::None, true);
    let mut explorer = Explorer::new(config);
    let mut ends = HashSet::new();
    while explorer.next(&mut program).expect("a program").is_some() {
        ends.insert(format!("{:?}", program.machine));
    }
    let executions = explorer.counters().executions();
    (executions, ends, explorer.gave_up_increments())
}

#[track_caller]
fn check(threads: &Threads, increments: u64, without: u64) {
    let (with_it, ends, gave_up) = explore(threads, true);
    let (all, all_ends, _) = explore(threads, false);
    assert_eq!((with_it, all), (increments, without), "{threads:?}");
    assert!(!gave_up, "{threads:?}");
    assert!(ends.is_subset(&all_ends), "{threads:?}");
}

fn take() -> Op {
    Op::Update(X, update::ADD, WHOLE, 1)
}

fn dropped() -> Op {
    Op::Count(X, Counter::LAST, WHOLE, R)
}

/// The creator has a count, takes one for each of n threads before it creates that, and drops its own.
fn creator(n: usize, thread: &[Op]) -> Threads {
    let mut main = vec![Op::Store(X, 1)];
    for t in 1..=n {
        main.extend([take(), Op::Create(t)]);
    }
    main.push(dropped());
    let mut threads = vec![main];
    threads.extend(vec![thread.to_vec(); n]);
    threads
}

/// Who drops the last of n + 1 counts is all that can differ: n + 1 executions. Without, thread t may drop its count before
/// or after each count that is taken later: brute force counts those.
#[test]
fn the_creator_takes_each_count() {
    for n in 1..=4 {
        let threads = creator(n, &[dropped()]);
        let start = State::with(&threads, true);
        let (all, _) = brute::traces_with_increments(start, &threads, 100_000).expect("small");
        check(&threads, n as u64 + 1, all.len() as u64);
    }
    let (executions, _, gave_up) = explore(&creator(9, &[dropped()]), true);
    assert_eq!((executions, gave_up), (10, false));
}

/// Each first asks whether it has the last one, as `std::shared_ptr` does: whoever is the last one is told so at once, or when
/// it drops it, if others dropped theirs between. Of n who drop one each that is 2n.
#[test]
fn who_looks_first() {
    let looks = [Op::IsLast(X, 8, 3), Op::SkipUnless(3, 0, 1), dropped()];
    for n in 2..=5 {
        let mut threads = vec![vec![Op::Store(X, n)]];
        threads[0].extend((1..=n).map(|t| Op::Create(t as usize)));
        threads.extend(vec![looks.to_vec(); n as usize]);
        let (executions, _, gave_up) = explore(&threads, true);
        assert_eq!((executions, gave_up), (2 * n, false), "{n} threads");
        let mut threads = creator(n as usize, &looks);
        let main = &mut threads[0];
        main.pop();
        main.extend(looks);
        let (executions, _, gave_up) = explore(&threads, true);
        assert_eq!(
            (executions, gave_up),
            (2 * (n + 1), false),
            "{n} threads and their creator"
        );
    }
}

/// Threads that copy what they have: the copies change nothing.
#[test]
fn copies_of_what_a_thread_has() {
    let copies = [
        take(),
        dropped(),
        take(),
        take(),
        dropped(),
        dropped(),
        dropped(),
    ];
    let (executions, _, gave_up) = explore(&creator(2, &copies), true);
    assert_eq!((executions, gave_up), (3, false));
    let (executions, _, gave_up) = explore(&creator(3, &copies[..2]), true);
    // Nobody drops the last one: the counts of three threads are left.
    assert_eq!((executions, gave_up), (1, false));
}

/// A reader of the count sees how many there are: it conflicts with what takes one, too. It comes before, between or behind.
#[test]
fn a_reader() {
    let threads = vec![
        vec![Op::Store(X, 3), Op::Create(1), Op::Create(2), take()],
        vec![dropped()],
        vec![Op::Load(X, 2)],
    ];
    check(&threads, 4, 6);
}

/// The last one to leave is told so, but others may come after it: the order of coming and leaving matters.
#[test]
fn a_count_of_those_who_are_there() {
    let threads = vec![vec![take(), dropped(), Op::SkipUnless(R, 1, 1), Op::Store(Y, 1)]; 2];
    let (executions, ends, gave_up) = explore(&threads, true);
    let (all, all_ends, _) = explore(&threads, false);
    assert!(gave_up);
    assert_eq!((executions, ends), (all, all_ends));
}

fn orders(seed: u64) -> [(Order, bool); 3] {
    [
        (Order::Leftmost, true),
        (Order::Leftmost, false),
        (Order::Random(seed), true),
    ]
}

/// What came of a program.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Found {
    /// Traces without the reduction, and with it.
    traces: (usize, usize),
    defects: Defects,
    /// The search did not notice that increments were wrongly taken to commute.
    unnoticed: bool,
    /// They may be.
    miscounts: bool,
    /// It gave them up, in one order at least.
    gave_up: bool,
}

impl Found {
    fn is_missing(&self) -> bool {
        self.unnoticed || self.defects.missed > 0
    }

    fn is_wrong(&self) -> bool {
        self.defects.any() || self.unnoticed
    }
}

fn trial(threads: &Threads, seed: u64, mutation: Mutation) -> Option<Found> {
    let start = || State::with(threads, true).looking(true);
    let (plain, miscounts) = brute::traces_with_increments(start(), threads, MOVES_MAX)?;
    let merged = match miscounts {
        true => None,
        false => {
            let start = start().incrementing(true);
            Some(brute::traces_with_increments(start, threads, MOVES_MAX)?.0)
        }
    };
    let mut found = Found {
        traces: (
            plain.len(),
            merged.as_ref().map_or(plain.len(), |m| m.len()),
        ),
        miscounts,
        ..Found::default()
    };
    for (order, checkpoints) in orders(seed) {
        let config = with(true, order, mutation, checkpoints);
        // Whether it gives up says with what it is to be compared.
        let mut program = Interpreter::new(threads);
        let mut explorer = Explorer::new(config.clone());
        for _ in 0..20 * plain.len() + 200 {
            if !matches!(explorer.next(&mut program), Ok(Some(_))) {
                break;
            }
        }
        let gave_up = explorer.gave_up_increments();
        found.gave_up |= gave_up;
        let expected = match (&merged, gave_up) {
            (_, true) => &plain,
            (Some(merged), false) => merged,
            (None, false) => {
                found.unnoticed = true;
                return Some(found);
            }
        };
        let mut explorer = Explorer::new(config);
        let defects = compare_search(threads, true, expected, &mut explorer);
        if defects.any() {
            found.defects = defects;
            return Some(found);
        }
    }
    Some(found)
}

/// Random programs: the traces of brute force, each once; where increments do not commute, those without them.
#[test]
fn random_programs() {
    let (mut merged, mut all, mut done) = (0, 0, 0);
    let (mut wrong, mut careful) = (0, 0);
    let programs = environment("DPOR_ORACLE_PROGRAMS", 1_000);
    for seed in environment("DPOR_ORACLE_SEED", 1).. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed), Flavour::References);
        let Some(found) = trial(&threads, seed, Mutation::None) else {
            continue;
        };
        if found.is_wrong() {
            let fails = |t: &Threads| {
                let found = trial(t, seed, Mutation::None);
                found.is_some_and(|found| found.is_wrong())
            };
            let small = shrink(threads, fails);
            panic!("seed {seed}: {found:?}\n{small:?}");
        }
        done += 1;
        wrong += usize::from(found.miscounts);
        careful += usize::from(found.gave_up && !found.miscounts);
        all += found.traces.0;
        merged += found.traces.1;
    }
    println!(
        "{done} programs, {all} traces, {merged} with increments; {wrong} miscount, {careful} given up besides"
    );
    assert!(merged * 3 < all * 2, "hardly used: {merged} of {all}");
    assert!(wrong * 20 > done as usize, "hardly any miscounts: {wrong}");
    assert!(careful * 8 < done as usize, "given up too often: {careful}");
}

/// Programs that count their references right: increments are never given up.
#[test]
fn who_counts_right_is_believed() {
    let programs = environment("DPOR_ORACLE_PROGRAMS", 300);
    let (mut merged, mut all, mut done) = (0, 0, 0);
    for seed in environment("DPOR_ORACLE_SEED", 1).. {
        if done == programs {
            break;
        }
        let threads = references::right(&mut Random(seed));
        let Some(found) = trial(&threads, seed, Mutation::None) else {
            continue;
        };
        let is_wrong = |found: Found| found.is_wrong() || found.gave_up || found.miscounts;
        if is_wrong(found) {
            let small = shrink(threads, |t| {
                trial(t, seed, Mutation::None).is_some_and(is_wrong)
            });
            panic!("seed {seed}: {found:?}\n{small:?}");
        }
        done += 1;
        all += found.traces.0;
        merged += found.traces.1;
    }
    println!("{done} programs, {all} traces, {merged} with increments");
}

/// What is wrong with a search with `observers`, of one explorer or of several workers. `miscounts`: increments do not
/// commute with all drops that are told "no".
fn simulate(threads: &Threads, setting: Option<Setting>) -> Option<(Defects, bool)> {
    // Workers do not take looks to commute.
    let start = || State::with(threads, true).looking(setting.is_none());
    let (_, miscounts) = brute::traces_with_increments(start(), threads, MOVES_MAX)?;
    let mut config = with(true, Order::Leftmost, Mutation::None, true);
    config.reductions.observers = true;
    if !miscounts {
        let expected = expected_from(start().incrementing(true), threads, MOVES_MAX)?;
        if let Some(found) = judge(threads, setting, config.clone(), &expected) {
            return Some(found);
        }
    }
    let expected = expected_from(start(), threads, MOVES_MAX)?;
    if miscounts && judge(threads, setting, config.clone(), &expected).is_some() {
        // It should have noticed.
        return Some((Defects::default(), true));
    }
    config.reductions.increments = false;
    judge(threads, setting, config, &expected)
}

/// With `observers` as well, one worker and several: the classes of brute force, each once.
#[test]
fn with_observers_and_workers() {
    let programs = environment("DPOR_WORKERS_PROGRAMS", 300);
    let mut done = 0;
    for seed in environment("DPOR_WORKERS_SEED", 1).. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed), Flavour::References);
        if simulate(&threads, None).is_none() {
            continue;
        }
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
    }
}

/// Number of random programs that are tried to notice a mistake.
const TRIES: u64 = 3_000;

fn caught(mutation: Mutation) {
    let noticed = (1..TRIES).position(|seed| {
        let threads = program(&mut Random(seed), Flavour::References);
        let found = catch_unwind(|| trial(&threads, seed, mutation));
        // A plan that is none panics where it is made.
        found.is_err() || found.is_ok_and(|found| found.is_some_and(|found| found.is_missing()))
    });
    println!("{mutation:?}: noticed in program {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

#[test]
fn increments_unasked() {
    caught(Mutation::IncrementsUnasked);
}

#[test]
fn increments_of_others() {
    caught(Mutation::IncrementsOfOthers);
}

#[test]
fn looks_not_repeated() {
    caught(Mutation::LooksNotRepeated);
}

#[test]
fn looks_covered() {
    caught(Mutation::LooksCovered);
}

#[test]
fn drops_sleep_on() {
    caught(Mutation::DropsSleepOn);
}

#[test]
fn looks_believed() {
    caught(Mutation::LooksBelieved);
}

/// Of nothing, the drop is told "no"; behind the increment it has the last one.
#[test]
fn increments_turn_nothing() {
    let threads = vec![vec![take()], vec![dropped()]];
    let [right, wrong] = [Mutation::None, Mutation::IncrementsTurnNothing]
        .map(|mutation| trial(&threads, 1, mutation).expect("small"));
    assert!(right.gave_up && !right.is_wrong(), "{right:?}");
    assert!(wrong.unnoticed, "{wrong:?}");
}
