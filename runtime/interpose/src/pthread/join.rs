//! `pthread_join` and its kin that do not wait, or not for ever.
//!
//! A thread's end is no event (docs/decisions/0015): a join can wait for it, and nobody can tell when
//! it happened. `pthread_tryjoin_np` can. A program that calls it is one whose threads' ends are
//! events ([`Use::Ends`]): each is a post on an object of its own, at which the call looks. A thread
//! does nothing after that event, so that it has finished for whoever comes after it.
//!
//! The calls with a time limit wait like `pthread_join`; see [`until_end`].
//!
//! Source: POSIX `pthread_join`; `pthread_tryjoin_np` and others are glibc's.

use super::{entry, happens_before, thread};
use crate::engine::uses::{self, Use};
use crate::engine::{self, object};
use ::libc::{clockid_t, pthread_t, timespec};
use core::ffi::{c_int, c_void};
use dpor_explorer::program::{Kind, Operation, ThreadId};

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_join(thread: pthread_t, result: *mut *mut c_void) -> c_int {
    if !engine::active() {
        let join = real!(pthread_join: fn(pthread_t, *mut *mut c_void) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { join(thread, result) };
    }
    match thread::joinable(thread) {
        // SAFETY: the caller's place.
        Ok(target) => unsafe { join(target, result) },
        Err(error) => error,
    }
}

/// Waits for the end of a thread that can be joined, and releases it.
///
/// # Safety
/// `result` is null or writable.
unsafe fn join(target: ThreadId, result: *mut *mut c_void) -> c_int {
    // SAFETY: an entry of the world.
    unsafe { (*entry(target)).joined = true };
    engine::wait_for_end(engine::join(Kind::Join, target, !result.is_null()));
    happens_before::join(target);
    // SAFETY: the target has ended and is ours to release; `result` is the caller's, or null.
    unsafe {
        (*entry(target)).exists = false;
        if !result.is_null() {
            result.write((*entry(target)).result);
        }
    }
    engine::release_thread(target);
    0
}

/// # Safety
/// As glibc has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_tryjoin_np(thread: pthread_t, result: *mut *mut c_void) -> c_int {
    if !engine::active() {
        let join = real!(pthread_tryjoin_np: fn(pthread_t, *mut *mut c_void) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { join(thread, result) };
    }
    match thread::joinable(thread) {
        Ok(target) if !has_ended(target) => ::libc::EBUSY,
        // SAFETY: the caller's place.
        Ok(target) => unsafe { join(target, result) },
        Err(error) => error,
    }
}

/// Whether a thread has ended, as an event.
fn has_ended(target: ThreadId) -> bool {
    if uses::learn(Use::Ends) {
        engine::perform(Operation {
            object: object::end(target),
            ..engine::operation(Kind::SemGetvalue)
        });
    }
    engine::has_finished(target)
}

/// # Safety
/// As glibc has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_timedjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    until: *const timespec,
) -> c_int {
    if !engine::active() {
        let join = real!(pthread_timedjoin_np:
            fn(pthread_t, *mut *mut c_void, *const timespec) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { join(thread, result, until) };
    }
    // SAFETY: the caller's arguments.
    unsafe { until_end(thread, result, until) }
}

/// # Safety
/// As glibc has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_clockjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    if !engine::active() {
        let join = real!(pthread_clockjoin_np:
            fn(pthread_t, *mut *mut c_void, clockid_t, *const timespec) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { join(thread, result, clock, until) };
    }
    if clock != ::libc::CLOCK_REALTIME && clock != ::libc::CLOCK_MONOTONIC {
        return ::libc::EINVAL;
    }
    // SAFETY: the caller's arguments.
    unsafe { until_end(thread, result, until) }
}

/// Waits for the end of a thread, at most until some time: a time that never comes as long as
/// anything else can happen.
///
/// *Deviation*: where nothing else can happen the time does not come either, and the wait is a deadlock.
unsafe fn until_end(thread: pthread_t, result: *mut *mut c_void, until: *const timespec) -> c_int {
    // SAFETY: the caller's time, if there is one.
    if !until.is_null() && !(0..1_000_000_000).contains(&unsafe { (*until).tv_nsec }) {
        return ::libc::EINVAL;
    }
    match thread::joinable(thread) {
        // SAFETY: the caller's place.
        Ok(target) => unsafe { join(target, result) },
        Err(error) => error,
    }
}
