//! Functions of libc's whose arguments say what they access: told of, then called.
//!
//! The runtime stands in for none of them, since the pass tells of their accesses itself. `dpor-gcc`'s assembler step has
//! the calls lead here instead, under names that begin with `__dpor_`; LLVM calls those that begin with `__tsan_`.

use super::with_place;
use crate::hooks::plain_hooks::{__dpor_read_range, __dpor_write_range};
use core::ffi::{c_int, c_void};
use dpor_model::SiteId;

extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn mempcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: c_int, bytes: usize) -> *mut c_void;
    fn memcmp(a: *const c_void, b: *const c_void, bytes: usize) -> c_int;
    fn __memcpy_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize)
        -> *mut c_void;
    fn __memmove_chk(
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        room: usize,
    ) -> *mut c_void;
    fn __mempcpy_chk(
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        room: usize,
    ) -> *mut c_void;
    fn __memset_chk(to: *mut c_void, byte: c_int, bytes: usize, room: usize) -> *mut c_void;
}

/// Tells of a copy.
fn tell_copy(to: *mut c_void, from: *const c_void, bytes: usize, site: SiteId) {
    __dpor_read_range(from as u64, bytes as u64, site);
    __dpor_write_range(to as u64, bytes as u64, site);
}

macro_rules! copies {
    ($($name:ident $function:ident;)+) => {$(
        /// libc's function that the name ends with.
        ///
        /// # Safety
        /// As of libc's function.
        pub unsafe extern "C" fn $name(
            to: *mut c_void, from: *const c_void, bytes: usize, site: SiteId,
        ) -> *mut c_void {
            tell_copy(to, from, bytes, site);
            // SAFETY: the arguments are the program's.
            unsafe { $function(to, from, bytes) }
        }
    )+};
}

copies! {
    __tsan_memcpy memcpy;
    __tsan_memmove memmove;
    __dpor_mempcpy mempcpy;
}

macro_rules! checked_copies {
    ($($name:ident $function:ident;)+) => {$(
        /// libc's function that the name ends with: `room` is the size of what is written to.
        ///
        /// # Safety
        /// As of libc's function.
        pub unsafe extern "C" fn $name(
            to: *mut c_void, from: *const c_void, bytes: usize, room: usize, site: SiteId,
        ) -> *mut c_void {
            tell_copy(to, from, bytes, site);
            // SAFETY: the arguments are the program's.
            unsafe { $function(to, from, bytes, room) }
        }
    )+};
}

checked_copies! {
    __dpor_memcpy_chk __memcpy_chk;
    __dpor_memmove_chk __memmove_chk;
    __dpor_mempcpy_chk __mempcpy_chk;
}

/// libc's `memset`.
///
/// # Safety
/// As of libc's function.
pub unsafe extern "C" fn __tsan_memset(
    to: *mut c_void,
    byte: c_int,
    bytes: usize,
    site: SiteId,
) -> *mut c_void {
    __dpor_write_range(to as u64, bytes as u64, site);
    // SAFETY: the arguments are the program's.
    unsafe { memset(to, byte, bytes) }
}

/// libc's `__memset_chk`: `room` is the size of what is written to.
///
/// # Safety
/// As of libc's function.
pub unsafe extern "C" fn __dpor_memset_chk(
    to: *mut c_void,
    byte: c_int,
    bytes: usize,
    room: usize,
    site: SiteId,
) -> *mut c_void {
    __dpor_write_range(to as u64, bytes as u64, site);
    // SAFETY: the arguments are the program's.
    unsafe { __memset_chk(to, byte, bytes, room) }
}

/// libc's `memcmp`, and `bcmp`, whose result says less.
///
/// # Safety
/// As of libc's function.
pub unsafe extern "C" fn __dpor_memcmp(
    a: *const c_void,
    b: *const c_void,
    bytes: usize,
    site: SiteId,
) -> c_int {
    __dpor_read_range(a as u64, bytes as u64, site);
    __dpor_read_range(b as u64, bytes as u64, site);
    // SAFETY: the arguments are the program's.
    unsafe { memcmp(a, b, bytes) }
}

/// libc's `bcopy`.
///
/// # Safety
/// As of libc's function.
pub unsafe extern "C" fn __dpor_bcopy(
    from: *const c_void,
    to: *mut c_void,
    bytes: usize,
    site: SiteId,
) {
    tell_copy(to, from, bytes, site);
    // SAFETY: the arguments are the program's; what is copied may overlap.
    unsafe { memmove(to, from, bytes) };
}

/// libc's `bzero`, and `explicit_bzero`: nobody knows here that the memory is of no use afterwards.
///
/// # Safety
/// As of libc's function.
pub unsafe extern "C" fn __dpor_bzero(to: *mut c_void, bytes: usize, site: SiteId) {
    __dpor_write_range(to as u64, bytes as u64, site);
    // SAFETY: the arguments are the program's.
    unsafe { memset(to, 0, bytes) };
}

with_place!("rdx": __dpor_bzero);
with_place!("rcx": __tsan_memcpy __tsan_memmove __dpor_mempcpy __tsan_memset __dpor_memcmp __dpor_bcopy);
with_place!("r8": __dpor_memcpy_chk __dpor_memmove_chk __dpor_mempcpy_chk __dpor_memset_chk);
