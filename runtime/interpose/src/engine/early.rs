//! Time-outs that come although others could go on (`--timeouts`).
//!
//! A call with a time limit that cannot succeed now asks here whether it gives up. How often that may happen in one
//! execution is a number, and the search knows how often it did; `all` is no number, and the call itself knows what
//! to do then.

use super::runtime::runtime;
use super::{is_inside_event, object, operation, perform, uses};
use dpor_abi::timeouts::Timeouts;
use dpor_explorer::program::{Kind, ObjectId, Operation, ALONE, NO_OBJECT};

fn timeouts() -> Timeouts {
    // SAFETY: the options stay as they are while an execution runs.
    unsafe { (*runtime()).options.timeouts }
}

/// The program makes a call with a time limit, or sets a timer: the verdict will say how time-outs were explored.
pub fn note_call() {
    uses::note_timed();
}

/// Whether a call with a time limit may reach it at any moment, as often as it likes.
pub fn always() -> bool {
    timeouts() == Timeouts::All
}

/// Whether one may in some executions, as long as they have such a time-out left.
pub fn is_possible() -> bool {
    matches!(timeouts(), Timeouts::AtMost(1..)) && !is_inside_event()
}

/// The running thread, whose call cannot succeed now, gives up although others may go on: an event.
pub fn happens() -> bool {
    asked(NO_OBJECT, 0)
}

/// The same of a call that releases a mutex, for which others may wait.
pub fn happens_with(released: ObjectId) -> bool {
    asked(released, 0)
}

/// A timer that the running thread armed expires while it goes on.
pub fn happens_meanwhile() -> bool {
    asked(NO_OBJECT, ALONE)
}

fn asked(released: ObjectId, expected: u128) -> bool {
    let Timeouts::AtMost(most @ 1..) = timeouts() else {
        return false;
    };
    if is_inside_event() {
        return false;
    }
    let decision = perform(Operation {
        object: object::EARLY,
        other: released,
        argument: most.into(),
        expected,
        ..operation(Kind::Early)
    });
    decision.alternative == 1
}
