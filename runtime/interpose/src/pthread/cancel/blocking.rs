//! Waits of threads that may be cancelled: the word that a thread leaves of what it waits for, and what becomes of a
//! request that comes while it blocks.

use super::points::{act, is_possible, look};
use super::state::Wait;
use crate::engine;
use crate::pthread::{entry, me};
use crate::world::world;
use dpor_model::ThreadId;

/// Notes that the running thread is about to block in a function of the table in libc/. If that is
/// a cancellation point it looked when it called it, so that this is as [`begin_blocking`], as long
/// as the call has had no effect yet.
pub fn block_in_call(had_effect: bool) {
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe {
        if !is_possible() || !(*me()).cancel.in_point {
            return;
        }
        if had_effect {
            engine::unsupported("a call in which a thread can be cancelled after a part of it");
        }
    }
    block();
}

/// Notes that the running thread stands in a wait that a request would end.
fn block() {
    // SAFETY: the entry in the world is the running thread's own; the rest is a plain read of the
    // world between two events.
    unsafe {
        let state = &raw mut (*me()).cancel;
        (*state).blocked = true;
        (*state).time_outs = (*world()).engine.time_outs;
    }
}

/// Leaves word that the running thread, which [`is_possible`] to cancel, is about to block. True:
/// it is not to, somebody has asked. It then [`end_wait`]s or [`leave_wait`]s all the same.
pub fn begin_wait(wait: Wait) -> bool {
    let requested = look();
    // SAFETY: the entry in the world is the running thread's own; nobody else writes it before the
    // next event.
    unsafe {
        (*me()).cancel.woken = false;
        (*me()).cancel.wait = if requested { Wait::None } else { wait };
    }
    requested
}

/// Ends the running thread's wait. Returns whether a request to end was what ended it.
pub fn end_wait() -> bool {
    look();
    // SAFETY: the entry in the world is the running thread's own; nobody else writes it before the
    // next event.
    unsafe {
        (*me()).cancel.wait = Wait::None;
        (*me()).cancel.woken
    }
}

/// Lets the running thread leave, which was told not to wait, or need not any more.
pub fn leave_wait() {
    act();
}

/// Looks whether the running thread was asked to end, which is about to block in a cancellation
/// point that has no effect before it ends. True: the thread leaves.
///
/// Whoever asks it to end after this does not wake it: what comes of that also comes of asking before,
/// because the thread did nothing since. Only if it is never woken at all is the execution no possible
/// one ([`is_stuck`]).
pub fn begin_blocking() -> bool {
    let possible = is_possible();
    if possible && look() {
        act();
        return true;
    }
    if possible {
        block();
    }
    false
}

/// Notes that the running thread's wait in a cancellation point is over, and the thread goes on.
pub fn end_blocking() {
    // SAFETY: the entry in the world is the running thread's own; a page that is not written need
    // not be restored.
    unsafe {
        if (*me()).cancel.blocked {
            (*me()).cancel.blocked = false;
        }
    }
}

/// Returns whether a thread that waits for something else would leave instead, because it was asked
/// to end.
pub fn is_stuck(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    let state = unsafe { (*entry(thread)).cancel };
    state.blocked && state.requested
}

/// Returns whether a thread was asked to end after a time-out since it blocked.
pub fn is_late(thread: ThreadId) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while no fiber
    // runs.
    unsafe { (*entry(thread)).cancel.late }
}

/// Returns whether a thread remembers this number of time-outs.
pub fn remembers_time_out(thread: ThreadId, number: u64) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs.
    unsafe { (*entry(thread)).cancel.time_outs == number }
}
