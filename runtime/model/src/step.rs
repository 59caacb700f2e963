//! A step: what was decided for an operation, and what it did.

use crate::Operation;

/// What the explorer decided for an operation that it lets run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// `Choose`, `Early`: the number. `CondSignal`: the thread woken, or [`NO_WAITER`]. `CondEnqueue`: see
    /// there. `BarrierLeave` of the lowest thread of a generation, if its argument is not 0: the
    /// serial thread. `FutexWake`, `FutexRequeue`, `FutexWakeOp`: which waiters (`dpor_explorer`'s module `object::futex`). [`TIMEOUT`].
    /// [`AGAIN`]. Otherwise 0.
    pub alternative: u32,
    /// Return value of a synchronization call, by the object model: 0 or an errno of Linux.
    pub result: i32,
}

/// Alternative of an operation that gives up ([`Operation::timed`]). Its result is `ETIMEDOUT`.
pub const TIMEOUT: u32 = u32::MAX - 1;

/// Alternative of an operation that is not performed: its thread is to decide again ([`Operation::again`]). Its result is
/// `EAGAIN`.
pub const AGAIN: u32 = u32::MAX - 2;

/// Alternative of a signal that finds no waiter.
pub const NO_WAITER: u32 = u32::MAX;

/// Where a thread stands after its step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Before this operation.
    Operation(Operation),
    /// The thread ended and can be joined.
    Finished,
    /// The thread stands in an assume that does not hold, for ever.
    Dead,
    /// The whole process ended (only after `Kind::Exit` and `Kind::ProcessEnd`).
    Ended,
    /// Nowhere: the program stopped in the middle of the step, for good. The search ends with
    /// `dpor_explorer::Fault::Stopped`, and its trace lacks the event.
    Stopped,
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executed {
    /// Memory operations of at most 16 bytes: the (up to three) cells touched, before the access.
    pub before: [u64; 3],
    /// What the cells hold right after the operation. `Channel`: the levels, first.
    pub after: [u64; 3],
    /// Where the thread stands now.
    pub next: Next,
}

impl Executed {
    /// What a program has executed before its first step.
    pub const fn nothing() -> Self {
        Executed {
            before: [0; 3],
            after: [0; 3],
            next: Next::Finished,
        }
    }
}
