//! `exception_ptr`: who drops the last reference to an exception destroys it.
//!
//! The references are counted in libstdc++.so. Dropping one is an atomic read-modify-write that releases
//! and acquires: what the others did with the exception comes before its destruction, and whoever comes
//! last destroys it. So it is an event on the counter, made right before the library's own. Taking a
//! reference orders nothing, and whoever takes one has one already.
//!
//! An exception that no `exception_ptr` ever pointed to belongs to one thread: the one that throws it. It
//! makes no events, so that catching costs nothing. Whether one points to it is known to the thread that
//! catches it, which alone can take the first one, by `current_exception`, while it handles it. What is
//! thrown by `rethrow_exception` is another object that leads to the first one ("dependent").
//!
//! Source: libstdc++, `unwind-cxx.h` (layouts), `eh_ptr.cc`, `eh_catch.cc`.

use super::before;
use crate::engine;
use crate::hooks::atomic::__dpor_rmw4;
use crate::pthread::me;
use dpor_abi::{order, rmw};

/// The distance from a `__cxa_exception` to the exception itself, in bytes; the count of references is a word at the
/// beginning of what is before the former.
const OBJECT_OFFSET: usize = 112;
const COUNT_OFFSET: usize = 128;
/// Distances from the start of a `__cxa_exception` to its number of handlers that run, and to its
/// class, in bytes.
const HANDLERS_OFFSET: usize = 40;
const CLASS_OFFSET: usize = 80;
/// `GNUCC++\0`. A dependent exception has 1 in the lowest byte, and begins with the address of the other.
const CLASS: u64 = 0x474e_5543_432b_2b00;

/// Returns the header of the exception that the running thread handles, and its class; `None`: of
/// none that C++ threw.
fn caught() -> Option<(usize, u64)> {
    let globals = real!(__cxa_get_globals: fn() -> *const usize);
    // SAFETY: without arguments; its result is the thread's own record, whose first word is a header or 0.
    let header = unsafe { *globals() };
    if header == 0 {
        return None;
    }
    // SAFETY: inside the header, if it is one; the library reads the same of any.
    let class = unsafe { ((header + CLASS_OFFSET) as *const u64).read() };
    (class & !1 == CLASS).then_some((header, class))
}

fn is_followed() -> bool {
    engine::active() || engine::before_root()
}

/// Makes the event of dropping a reference to an exception, which the running thread is about to
/// do.
fn drops(object: usize) {
    if engine::active() {
        let count = (object - COUNT_OFFSET) as *mut u32;
        // SAFETY: the count is 4 bytes in front of the exception. It stays as it is: the library changes it.
        unsafe { __dpor_rmw4(count, 0, rmw::ADD, order::ACQ_REL, 1, engine::site()) };
    }
}

/// `exception_ptr::_M_release()`, which its destructor calls.
///
/// # Safety
/// `this` points to an `exception_ptr`.
#[unsafe(naked)]
#[no_mangle]
unsafe extern "C" fn _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(this: *mut usize) {
    before!(before_release)
}

extern "C" fn before_release(this: *const usize) -> usize {
    // SAFETY: `this` is the program's `exception_ptr`, which consists of one pointer.
    let object = unsafe { this.read() };
    if object != 0 {
        drops(object);
    }
    real!(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv: fn(*mut usize)) as usize
}

/// `std::current_exception()`.
///
/// # Safety
/// `result` is writable for an `exception_ptr`.
#[unsafe(naked)]
#[no_mangle]
unsafe extern "C" fn _ZSt17current_exceptionv(result: *mut usize) -> *mut usize {
    before!(before_capture)
}

extern "C" fn before_capture() -> usize {
    if is_followed() {
        if let Some((header, CLASS)) = caught() {
            // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
            // between two events.
            unsafe { (*me()).captured.add(header) };
        }
    }
    real!(_ZSt17current_exceptionv: fn(*mut usize) -> *mut usize) as usize
}

/// Ends a handler, after the event of the reference that it drops.
///
/// # Safety
/// The running thread is in a handler.
#[unsafe(naked)]
#[no_mangle]
unsafe extern "C" fn __cxa_end_catch() {
    before!(before_end)
}

extern "C" fn before_end() -> usize {
    if is_followed() {
        if let Some((header, class)) = caught() {
            // SAFETY: `header` is that of the exception that the running thread handles, which
            // exists until the library's function ends.
            let handlers = unsafe { ((header + HANDLERS_OFFSET) as *const i32).read() };
            // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
            // between two events.
            if handlers == 1 && class == CLASS && unsafe { (*me()).captured.take(header) } {
                drops(header + OBJECT_OFFSET);
            } else if handlers == 1 && class != CLASS {
                // SAFETY: a dependent one begins with the address of the other.
                drops(unsafe { (header as *const usize).read() });
            }
        }
    }
    real!(__cxa_end_catch: fn()) as usize
}
