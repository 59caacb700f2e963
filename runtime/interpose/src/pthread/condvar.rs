//! `pthread_cond_*`, without the timed waits.
//!
//! A wait is two events: giving up the mutex and joining the queue, atomically; and coming back once
//! woken and once the mutex is free. Which waiter a signal wakes is the explorer's choice.

use super::cancel::{self, Outcome, Wait};
use super::{destroyed, entry, happens_before, me, mutex};
use crate::engine::{self, object};
use ::libc::{pthread_cond_t, pthread_condattr_t, pthread_mutex_t};
use core::ffi::{c_int, c_void};
use dpor_explorer::program::{Kind, Operation, ThreadId, NO_WAITER, THREADS_MAX};

/// Where glibc keeps `__wrefs` in a `pthread_cond_t`, in bytes, and the bit that it sets there when
/// the object is destroyed.
const FLAGS_OFFSET: usize = 36;
const DESTROYED: u32 = 4;

fn flags(condvar: *mut pthread_cond_t) -> *mut u32 {
    condvar.wrapping_byte_add(FLAGS_OFFSET).cast()
}

/// The operation `what` on a condition variable that exists.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`.
unsafe fn use_of(what: Kind, condvar: *mut pthread_cond_t) -> Operation {
    let operation = operation(what, condvar);
    // SAFETY: the caller's; inside the object.
    if unsafe { flags(condvar).read() } & DESTROYED == 0 {
        destroyed::made_anew(Operation {
            kind: Kind::CondInit,
            ..operation
        });
    }
    operation
}

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
        happens_before::made(object::condvar(condvar as usize));
        destroyed::forget(object::condvar(condvar as usize));
    }
    let init =
        real!(pthread_cond_init: fn(*mut pthread_cond_t, *const pthread_condattr_t) -> c_int);
    // SAFETY: the caller's arguments; libc only writes the object.
    unsafe { init(condvar, attributes) }
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_cond_destroy(condvar: *mut pthread_cond_t) -> c_int {
    if engine::active() {
        // SAFETY: the caller passes a condition variable.
        let result = engine::perform(unsafe { use_of(Kind::CondDestroy, condvar) }).result;
        if result == 0 {
            // SAFETY: as above.
            unsafe { *flags(condvar) |= DESTROYED };
            destroyed::note(object::condvar(condvar as usize));
        }
        return result;
    }
    let destroy = real!(pthread_cond_destroy: fn(*mut pthread_cond_t) -> c_int);
    // SAFETY: the caller's argument.
    unsafe { destroy(condvar) }
}

/// `pthread_cond_wait`.
///
/// # Safety
/// As POSIX has it.
pub(super) unsafe extern "C" fn wait(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> Outcome {
    if engine::before_root() {
        // Nobody can wake the only thread: the model reports the deadlock.
        engine::begin();
    }
    if !engine::active() {
        let wait = real!(pthread_cond_wait: fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int);
        return Outcome::native(wait as *const c_void);
    }
    let lock = object::mutex(mutex as usize);
    // SAFETY: the caller passes a condition variable.
    let mut enqueue = unsafe { use_of(Kind::CondEnqueue, condvar) };
    enqueue.other = lock;
    // SAFETY: the caller passes a mutex.
    enqueue.argument = unsafe { mutex::kind(mutex) };
    let refused = engine::perform(enqueue).result;
    if refused != 0 {
        return Outcome::result(refused);
    }
    happens_before::unlock(lock);
    // SAFETY: the running thread's own entry.
    unsafe { (*me()).waiting = condvar as usize };
    let cancellable = cancel::is_possible();
    // A request that came first ends the wait, unless a signal has: that must not be lost.
    let mut leaves = cancellable
        && cancel::begin_wait(Wait::Condvar(enqueue.object))
        && cancel::signal(enqueue.object, engine::thread());
    let decision = engine::perform(Operation {
        kind: Kind::CondReacquire,
        ..enqueue
    });
    // A spurious wake-up has no waker that would have cleared it.
    // SAFETY: as above.
    unsafe { (*me()).waiting = 0 };
    happens_before::lock(lock);
    if cancellable {
        leaves |= cancel::end_wait();
    }
    if leaves {
        cancel::leave_wait();
        return Outcome::leave();
    }
    Outcome::result(decision.result)
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
    // SAFETY: the caller passes a condition variable.
    let decision = engine::perform(unsafe { use_of(Kind::CondSignal, condvar) });
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
    // SAFETY: the caller passes a condition variable.
    let decision = engine::perform(unsafe { use_of(Kind::CondBroadcast, condvar) });
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
