//! Time-outs that come although others could go on (`--timeouts`).
//!
//! A call with a time limit that cannot succeed now asks here whether it gives up. How often that may happen in one
//! execution is a number, and the search knows how often it did; `all` is no number, and the call itself knows what
//! to do then.
//!
//! A call that waits already decides again when another has given up because nothing else could go on: nobody could
//! decide before that and give up after it, as who has yet to decide can go on. What it waits for was not there then, so
//! that it need not look.

#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::runtime;
use crate::world::world;
use crate::{is_inside_event, learned_events, object, operation, perform};
use ::libc::ETIMEDOUT;
use dpor_abi::timeouts::Timeouts;
use dpor_model::{
    Argument, Decision, Detail, Kind, ObjectId, Operation, AGAIN, NO_OBJECT, TIMEOUT,
};

fn timeouts() -> Timeouts {
    // SAFETY: the runtime is installed, and its options stay as they are while an execution runs.
    unsafe { (*runtime()).options.timeouts }
}

/// The program makes a call with a time limit, or sets a timer: the verdict will say how time-outs were explored.
pub fn note_call() {
    learned_events::note_timed();
}

/// Whether a call with a time limit may reach it at any moment, any number of times.
pub fn always() -> bool {
    timeouts() == Timeouts::All
}

/// Whether a call with a time limit may reach it early in this search, in executions that have such a time-out left.
pub fn is_possible() -> bool {
    matches!(timeouts(), Timeouts::AtMost(1..)) && !is_inside_event()
}

/// The running thread, whose call cannot succeed now, gives up although others may go on: an event.
pub fn happens() -> bool {
    asked(NO_OBJECT, Detail::None)
}

/// The running thread's call, which cannot succeed now and releases a mutex that others may wait for, gives up: an
/// event.
pub fn happens_with(released: ObjectId) -> bool {
    asked(released, Detail::None)
}

/// A timer that the running thread armed expires while it goes on.
pub fn happens_meanwhile() -> bool {
    asked(NO_OBJECT, Detail::Alone)
}

fn asked(released: ObjectId, detail: Detail) -> bool {
    let Timeouts::AtMost(most @ 1..) = timeouts() else {
        return false;
    };
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::NeverEarly) {
        return false;
    }
    if is_inside_event() {
        return false;
    }
    let decision = perform(Operation {
        object: object::EARLY,
        other: released,
        argument: Argument::at_most(most.into()),
        detail,
        ..operation(Kind::Early)
    });
    let happens = decision.alternative == 1;
    if happens {
        // SAFETY: the world is mapped; this event conflicts with all in which somebody decides.
        unsafe { (*world()).engine.early += 1 };
    }
    happens
}

/// The running thread, which waits in a call with a limit, was told to decide again ([`AGAIN`]), and gives up early.
pub fn happens_again() -> bool {
    // SAFETY: the world is mapped. All that happened so far happens before this step.
    let so_far = unsafe { (*world()).engine.early };
    matches!(timeouts(), Timeouts::AtMost(most) if so_far < most) && happens()
}

/// Performs an operation that waits, perhaps with a limit, by `perform`, until it is over. To give up early is a time-out,
/// too. `leave`: the thread leaves those that wait; whether it was among them, and nobody had ended its wait.
pub fn wait(
    mut operation: Operation,
    perform: impl Fn(Operation) -> Decision,
    leave: impl FnOnce() -> bool,
) -> Decision {
    operation.again = operation.timed && is_possible();
    let mut decision = perform(operation);
    while decision.alternative == AGAIN {
        if happens_again() {
            return match leave() {
                true => Decision {
                    alternative: TIMEOUT,
                    result: ETIMEDOUT,
                },
                false => perform(Operation {
                    timed: false,
                    again: false,
                    ..operation
                }),
            };
        }
        decision = perform(operation);
    }
    decision
}

/// Leaves nothing, for [`wait`] in a call that stands in no queue: its thread was among those that wait.
pub const fn nothing() -> bool {
    true
}
