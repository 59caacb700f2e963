//! Iterations of loops, at whose first operation a thread waits or goes no further if the iteration before was in vain.

use crate::running::own_fiber;
use crate::runtime::{runtime, CHANGED};
use crate::{is_cancelled, is_inside_event, is_interruptible, perform};
use dpor_model::{Decision, Iteration, Operation};
use std::sync::atomic::Ordering;

/// Performs an operation of memory with which an iteration of a loop begins that may be as the one from event number
/// `since` on was: then the thread waits until one of the places that it looked at is not what it was.
#[cold]
pub fn perform_again(operation: Operation, since: u32) -> Decision {
    if is_interruptible() || is_inside_event() {
        return perform(operation);
    }
    perform(begin_again(operation, since))
}

/// True if the running thread changed memory that others know, and without an event, since there were so many events:
/// in a step that ended later, or in the present one.
pub fn wrote_since(events: u32) -> bool {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    let wrote = unsafe { (*own_fiber()).wrote };
    wrote > events || CHANGED.load(Ordering::Relaxed)
}

/// The running thread changed memory in a turn that ends.
pub fn changed_in_turn() {
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe { (*own_fiber()).wrote = (*runtime()).depth as u32 + 1 };
}

/// The running thread begins a turn of a loop that may be as the last, which began before event number `since`.
/// `reads`: the loop may read what others know without an event.
pub fn set_turn(since: u32, reads: bool) {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe { ((*own_fiber()).turn, (*own_fiber()).turn_reads) = (since + 1, reads) };
}

/// The running thread begins no such turn after all.
#[inline(always)]
pub fn forget_turn() {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    if unsafe { (*runtime()).turns } {
        take_turn();
    }
}

/// The operation, marked if it is the first of a turn of a loop that may be as the last.
#[inline(always)]
pub fn first_of_turn(operation: Operation) -> Operation {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    match unsafe { (*runtime()).turns } {
        false => operation,
        true => marked(operation),
    }
}

#[cold]
fn marked(operation: Operation) -> Operation {
    match take_turn() {
        Some(since) if !is_interruptible() && !is_inside_event() && !is_cancelled() => {
            begin_again(operation, since)
        }
        _ => operation,
    }
}

fn begin_again(operation: Operation, since: u32) -> Operation {
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe {
        (*runtime()).turn_began = since;
        (*runtime()).turn_reads = (*own_fiber()).turn_reads;
    }
    Operation {
        iteration: Iteration::MayRepeat,
        ..operation
    }
}

/// Takes the mark of a beginning iteration for its first access, and returns the number of the event that the iteration
/// before began at; `None` if no iteration begins.
pub fn take_turn() -> Option<u32> {
    // SAFETY: a fiber runs: this thread's part of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    let turn = unsafe { core::mem::take(&mut (*own_fiber()).turn) };
    turn.checked_sub(1)
}
