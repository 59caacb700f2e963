//! `std::atomic<T>::wait` where T is no int: libstdc++ sleeps on a counter that several atomics share. The pass lets it say
//! for which value it waits, and leaves it to the runtime to sleep only if that is still there (docs/decisions/0024).

use crate::engine::{self, object};
use crate::libc::futex;
use crate::pthread::me;
use core::ffi::c_int;

crate::hooks::clean_entry::clean_entries! {
    __dpor_wait_value
}

/// Nanoseconds that a thread which waits natively sleeps at most: a notification may come between
/// its look and its sleep.
const SLEEP_NS: i64 = 1_000_000;

/// Notes that the running thread waits for the value at this address. Native: nothing.
#[no_mangle]
pub extern "C" fn __dpor_waits_at(address: usize) {
    if engine::active() || engine::before_root() {
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        unsafe { (*me()).waits_at = address };
    }
}

/// Sleeps on the futex of a counter, if the value that was told last is what it was. Native: for a short time. The
/// library's operation of futex(2) says whether other processes may use the futex.
///
/// # Safety
/// Called by instrumented code only, with the library's counter.
pub unsafe extern "C" fn __dpor_wait_value(
    counter: *const u32,
    value: u64,
    bytes: u32,
    operation: c_int,
) {
    engine::begin();
    if !engine::active() || engine::is_ending() {
        // SAFETY: `address` is the program's, as this function's caller guarantees; the kernel
        // reads the local time.
        unsafe {
            let limit = ::libc::timespec {
                tv_sec: 0,
                tv_nsec: SLEEP_NS,
            };
            let found = counter.read_volatile();
            ::libc::syscall(
                ::libc::SYS_futex,
                counter,
                operation,
                found,
                &raw const limit,
            );
        }
        return;
    }
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let address = unsafe { (*me()).waits_at };
    let private = operation & ::libc::FUTEX_PRIVATE_FLAG != 0;
    let queue = object::futex(counter as usize, private);
    // SAFETY: a fiber runs on its stack; the library has just read the value there.
    unsafe { futex::wait_for_value(queue, address, bytes, value) }
}
