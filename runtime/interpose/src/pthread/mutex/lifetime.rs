//! `pthread_mutex_init` and `pthread_mutex_destroy`.

use super::kind::{kind_word, DESTROYED};
use super::operation::{judge_before_root, operation, use_of};
use crate::engine::{self, object};
use crate::pthread::{destroyed, happens_before, live_objects, memory, uninitialized_mutexes};
use ::libc::{pthread_mutex_t, pthread_mutexattr_t};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use dpor_model::Kind;

crate::hooks::clean_entry::clean_entries! {
    pthread_mutex_init, pthread_mutex_destroy
}

/// `pthread_mutex_init`: an event on the mutex, after which its memory is what libc's function
/// makes of one.
///
/// # Safety
/// `mutex` is writable for a `pthread_mutex_t`; `attributes` is null or points to initialized
/// attributes.
pub unsafe extern "C" fn pthread_mutex_init(
    mutex: *mut pthread_mutex_t,
    attributes: *const pthread_mutexattr_t,
) -> c_int {
    let init =
        real!(pthread_mutex_init: fn(*mut pthread_mutex_t, *const pthread_mutexattr_t) -> c_int);
    if !engine::active() {
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        let result = unsafe { init(mutex, attributes) };
        if result == 0 && engine::before_root() {
            // SAFETY: the call of `init` just before initialized `mutex`; no other fiber ran since.
            unsafe { uninitialized_mutexes::mark(mutex) };
            destroyed::forget(object::mutex(mutex as usize));
            live_objects::began(object::mutex(mutex as usize));
        }
        return result;
    }
    // Built aside first: the event must know the kind, and the memory must change only with it.
    let mut made = MaybeUninit::<pthread_mutex_t>::zeroed();
    // SAFETY: `made` is a local, writable for a mutex; the attributes are the program's, as this
    // function's caller guarantees.
    let error = unsafe { init(made.as_mut_ptr(), attributes) };
    if error != 0 {
        return error;
    }
    // SAFETY: the call of `init` just before initialized `made`, which only this frame knows.
    let mut event = unsafe {
        uninitialized_mutexes::mark(made.as_mut_ptr());
        operation(Kind::MutexInit, made.as_mut_ptr())
    };
    event.object = object::mutex(mutex as usize);
    let decision = memory::perform(event);
    if decision.result == 0 {
        // SAFETY: `mutex` is writable for a mutex, as this function's caller guarantees; a glibc
        // mutex holds no pointer to itself.
        unsafe { mutex.write(made.assume_init()) };
        happens_before::made(event.object);
        destroyed::forget(event.object);
        live_objects::began(event.object);
    }
    decision.result
}

/// `pthread_mutex_destroy`: an event on the mutex, which leaves glibc's mark of a destroyed one in
/// its memory.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int {
    let object = object::mutex(mutex as usize);
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { judge_before_root(mutex, Some(false)) };
    if !engine::active() {
        let destroy = real!(pthread_mutex_destroy: fn(*mut pthread_mutex_t) -> c_int);
        // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than
        // this one.
        let result = unsafe { destroy(mutex) };
        if result == 0 && engine::before_root() {
            destroyed::note(object);
            live_objects::ended(object);
        }
        return result;
    }
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    let decision = memory::perform(unsafe { use_of(Kind::MutexDestroy, mutex) });
    if decision.result == 0 {
        // SAFETY: `mutex` is the program's mutex, which was destroyed just now; this is the mark
        // that glibc leaves.
        unsafe { kind_word(mutex).write(DESTROYED) };
        destroyed::note(object);
        live_objects::ended(object);
    }
    decision.result
}
