//! `pthread_cond_*`, without the timed waits.
//!
//! A wait is two events: giving up the mutex and joining the queue, atomically; and coming back once
//! woken and once the mutex is free. Which waiter a signal wakes is the explorer's choice.

use super::{entry, happens_before, me, mutex};
use crate::engine::{self, object};
use ::libc::{pthread_cond_t, pthread_condattr_t, pthread_mutex_t};
use core::ffi::c_int;
use dpor_explorer::program::{Kind, Operation, ThreadId, NO_WAITER, THREADS_MAX};

fn operation(what: Kind, condvar: *mut pthread_cond_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::condvar(condvar as usize);
    operation
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_init(
    condvar: *mut pthread_cond_t,
    attributes: *const pthread_condattr_t,
) -> c_int {
    if engine::active() {
        let decision = engine::perform(operation(Kind::CondInit, condvar));
        if decision.result != 0 {
            return decision.result;
        }
    }
    let init = real!(pthread_cond_init: fn(*mut pthread_cond_t, *const pthread_condattr_t) -> c_int);
    // SAFETY: the caller's arguments; libc only writes the object.
    unsafe { init(condvar, attributes) }
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_destroy(condvar: *mut pthread_cond_t) -> c_int {
    if engine::active() {
        return engine::perform(operation(Kind::CondDestroy, condvar)).result;
    }
    let destroy = real!(pthread_cond_destroy: fn(*mut pthread_cond_t) -> c_int);
    // SAFETY: the caller's argument.
    unsafe { destroy(condvar) }
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_wait(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> c_int {
    if engine::before_root() {
        // Nobody can wake the only thread: the model reports the deadlock.
        engine::begin();
    }
    if !engine::active() {
        let wait = real!(pthread_cond_wait: fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int);
        // SAFETY: the caller's arguments.
        return unsafe { wait(condvar, mutex) };
    }
    let lock = object::mutex(mutex as usize);
    let mut enqueue = operation(Kind::CondEnqueue, condvar);
    enqueue.other = lock;
    // SAFETY: the caller passes a mutex.
    enqueue.argument = unsafe { mutex::kind(mutex) };
    let refused = engine::perform(enqueue).result;
    if refused != 0 {
        return refused;
    }
    happens_before::unlock(lock);
    // SAFETY: the running thread's own entry.
    unsafe { (*me()).waiting = condvar as usize };
    let decision = engine::perform(Operation { kind: Kind::CondReacquire, ..enqueue });
    // A spurious wake-up has no waker that would have cleared it.
    // SAFETY: as above.
    unsafe { (*me()).waiting = 0 };
    happens_before::lock(lock);
    decision.result
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_signal(condvar: *mut pthread_cond_t) -> c_int {
    if !engine::active() {
        let signal = real!(pthread_cond_signal: fn(*mut pthread_cond_t) -> c_int);
        // SAFETY: the caller's argument.
        return unsafe { signal(condvar) };
    }
    let decision = engine::perform(operation(Kind::CondSignal, condvar));
    if decision.alternative != NO_WAITER {
        wake(ThreadId(decision.alternative as u16));
    }
    decision.result
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_broadcast(condvar: *mut pthread_cond_t) -> c_int {
    if !engine::active() {
        let broadcast = real!(pthread_cond_broadcast: fn(*mut pthread_cond_t) -> c_int);
        // SAFETY: the caller's argument.
        return unsafe { broadcast(condvar) };
    }
    let decision = engine::perform(operation(Kind::CondBroadcast, condvar));
    for thread in (0..THREADS_MAX as u16).map(ThreadId) {
        // SAFETY: entries of the world; nothing runs until the next operation.
        if unsafe { (*entry(thread)).waiting } == condvar as usize {
            wake(thread);
        }
    }
    decision.result
}

/// The running thread wakes `thread`.
fn wake(thread: ThreadId) {
    // SAFETY: an entry of the world; its thread stands in `pthread_cond_wait`.
    unsafe { (*entry(thread)).waiting = 0 };
    happens_before::wake(thread);
}
