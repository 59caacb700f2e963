//! Random programs: the bounded search runs exactly the traces that have few enough preemptions, each once.
//!
//! The oracle finds all traces by brute force, and the smallest number of preemptions of each by another brute
//! force over schedules (`brute/preemptions.rs`). `DPOR_ORACLE_PROGRAMS` sets how many programs (300 unless
//! set), `DPOR_ORACLE_SEED` the first seed, `DPOR_ORACLE_FLAVOUR` one flavour, `DPOR_ORACLE_SLACK` another
//! slack than the search's own, to see how much is enough.

use crate::brute;
use crate::brute::preemptions::least_preemptions;
use crate::brute::State;
use crate::compare::config;
use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, shrink, Flavour, Random, FLAVOURS};
use dpor_explorer::{Config, Coverage, End, Explorer, Mutation, Order, SearchKind};
use std::collections::HashMap;

/// Programs with more moves in their merged state space are skipped, as in `oracle.rs`.
const MOVES_MAX: usize = 4_000;
/// Beginnings that differ in their last thread are not merged.
const SCHEDULE_MOVES_MAX: usize = 5 * MOVES_MAX;
/// The last is beyond every trace of these programs, for the search that comes to it step by step.
const BOUNDS: [u32; 5] = [0, 1, 2, 3, 40];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

/// Counts of mistakes, and of what was compared.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Found {
    /// Traces within the bound that were not run.
    missed: usize,
    /// Traces that were run twice, within the bound or not.
    twice: usize,
    /// Executions that are no trace, or none within the bound.
    extra: usize,
    /// The number of preemptions was computed to be another than the oracle's.
    wrong: usize,
    /// Executions cut because all that could go on slept, and searches that gave up.
    redundant: usize,
    /// Number of traces within the bound (no mistake).
    within: usize,
    /// Number of executions beyond the bound (no mistake).
    beyond: usize,
}

impl Found {
    fn kind(&self) -> [bool; 5] {
        [
            self.missed,
            self.twice,
            self.extra,
            self.wrong,
            self.redundant,
        ]
        .map(|n| n > 0)
    }

    fn is_wrong(&self) -> bool {
        self.kind().contains(&true)
    }

    fn add(&mut self, other: Found) {
        self.missed += other.missed;
        self.twice += other.twice;
        self.extra += other.extra;
        self.wrong += other.wrong;
        self.redundant += other.redundant;
        self.within += other.within;
        self.beyond += other.beyond;
    }
}

/// The traces of a program.
struct Traces {
    any: State,
    least: HashMap<u128, u32>,
    commute: bool,
}

fn traces(threads: &Threads, commute: bool) -> Option<Traces> {
    let all = brute::traces_from(State::with(threads, commute), threads, MOVES_MAX)?;
    let any = all.values().next().expect("some execution is maximal");
    let start = State::with(threads, commute).crowding(&any.crowded);
    let least = least_preemptions(&start, threads, SCHEDULE_MOVES_MAX)?;
    assert!(all.keys().all(|form| least.contains_key(form)));
    assert_eq!(all.len(), least.len());
    Some(Traces {
        any: start,
        least,
        commute,
    })
}

/// The configuration of a search.
#[derive(Clone, Copy)]
struct How {
    bound: u32,
    iterative: bool,
    slack: Option<u32>,
    order: Order,
}

fn bounded(how: How, traces: &Traces) -> Config {
    let mut config = config(how.order, Mutation::None, true);
    config.reductions.commute = traces.commute;
    config.bound = Some(how.bound);
    config.slack = how.slack;
    config.iterative = how.iterative;
    config
}

/// The preemptions of the trace that was run last.
fn preemptions(explorer: &Explorer) -> usize {
    let trace = explorer.trace();
    trace.preemptions_least(trace.len())
}

