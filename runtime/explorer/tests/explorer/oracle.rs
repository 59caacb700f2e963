//! Random programs: the search runs exactly the traces that brute force finds, each once.
//!
//! `DPOR_ORACLE_PROGRAMS` sets how many programs (3,000 unless set), `DPOR_ORACLE_SEED` the first
//! seed, `DPOR_ORACLE_FLAVOUR` one flavour.

use crate::brute::{self, State};
use crate::compare::{compare, config, Defects};
use crate::interpreter::Threads;
use crate::random::{program, shrink, Flavour, Random, FLAVOURS};
use dpor_explorer::{Mutation, Order};

/// Programs with more moves in their merged state space are skipped; keeps a program to
/// milliseconds.
const MOVES_MAX: usize = 4_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

/// The orders in which every program is explored.
fn orders(seed: u64) -> [(Order, bool); 3] {
    [
        (Order::Leftmost, true),
        (Order::Leftmost, false),
        (Order::Random(seed), true),
    ]
}

fn trial(threads: &Threads, seed: u64) -> Option<(usize, Defects)> {
    let turns = seed.is_multiple_of(2);
    let start = State::with(threads, true).leaving_out(turns);
    let expected = brute::traces_from(start, threads, MOVES_MAX)?;
    if seed.is_multiple_of(13) {
        let any = expected.values().next().expect("some execution is maximal");
        brute::check_independence(threads, &any.crowded, MOVES_MAX / 4);
    }
    for (order, checkpoints) in orders(seed) {
        let mut config = config(order, Mutation::None, checkpoints);
        config.reductions.turns = turns;
        let found = compare(threads, &expected, config);
        if found.any() {
            return Some((expected.len(), found));
        }
    }
    Some((expected.len(), Defects::default()))
}

fn campaign(flavours: &[Flavour], programs: u64, seed: u64) {
    let (mut done, mut traces, mut at) = (0, 0, seed);
    while done < programs {
        at += 1;
        let flavour = flavours[(at % flavours.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let Some((count, defects)) = trial(&threads, at) else {
            continue;
        };
        if defects.any() {
            let kind = |d: &Defects| (d.missed > 0, d.extra > 0, d.duplicate > 0, d.fault > 0);
            let fails = |t: &Threads| trial(t, at).is_some_and(|(_, d)| kind(&d) == kind(&defects));
            let small = shrink(threads, fails);
            let again = trial(&small, at);
            panic!("{flavour:?}, seed {at}: {defects:?}\nsmaller: {small:?}\n{again:?}");
        }
        done += 1;
        traces += count;
    }
    println!(
        "{done} programs, {traces} traces, {} skipped as too big",
        at - seed - done
    );
}

#[test]
fn explores_each_trace_once() {
    let flavour = std::env::var("DPOR_ORACLE_FLAVOUR").ok();
    let all = FLAVOURS.iter().copied();
    let chosen: Vec<Flavour> = all
        .filter(|f| flavour.as_ref().is_none_or(|n| *n == format!("{f:?}")))
        .collect();
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(3_000);
    campaign(&chosen, programs, setting("DPOR_ORACLE_SEED").unwrap_or(0));
}

#[test]
#[ignore = "takes five minutes in release"]
fn explores_each_trace_once_long() {
    campaign(&FLAVOURS, 100_000, 1_000_000_000);
}
