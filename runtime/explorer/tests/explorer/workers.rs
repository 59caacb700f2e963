//! Random programs, 2 to 16 simulated workers, adversarial transport: each trace exactly once.
//!
//! `DPOR_WORKERS_PROGRAMS` sets how many programs (1,000 unless set), `DPOR_WORKERS_SEED` the first
//! seed, `DPOR_WORKERS_RUNS` how often each is run (2 unless set), `DPOR_WORKERS_FLAVOUR` one
//! flavour.

use crate::brute::{self, State};
use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, shrink, Flavour, Random, FLAVOURS};
use crate::simulation::{simulate, Adversary, Setting, Traffic};
use dpor_explorer::worker::{BarrierUsers, ItemId, Message, Worker, WorkerId};
use dpor_explorer::{Config, Counters, End, Explorer, Fault, Mutation};
use dpor_model::{ObjectId, ThreadSet};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;

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
        let traces_of = |t: &Threads| {
            let start = State::with(t, true).leaving_out(at & 16 == 0);
            brute::traces_from(start, t, MOVES_MAX)
        };
        let Some(expected) = traces_of(&threads) else {
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
                    let expected = traces_of(t);
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

/// The result of a simulated run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Noticed {
    Nothing,
    Defects,
    /// The run stopped at an assertion.
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

/// What is finished, and kept as bytes, may still lack something.
#[test]
fn packed_is_covered() {
    let threads = vec![
        vec![Op::Load(X, 0), Op::StoreSum(X, 0, 1)],
        vec![Op::Load(X, 0), Op::Load(X, 0)],
        vec![Op::Load(X, 0)],
        vec![Op::Load(X, 0)],
    ];
    caught(&threads, Mutation::PackedIsCovered, 300, Noticed::Defects);
}

/// Three threads use a barrier for two, and no worker saw all of them: together they know.
#[test]
fn users_of_a_barrier_are_known_together() {
    let threads: Threads = vec![vec![Op::Load(X, 0)]];
    let mut worker = Worker::new(WorkerId(0), Config::default());
    let mut program = Interpreter::new(&threads);
    let executed = worker.step(&mut program).expect("no fault");
    assert!(executed.is_some() && worker.is_finished() && !worker.has_work());
    let barrier = ObjectId(0x7000);
    for (threads, known) in [(0b011, false), (0b011, false), (0b110, true)] {
        let item = ItemId {
            giver: WorkerId(1),
            number: 1,
        };
        worker.receive(Message::Close {
            item,
            parent: ItemId::WHOLE,
            received: 0,
            counters: Counters::default(),
            barriers: vec![BarrierUsers {
                barrier,
                width: 2,
                threads: ThreadSet::of_word(threads),
            }],
        });
        assert_eq!((worker.is_finished(), worker.has_work()), (!known, known));
    }
    let fault = Fault::CrowdedBarrier { barrier, width: 2 };
    assert_eq!(worker.step(&mut program), Err(fault));
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

/// A worker that has everything does what the search for one does, also if executions are cut.
#[test]
fn bound_of_events() {
    let mut cut = 0;
    for at in 0..500 {
        let flavour = FLAVOURS[at % FLAVOURS.len()];
        let threads = program(&mut Random(at as u64), flavour);
        let mut config = Config::default();
        config.max_events = Some(3 + at as u64 % 7);
        let mut explorer = Explorer::new(config.clone());
        let mut worker = Worker::new(WorkerId(0), config);
        let mut programs = [Interpreter::new(&threads), Interpreter::new(&threads)];
        for _ in 0..300 {
            let expected = explorer.next(&mut programs[0]).expect("no fault");
            let executed = match worker.step(&mut programs[1]) {
                Err(Fault::CrowdedBarrier { .. }) => break,
                executed => executed.expect("no other fault"),
            };
            assert_eq!(expected.is_some(), executed.is_some(), "{at} {threads:?}");
            let (Some(expected), Some(executed)) = (expected, executed) else {
                assert!(worker.is_finished());
                break;
            };
            assert_eq!(expected.end, executed.end, "{at} {threads:?}");
            assert_eq!(explorer.schedule(), worker.schedule(), "{at} {threads:?}");
            cut += usize::from(executed.end == End::EventBound);
        }
    }
    assert!(cut > 1_000, "hardly anything was cut: {cut}");
}

/// Threads 1 to `n` each read a cell and write the next; thread 0 looks for the last that is 0.
/// (lastzero of the literature.)
fn lastzero(n: usize) -> Threads {
    let mut threads = vec![Vec::new()];
    for i in (1..=n).rev() {
        threads[0].push(Op::Load(i, 0));
        threads[0].push(Op::SkipUnless(0, 1, 2 * (i - 1)));
        threads.push(vec![Op::Load(i - 1, 0), Op::Store(i, 1)]);
    }
    threads
}

/// Messages per thousand executions when only idle workers steal, and the nodes kept.
#[test]
#[ignore = "prints a table"]
fn traffic() {
    let threads = lastzero(10);
    let expected = brute::traces(&threads, 10_000_000).expect("small");
    for workers in [1, 2, 4, 16] {
        let setting = Setting {
            workers,
            adversary: Adversary::Friendly,
            steals: 0,
            saves: 0,
            seed: 1,
            learns: false,
            mutation: Mutation::None,
        };
        let (defects, sent) = simulate(&threads, &expected, setting);
        assert!(!defects.any(), "{defects:?}");
        println!(
            "{workers} workers, {} executions: {sent:?}",
            sent.executions
        );
    }
}

/// Seconds of one worker that has everything, and of the search for one.
#[test]
#[ignore = "prints a table"]
fn alone() {
    let locks = vec![[Op::Lock(0), Op::Unlock(0)].repeat(3); 4];
    for (name, threads) in [("lastzero(12)", lastzero(12)), ("lock 4x3", locks)] {
        let mut program = Interpreter::new(&threads);
        let mut explorer = Explorer::new(Config::default());
        let begin = Instant::now();
        while explorer.next(&mut program).expect("no fault").is_some() {}
        let search = begin.elapsed();
        let mut program = Interpreter::new(&threads);
        let mut worker = Worker::new(WorkerId(0), Config::default());
        let begin = Instant::now();
        while worker.step(&mut program).expect("no fault").is_some() {}
        let (a, b) = (explorer.counters(), worker.counters());
        assert_eq!(a.executions(), b.executions());
        println!(
            "{name}: search {search:?}, {} nodes; worker {:?}, {} nodes",
            a.nodes_max,
            begin.elapsed(),
            b.nodes_max
        );
    }
}

/// What is closed and not final has to be written down, too.
#[test]
fn closed_is_not_saved() {
    let threads = writer_and_readers();
    let mut random = Random(11);
    for n in 0..300 {
        let right = Setting {
            saves: 100,
            ..Setting::random(&mut random)
        };
        assert_eq!(run(&threads, right), Noticed::Nothing, "{right:?}");
        let mutation = Mutation::ClosedIsNotSaved;
        let noticed = run(&threads, Setting { mutation, ..right });
        if noticed != Noticed::Nothing {
            println!("{mutation:?}: {noticed:?} in run {n}");
            return;
        }
    }
    panic!("it was not noticed");
}

/// What was written of a search that is over says so.
#[test]
fn the_frontier_of_a_search_that_is_over() {
    let threads = writer_and_readers();
    let mut worker = Worker::new(WorkerId(0), Config::default());
    let mut program = Interpreter::new(&threads);
    while worker.step(&mut program).expect("no fault").is_some() {}
    worker.pause();
    let left = worker.frontier();
    let mut next = Worker::resume(Config::default(), &left).expect("as it was written");
    assert!(next.is_finished() && !next.has_work());
    // Each reader comes before the writer or after it.
    assert_eq!(next.total().executions(), 8);
    let mut program = Interpreter::new(&threads);
    assert_eq!(next.step(&mut program), Ok(None));
}