/// True if the order with fewest preemptions of the trace that was run last is one: it can be run, is equivalent, and
/// has as many as the trace is said to need.
fn has_such_an_order(threads: &Threads, traces: &Traces, explorer: &Explorer) -> bool {
    let least = preemptions(explorer);
    let schedule = explorer.schedule();
    let Some(order) = explorer.trace().least_order(schedule.len()) else {
        return explorer.preemptions() == least;
    };
    let reordered = order.into_iter().map(|event| schedule[event]).collect();
    let mut config = Config::default();
    config.search = SearchKind::Replay(reordered);
    let mut again = Explorer::new(config);
    let ran = again.next(&mut Interpreter::new(threads));
    ran.is_ok_and(|execution| execution.is_some())
        && again.preemptions() == least
        && form(threads, traces, &again) == form(threads, traces, explorer)
}

/// The form of the execution that ran last.
fn form(threads: &Threads, traces: &Traces, explorer: &Explorer) -> u128 {
    let mut state = traces.any.clone();
    state.settle(threads);
    for (thread, alternative) in explorer.schedule() {
        state.step(threads, usize::from(thread.0), alternative);
        state.settle(threads);
    }
    state.form
}

fn run(threads: &Threads, traces: &Traces, how: How) -> Found {
    let bound = how.bound;
    let mut explorer = Explorer::new(bounded(how, traces));
    let mut program = Interpreter::new(threads);
    let mut found = Found::default();
    let mut seen: HashMap<u128, usize> = HashMap::new();
    let mut restarts = 0;
    loop {
        let execution = match explorer.next(&mut program) {
            Ok(Some(execution)) => execution,
            Ok(None) => break,
            Err(_) => {
                found.redundant += 1;
                break;
            }
        };
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            seen.clear();
            found = Found::default();
        }
        found.beyond += usize::from(execution.beyond);
        let bound = explorer.bound().expect("a bounded search");
        if how.iterative && execution.beyond {
            continue; // It comes again.
        }
        match execution.end {
            End::Redundant => found.redundant += 1,
            End::PreemptionBound => {}
            _ => {
                let form = form(threads, traces, &explorer);
                let least = traces.least.get(&form).copied();
                found.extra += usize::from(least.is_none());
                let counted = preemptions(&explorer) as u32;
                found.wrong += usize::from(Some(counted) != least);
                found.wrong += usize::from(!has_such_an_order(threads, traces, &explorer));
                found.wrong += usize::from(execution.beyond != (counted > bound));
                // With rising bounds each is run when its turn has come.
                found.wrong += usize::from(how.iterative && counted != bound);
                *seen.entry(form).or_default() += 1;
            }
        }
    }
    if how.iterative {
        found.wrong += wrong_coverage(traces, &explorer);
    }
    let within = traces.least.iter().filter(|(_, &least)| least <= bound);
    for (form, _) in within {
        found.within += 1;
        found.missed += usize::from(!seen.contains_key(form));
    }
    found.twice += seen.values().map(|n| n - 1).sum::<usize>();
    found
}

/// Bounds for which the search counted other executions than there are.
fn wrong_coverage(traces: &Traces, explorer: &Explorer) -> usize {
    let coverage = explorer.coverage();
    let is_wrong = |row: &&Coverage| {
        let within = traces.least.values().filter(|&&least| least <= row.bound);
        row.executions != within.count() as u64
    };
    coverage.iter().filter(is_wrong).count()
}

fn trial(threads: &Threads, seed: u64, slack: Option<u32>) -> Option<Vec<(u32, Found)>> {
    let mut all = Vec::new();
    for commute in [true, false] {
        let traces = traces(threads, commute)?;
        for bound in BOUNDS {
            let orders = [
                (Order::Leftmost, false),
                (Order::Random(seed), false),
                (Order::Leftmost, true),
            ];
            for (order, iterative) in orders {
                if bound == BOUNDS[4] && !iterative {
                    continue;
                }
                let how = How {
                    bound,
                    iterative,
                    slack,
                    order,
                };
                all.push((bound, run(threads, &traces, how)));
            }
        }
    }
    Some(all)
}

fn is_wrong(all: &[(u32, Found)]) -> Option<[bool; 5]> {
    let wrong = all.iter().find(|(_, found)| found.is_wrong());
    wrong.map(|(_, found)| found.kind())
}

/// What was compared for each bound.
type Sums = [Found; BOUNDS.len()];

