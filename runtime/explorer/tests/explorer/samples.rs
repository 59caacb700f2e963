//! Samples against brute force: they are executions that there are, different ones are told apart and
//! equal ones are not, and small programs are covered.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs (400 unless set), `DPOR_ORACLE_SEED` the first seed.

use crate::brute;
use crate::brute::State;
use crate::compare::name;
use crate::interpreter::{Interpreter, Threads};
use crate::random::{program, Random, FLAVOURS};
use dpor_explorer::{Config, End, Explorer, Method, Sampling, SearchKind};
use dpor_model::ThreadId;
use std::collections::{HashMap, HashSet};

const MOVES_MAX: usize = 4_000;

const METHODS: [Method; 5] = [
    Method::Random,
    Method::Pct { depth: 1 },
    Method::Pct { depth: 3 },
    Method::Pos,
    Method::Surw,
];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

fn search(method: Method, samples: u64, seed: u64) -> Explorer {
    let mut config = Config::default();
    config.search = SearchKind::Sample(Sampling {
        method,
        samples,
        seed,
    });
    Explorer::new(config)
}

/// Runs all samples; `each` gets the schedule and the end of each.
fn run(threads: &Threads, explorer: &mut Explorer, mut each: impl FnMut(&[(ThreadId, u32)], &End)) {
    let mut program = Interpreter::new(threads);
    while let Some(execution) = explorer.next(&mut program).expect("no fault") {
        each(&explorer.schedule(), &execution.end);
    }
}

/// The oracle's state after a schedule.
fn state_after(threads: &Threads, schedule: &[(ThreadId, u32)]) -> State {
    let mut state = State::with(threads, false);
    state.settle(threads);
    for &(thread, alternative) in schedule {
        state.step(threads, usize::from(thread.0), alternative);
        state.settle(threads);
    }
    state
}

/// What is wrong with these samples.
fn check(threads: &Threads, expected: &HashMap<u128, State>, method: Method, seed: u64) {
    const SAMPLES: u64 = 60;
    let mut explorer = search(method, SAMPLES, seed);
    let mut seen: HashMap<u128, u64> = HashMap::new();
    run(threads, &mut explorer, |schedule, end| {
        let state = state_after(threads, schedule);
        assert!(
            expected.contains_key(&state.form),
            "{method:?} {schedule:?} {threads:?}"
        );
        assert_eq!(state.ending(threads), name(end), "{method:?} {threads:?}");
        *seen.entry(state.form).or_default() += 1;
    });
    let samples = explorer.samples().expect("samples");
    assert_eq!(samples.samples, SAMPLES);
    let once = seen.values().filter(|&&n| n == 1).count() as u64;
    assert_eq!(
        (samples.traces, samples.once),
        (seen.len() as u64, once),
        "{method:?} {threads:?}"
    );
}

/// Programs of all flavours, every method.
#[test]
fn samples_are_traces() {
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(400);
    let (mut done, mut at) = (0, setting("DPOR_ORACLE_SEED").unwrap_or(0));
    let mut traces = 0;
    while done < programs {
        at += 1;
        let flavour = FLAVOURS[(at % FLAVOURS.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let Some(expected) = brute::traces_from(State::with(&threads, false), &threads, MOVES_MAX)
        else {
            continue;
        };
        for method in METHODS {
            check(&threads, &expected, method, at);
        }
        done += 1;
        traces += expected.len();
    }
    println!("{done} programs of {traces} traces");
}

/// Small programs: after many samples no trace is missing. PCT of depth 1 never changes its mind, and
/// reaches few.
#[test]
fn all_traces_are_found() {
    const SAMPLES: u64 = 10_000;
    let (mut done, mut at) = (0, setting("DPOR_ORACLE_SEED").unwrap_or(0));
    while done < 40 {
        at += 1;
        let flavour = FLAVOURS[(at % FLAVOURS.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        // The least likely of 12!/(4! 4! 4!) = 34,650 interleavings need not come.
        if threads.iter().map(Vec::len).sum::<usize>() > 9 {
            continue;
        }
        let expected = brute::traces_from(State::with(&threads, false), &threads, MOVES_MAX);
        let Some(expected) = expected.filter(|e| (2..=25).contains(&e.len())) else {
            continue;
        };
        for method in [Method::Random, Method::Pos, Method::Surw] {
            let mut explorer = search(method, SAMPLES, at);
            run(&threads, &mut explorer, |_, _| {});
            let samples = explorer.samples().expect("samples");
            assert_eq!(
                samples.traces,
                expected.len() as u64,
                "{method:?} {flavour:?} {at} {threads:?}"
            );
        }
        done += 1;
    }
}

/// The same seed gives the same schedules, another seed others.
#[test]
fn the_seed_decides() {
    let threads = program(&mut Random(7), FLAVOURS[0]);
    let schedules = |method, seed| {
        let mut all = Vec::new();
        run(&threads, &mut search(method, 100, seed), |schedule, _| {
            all.push(schedule.to_vec())
        });
        all
    };
    for method in METHODS {
        assert_eq!(schedules(method, 1), schedules(method, 1), "{method:?}");
        assert_ne!(schedules(method, 1), schedules(method, 2), "{method:?}");
    }
}

/// What one sample ran does not depend on how many there are.
#[test]
fn more_samples_begin_with_the_same() {
    let threads = program(&mut Random(7), FLAVOURS[0]);
    for method in METHODS {
        let mut few = HashSet::new();
        run(&threads, &mut search(method, 10, 3), |schedule, _| {
            few.insert(schedule.to_vec());
        });
        let (mut many, mut count) = (HashSet::new(), 0);
        run(&threads, &mut search(method, 50, 3), |schedule, _| {
            count += 1;
            if count <= 10 {
                many.insert(schedule.to_vec());
            }
        });
        assert_eq!(few, many, "{method:?}");
    }
}
