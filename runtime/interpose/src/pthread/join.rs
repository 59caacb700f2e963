//! `pthread_join` and its kin that do not wait, or not for ever.
//!
//! A thread's end is no event (docs/decisions/0015): a join can wait for it, and nobody can tell when
//! it happened. `pthread_tryjoin_np` can, and so can a join that is left because the joining thread is
//! cancelled. A program that has one of these is one whose threads' ends are events ([`EventCause::Ends`]):
//! each is a post on an object of its own. A thread does nothing after that event, so that it has
//! finished for whoever comes after it.
//!
//!
//! Source: POSIX `pthread_join`; `pthread_tryjoin_np` and others are glibc's.

use super::cancel::{self, Outcome, Wait};
use super::timed::{Deadline, Patience};
use super::{entry, existing, happens_before};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, early, object, own_semaphore};
use ::libc::{clockid_t, pthread_t, timespec};
use core::ffi::{c_int, c_void};
use dpor_model::{Kind, Operation, SiteId, ThreadId, TIMEOUT};

crate::hooks::clean_entry::clean_entries! {
    pthread_tryjoin_np
}

/// `pthread_join`.
///
/// # Safety
/// `result` is null or writable for a pointer.
pub(super) unsafe extern "C" fn wait(thread: pthread_t, result: *mut *mut c_void) -> Outcome {
    if !engine::active() {
        let native = real!(pthread_join: fn(pthread_t, *mut *mut c_void) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: `result` is null or writable for a pointer, as this function's caller guarantees.
    unsafe { wait_until(thread, result, None) }
}

/// Waits for the end of a thread, also in a thread that others ask to end.
///
/// # Safety
/// `result` is null or writable for a pointer.
unsafe fn wait_until(
    thread: pthread_t,
    result: *mut *mut c_void,
    deadline: Option<Deadline>,
) -> Outcome {
    let target = match existing::joinable(thread) {
        Ok(target) => target,
        Err(error) => return Outcome::result(error),
    };
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*entry(target)).joined = true };
    if cancel::is_possible() && learned_events::learn(EventCause::Ends) {
        let first = first_of(target, deadline.is_some());
        if first != First::End {
            // SAFETY: the entry lies in the world, which is mapped: another thread may join its
            // thread now.
            unsafe { (*entry(target)).joined = false };
        }
        match (first, deadline) {
            (First::Request, _) => {
                cancel::leave_wait();
                return Outcome::leave();
            }
            (First::Limit, Some(deadline)) => return Outcome::result(deadline.reached()),
            _ => {}
        }
    }
    // SAFETY: `result` is null or the program's place for a pointer, as this function's caller
    // guarantees.
    Outcome::result(unsafe { join(target, result, deadline) })
}

/// The reason for which a wait for the end of a thread is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// The thread that is waited for has ended.
    End,
    /// The running thread is asked to end.
    Request,
    /// The time limit of the wait has come.
    Limit,
}

/// Waits until a thread has ended, or until the running one is asked to end. `timed`: it gives up where
/// nothing else can go on.
fn first_of(target: ThreadId, timed: bool) -> First {
    let object = object::end(target);
    loop {
        if cancel::begin_wait(Wait::Post(object)) {
            return First::Request;
        }
        let wait = Operation {
            timed,
            ..own_semaphore::wait(object)
        };
        let decision = early::wait(wait, engine::perform, early::nothing);
        // The end is a post, and so is a request. A post of an earlier request may be left: once more.
        if decision.alternative == TIMEOUT || engine::has_finished(target) {
            cancel::end_wait();
            return match decision.alternative {
                TIMEOUT => First::Limit,
                _ => First::End,
            };
        }
    }
}

/// Waits for the end of a thread that can be joined, and releases it.
///
/// # Safety
/// `result` is null or writable.
unsafe fn join(target: ThreadId, result: *mut *mut c_void, deadline: Option<Deadline>) -> c_int {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*entry(target)).joined = true };
    let wait = Operation {
        timed: deadline.is_some(),
        ..engine::join(Kind::Join, target, !result.is_null())
    };
    let decision = early::wait(wait, engine::wait_for_end, early::nothing);
    if let Some(deadline) = deadline.filter(|_| decision.alternative == TIMEOUT) {
        // SAFETY: `target` has an entry in the world; only this fiber runs until the next event.
        unsafe { (*entry(target)).joined = false };
        return deadline.reached();
    }
    happens_before::join(target);
    cancel::joined(target);
    // SAFETY: the target has ended, and this thread, which joins it, releases its entry; `result`
    // is null or writable, as this function's caller guarantees.
    unsafe {
        (*entry(target)).exists = false;
        if !result.is_null() {
            result.write((*entry(target)).result);
        }
    }
    engine::release_thread(target);
    0
}

