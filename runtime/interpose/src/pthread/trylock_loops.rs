//! Loops around a call that tries to lock (`__dpor_tries_again`). Such a loop does nothing else and ends with success, so
//! that it cannot be told from a call that blocks, but by how often it went round: the call blocks.
//!
//! Where a signal or a request to end may come meanwhile, it goes round.

use crate::engine;
use crate::state::PerStep;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_explorer::kinds;
use dpor_model::{Kind, SiteId};
use libc::{c_int, EBUSY, EDEADLK};

/// The running thread's next call that tries is in such a loop.
static AGAIN: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// Announces that the call that follows is made again until it succeeds.
#[no_mangle]
pub extern "C" fn __dpor_tries_again(_site: SiteId) {
    AGAIN.store(engine::active(), Ordering::Relaxed);
}

/// Returns what a call that tries is: itself, or, in a loop that does nothing else, the call that
/// waits.
pub(super) fn or_waits(tries: Kind) -> Kind {
    let again = AGAIN.swap(false, Ordering::Relaxed);
    if !again || engine::is_inside_event() || engine::is_interruptible() {
        return tries;
    }
    kinds::that_waits(tries)
}

/// Returns the result of a call that became one that waits: who holds a lock that reports a
/// deadlock tries for ever.
pub(super) fn result(of_wait: c_int) -> c_int {
    match of_wait {
        EDEADLK => EBUSY,
        other => other,
    }
}
