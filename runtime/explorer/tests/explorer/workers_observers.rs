//! Several workers with the reduction `observers`: each class exactly once.
//!
//! As `workers`, with the oracle of `observers` (`observed`). `DPOR_WORKERS_PROGRAMS` sets how many
//! programs (1,000 unless set), `DPOR_WORKERS_SEED` the first seed, `DPOR_WORKERS_RUNS` how often each
//! is run (2 unless set).

use crate::compare::Defects;
use crate::interpreter::{Op, Threads};
use crate::observed::{any_program, expected, Expected, Judge};
use crate::random::{shrink, Random};
use crate::simulation;
use crate::simulation::{Setting, Traffic};
use dpor_explorer::{Config, Fault, Mutation};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Programs with more moves in their merged state space are skipped.
const MOVES_MAX: usize = 3_000;

fn environment(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok();
    value.map(|value| value.parse().expect("a number"))
}

/// The defects, and whether an outcome was missed or is impossible.
fn simulate(
    threads: &Threads,
    commute: bool,
    expected: &Expected,
    setting: Setting,
) -> ((Defects, bool), Traffic) {
    let mut config = Config::default();
    config.reductions.commute = commute;
    config.reductions.observers = true;
    config.checkpoint_after = 3;
    config.crowded_barriers = expected.one.crowded.barriers();
    let limit = expected.classes.len();
    let (run, judge) = loop {
        let mut judge = Judge::new(threads, commute, expected);
        let run = simulation::run(threads, setting, &config, limit, |end, schedule| {
            judge.note(end, schedule);
        });
        match run.fault {
            Some(Fault::AwaitedCell { cell }) => config.awaited_cells.push(cell),
            _ => break (run, judge),
        }
    };
    let (mut defects, wrong) = judge.judge();
    defects.unfinished += usize::from(run.unfinished);
    let disordered = run.fault == Some(Fault::Disordered);
    if disordered || expected.disorder.changes {
        // Found out; what such reads see is not for this search to say.
        defects = Defects::default();
        defects.fault += usize::from(disordered != expected.disorder.stores);
        return ((defects, false), run.traffic);
    }
    defects.fault += usize::from(run.fault.is_some());
    ((defects, wrong), run.traffic)
}

fn outcome(
    threads: &Threads,
    commute: bool,
    setting: Setting,
) -> Option<((Defects, bool), Traffic)> {
    let expected = expected(threads, commute, MOVES_MAX)?;
    let run = || simulate(threads, commute, &expected, setting);
    Some(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let stopped = Defects {
            fault: usize::MAX,
            ..Defects::default()
        };
        ((stopped, false), Traffic::default())
    }))
}

/// Where the reduction is given up.
fn is_timed(threads: &Threads) -> bool {
    threads.iter().flatten().any(|op| op.is_timed())
}

#[test]
fn workers_explore_each_class_once() {
    let programs = environment("DPOR_WORKERS_PROGRAMS").unwrap_or(1_000);
    let runs = environment("DPOR_WORKERS_RUNS").unwrap_or(2);
    let (mut done, mut classes, mut traces) = (0, 0, 0);
    let mut traffic = Traffic::default();
    for seed in environment("DPOR_WORKERS_SEED").unwrap_or(0).. {
        if done == programs {
            break;
        }
        let threads = any_program(seed);
        let commute = seed & 8 == 0;
        if is_timed(&threads) {
            continue;
        }
        let Some(all) = expected(&threads, commute, MOVES_MAX) else {
            continue;
        };
        let mut random = Random(seed ^ 0x5741_4c4b);
        for _ in 0..runs {
            let setting = Setting::random(&mut random);
            let (found, sent) = outcome(&threads, commute, setting).expect("small");
            if found != (Defects::default(), false) {
                let joins = |t: &Threads| {
                    let all = t.iter().flatten();
                    all.filter(|op| matches!(op, Op::Create(_) | Op::Join(_)))
                        .count()
                };
                // What is read plainly has to stay ordered.
                let fails = |t: &Threads| {
                    joins(t) == joins(&threads)
                        && outcome(t, commute, setting)
                            .is_some_and(|(found, _)| found != (Defects::default(), false))
                };
                let small = shrink(threads.clone(), fails);
                let again = outcome(&small, commute, setting);
                panic!("seed {seed}, {setting:?}: {found:?}\nsmaller: {small:?}\n{again:?}");
            }
            traffic.add(&sent);
        }
        done += 1;
        classes += all.classes.len();
        traces += all.traces;
    }
    println!("{done} programs, {traces} traces, {classes} classes, {runs} runs each: {traffic:?}");
    assert!(
        classes * 10 < traces * 9,
        "hardly used: {classes} of {traces}"
    );
}

/// Runs with a mistake until it is noticed.
#[track_caller]
fn caught(mutation: Mutation, tries: u64) {
    let mut random = Random(3);
    for seed in 0..tries {
        let threads = any_program(seed);
        let setting = Setting {
            mutation,
            ..Setting::random(&mut random)
        };
        if is_timed(&threads) {
            continue;
        }
        let Some((found, _)) = outcome(&threads, true, setting) else {
            continue;
        };
        if found != (Defects::default(), false) {
            println!("{mutation:?}: noticed in program {seed}, {found:?}");
            return;
        }
    }
    panic!("{mutation:?} was not noticed");
}

#[test]
fn mistakes_are_noticed() {
    caught(Mutation::UnreadStaysFirst, 400);
    caught(Mutation::ReadStoresSleep, 400);
    caught(Mutation::NothingOwed, 400);
    caught(Mutation::ReadsReachNothing, 400);
}

/// What a thread reads later in a step depends on what it read earlier. Of the cells that it reads
/// without naming them, workers that met them in different orders have to agree on one.
#[test]
fn reads_of_a_step_have_one_order() {
    let threads = vec![
        vec![
            Op::Create(1),
            Op::Create(2),
            Op::Create(3),
            Op::Store(0, 5),
            Op::Join(1),
            Op::Join(2),
            Op::Join(3),
            Op::Unseen(0),
        ],
        vec![Op::Store(1, 1)],
        vec![Op::Store(0, 1)],
        vec![Op::Cas(1, 0, 2, 0), Op::Store(1, 3), Op::Store(0, 1)],
    ];
    let all = expected(&threads, true, MOVES_MAX).expect("small");
    let mut random = Random(1);
    for _ in 0..200 {
        let setting = Setting::random(&mut random);
        let (found, _) = simulate(&threads, true, &all, setting);
        assert_eq!(found, (Defects::default(), false), "{setting:?}");
    }
}
