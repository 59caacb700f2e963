//! Waits of libstdc++, as programs of the tiny language: the numbers of traces that brute force finds
//! are those that the test programs in testsuite/programs/cxx/ state. The search has to find the same.
//!
//! Source: the headers of GCC 12 (`bits/atomic_wait.h`, `bits/atomic_futex.h`, `latch`), with the loop
//! that looks whether the wait is over cut down to one look.

use crate::brute;
use crate::brute::State;
use crate::compare::{compare, config, Defects};
use crate::interpreter::{Op, Threads, WHOLE};
use dpor_explorer::{Mutation, Order};
use dpor_model::update;

/// The word that is waited for, and the number of waiters in the pool.
const WORD: usize = 0;
const POOL: usize = 1;

const BITS: u32 = u32::MAX >> 1;
const ALL: u32 = 99;

/// Nobody writes to it.
const ZERO: usize = 3;

/// Skips so many operations.
const fn jump(count: usize) -> Op {
    Op::SkipUnless(ZERO, 7, count)
}

/// `commuting` traces if updates commute, otherwise `none`.
#[track_caller]
fn check(threads: &Threads, commuting: usize, none: usize) {
    for (commute, traces) in [(true, commuting), (false, none)] {
        let start = State::with(threads, commute);
        let expected = brute::traces_from(start, threads, 1_000_000).expect("small");
        assert_eq!(expected.len(), traces, "by brute force");
        for order in [Order::Leftmost, Order::Random(7)] {
            let mut config = config(order, Mutation::None, true);
            config.reductions.commute = commute;
            assert_eq!(compare(threads, &expected, config), Defects::default());
        }
    }
}

/// `__atomic_futex_unsigned::_M_load_when_equal`, the wait for a future. The waiter bit is in the
/// upper half of the cell, as a futex's word is the lower half and each waiter sets it before.
fn load_when_equal() -> Vec<Op> {
    const BIT: u64 = 1 << 32;
    vec![
        Op::Load(WORD, 0),
        Op::SkipUnless(0, 1, 1),
        jump(5),
        Op::SkipUnless(0, BIT + 1, 1),
        jump(3),
        Op::Update(WORD, update::OR, WHOLE, BIT),
        Op::FutexWait(WORD, 0, BITS, 1),
        Op::Load(WORD, 0),
    ]
}

/// `_M_store_notify_all`: an exchange. Where no waiter bit is set there is nobody to wake, and the
/// wake-up commutes with everything.
fn store_notify_all() -> Vec<Op> {
    vec![Op::FetchAdd(WORD, 1, 0), Op::FutexWake(WORD, ALL, BITS, 1)]
}

#[test]
fn future() {
    check(&vec![load_when_equal(), store_notify_all()], 4, 4);
}

#[test]
fn shared_future() {
    check(
        &vec![load_when_equal(), load_when_equal(), store_notify_all()],
        54,
        59,
    );
}

/// `notify_all` on a word: a wake-up if the pool has waiters.
fn notify() -> Vec<Op> {
    vec![
        Op::Load(POOL, 1),
        Op::SkipUnless(1, 0, 1),
        jump(1),
        Op::FutexWake(WORD, ALL, BITS, 1),
    ]
}

const fn enter(add: u64) -> Op {
    Op::Update(POOL, update::ADD, (0, 4), add)
}

/// A latch's word, counted from where it begins: 2 arrivals are missing, 1, none.
const TWO: u64 = 0;
const ONE: u64 = u64::MAX;
const NONE: u64 = u64::MAX - 1;

/// `latch::count_down`.
fn count_down() -> Vec<Op> {
    let mut ops = vec![Op::FetchAdd(WORD, u64::MAX, 0), Op::SkipUnless(0, ONE, 4)];
    ops.extend(notify());
    ops
}

/// `latch::wait`: at most two changes come between the loads, so that it asks the kernel at most twice.
fn latch_wait() -> Vec<Op> {
    let round = |after: usize| {
        vec![
            Op::Load(WORD, 0),
            Op::Load(WORD, 1),
            Op::SkipUnless(1, NONE, 1),
            jump(6 + after),
            Op::SkipUnless(0, TWO, 1),
            Op::FutexWait(WORD, TWO as u32, BITS, 2),
            Op::SkipUnless(0, ONE, 1),
            Op::FutexWait(WORD, ONE as u32, BITS, 2),
            Op::Load(WORD, 1),
            Op::SkipUnless(1, NONE, 1),
        ]
    };
    let second = round(0);
    let mut ops = vec![enter(1)];
    ops.extend(round(1 + second.len()));
    ops.push(jump(second.len()));
    ops.extend(second);
    // What the last one would skip.
    ops.extend([jump(0), enter(u64::MAX)]);
    ops
}

#[test]
fn latch() {
    check(&vec![latch_wait(), count_down(), count_down()], 66, 66);
}

/// `atomic::wait` and a store with `notify_one`, as derived in the program: 6.
#[test]
fn atomic_wait() {
    let wait = vec![
        enter(1),
        Op::Load(WORD, 0),
        Op::SkipUnless(0, 0, 2),
        Op::FutexWait(WORD, 0, BITS, 2),
        Op::Load(WORD, 0),
        enter(u64::MAX),
    ];
    let mut store = vec![Op::Store(WORD, 1)];
    store.extend(notify());
    check(&vec![wait, store], 6, 6);
}
