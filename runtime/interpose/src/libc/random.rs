//! Random numbers: each thread draws from a stream of its own, the same in every execution.
//!
//! *Source* of the generator: Steele, Lea, Flood, "Fast splittable pseudorandom number generators"
//! (OOPSLA 2014), `SplitMix64`.

use crate::engine;
use crate::world::{self, rolled_back, THREADS_MAX};
use core::ffi::{c_int, c_uint, c_void};
use core::ptr;
use dpor_machine::sys;

/// Numbers that each thread has drawn.
#[repr(C)]
pub struct State {
    drawn: [u64; THREADS_MAX],
}

rolled_back!(static STATE: RolledBack<State> = world::RANDOM);

/// Returns the next number of the running thread.
fn draw() -> u64 {
    let thread = usize::from(engine::thread().0);
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let drawn = unsafe {
        let drawn = &raw mut (*STATE.get()).drawn[thread];
        *drawn += 1;
        *drawn
    };
    mix((thread as u64 + 1) << 40 | drawn)
}

fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fills `bytes` bytes at the address `to` with the running thread's next numbers. Where that is not
/// writable, it faults.
///
/// # Safety
/// `to` is 0 or an address of the program's, which may take `bytes` bytes or a fault.
pub unsafe fn fill_at(to: usize, bytes: usize) {
    for done in (0..bytes).step_by(8) {
        let number = draw().to_le_bytes();
        let length = (bytes - done).min(8);
        // SAFETY: the program may write up to `length` bytes there, as this function's caller
        // guarantees; no other fiber runs.
        unsafe { ptr::copy_nonoverlapping(number.as_ptr(), (to + done) as *mut u8, length) };
    }
}

/// Linux `getrandom`.
///
/// # Safety
/// `buffer` is writable for `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, bytes: usize, flags: c_uint) -> isize {
    if engine::active() {
        // SAFETY: `buffer` is writable for `bytes` bytes, as this function's caller guarantees; no
        // other fiber writes there before the next event.
        unsafe { fill_at(buffer as usize, bytes) };
        return bytes as isize;
    }
    // SAFETY: the kernel checks `buffer` itself, and writes at most `bytes` bytes there.
    let result = unsafe {
        sys::call3(
            ::libc::SYS_getrandom,
            buffer as usize,
            bytes,
            flags as usize,
        )
    };
    if result < 0 {
        // SAFETY: libc's errno of the running thread.
        unsafe { *::libc::__errno_location() = -result as c_int };
        return -1;
    }
    result
}

/// POSIX `getentropy`.
///
/// # Safety
/// `buffer` is writable for `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn getentropy(buffer: *mut c_void, bytes: usize) -> c_int {
    if bytes > 256 {
        // SAFETY: libc's errno of the running thread.
        unsafe { *::libc::__errno_location() = ::libc::EIO };
        return -1;
    }
    // SAFETY: `buffer` is writable for `bytes` bytes, as this function's caller guarantees; the
    // kernel serves 256 bytes in one piece.
    if unsafe { getrandom(buffer, bytes, 0) } < 0 {
        return -1;
    }
    0
}

/// BSD and glibc 2.36 `arc4random`.
#[no_mangle]
pub extern "C" fn arc4random() -> u32 {
    let mut number = [0u8; 4];
    // SAFETY: `number` has the four bytes that are filled.
    unsafe { getrandom(number.as_mut_ptr().cast(), 4, 0) };
    u32::from_le_bytes(number)
}

/// `arc4random_buf`.
///
/// # Safety
/// `buffer` is writable for `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn arc4random_buf(buffer: *mut c_void, bytes: usize) {
    let mut done = 0;
    while done < bytes {
        // SAFETY: `done` is below `bytes`, so the rest of `buffer` is writable, as this function's
        // caller guarantees.
        let n = unsafe { getrandom(buffer.byte_add(done), bytes - done, 0) };
        done += n.max(0) as usize;
    }
}

/// `arc4random_uniform`: below the bound, each with the same probability; 0 for bounds 0 and 1.
#[no_mangle]
pub extern "C" fn arc4random_uniform(bound: u32) -> u32 {
    if bound < 2 {
        return 0;
    }
    // The lowest 2^32 mod bound numbers would make small results likelier.
    let least = bound.wrapping_neg() % bound;
    loop {
        let number = arc4random();
        if number >= least {
            return number % bound;
        }
    }
}
