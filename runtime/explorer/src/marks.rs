//! Marks ([`Kind::Mark`]): places in what threads do, and in which orders the executions of a trace have them.
//!
//! A mark is a passive step without an edge, so it stands in no other thread's way, and a trace with it is the trace
//! without. The executions of the trace are the linear extensions of happens-before; those of happens-before on the
//! events and the marks are the orders in which they come.
//!
//! A thread's mark comes before another thread's in all of them if an event behind the first happens before the second, and
//! if a thread gave up waiting between the two: that happens only where no thread can go on, so that each has passed what it
//! has of marks by then.
//!
//! A thread that is joined has no event behind its last mark. Who asks for the order of marks knows that threads which
//! have them are joined where no mark comes behind.

use crate::mutation::Mutation;
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId};

/// A mark of an execution.
struct Mark {
    number: u64,
    thread: ThreadId,
    /// Index among the passive steps.
    step: u32,
    /// Number of events of the execution before it.
    after: u32,
    /// 1 + position of the last event of its thread before it; 0 if there is none.
    own: u32,
}

impl Trace {
    /// The marks of the execution: of each its number, and the numbers of those that come before it in every execution of
    /// the trace, a bit each. Numbers are below 64.
    pub fn marks(&self) -> Vec<(u64, u64)> {
        let marks: Vec<Mark> = self.all_marks().collect();
        let before = |mark: &Mark| {
            let earlier = marks.iter().filter(|other| self.is_before(other, mark));
            earlier.fold(0, |all, other| all | 1 << other.number)
        };
        marks
            .iter()
            .map(|mark| (mark.number, before(mark)))
            .collect()
    }

    fn all_marks(&self) -> impl Iterator<Item = Mark> + '_ {
        let wrong = self.commuting.mutation.is(Mutation::LatestEventIsBehind);
        let steps = self.passive.steps.iter().zip(0..);
        steps.filter_map(move |(step, index)| {
            let operation = &self.table.get(step.operation).operation;
            (operation.kind == Kind::Mark).then(|| {
                // The thread's number may have had another owner before, whose events come before this one's.
                let own = self.events_of(step.thread);
                let own = own[..own.partition_point(|&event| event < step.after)].last();
                Mark {
                    number: operation.argument.as_program_says(),
                    thread: step.thread,
                    step: index,
                    after: step.after,
                    own: own.map_or(0, |&event| event + u32::from(!wrong)),
                }
            })
        })
    }

    fn is_before(&self, first: &Mark, second: &Mark) -> bool {
        if first.thread == second.thread {
            return first.step < second.step;
        }
        let clock = self.passive.clock(second.step, self.stride);
        clock[usize::from(first.thread.0)] > first.own || self.is_parted(first, second)
    }

    /// Whether a thread gave up waiting between the two.
    fn is_parted(&self, first: &Mark, second: &Mark) -> bool {
        let wrong = |mutation| self.commuting.mutation.is(mutation);
        let all = self.timeouts.len();
        let timeouts = match () {
            () if wrong(Mutation::TimeoutsPartNothing) => &[],
            () if wrong(Mutation::LatestTimeoutParts) => &self.timeouts[all.saturating_sub(1)..],
            () if wrong(Mutation::FirstTimeoutParts) => &self.timeouts[..all.min(1)],
            () => &self.timeouts[..],
        };
        let from = match wrong(Mutation::TimeoutsBeforeBothPart) {
            true => 0,
            false => first.after,
        };
        let mut timeouts = timeouts.iter();
        timeouts.any(|timeout| (from..second.after).contains(timeout))
    }
}
