//! Increments that commute with drops that are not the last one: what is the same, and whether that is right.

use super::{State, Touch};
use crate::interpreter::{Op, Threads};
use dpor_model::{update, Counter};

impl State {
    /// The state with increments that commute with drops that were told "no".
    pub fn incrementing(self, increments: bool) -> Self {
        State { increments, ..self }
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

    /// Whether two threads stand before an increment and a drop of one count, and what the drop is told depends on
    /// which of them comes first.
    pub fn may_miscount(&self, threads: &Threads) -> bool {
        let next = |t: usize| match self.is_pending(threads, t) && self.machine.begun[t] {
            true => self.op(threads, t),
            false => None,
        };
        let all = 0..threads.len();
        all.clone().any(|t| {
            let Some(Op::Count(x, Counter::LAST, (first, width), _)) = next(t) else {
                return false;
            };
            let found = self.machine.memory[x] >> (8 * first);
            let mask = u64::MAX >> (64 - 8 * width);
            all.clone().any(|u| match next(u) {
                Some(Op::Update(y, update::ADD, bytes, by)) if u != t && y == x => {
                    let is_last = |count: u64| count & mask == 1;
                    bytes == (first, width) && is_last(found) != is_last(found.wrapping_add(by))
                }
                _ => false,
            })
        })
    }
}
