//! What other threads do that nothing orders before the end of main.
//!
//! Asked of the order of happens-before, not of the order in which the execution ran: the answer is the same in
//! all executions of the trace.

use crate::enabled::could_go_on;
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId};

/// Main's thread.
const MAIN: ThreadId = ThreadId(0);

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// All its events happen before.
    Nothing,
    /// The event at this position does not happen before; those of its thread that come earlier do.
    Event(usize),
    /// The thread has no events, so that nothing is ordered before.
    Unknown,
}

impl Trace {
    /// What a thread does beside the return of main, or its call of `exit`, whichever was last; where main then waited
    /// for all other threads ([`Kind::JoinAll`]), beside what came before that.
    pub fn beside_main(&self, thread: ThreadId) -> Beside {
        let returns = |step: &u32| {
            let step = self.passive.get(*step);
            let kind = self.table.get(step.operation).operation.kind;
            step.thread == MAIN && matches!(kind, Kind::MainReturn | Kind::JoinAll)
        };
        let step = (0..self.passive.len() as u32).rev().find(returns);
        let last = step.map_or(self.rows[usize::from(MAIN.0)], |step| {
            self.passive.get(step).row
        });
        let clock = self.row(last).unwrap_or_default();
        let t = usize::from(thread.0);
        let ordered = clock.get(t).copied().unwrap_or(0);
        // Its number may have had another owner before.
        let own = self.events_of(thread);
        let own = &own[own.partition_point(|&k| k < self.creator[t])..];
        match own.iter().find(|&&k| k >= ordered) {
            Some(&k) => Beside::Event(k as usize),
            None if own.is_empty() => Beside::Unknown,
            None => Beside::Nothing,
        }
    }

    /// True if a thread that has not ended could go on.
    pub fn can_go_on(&self, thread: ThreadId) -> bool {
        could_go_on(self, thread)
    }
}
