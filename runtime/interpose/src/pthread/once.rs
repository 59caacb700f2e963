//! `pthread_once`.
//!
//! A lock of the runtime's own per control word: held while the routine runs, taken and given back
//! by everybody who comes later, which is also the edge from the initializer to them.
//!
//! The control word holds glibc's values, so what was done before the root stays done, and one more,
//! [`EXPLORED`]: done under exploration. Calls that find glibc's [`DONE`] are no events, because
//! nothing that happened after the root can have changed that word.
//!
//! If the routine leaves by an exception or by `pthread_exit`, the next caller runs it again
//! (as in glibc): see [`super::unwind::call_guarded`].

use super::{held, unwind};
use crate::engine::{self, object};
use core::ffi::{c_int, c_void};
use dpor_explorer::program::mutex_kind;

/// glibc's value of a finished control word.
const DONE: c_int = 2;
/// Ours, for one that was finished under exploration. Bits that glibc uses for its fork generation.
const EXPLORED: c_int = DONE | 1 << 30;

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C-unwind" fn pthread_once(control: *mut c_int, routine: unwind::Routine) -> c_int {
    if !engine::active() && !engine::before_root() {
        let once = real!(pthread_once: fn(*mut c_int, unwind::Routine) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { once(control, routine) };
    }
    // SAFETY: the caller passes a control word.
    if unsafe { control.read() } == DONE {
        return 0;
    }
    enter(control as usize);
    // SAFETY: as above. Read under the lock: another thread may have finished it meanwhile.
    if unsafe { control.read() } != EXPLORED {
        // SAFETY: the caller's routine; `abandon` frees the lock if it does not return.
        unsafe { unwind::call_guarded(routine, control.cast::<c_void>()) };
        // SAFETY: the caller's control word.
        unsafe { control.write(if engine::active() { EXPLORED } else { DONE }) };
    }
    leave(control as usize);
    0
}

fn enter(control: usize) {
    let guard = object::guard(control);
    if engine::before_root() {
        if !held::contains(guard) {
            return held::add(guard, mutex_kind::NORMAL);
        }
        // Called again from its own routine: the model reports the deadlock.
        engine::begin();
    }
    held::lock_guard(control);
}

fn leave(control: usize) {
    // The routine may have created threads, so the root may lie between `enter` and here.
    if engine::active() {
        held::unlock_guard(control);
    } else {
        held::remove(object::guard(control));
    }
}

/// The routine will not return.
pub(super) fn abandon(control: usize) {
    leave(control);
}

/// The name under which old binaries know it.
///
/// # Safety
/// As [`pthread_once`].
#[no_mangle]
pub unsafe extern "C-unwind" fn __pthread_once(control: *mut c_int, routine: unwind::Routine) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { pthread_once(control, routine) }
}
