//! The memory for the bytes of files: a window for each, which goes back in time like the program's memory.

use super::state::INODES;
use crate::state::{Kept, RolledBack};
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::sys::{self, PAGE};

/// Bytes of a file, at most.
pub const BYTES_MAX: usize = 64 << 20;

/// Address of the first window; the others follow one after the other.
const BASE: usize = 0x3000_0000_0000;

static WINDOWS: RolledBack<u8> = RolledBack::at(BASE);

/// There is room for them.
static IS_THERE: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Reserves the windows: address space only, until they are written. At the root.
pub fn at_root() {
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_NORESERVE | ::libc::MAP_FIXED_NOREPLACE;
    let found = sys::map(BASE, INODES * BYTES_MAX, flags);
    IS_THERE.store(
        found.is_some_and(|at| at as usize == BASE),
        Ordering::Relaxed,
    );
}

/// Returns whether address space for the windows of files could be reserved.
pub fn is_there() -> bool {
    IS_THERE.load(Ordering::Relaxed)
}

/// Returns the address at which the window of a file begins.
pub fn of(number: usize) -> usize {
    WINDOWS.get() as usize + number * BYTES_MAX
}

/// Returns the number of pages that hold this many bytes.
pub fn pages(bytes: u64) -> usize {
    bytes.div_ceil(PAGE as u64) as usize
}
