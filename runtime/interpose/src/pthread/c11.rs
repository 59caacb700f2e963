//! C11's `<threads.h>`.
//!
//! glibc makes these objects of the same bytes as POSIX's, and so does the model: each function is its
//! namesake of POSIX with C11's result codes. A thread's function returns an `int`, which is kept as
//! glibc keeps it, as wide as a pointer. `call_once` and `thrd_exit` are in [`super::unwind`], and
//! so are the stubs of what is a cancellation point.
//!
//! Source: C11 7.26; the numbers are glibc's `threads.h`.

use super::cancel::Outcome;
use super::{condvar, join, key, mutex, thread};
use crate::engine;
use crate::libc::time;
use ::libc::{
    pthread_cond_t, pthread_key_t, pthread_mutex_t, pthread_mutexattr_t, pthread_t, timespec,
};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;

crate::hooks::clean_entry::clean_entries! {
    thrd_create, thrd_detach, mtx_init, mtx_destroy, mtx_lock, mtx_trylock, mtx_timedlock, mtx_unlock, cnd_init, cnd_destroy, cnd_signal, cnd_broadcast, tss_create, tss_delete
}

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NOMEM: c_int = 3;
const TIMEDOUT: c_int = 4;

const MTX_RECURSIVE: c_int = 1;
const MTX_TIMED: c_int = 2;

/// C11's code for an errno.
fn code(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        ::libc::EBUSY => BUSY,
        ::libc::ENOMEM => NOMEM,
        ::libc::ETIMEDOUT => TIMEDOUT,
        _ => ERROR,
    }
}

/// A thread's function. It is called as [`thread::Start`]: an `int` comes back in the low half of the
/// register of a pointer.
type Start = thread::Start;

/// `thrd_create`: creates a thread whose function returns an `int`.
///
/// # Safety
/// `out` is writable for a `thrd_t`, and `start` may be called with `argument`.
pub unsafe extern "C" fn thrd_create(
    out: *mut pthread_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    if !engine::active() {
        engine::begin();
    }
    if !engine::active() {
        let create = real!(thrd_create: fn(*mut pthread_t, Start, *mut c_void) -> c_int);
        // SAFETY: the function called gets the program's arguments as they came, and asks no more
        // of them.
        return unsafe { create(out, start, argument) };
    }
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    unsafe { thread::begin(out, start, argument, false, true) };
    SUCCESS
}

/// `thrd_join`.
///
/// # Safety
/// `result` is null or writable for an `int`.
pub(super) unsafe extern "C" fn join(thread: pthread_t, result: *mut c_int) -> Outcome {
    if !engine::active() {
        let native = real!(thrd_join: fn(pthread_t, *mut c_int) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    let mut value = ptr::null_mut();
    // Where it is not looked at, it is not said to be.
    let place = match result.is_null() {
        true => ptr::null_mut(),
        false => &raw mut value,
    };
    // SAFETY: `place` is null or leads to a local, which lives until the call returns.
    let outcome = unsafe { join::wait(thread, place) };
    outcome.map(|error| {
        if error == 0 && !result.is_null() {
            // SAFETY: `result` is the program's place for an `int`, as C11 asks of its caller.
            unsafe { result.write(value as c_int) };
        }
        code(error)
    })
}

/// `thrd_detach`: as `pthread_detach`.
///
/// # Safety
/// `thread` is a thread's `thrd_t`.
pub unsafe extern "C" fn thrd_detach(thread: pthread_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { thread::pthread_detach(thread) })
}

/// `thrd_sleep`.
///
/// # Safety
/// `request` points to a time; `remaining` is null or writable for one.
pub(super) unsafe extern "C" fn sleep(
    request: *const timespec,
    remaining: *mut timespec,
) -> Outcome {
    if !engine::active() {
        let native = real!(thrd_sleep: fn(*const timespec, *mut timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    let outcome = unsafe { time::clock_nanosleep(::libc::CLOCK_REALTIME, 0, request, remaining) };
    outcome.map(|error| match error {
        0 => 0,
        ::libc::EINTR => -1,
        _ => -2,
    })
}

extern "C" {
    // The libc crate does not declare it.
    fn pthread_mutexattr_settype(attributes: *mut pthread_mutexattr_t, kind: c_int) -> c_int;
}

/// `mtx_init`: an event on the mutex; `kind` combines `mtx_plain`, `mtx_recursive` and `mtx_timed`.
///
/// # Safety
/// `mutex` is writable for an `mtx_t`.
pub unsafe extern "C" fn mtx_init(mutex: *mut pthread_mutex_t, kind: c_int) -> c_int {
    if kind & !(MTX_RECURSIVE | MTX_TIMED) != 0 {
        return ERROR;
    }
    let posix = match kind & MTX_RECURSIVE {
        0 => ::libc::PTHREAD_MUTEX_NORMAL,
        _ => ::libc::PTHREAD_MUTEX_RECURSIVE,
    };
    let mut attributes = MaybeUninit::<pthread_mutexattr_t>::zeroed();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: `attributes` is null or leads to a local; `mutex` is writable for a mutex, as this
    // function's caller guarantees.
    unsafe {
        ::libc::pthread_mutexattr_init(attributes);
        pthread_mutexattr_settype(attributes, posix);
        code(mutex::pthread_mutex_init(mutex, attributes))
    }
}

/// `mtx_destroy`: as `pthread_mutex_destroy`.
///
/// # Safety
/// `mutex` points to an `mtx_t`.
pub unsafe extern "C" fn mtx_destroy(mutex: *mut pthread_mutex_t) {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    unsafe { mutex::pthread_mutex_destroy(mutex) };
}

/// `mtx_lock`: as `pthread_mutex_lock`.
///
/// # Safety
/// `mutex` points to an `mtx_t`.
pub unsafe extern "C" fn mtx_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { mutex::pthread_mutex_lock(mutex) })
}

/// `mtx_trylock`: as `pthread_mutex_trylock`.
///
/// # Safety
/// `mutex` points to an `mtx_t`.
pub unsafe extern "C" fn mtx_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { mutex::pthread_mutex_trylock(mutex) })
}

