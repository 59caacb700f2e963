//! The passive steps of an execution ([`crate::passive`] takes them).

use super::row::{widen, Row};
use crate::object::results::EAGAIN;
use crate::operation::OperationIndex;
use crate::threads::Standing;
use dpor_model::{Decision, ThreadId, AGAIN};

/// A passive step that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Passive {
    /// The thread that took the step.
    pub thread: ThreadId,
    /// Number of events before the step.
    pub after: u32,
    pub operation: OperationIndex,
    /// Where the thread stood after the step.
    pub next: Standing,
    pub way: Way,
    /// The thread's event or passive step before this one.
    pub row: Row,
}

/// Who takes a passive step, and whether its operation is performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The thread performs its operation.
    Performed,
    /// The program performed the operation in the thread's step before ([`crate::Program::passed`]).
    Passed,
    /// The thread does not perform its operation, and decides again what to do ([`dpor_model::AGAIN`]).
    Again,
}

impl Way {
    /// The decision with which the program takes such a step.
    pub fn decision(self) -> Decision {
        match self {
            Way::Again => Decision {
                alternative: AGAIN,
                result: EAGAIN,
            },
            Way::Performed | Way::Passed => Decision::default(),
        }
    }
}

/// The passive steps of an execution, in order.
#[derive(Default)]
pub(crate) struct Passives {
    pub steps: Vec<Passive>,
    pub clocks: Vec<u32>,
}

impl Passives {
    /// The clock of a step: for each of `stride` threads, the number of its events that happen before.
    #[inline]
    pub fn clock(&self, step: u32, stride: usize) -> &[u32] {
        &self.clocks[step as usize * stride..][..stride]
    }

    /// The clock of a step, to be changed.
    #[inline]
    pub fn clock_mut(&mut self, step: u32, stride: usize) -> &mut [u32] {
        &mut self.clocks[step as usize * stride..][..stride]
    }

    /// Number of passive steps of the execution.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The step with this index.
    pub fn get(&self, step: u32) -> &Passive {
        &self.steps[step as usize]
    }

    /// Index of the first step that was taken after `events` events or more.
    pub fn first_after(&self, events: usize) -> usize {
        self.steps.partition_point(|p| (p.after as usize) < events)
    }

    /// Makes room for `to` threads in each clock, which had room for `from`.
    pub fn widen(&mut self, from: usize, to: usize) {
        self.clocks = widen(&self.clocks, from, to);
    }
}
