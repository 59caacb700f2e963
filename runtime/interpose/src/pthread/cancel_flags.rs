//! Whether a thread can be cancelled, and where: `pthread_setcancelstate`, `pthread_setcanceltype`.

use super::cancel::{act, is_anywhere, look, Outcome};
use super::me;
use crate::engine::{self, learned_events};
use core::ffi::{c_int, c_void};

/// `pthread_setcancelstate`.
///
/// # Safety
/// `old` is null or writable for an `int`.
pub(super) unsafe extern "C" fn set_state(state: c_int, old: *mut c_int) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(pthread_setcancelstate: fn(c_int, *mut c_int) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: `old` is null or the program's place for an `int`, as this function's caller
    // guarantees.
    unsafe { set(Flag::Disabled, state, old) }
}

/// `pthread_setcanceltype`.
///
/// # Safety
/// `old` is null or writable for an `int`.
pub(super) unsafe extern "C" fn set_type(kind: c_int, old: *mut c_int) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(pthread_setcanceltype: fn(c_int, *mut c_int) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: `old` is null or the program's place for an `int`, as this function's caller
    // guarantees.
    unsafe { set(Flag::Asynchronous, kind, old) }
}

/// What a thread says about its cancellation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    /// Value 1 stands for `PTHREAD_CANCEL_DISABLE`.
    Disabled,
    /// Value 1 stands for `PTHREAD_CANCEL_ASYNCHRONOUS`.
    Asynchronous,
}

/// Sets a flag of the running thread, which acts on a request now if it may act anywhere.
///
/// # Safety
/// `old` is null or writable.
unsafe fn set(flag: Flag, value: c_int, old: *mut c_int) -> Outcome {
    if value != 0 && value != 1 {
        return Outcome::result(::libc::EINVAL);
    }
    // SAFETY: the entry in the world is the running thread's own; `old` is null or writable for an
    // `int`, as this function's caller guarantees.
    unsafe {
        let mine = &raw mut (*me()).cancel;
        let place = match flag {
            Flag::Disabled => &raw mut (*mine).disabled,
            Flag::Asynchronous => &raw mut (*mine).asynchronous,
        };
        if !old.is_null() {
            old.write(c_int::from(*place));
        }
        *place = value == 1;
        let cancelled = engine::active() && learned_events::is_cancelled(engine::thread());
        if cancelled && is_anywhere() && look() {
            act();
            return Outcome::leave();
        }
    }
    Outcome::result(0)
}