/// `mtx_timedlock`: as `pthread_mutex_timedlock`.
///
/// # Safety
/// `mutex` points to an `mtx_t`, `until` to a time.
pub unsafe extern "C" fn mtx_timedlock(
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    code(unsafe { mutex::pthread_mutex_timedlock(mutex, until) })
}

/// `mtx_unlock`: as `pthread_mutex_unlock`.
///
/// # Safety
/// `mutex` points to an `mtx_t`.
pub unsafe extern "C" fn mtx_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { mutex::pthread_mutex_unlock(mutex) })
}

/// `cnd_init`: as `pthread_cond_init` without attributes.
///
/// # Safety
/// `condvar` is writable for a `cnd_t`.
pub unsafe extern "C" fn cnd_init(condvar: *mut pthread_cond_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { condvar::pthread_cond_init(condvar, ptr::null()) })
}

/// `cnd_destroy`: as `pthread_cond_destroy`.
///
/// # Safety
/// `condvar` points to a `cnd_t`.
pub unsafe extern "C" fn cnd_destroy(condvar: *mut pthread_cond_t) {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    unsafe { condvar::pthread_cond_destroy(condvar) };
}

/// `cnd_signal`: as `pthread_cond_signal`.
///
/// # Safety
/// `condvar` points to a `cnd_t`.
pub unsafe extern "C" fn cnd_signal(condvar: *mut pthread_cond_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { condvar::pthread_cond_signal(condvar) })
}

/// `cnd_broadcast`: as `pthread_cond_broadcast`.
///
/// # Safety
/// `condvar` points to a `cnd_t`.
pub unsafe extern "C" fn cnd_broadcast(condvar: *mut pthread_cond_t) -> c_int {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    code(unsafe { condvar::pthread_cond_broadcast(condvar) })
}

/// `cnd_wait`.
///
/// # Safety
/// `condvar` points to a `cnd_t`, `mutex` to an `mtx_t`.
pub(super) unsafe extern "C" fn wait(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(cnd_wait: fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    unsafe { condvar::wait(condvar, mutex) }.map(code)
}

/// `cnd_timedwait`.
///
/// # Safety
/// `condvar` points to a `cnd_t`, `mutex` to an `mtx_t`, `until` to a time.
pub(super) unsafe extern "C" fn timed_wait(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(cnd_timedwait:
            fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    unsafe { condvar::timed(condvar, mutex, until) }.map(code)
}

/// `tss_create`: as `pthread_key_create`.
///
/// # Safety
/// `key` is writable for a `tss_t`, and `destroy` may be called with what threads store.
pub unsafe extern "C" fn tss_create(
    key: *mut pthread_key_t,
    destroy: Option<key::Destroy>,
) -> c_int {
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    code(unsafe { key::pthread_key_create(key, destroy) })
}

/// `tss_delete`: as `pthread_key_delete`.
///
/// # Safety
/// `key` exists.
pub unsafe extern "C" fn tss_delete(key: pthread_key_t) {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    unsafe { key::pthread_key_delete(key) };
}

/// `tss_get`: the running thread's value of a key.
///
/// # Safety
/// `key` exists.
#[no_mangle]
pub unsafe extern "C" fn tss_get(key: pthread_key_t) -> *mut c_void {
    // SAFETY: the POSIX function gets the program's argument as it came, and asks no more of it.
    unsafe { ::libc::pthread_getspecific(key) }
}

/// `tss_set`: stores the running thread's value of a key.
///
/// # Safety
/// `key` exists.
#[no_mangle]
pub unsafe extern "C" fn tss_set(key: pthread_key_t, value: *mut c_void) -> c_int {
    // SAFETY: the function called gets the program's arguments as they came, and asks no more of
    // them.
    code(unsafe { ::libc::pthread_setspecific(key, value) })
}
