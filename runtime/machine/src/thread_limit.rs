//! How many threads there may be at once in this process.
//!
//! Each has a stack and a descriptor of a real thread, made at the root, and address space for what it
//! allocates. Few programs need many, so that there are few at first; a program that asks for one more is started
//! again by the driver, with [`MANY`] (option `many-threads`).

use crate::state::Kept;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_abi::options::{FEW_THREADS as FEW, MANY_THREADS as MANY, NO_ROOM_FOR_THREADS};

/// Address space is divided into parts of that many bits for each of few threads, or of many.
const BITS_OF_FEW: u32 = 36;
const BITS_OF_MANY: u32 = 33;

/// Bytes that such parts take up together at most.
pub const PARTS_BYTES: usize = 1 << 44;
const _: () = assert!(FEW << BITS_OF_FEW <= PARTS_BYTES && MANY << BITS_OF_MANY <= PARTS_BYTES);

static IS_MANY: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Sets whether there may be many threads, before the program allocates anything.
pub fn set(many: bool) {
    IS_MANY.store(many, Ordering::Relaxed);
}

/// Returns whether there may be [`MANY`] threads, not [`FEW`].
#[inline]
pub fn is_many() -> bool {
    IS_MANY.load(Ordering::Relaxed)
}

/// Threads, the first one included.
#[inline]
pub fn get() -> usize {
    match is_many() {
        true => MANY,
        false => FEW,
    }
}

/// Returns the logarithm of the number of bytes of a thread's part of an address range.
#[inline]
pub fn part_bits() -> u32 {
    match is_many() {
        true => BITS_OF_MANY,
        false => BITS_OF_FEW,
    }
}

/// Why there is no other thread.
pub fn sentence() -> &'static str {
    const { assert!(MANY == 1025) };
    match is_many() {
        true => "more than 1,024 threads besides the first alive at once",
        false => NO_ROOM_FOR_THREADS,
    }
}
