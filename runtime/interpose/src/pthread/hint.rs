//! Hints to the system's scheduler. None of them makes an interleaving impossible.

use crate::engine;
use ::libc::{pthread_t, size_t};
use core::ffi::{c_char, c_int, CStr};
use dpor_explorer::program::Kind;

/// Longest thread name that Linux takes, in bytes.
const NAME_MAX: usize = 15;

/// The running thread gives way.
pub fn pause() {
    engine::perform(engine::operation(Kind::Pause));
}

macro_rules! yields {
    ($($name:ident)*) => {$(
        /// Gives way: the default order of exploration then prefers other threads.
        #[no_mangle]
        pub extern "C" fn $name() -> c_int {
            if engine::active() {
                pause();
                return 0;
            }
            let native = real!($name: fn() -> c_int);
            // SAFETY: no arguments.
            unsafe { native() }
        }
    )*};
}

yields! { sched_yield __sched_yield pthread_yield }

/// As [`sched_yield`]; C11 gives it no result.
#[no_mangle]
pub extern "C" fn thrd_yield() {
    if engine::active() {
        return pause();
    }
    let native = real!(thrd_yield: fn());
    // SAFETY: no arguments.
    unsafe { native() }
}

/// Names are accepted and forgotten while the program is explored; `pthread_getname_np` is
/// `unsupported`, so nobody can tell.
///
/// # Safety
/// As glibc has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int {
    if engine::active() {
        // SAFETY: the caller's string.
        let length = unsafe { CStr::from_ptr(name) }.to_bytes().len();
        return if length > NAME_MAX { ::libc::ERANGE } else { 0 };
    }
    let native = real!(pthread_setname_np: fn(pthread_t, *const c_char) -> c_int);
    // SAFETY: the caller's arguments.
    unsafe { native(thread, name) }
}

/// Accepted and forgotten while the program is explored; `pthread_getaffinity_np` is `unsupported`.
///
/// # Safety
/// As glibc has it.
#[no_mangle]
pub unsafe extern "C" fn pthread_setaffinity_np(
    thread: pthread_t,
    bytes: size_t,
    set: *const ::libc::cpu_set_t,
) -> c_int {
    if engine::active() {
        return 0;
    }
    let native =
        real!(pthread_setaffinity_np: fn(pthread_t, size_t, *const ::libc::cpu_set_t) -> c_int);
    // SAFETY: the caller's arguments.
    unsafe { native(thread, bytes, set) }
}