/// `pthread_tryjoin_np`: joins a thread if it has ended, and else returns `EBUSY`.
///
/// # Safety
/// `result` is null or writable for a pointer.
pub unsafe extern "C" fn pthread_tryjoin_np(thread: pthread_t, result: *mut *mut c_void) -> c_int {
    if !engine::active() {
        let join = real!(pthread_tryjoin_np: fn(pthread_t, *mut *mut c_void) -> c_int);
        // SAFETY: the pointers are null or the program's, valid until its call returns.
        return unsafe { join(thread, result) };
    }
    match existing::joinable(thread) {
        Ok(target) if !has_ended(target) => ::libc::EBUSY,
        // SAFETY: `result` is null or the program's place for a pointer, as this function's caller
        // guarantees.
        Ok(target) => unsafe { join(target, result, None) },
        Err(error) => error,
    }
}

/// Returns whether a thread has ended, as an event.
fn has_ended(target: ThreadId) -> bool {
    if learned_events::learn(EventCause::Ends) {
        engine::perform(own_semaphore::look(object::end(target)));
    }
    engine::has_finished(target)
}

/// Performs the event of the running thread's end, if anybody asks for it: the last thing that it
/// does.
pub(super) fn end() {
    if learned_events::knows(EventCause::Ends) {
        engine::perform(own_semaphore::post(object::end(engine::thread())));
    }
}

/// Lets the running thread wait for the end of a thread that ends with the process.
pub fn wait_for_ever(target: ThreadId) {
    engine::perform(never(target, engine::site()));
}

/// Returns the operation before which a thread stands that waits for the end of `target` without a
/// limit.
pub fn never(target: ThreadId, site: SiteId) -> Operation {
    Operation {
        site,
        ..own_semaphore::wait(object::end(target))
    }
}

/// `pthread_timedjoin_np`.
///
/// # Safety
/// `result` is null or writable for a pointer, and `until` is null or points to a time.
pub(super) unsafe extern "C" fn timed(
    thread: pthread_t,
    result: *mut *mut c_void,
    until: *const timespec,
) -> Outcome {
    if !engine::active() {
        let native = real!(pthread_timedjoin_np:
            fn(pthread_t, *mut *mut c_void, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are null or the program's, valid until its call returns.
    unsafe { timed_wait(thread, result, ::libc::CLOCK_REALTIME, until) }
}

/// `pthread_clockjoin_np`.
///
/// # Safety
/// `result` is null or writable for a pointer, and `until` is null or points to a time.
pub(super) unsafe extern "C" fn clock(
    thread: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
) -> Outcome {
    if !engine::active() {
        let native = real!(pthread_clockjoin_np:
            fn(pthread_t, *mut *mut c_void, clockid_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are null or the program's, valid until its call returns.
    unsafe { timed_wait(thread, result, clock, until) }
}

/// Waits for the end of a thread, at most until some time.
///
/// # Safety
/// `result` and `until` are null or valid.
unsafe fn timed_wait(
    thread: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
) -> Outcome {
    if until.is_null() {
        // SAFETY: `result` is null or the program's place for a pointer, as this function's caller
        // guarantees.
        return unsafe { wait(thread, result) };
    }
    // SAFETY: `until` points to a time of the program's: the null pointer was sorted out above.
    let deadline = match unsafe { Deadline::new(clock, until) } {
        Ok(deadline) => deadline,
        Err(error) => return Outcome::result(error),
    };
    let long = deadline.patience() == Patience::Long;
    if !long || early::is_possible() {
        let target = match existing::joinable(thread) {
            Ok(target) => target,
            Err(error) => return Outcome::result(error),
        };
        if cancel::is_possible() {
            if cancel::begin_wait(Wait::Post(object::end(target))) {
                cancel::leave_wait();
                return Outcome::leave();
            }
            cancel::end_wait();
        }
        if !has_ended(target) && (!long || early::happens()) {
            return Outcome::result(deadline.reached());
        }
    }
    // SAFETY: `result` is null or the program's place for a pointer, as this function's caller
    // guarantees.
    unsafe { wait_until(thread, result, Some(deadline)) }
}
