//! The classic search against brute force: it runs every trace, and nothing else. It may run a
//! trace several times and cut executions; the optimal search, beside it, does neither.
//!
//! The settings of `oracle.rs` hold here too.

use crate::brute;
use crate::compare::{compare, config, Defects};
use crate::interpreter::{Op, Threads};
use crate::random::{program, shrink, Random, FLAVOURS};
use dpor_explorer::{Config, Mutation, Order, SearchKind};

/// Programs with more moves in their merged state space are skipped; keeps a program to
/// milliseconds.
const MOVES_MAX: usize = 4_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

fn classic(order: Order, mutation: Mutation, checkpoints: bool) -> Config {
    let mut config = config(order, mutation, checkpoints);
    config.search = SearchKind::Classic;
    config
}

/// True if something is wrong that is wrong for this search too.
fn is_wrong(defects: &Defects) -> bool {
    defects.missed + defects.extra + defects.fault + defects.misnamed > 0
}

fn trial(threads: &Threads, seed: u64, mutation: Mutation) -> Option<Vec<Defects>> {
    let expected = brute::traces(threads, MOVES_MAX)?;
    let orders = [(Order::Leftmost, true), (Order::Random(seed), false)];
    let run =
        |(order, checkpoints)| compare(threads, &expected, classic(order, mutation, checkpoints));
    Some(orders.map(run).into())
}

#[test]
fn explores_each_trace() {
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(3_000);
    let first = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let (mut done, mut at, mut more_than_once, mut cut) = (0, first, 0, 0);
    while done < programs {
        at += 1;
        let flavour = FLAVOURS[(at % FLAVOURS.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let Some(found) = trial(&threads, at, Mutation::None) else {
            continue;
        };
        if found.iter().any(is_wrong) {
            let wrong = |t: &Threads| {
                let found = trial(t, at, Mutation::None);
                found.is_some_and(|found| found.iter().any(is_wrong))
            };
            let small = shrink(threads, wrong);
            let again = trial(&small, at, Mutation::None);
            panic!("{flavour:?}, seed {at}: {found:?}\nsmaller: {small:?}\n{again:?}");
        }
        done += 1;
        more_than_once += usize::from(found[0].duplicate > 0);
        cut += usize::from(found[0].redundant > 0);
    }
    println!("{done} programs; a trace twice in {more_than_once}, an execution cut in {cut}");
}

/// Panics unless the mistake loses a trace in one of so many orders, and the right search none.
#[track_caller]
fn caught(threads: &Threads, mutation: Mutation, orders: u64) {
    let expected = brute::traces(threads, 100_000).expect("small");
    let all = || std::iter::once(Order::Leftmost).chain((1..orders).map(Order::Random));
    let run = |order, mutation| compare(threads, &expected, classic(order, mutation, true));
    for order in all() {
        let found = run(order, Mutation::None);
        assert!(!is_wrong(&found), "{order:?} {found:?} {threads:?}");
    }
    let noticed = all().position(|order| run(order, mutation).missed > 0);
    println!("{mutation:?}: noticed in order {noticed:?}");
    assert!(noticed.is_some(), "{mutation:?} was not noticed");
}

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

/// What sleeps has to be woken by what it conflicts with.
#[test]
fn never_wakes() {
    let writer_and_readers = vec![
        vec![Op::Store(X, 1)],
        vec![Op::Load(X, R), Op::Store(Y, 1)],
        vec![Op::Load(Y, R)],
    ];
    caught(&writer_and_readers, Mutation::NeverWakes, 20);
}

/// The paper's rule together with sleep sets: the latest race of each operation alone loses the
/// trace in which thread 1 takes the mutex before thread 0 is woken.
#[test]
fn latest_only() {
    let program = vec![
        vec![Op::Lock(0), Op::Wait(0, 0)],
        vec![Op::Broadcast(1), Op::Trylock(0, R)],
        vec![Op::Broadcast(0)],
    ];
    caught(&program, Mutation::LatestOnly, 20);
}

/// A wide compare-exchange that fails commutes with the load of the other cell. Moved before the
/// store it succeeds, and then the load leads to it.
#[test]
fn stale_outcome() {
    let program = vec![
        vec![Op::Load(Y, R)],
        vec![Op::RwWrite(0), Op::Store(X, 2)],
        vec![Op::CasWide(X, 0, 2, R)],
    ];
    caught(&program, Mutation::StaleOutcome, 2_000);
}

/// Two readers that never unlock, and a writer that is blocked for ever.
#[test]
fn blocked_at_the_end() {
    let program = vec![
        vec![Op::RwRead(0)],
        vec![Op::RwRead(0)],
        vec![Op::RwWrite(0)],
    ];
    caught(&program, Mutation::NoVirtualEvents, 1);
}

/// Thread 0's wait may end by itself, in two ways. While thread 1 stands between its sections the wait for the
/// broadcast sleeps, the ways to end are tried, and the broadcast races with none of these: the trace in which it
/// comes too early is found only if thread 1 is tried there for the sake of the wait.
#[test]
fn alternatives_that_sleep_hide_no_race() {
    let program = vec![
        vec![Op::Lock(0), Op::WaitOrLeave(0, 0, 2, R)],
        vec![
            Op::Lock(0),
            Op::Unlock(0),
            Op::Lock(1),
            Op::Unlock(1),
            Op::Broadcast(0),
        ],
    ];
    caught(&program, Mutation::SleepingHides, 100);
}
