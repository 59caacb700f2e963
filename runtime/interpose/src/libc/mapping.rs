//! Memory that the program maps while it is explored.
//!
//! Each thread maps in an address range of its own, upwards, and no address is used twice in an
//! execution: so an address depends on what the thread mapped before, and on nothing else. What was
//! mapped is unmapped when the program goes back; until then no snapshot is taken
//! ([`super::checkpointable`]), as snapshots do not hold these pages.

use super::state;
use crate::engine;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_explorer::program::THREADS_MAX;

/// Where thread 0 maps.
const BASE: usize = 0x4000_0000_0000;

/// From one thread's range to the next.
const STRIDE: usize = 1 << 36;

const PAGE: usize = 4096;

/// Bytes that each thread has mapped in this execution, unmapped ones included.
#[repr(C)]
pub struct State {
    used: [usize; THREADS_MAX],
}

/// The same as far as the kernel knows: grows with the state, and falls when what is beyond it has
/// been unmapped.
static MAPPED: [AtomicUsize; THREADS_MAX] = [const { AtomicUsize::new(0) }; THREADS_MAX];

fn used(thread: usize) -> *mut usize {
    // SAFETY: address arithmetic in the world.
    unsafe { &raw mut (*state()).mappings.used[thread] }
}

fn pages(bytes: usize) -> Option<usize> {
    bytes
        .checked_next_multiple_of(PAGE)
        .filter(|&bytes| bytes > 0 && bytes < STRIDE)
}

/// Maps, by `mmap`'s arguments; the descriptor is the kernel's. Returns the kernel's value.
///
/// # Safety
/// A mapping at a new address: none. `flags` has no `MAP_FIXED`.
pub unsafe fn map(
    bytes: usize,
    protection: usize,
    flags: usize,
    fd: usize,
    offset: usize,
) -> isize {
    let thread = usize::from(engine::thread().0);
    let Some(bytes) = pages(bytes) else {
        return -(::libc::EINVAL as isize);
    };
    // SAFETY: our state; nothing else runs.
    let used = unsafe { &mut *used(thread) };
    // An unmapped page after each mapping stops an overrun.
    if *used + bytes + PAGE > STRIDE {
        return -(::libc::ENOMEM as isize);
    }
    let at = BASE + thread * STRIDE + *used;
    let flags = flags | ::libc::MAP_FIXED_NOREPLACE as usize | ::libc::MAP_NORESERVE as usize;
    // SAFETY: the range is ours and nothing is mapped there.
    let result = unsafe { sys::call6(::libc::SYS_mmap, at, bytes, protection, flags, fd, offset) };
    if result >= 0 {
        *used += bytes + PAGE;
        MAPPED[thread].store(*used, Ordering::Relaxed);
    }
    result
}

/// Whether all of the range was mapped through [`map`] in this execution (or unmapped since).
pub fn contains(at: usize, bytes: usize) -> bool {
    let Some(offset) = at.checked_sub(BASE) else {
        return false;
    };
    let thread = offset / STRIDE;
    let Some(end) = (offset % STRIDE).checked_add(bytes) else {
        return false;
    };
    // SAFETY: our state.
    thread < THREADS_MAX && end <= unsafe { *used(thread) }
}

/// Ranges in which the program has mapped memory since the root, with holes.
pub fn mappings() -> impl Iterator<Item = (usize, usize)> {
    (0..THREADS_MAX).filter_map(|thread| {
        let start = BASE + thread * STRIDE;
        // SAFETY: our state.
        let used = unsafe { *used(thread) };
        (used > 0).then_some((start, start + used))
    })
}

/// Whether there is nothing that a snapshot would miss.
pub fn none_since_root() -> bool {
    // `used` never falls but by rollback, so a range that was unmapped again counts too: its
    // addresses are spent.
    mappings().next().is_none()
}

/// Unmaps what the restored state does not know of.
pub fn restore() {
    for (thread, mapped) in MAPPED.iter().enumerate() {
        let known = mapped.load(Ordering::Relaxed);
        // SAFETY: our state.
        let used = unsafe { *used(thread) };
        if known > used {
            let at = BASE + thread * STRIDE + used;
            // SAFETY: mapped by executions that are over.
            unsafe { sys::call3(::libc::SYS_munmap, at, known - used, 0) };
            mapped.store(used, Ordering::Relaxed);
        }
    }
}
