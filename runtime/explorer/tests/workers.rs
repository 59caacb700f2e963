//! Random programs, 2 to 16 simulated workers, adversarial transport: each trace exactly once.
//!
//! `DPOR_WORKERS_PROGRAMS` sets how many programs (1,000 unless set), `DPOR_WORKERS_SEED` the first
//! seed, `DPOR_WORKERS_RUNS` how often each is run (2 unless set), `DPOR_WORKERS_FLAVOUR` one
//! flavour.

mod brute;
mod compare;
mod interpreter;
mod random;
mod simulation;

use dpor_explorer::Mutation;
use interpreter::{Op, Threads};
use random::{program, shrink, Flavour, Random, FLAVOURS};
use simulation::{simulate, Setting, Traffic};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Programs with more moves in their merged state space are skipped.
const MOVES_MAX: usize = 4_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

fn campaign(flavours: &[Flavour], programs: u64, seed: u64, runs: u64) {
    let (mut done, mut traces, mut at) = (0, 0, seed);
    let mut traffic = Traffic::default();
    while done < programs {
        at += 1;
        let flavour = flavours[(at % flavours.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let Some(expected) = brute::traces(&threads, MOVES_MAX) else {
            continue;
        };
        let mut random = Random(at ^ 0x5741_4c4b);
        for _ in 0..runs {
            let setting = Setting::random(&mut random);
            let run = || simulate(&threads, &expected, setting);
            let Ok((defects, sent)) = catch_unwind(AssertUnwindSafe(run)) else {
                panic!("{flavour:?}, seed {at}, {setting:?}\n{threads:?}");
            };
            if defects.any() {
                let fails = |t: &_| {
                    let expected = brute::traces(t, MOVES_MAX);
                    expected.is_some_and(|expected| simulate(t, &expected, setting).0.any())
                };
                let small = shrink(threads.clone(), fails);
                panic!("{flavour:?}, seed {at}, {setting:?}: {defects:?}\nsmaller: {small:?}");
            }
            traffic.add(&sent);
        }
        done += 1;
        traces += expected.len();
    }
    println!(
        "{done} programs, {traces} traces, {} skipped as too big, {runs} runs each: {traffic:?}",
        at - seed - done
    );
}

#[test]
fn workers_explore_each_trace_once() {
    let flavour = std::env::var("DPOR_WORKERS_FLAVOUR").ok();
    let all = FLAVOURS.iter().copied();
    let chosen: Vec<Flavour> = all
        .filter(|f| flavour.as_ref().is_none_or(|n| *n == format!("{f:?}")))
        .collect();
    campaign(
        &chosen,
        setting("DPOR_WORKERS_PROGRAMS").unwrap_or(1_000),
        setting("DPOR_WORKERS_SEED").unwrap_or(0),
        setting("DPOR_WORKERS_RUNS").unwrap_or(2),
    );
}

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Noticed {
    Nothing,
    Defects,
    /// It stopped at an assertion.
    Panic,
}

fn run(threads: &Threads, setting: Setting) -> Noticed {
    let expected = brute::traces(threads, MOVES_MAX).expect("small");
    let run = || simulate(threads, &expected, setting);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok((defects, _)) if defects.any() => Noticed::Defects,
        Ok(_) => Noticed::Nothing,
        Err(_) => Noticed::Panic,
    }
}

/// Runs with a mistake until it is noticed, each time without it too.
#[track_caller]
fn caught(threads: &Threads, mutation: Mutation, runs: u64, how: Noticed) {
    let mut random = Random(7);
    for n in 0..runs {
        let right = Setting::random(&mut random);
        assert_eq!(run(threads, right), Noticed::Nothing, "{right:?}");
        let wrong = Setting { mutation, ..right };
        if run(threads, wrong) == how {
            println!("{mutation:?}: noticed in run {n}");
            return;
        }
    }
    panic!("{mutation:?} was not noticed");
}

const X: usize = 0;
const Y: usize = 1;

fn writer_and_readers() -> Threads {
    vec![
        vec![Op::Store(Y, 1)],
        vec![Op::Load(Y, 0)],
        vec![Op::Load(Y, 0)],
        vec![Op::Load(Y, 0)],
    ]
}

#[test]
fn forward_dropped() {
    let threads = vec![
        vec![Op::Load(X, 0), Op::StoreSum(X, 0, 1)],
        vec![Op::Load(X, 0), Op::Load(X, 0)],
        vec![Op::Load(X, 0)],
    ];
    caught(&threads, Mutation::ForwardDropped, 300, Noticed::Defects);
}

#[test]
fn started_is_covered() {
    let threads = writer_and_readers();
    caught(&threads, Mutation::StartedIsCovered, 300, Noticed::Defects);
}

#[test]
fn remote_before_untested() {
    let threads = writer_and_readers();
    caught(
        &threads,
        Mutation::RemoteBeforeUntested,
        300,
        Noticed::Defects,
    );
}

#[test]
fn freed_when_closed() {
    let threads = writer_and_readers();
    caught(&threads, Mutation::FreedWhenClosed, 300, Noticed::Defects);
}

/// Freeing is right only because insertions stop where the reversed event wakes.
#[test]
fn deep_insertion_reaches_what_is_freed() {
    let threads = vec![
        vec![Op::Store(X, 1)],
        vec![Op::Load(X, 0)],
        vec![Op::Choose(2, 0)],
    ];
    caught(&threads, Mutation::DeepInsertion, 300, Noticed::Panic);
}
