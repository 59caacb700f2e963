//! `pthread_once`.
//!
//! A lock of the runtime's own per control word: held while the routine runs, taken and given back
//! by everybody who comes later, which is also the edge from the initializer to them.
//!
//! The control word holds glibc's values, so what was done before the root stays done, and one more,
//! [`EXPLORED`]: done under exploration. Calls that find glibc's [`DONE`] are no events, because
//! nothing that happened after the root can have changed that word.
//!
//! The function itself is in [`super::unwind`], because exceptions pass through it. If the routine
//! leaves by one, or by `pthread_exit`, the next caller runs it again, as in glibc.

use super::{exempt, held};
use crate::engine::{self, object};
use core::ffi::c_int;
use dpor_explorer::program::mutex_kind;

/// glibc's value of a finished control word.
const DONE: c_int = 2;
/// Ours, for one that was finished under exploration. Bits that glibc uses for its fork generation.
const EXPLORED: c_int = DONE | 1 << 30;

/// Answers of [`enter`]; any other is the address of libc's `pthread_once`, to be called instead.
const NOTHING_TO_DO: usize = 0;
const RUN: usize = 1;

/// A call of `pthread_once` begins. After the answer [`RUN`], the lock of `control` is held.
///
/// # Safety
/// `control` points to a control word.
pub(super) unsafe extern "C" fn enter(control: *mut c_int) -> usize {
    if !engine::active() && !engine::before_root() {
        return real!(pthread_once: fn(*mut c_int) -> c_int) as usize;
    }
    // SAFETY: the caller's.
    if unsafe { control.read() } == DONE {
        return NOTHING_TO_DO;
    }
    lock(control as usize);
    // SAFETY: as above. Read under the lock: another thread may have finished it meanwhile.
    if unsafe { control.read() } == EXPLORED {
        unlock(control as usize);
        return NOTHING_TO_DO;
    }
    RUN
}

/// The routine has returned.
///
/// # Safety
/// As [`enter`], which answered [`RUN`].
pub(super) unsafe extern "C" fn complete(control: *mut c_int) {
    // SAFETY: the caller's.
    unsafe {
        control.write(if is_event(control as usize) {
            EXPLORED
        } else {
            DONE
        })
    };
    unlock(control as usize);
}

/// The routine was left and will not return.
pub(super) fn abandon(control: usize) {
    unlock(control);
}

/// Whether calls with this control word are events.
fn is_event(control: usize) -> bool {
    engine::active() && !exempt::contains(control)
}

fn lock(control: usize) {
    if exempt::contains(control) {
        return;
    }
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

fn unlock(control: usize) {
    // The routine may have created threads, so the root may lie between `lock` and here.
    if is_event(control) {
        held::unlock_guard(control);
    } else {
        held::remove(object::guard(control));
    }
}
