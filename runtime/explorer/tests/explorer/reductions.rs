//! What `commute` merges: hand-derived counts, and random programs with it and without. Brute force
//! has its own table of what commutes, and checks that what it merges is the same state.

use crate::brute;
use crate::brute::State;
use crate::compare::{compare, config, Defects};
use crate::interpreter::{Interpreter, Op, Threads, WHOLE};
use crate::random::{program, shrink, Flavour, Random};
use dpor_explorer::{Config, Explorer, Mutation, Order};
use dpor_model::update;
use std::collections::HashSet;

const X: usize = 0;
const R: usize = 0;

fn with(commute: bool, order: Order) -> Config {
    let mut config = config(order, Mutation::None, true);
    config.reductions.commute = commute;
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
fn check(threads: &Threads, commuting: u64, none: u64) {
    let (with_it, ends) = explore(threads, with(true, Order::Leftmost));
    let (without, all) = explore(threads, with(false, Order::Leftmost));
    assert_eq!((with_it, without), (commuting, none), "{threads:?}");
    assert_eq!(ends, all, "{threads:?}");
}

const fn add(operand: u64) -> Op {
    Op::Update(X, update::ADD, WHOLE, operand)
}

/// Additions whose result nobody uses: one execution whatever the number of threads; n! where the order counts.
#[test]
fn additions_without_result() {
    check(&vec![vec![add(1)]; 4], 1, 24);
    check(&vec![vec![add(1), add(u64::MAX)]; 2], 1, 6);
    check(&vec![vec![Op::FetchAdd(X, 1, R)]; 4], 24, 24);
}

/// A reader sees the number of additions before it, and which they were: 2^3 sets. In order: each of
/// the 4! orders of four events.
#[test]
fn a_reader_between_additions() {
    let mut threads = vec![vec![add(1)]; 3];
    threads.push(vec![Op::Load(X, R)]);
    check(&threads, 8, 24);
}

/// Different operators, different widths and different bytes of a cell do not commute, an exchange
/// never does.
#[test]
fn only_with_its_like() {
    let pair = |a, b| vec![vec![a], vec![b]];
    let or = |operand| Op::Update(X, update::OR, WHOLE, operand);
    check(&pair(or(1), or(3)), 1, 2);
    check(&pair(add(1), or(1)), 2, 2);
    check(&pair(add(1), Op::Update(X, update::ADD, (0, 4), 1)), 2, 2);
    let exchange = Op::Update(X, update::OTHER, WHOLE, 5);
    check(&pair(exchange, exchange), 2, 2);
    check(&pair(exchange, add(1)), 2, 2);
    let greatest = |operator| Op::Update(X, operator, WHOLE, 1);
    check(&pair(greatest(update::MAX), greatest(update::UMAX)), 2, 2);
}

/// An exchange does not commute either if the operand is computed.
#[test]
fn exchanges_of_sums() {
    let exchange = |c| vec![Op::UpdateSum(X, update::OTHER, R, c)];
    let threads = vec![exchange(1), exchange(2)];
    check(&threads, 2, 2);
    assert_eq!(trial(&threads, true, 1), Some((2, Defects::default())));
}

/// Locks of readers commute; without the reduction each is a change of the lock. Two readers that
/// lock and unlock: 6 orders of 4 events.
#[test]
fn readers_of_a_lock() {
    let reader = vec![Op::RwRead(0), Op::RwUnlock(0)];
    check(&vec![reader; 2], 1, 6);
}

/// A compare-exchange after some of the additions: its outcome is derived from their operands.
#[test]
fn an_exchange_after_some_of_the_additions() {
    let exchange = vec![Op::Cas(X, 3, 9, R)];
    // 2^3 sets of additions before it; it succeeds after {1, 2} and after {3} alone.
    check(
        &vec![vec![add(1)], vec![add(2)], vec![add(3)], exchange],
        8,
        24,
    );
}

fn trial(threads: &Threads, commute: bool, seed: u64) -> Option<(usize, Defects)> {
    let expected = brute::traces_from(State::with(threads, commute), threads, 4_000)?;
    for order in [Order::Leftmost, Order::Random(seed)] {
        let found = compare(threads, &expected, with(commute, order));
        if found.any() {
            return Some((expected.len(), found));
        }
    }
    Some((expected.len(), Defects::default()))
}

/// Random programs, with the reduction and without: the traces of brute force, each once, and the
/// same states at the ends.
#[test]
fn random_programs() {
    let (mut merged, mut all) = (0, 0);
    let programs =
        std::env::var("DPOR_ORACLE_PROGRAMS").map_or(600, |n| n.parse().expect("a number"));
    let mut done = 0;
    for seed in 1.. {
        if done == programs {
            break;
        }
        let flavour = [Flavour::Update, Flavour::Update, Flavour::Rwlock][seed as usize % 3];
        let threads = program(&mut Random(seed), flavour);
        let Some((plain, defects)) = trial(&threads, false, seed) else {
            continue;
        };
        let (count, with_it) = trial(&threads, true, seed).expect("fewer than without");
        if defects.any() || with_it.any() {
            let fails = |t: &Threads| {
                [false, true].map(|c| trial(t, c, seed).is_some_and(|(_, d)| d.any()))
                    == [defects.any(), with_it.any()]
            };
            let small = shrink(threads, fails);
            panic!("seed {seed}: {defects:?} {with_it:?}\n{small:?}");
        }
        let ends = [true, false].map(|c| explore(&threads, with(c, Order::Leftmost)).1);
        assert_eq!(ends[0], ends[1], "seed {seed}: {threads:?}");
        done += 1;
        merged += count;
        all += plain;
    }
    println!("{done} programs, {all} traces, {merged} with commute");
    assert!(
        merged * 10 < all * 9,
        "the reduction was hardly used: {merged} of {all}"
    );
}

/// Number of random programs that are tried to notice a mistake.
const TRIES: u64 = 300;

fn caught(mutation: Mutation) {
    let noticed = (1..TRIES).position(|seed| {
        let threads = program(&mut Random(seed), Flavour::Update);
        let Some(expected) = brute::traces(&threads, 4_000) else {
            return false;
        };
        let mut config = with(true, Order::Leftmost);
        config.mutation = mutation.into();
        compare(&threads, &expected, config).missed > 0
    });
    println!("{mutation:?}: noticed in program {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

#[test]
fn exchange_commutes() {
    caught(Mutation::ExchangeCommutes);
}

#[test]
fn widths_commute() {
    caught(Mutation::WidthsCommute);
}
