//! Increments that commute with drops that are not the last one: what is the same, and whether that is right.

use super::{State, Touch};
use crate::interpreter::{updated, Op, Threads};
use dpor_model::{update, Counter};

impl State {
    /// The state with increments that commute with drops that were told "no".
    pub fn incrementing(self, increments: bool) -> Self {
        State { increments, ..self }
    }

    /// The state with looks at counts that commute as increments do.
    pub fn looking(self, looks: bool) -> Self {
        State { looks, ..self }
    }

    /// What an operation does to a cell, where increments commute with drops that were told "no".
    pub(super) fn as_increment(&self, touch: Touch) -> Touch {
        match touch {
            Touch::Update(update::ADD, bytes) if self.increments => {
                Touch::Count(Counter::LAST, bytes, false)
            }
            touch => touch,
        }
    }

    /// What a look at the first `bytes` bytes of a cell does to it.
    pub(super) fn as_look(&self, x: usize, bytes: u32) -> Touch {
        let is_last = is_last(self.machine.memory[x], (0, bytes));
        match self.increments && self.looks && !is_last {
            true => Touch::Count(Counter::LAST, (0, bytes), false),
            false => Touch::Read,
        }
    }

    /// Whether two threads stand before an increment of a count and a drop of it or a look at it, and what that is told
    /// depends on which of them comes first.
    pub fn may_miscount(&self, threads: &Threads) -> bool {
        let next = |t: usize| match self.is_pending(threads, t) && self.machine.begun[t] {
            true => self.op(threads, t),
            false => None,
        };
        let all = 0..threads.len();
        all.clone().any(|t| {
            let (x, asked) = match next(t) {
                Some(Op::Count(x, Counter::LAST, bytes, _)) => (x, bytes),
                Some(Op::IsLast(x, bytes, _)) if self.looks => (x, (0, bytes)),
                _ => return false,
            };
            let found = self.machine.memory[x];
            all.clone().any(|u| match next(u) {
                Some(Op::Update(y, update::ADD, bytes, by)) if u != t && y == x => {
                    bytes == asked
                        && is_last(found, asked)
                            != is_last(updated(found, update::ADD, bytes, by), asked)
                }
                _ => false,
            })
        })
    }
}

/// Whether these bytes of a cell are 1.
fn is_last(cell: u64, (first, width): (u8, u32)) -> bool {
    cell >> (8 * first) & (u64::MAX >> (64 - 8 * width)) == 1
}
