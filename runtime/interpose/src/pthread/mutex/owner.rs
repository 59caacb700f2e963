//! What follows from a thread's becoming the owner of a mutex, giving it up, or ending as its owner.

use super::kind::is_robust;
use super::operation::use_of;
use crate::engine::object;
use crate::pthread::{happens_before, me, memory};
use ::libc::{pthread_mutex_t, EOWNERDEAD};
use core::ffi::c_int;
use dpor_model::Kind;

/// Notes that a call with this result locked the mutex, if it did. `waits`: if it was held, the call
/// would have waited.
///
/// # Safety
/// `mutex` points to a mutex.
pub(in crate::pthread) unsafe fn locked(
    mutex: *mut pthread_mutex_t,
    result: c_int,
    waits: bool,
) -> c_int {
    if result == 0 || result == EOWNERDEAD {
        match waits {
            true => memory::lock(object::mutex(mutex as usize)),
            false => happens_before::lock_at_once(object::mutex(mutex as usize)),
        }
        // SAFETY: `mutex` points to a mutex, as this function's caller guarantees; the entry is the
        // running thread's own.
        unsafe {
            if is_robust(mutex) {
                (*me()).robust.add(mutex as usize);
            }
        }
    }
    result
}

/// Notes that the running thread gave the mutex up.
///
/// # Safety
/// `mutex` points to a mutex.
pub(in crate::pthread) unsafe fn unlocked(mutex: *mut pthread_mutex_t) {
    // SAFETY: `mutex` points to a mutex, as this function's caller guarantees; the entry is the
    // running thread's own.
    unsafe {
        if is_robust(mutex) {
            (*me()).robust.remove(mutex as usize);
        }
    }
    happens_before::unlock(object::mutex(mutex as usize));
}

/// Gives up the robust mutexes of the running thread, which ends: they tell their next owners.
pub(in crate::pthread) fn abandon_robust() {
    // SAFETY: the entry in the world is the running thread's own; the mutexes are locked, so they
    // exist.
    unsafe {
        while let Some(mutex) = (*me()).robust.last() {
            let mutex = mutex as *mut pthread_mutex_t;
            let object = object::mutex(mutex as usize);
            memory::perform(use_of(Kind::MutexAbandon, mutex));
            (*me()).robust.forget(mutex as usize);
            happens_before::unlock(object);
        }
    }
}
