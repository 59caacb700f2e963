//! Futexes of the oracle: who waits where, and with which bits.

use super::{Name, Touch, EAGAIN};
use crate::interpreter::{Op, CELLS};
use std::collections::BTreeMap;

/// Waiters: thread, futex, bits. Sorted. And those that were, with the futex where they were woken.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Futexes(Vec<(usize, usize, u32)>, BTreeMap<usize, usize>);

/// Whom an operation wakes, and whom it moves, a bit each.
type Way = (u64, u64);

/// A way as a number, by the names of threads.
pub fn named((woken, moved): Way, names: &[usize]) -> usize {
    let with = |mask: u64| {
        let named = names.iter().enumerate().filter(|(t, _)| mask >> t & 1 == 1);
        named.fold(0, |all, (_, name)| all | 1 << name)
    };
    with(woken) | with(moved) << 16
}

/// All subsets of `of` with `count` members, or with all of them, in order.
fn subsets(of: u64, count: u32) -> Vec<u64> {
    let count = count.min(of.count_ones());
    let all = 0..=of;
    all.filter(|mask| mask & !of == 0 && mask.count_ones() == count)
        .collect()
}

/// The test of a wake-up that changes a word, on what was there.
fn test(encoded: u32, word: u32) -> bool {
    let (found, with) = (word as i32, (encoded << 20) as i32 >> 20);
    match encoded >> 24 & 0xf {
        0 => found == with,
        1 => found != with,
        2 => found < with,
        3 => found <= with,
        4 => found > with,
        5 => found >= with,
        other => panic!("{other} is no comparison"),
    }
}

impl Futexes {
    pub fn waits(&self, t: usize) -> bool {
        self.0.iter().any(|waiter| waiter.0 == t)
    }

    /// Thread `t` waits no more. Its queue.
    pub fn give_up(&mut self, t: usize) -> Name {
        let at = self.0.iter().position(|waiter| waiter.0 == t);
        (8, self.0.remove(at.expect("it waits")).1)
    }

    /// Thread `t`, which waits or was woken, waits no more. Its queue, and whether it still waited.
    pub fn leave(&mut self, t: usize) -> (Name, bool) {
        match self.waits(t) {
            true => (self.give_up(t), true),
            false => ((8, self.1[&t]), false),
        }
    }

    fn wake(&mut self, woken: u64) {
        let all = std::mem::take(&mut self.0);
        for waiter in all {
            match woken >> waiter.0 & 1 {
                0 => self.0.push(waiter),
                _ => drop(self.1.insert(waiter.0, waiter.1)),
            }
        }
    }

    fn waiters(&self, futex: usize, bits: u32) -> u64 {
        let here = self.0.iter().filter(|w| w.1 == futex && w.2 & bits != 0);
        here.fold(0, |mask, waiter| mask | 1 << waiter.0)
    }

    /// What a wake-up or requeue can do, by the numbers of its alternatives.
    pub fn ways(&self, op: Op, memory: &[u64; CELLS]) -> Vec<Way> {
        match op {
            Op::FutexWake(x, count, bits, _) => {
                let woken = subsets(self.waiters(x, bits), count);
                woken.into_iter().map(|woken| (woken, 0)).collect()
            }
            Op::FutexRequeue(x, _, _, Some(value), _) if memory[x] as u32 != value => {
                vec![(0, 0)]
            }
            Op::FutexRequeue(x, (wake, moved), ..) => {
                let waiters = self.waiters(x, u32::MAX);
                let mut ways = Vec::new();
                let first = subsets(waiters, wake);
                let rests = first.iter().map(|woken| subsets(waiters & !woken, moved));
                let rests: Vec<Vec<u64>> = rests.collect();
                for j in 0..rests[0].len() {
                    ways.extend(first.iter().zip(&rests).map(|(&w, rest)| (w, rest[j])));
                }
                ways
            }
            Op::FutexChange(x, (first, second), to, encoded, _) => {
                let passes = test(encoded, memory[to] as u32);
                let (here, there) = (self.waiters(x, u32::MAX), self.waiters(to, u32::MAX));
                match (passes, x == to) {
                    (false, _) => subsets(here, first).into_iter().map(|w| (w, 0)).collect(),
                    (true, true) => {
                        let woken = subsets(here, first.saturating_add(second));
                        woken.into_iter().map(|woken| (woken, 0)).collect()
                    }
                    (true, false) => {
                        let all = subsets(here, first);
                        let more = subsets(there, second);
                        let with = |&other: &u64| all.iter().map(move |&w| (w | other, 0));
                        more.iter().flat_map(with).collect()
                    }
                }
            }
            _ => unreachable!("{op:?} wakes nobody"),
        }
    }

    /// What it touches, and the result.
    pub fn apply(
        &mut self,
        op: Op,
        t: usize,
        alternative: u32,
        memory: &[u64; CELLS],
    ) -> (Vec<(Name, Touch)>, i32) {
        let queue = |x: usize| (8, x);
        if let Op::FutexChange(x, _, to, ..) = op {
            let (woken, _) = self.ways(op, memory)[alternative as usize];
            let mut touches = vec![((1, to), Touch::Write)];
            let mut queues = vec![x, to];
            queues.dedup();
            for futex in queues {
                let gone = self.waiters(futex, u32::MAX) & woken;
                let touch = if gone == 0 { Touch::Read } else { Touch::Write };
                touches.push((queue(futex), touch));
            }
            self.wake(woken);
            return (touches, woken.count_ones() as i32);
        }
        let (x, expected) = match op {
            Op::FutexWait(x, value, ..) => (x, Some(value)),
            Op::FutexRequeue(x, _, _, value, _) => (x, value),
            Op::FutexWake(x, ..) => (x, None),
            _ => unreachable!("{op:?} is not about futexes"),
        };
        let mut touches = Vec::new();
        if let Some(value) = expected {
            touches.push(((1, x), Touch::Read));
            if memory[x] as u32 != value {
                if matches!(op, Op::FutexWait(..)) {
                    return (touches, EAGAIN);
                }
                touches.push((queue(x), Touch::Read));
                return (touches, -EAGAIN);
            }
        }
        if let Op::FutexWait(_, _, bits, _) = op {
            self.0.push((t, x, bits));
            self.0.sort_unstable();
            touches.push((queue(x), Touch::Join(0)));
            return (touches, 0);
        }
        let (woken, mut moved) = self.ways(op, memory)[alternative as usize];
        let mut result = woken.count_ones();
        let mut gone = woken;
        if let Op::FutexRequeue(_, _, to, _, _) = op {
            result += if expected.is_some() {
                moved.count_ones()
            } else {
                0
            };
            if to == x {
                moved = 0;
            }
            gone |= moved;
            for waiter in self.0.iter_mut().filter(|w| moved >> w.0 & 1 == 1) {
                waiter.1 = to;
            }
            if moved != 0 {
                touches.push((queue(to), Touch::Write));
            }
        }
        self.wake(woken);
        touches.push((queue(x), if gone == 0 { Touch::Read } else { Touch::Write }));
        (touches, result as i32)
    }
}