/// Explores so many programs; the first that goes wrong, made small.
fn campaign(
    flavours: &[Flavour],
    (programs, seed): (u64, u64),
    slack: Option<u32>,
) -> Result<Sums, String> {
    let mut sums = Sums::default();
    let (mut done, mut at) = (0, seed);
    while done < programs {
        at += 1;
        let flavour = flavours[(at % flavours.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let Some(all) = trial(&threads, at, slack) else {
            continue;
        };
        for (bound, found) in &all {
            sums[bound.min(&4).to_owned() as usize].add(*found);
        }
        if let Some(kind) = is_wrong(&all) {
            let fails =
                |t: &Threads| trial(t, at, slack).is_some_and(|a| is_wrong(&a) == Some(kind));
            let small = shrink(threads, fails);
            let again = trial(&small, at, slack);
            return Err(format!(
                "{flavour:?}, seed {at}: {kind:?}\nsmaller: {small:?}\n{again:?}"
            ));
        }
        done += 1;
    }
    println!("{done} programs, {} skipped as too big", at - seed - done);
    for (bound, found) in BOUNDS.iter().zip(sums) {
        println!("bound {bound}: {found:?}");
    }
    Ok(sums)
}

#[test]
fn explores_each_trace_within_the_bound_once() {
    let flavour = std::env::var("DPOR_ORACLE_FLAVOUR").ok();
    let all = FLAVOURS.iter().copied();
    let chosen: Vec<Flavour> = all
        .filter(|f| flavour.as_ref().is_none_or(|n| *n == format!("{f:?}")))
        .collect();
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(300);
    let seed = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let slack = setting("DPOR_ORACLE_SLACK").map(|slack| slack as u32);
    let done = campaign(&chosen, (programs, seed), slack);
    done.unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// That the oracle sees what is missing: without slack the search loses traces.
#[test]
fn slack_is_necessary() {
    let wrong = campaign(&FLAVOURS, (2_000, 50_000), Some(0));
    let wrong = wrong.expect_err("without slack, traces are missed");
    // Missed, and perhaps with a wrong number of preemptions.
    assert!(wrong.contains(": [true, false, false, "), "{wrong}");
}

/// The orders of what two threads do to one cell, twice each, and the switches away from a thread that could go on:
/// 1122 and 2211 have none; 1221 and 2112 have one (at the second switch the thread has ended); 1212 and 2121 have
/// two.
#[test]
fn two_writers() {
    let threads: Threads = vec![vec![Op::Store(0, 1), Op::Store(0, 2)]; 2];
    for (bound, expected) in [(0, 2), (1, 4), (2, 6), (3, 6)] {
        assert_eq!(within(&threads, bound), expected, "bound {bound}");
    }
}

/// A critical section each: to leave a thread that is blocked, or that has ended, is no preemption. So the two orders
/// of the sections have none, and there are no others.
#[test]
fn sections_need_no_preemption() {
    let section = vec![Op::Lock(0), Op::Store(0, 1), Op::Unlock(0)];
    assert_eq!(within(&vec![section; 2], 0), 2);
}

/// Two threads that lock two mutexes in either order, and unlock them. T0 first and T1 first are two traces
/// without a preemption. In the third each has one of them: whoever was first was left although the other mutex was
/// free, so that this deadlock has one preemption.
#[test]
fn a_deadlock_counts_who_could_have_gone_on() {
    let lock = |a, b| vec![Op::Lock(a), Op::Lock(b), Op::Unlock(b), Op::Unlock(a)];
    let threads = vec![lock(0, 1), lock(1, 0)];
    assert_eq!(within(&threads, 0), 2);
    assert_eq!(within(&threads, 1), 3);
}

/// How many executions within the bound are run.
fn within(threads: &Threads, bound: u32) -> u64 {
    let mut config = config(Order::Leftmost, Mutation::None, true);
    config.bound = Some(bound);
    let mut explorer = Explorer::new(config);
    let mut program = Interpreter::new(threads);
    while let Some(execution) = explorer.next(&mut program).expect("deterministic") {
        let least = preemptions(&explorer) as u32;
        assert_eq!(
            execution.beyond,
            least > bound || execution.end == End::PreemptionBound
        );
    }
    explorer.counters().executions() - explorer.counters().beyond
}
