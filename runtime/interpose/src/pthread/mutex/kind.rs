//! The kind of a mutex, read from its memory where glibc keeps it.

use crate::engine::object;
use crate::pthread::{destroyed, valid};
use ::libc::pthread_mutex_t;
use core::ffi::c_int;
use dpor_model::mutex_kind;

/// Place where glibc keeps the kind in a `pthread_mutex_t`, in bytes.
pub(super) const KIND_OFFSET: usize = 16;
/// Bits of the kind: the type; robust; priority-protected.
pub(super) const TYPE_MASK: c_int = 3;
pub(super) const ROBUST: c_int = 16;
pub(super) const PROTECT: c_int = 64;
/// Kind that `pthread_mutex_destroy` leaves in a mutex.
pub(super) const DESTROYED: c_int = -1;

pub(super) fn kind_word(mutex: *mut pthread_mutex_t) -> *mut c_int {
    mutex.wrapping_byte_add(KIND_OFFSET).cast()
}

/// Returns the [`mutex_kind`] of a mutex.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`, of whatever contents.
pub(in crate::pthread) unsafe fn kind(mutex: *mut pthread_mutex_t) -> u64 {
    // SAFETY: inside the object, and aligned as it is.
    let word = unsafe { kind_word(mutex).read() };
    if word == DESTROYED || !valid::is_mutex_kind(word) {
        // The model knows that it is destroyed, and says so; or it never was one, and may become one.
        return mutex_kind::NORMAL;
    }
    match word & TYPE_MASK {
        ::libc::PTHREAD_MUTEX_RECURSIVE => mutex_kind::RECURSIVE,
        ::libc::PTHREAD_MUTEX_ERRORCHECK => mutex_kind::ERRORCHECK,
        // Normal, and glibc's adaptive kind, which differs in speed only.
        _ => mutex_kind::NORMAL,
    }
}

/// Tells of a mutex whose memory is none's.
///
/// # Safety
/// `mutex` points to as many bytes as one has.
pub(in crate::pthread) unsafe fn check(mutex: *mut pthread_mutex_t) {
    let object = object::mutex(mutex as usize);
    // SAFETY: the kind lies inside of the mutex, which exists, as this function's caller
    // guarantees.
    let is_one = match unsafe { kind_word(mutex).read() } {
        DESTROYED => destroyed::is_known(object),
        word => valid::is_mutex_kind(word),
    };
    if !is_one {
        valid::tell(object);
    }
}

/// Returns whether a mutex is robust.
///
/// # Safety
/// `mutex` points to as many bytes as a `pthread_mutex_t` has.
pub(super) unsafe fn is_robust(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: the kind lies inside of the mutex, which exists, as this function's caller
    // guarantees.
    let word = unsafe { kind_word(mutex).read() };
    valid::is_mutex_kind(word) && word & ROBUST != 0
}
