//! Threads with numbers on both sides of the words of a set, against the oracle: the random programs of `oracle.rs`,
//! whose threads have high numbers, between others that have ended from the start.
//!
//! `DPOR_ORACLE_PROGRAMS` (200 unless set) and `DPOR_ORACLE_SEED` as there.

use crate::brute;
use crate::compare::{compare, config};
use crate::interpreter::{Op, Threads};
use crate::random::{program, Random, FLAVOURS};
use dpor_explorer::{Mutation, Order};

/// Fewer moves than in `oracle.rs`: each state of the oracle has more threads.
const MOVES_MAX: usize = 1_000;

/// The program with thread `t` as number `numbers[t]`.
fn spread(threads: &Threads, numbers: &[usize]) -> Threads {
    let mut wide = vec![Vec::new(); numbers.iter().max().map_or(0, |&most| most + 1)];
    for (ops, &number) in threads.iter().zip(numbers) {
        wide[number] = ops.iter().map(|op| renumbered(*op, numbers)).collect();
    }
    wide
}

/// What names a thread that the program has not stays what it is: the oracle and the search see the same number.
fn renumbered(op: Op, numbers: &[usize]) -> Op {
    let number = |t: usize| numbers.get(t).copied().unwrap_or(t);
    match op {
        Op::Create(t) => Op::Create(number(t)),
        Op::Join(t) => Op::Join(number(t)),
        Op::TimedJoin(t, register) => Op::TimedJoin(number(t), register),
        Op::SignalTo(condvar, t) => Op::SignalTo(condvar, number(t)),
        other => other,
    }
}

/// Thread 0 stays; the others are around the end of the first word.
fn numbers(r: &mut Random, count: usize) -> Vec<usize> {
    let first = r.pick(&[61, 62, 63, 64]);
    let mut numbers = vec![0, first];
    while numbers.len() < count {
        numbers.push(numbers[numbers.len() - 1] + r.pick(&[1, 1, 2]));
    }
    numbers
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().expect("a number"))
}

#[test]
fn high_numbers_are_like_low_ones() {
    let (mut done, mut at) = (0, setting("DPOR_ORACLE_SEED").unwrap_or(0));
    while done < setting("DPOR_ORACLE_PROGRAMS").unwrap_or(200) {
        at += 1;
        let r = &mut Random(at);
        let few = program(r, FLAVOURS[(at % FLAVOURS.len() as u64) as usize]);
        let numbers = numbers(r, few.len());
        // The oracle goes through all subsets of the waiters of a futex, of which each is a word.
        if format!("{few:?}").contains("Futex") {
            continue;
        }
        let threads = spread(&few, &numbers);
        let Some(expected) = brute::traces(&threads, MOVES_MAX) else {
            continue;
        };
        for (order, checkpoints) in [(Order::Leftmost, true), (Order::Random(at), false)] {
            let found = compare(
                &threads,
                &expected,
                config(order, Mutation::None, checkpoints),
            );
            assert!(!found.any(), "seed {at}: {found:?} {numbers:?} {few:?}");
        }
        done += 1;
    }
}

/// Thread 64 waits until it is woken; who forgets it lets it go on before that.
#[test]
fn waiters_in_one_word_are_noticed() {
    let few = vec![
        vec![Op::Lock(0), Op::Signal(0), Op::Unlock(0)],
        vec![Op::Lock(0), Op::Wait(0, 0), Op::Unlock(0)],
    ];
    for (numbers, is_noticed) in [
        ([0, 1], false),
        ([0, 62], false),
        ([0, 63], true),
        ([0, 64], true),
    ] {
        let threads = spread(&few, &numbers);
        let expected = brute::traces(&threads, MOVES_MAX).expect("small");
        let defects =
            |mutation| compare(&threads, &expected, config(Order::Leftmost, mutation, true));
        assert!(!defects(Mutation::None).any(), "{numbers:?}");
        assert_eq!(
            defects(Mutation::WaitersInOneWord).any(),
            is_noticed,
            "{numbers:?}"
        );
    }
}
