//! The regions of the heap: one for each thread, at addresses that depend on nothing (but on whether there may be many
//! threads, [`crate::thread_limit`]: then the regions are smaller).
//!
//! ```text
//! BASE                                    + 64 GB            + 128 GB
//! ├ thread 0: [header][small ▸ … ][large ▸ … ]├ thread 1: …      ├ …
//! ```
//!
//! A region's header and all its blocks' headers lie inside the region, so whoever restores the
//! region's pages has restored the allocator. Untouched pages cost nothing, and are zero.

use crate::state::Kept;
use crate::sys;
use crate::thread_limit::{self, PARTS_BYTES};
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::size_class::CLASSES;

/// Address of thread 0's region.
pub const BASE: usize = 0x2000_0000_0000;

/// Bytes from the start of one region to the next, at most.
pub const STRIDE_MAX: usize = 1 << 36;

/// Bytes from the start of one region to the next.
#[inline]
pub fn stride() -> usize {
    1 << thread_limit::part_bits()
}

/// First page or so of a region. All-zero bytes are its first value, but for the two areas.
#[repr(C)]
pub struct Header {
    /// Address of the first byte that was never handed out of the area for blocks below a page.
    pub small_next: usize,
    /// Address of the first byte that was never handed out of the area for larger blocks.
    pub large_next: usize,
    /// Free blocks by class: address of the first one's header, or 0.
    pub free: [usize; CLASSES],
    /// Address of the header of the oldest freed block that is kept back, or 0.
    pub kept_first: usize,
    /// Address of the header of the youngest freed block that is kept back, or 0.
    pub kept_last: usize,
    /// Bytes of all freed blocks that are kept back.
    pub kept_bytes: usize,
}

/// Bytes of each region; 0 before they are mapped, 1 if they cannot be.
static REGION_BYTES: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Bytes mapped of each region; 0 if the kernel gives no memory.
#[inline]
pub fn bytes() -> usize {
    match REGION_BYTES.load(Ordering::Relaxed) {
        0 => map_all(),
        1 => 0,
        bytes => bytes,
    }
}

/// The header of a thread's region, ready for use; `None` without memory.
#[inline]
pub fn header(thread: usize) -> Option<*mut Header> {
    let bytes = bytes();
    if bytes == 0 {
        return None;
    }
    let start = BASE + (thread << thread_limit::part_bits());
    let header = start as *mut Header;
    // SAFETY: mapped, aligned, and nobody else writes it: one OS thread runs.
    unsafe {
        if (*header).small_next == 0 {
            (*header).small_next = start + size_of::<Header>().next_multiple_of(64);
            (*header).large_next = small_end(start, bytes);
        }
    }
    Some(header)
}

/// Address of the end of the area for small blocks in the region at `start`.
#[inline]
pub fn small_end(start: usize, bytes: usize) -> usize {
    start + bytes / 2
}

/// Whether the address lies in a region.
#[inline]
pub fn contains(address: usize) -> bool {
    let offset = address.wrapping_sub(BASE);
    let mapped = REGION_BYTES.load(Ordering::Relaxed);
    offset < thread_limit::get() * stride() && offset & (stride() - 1) < mapped
}

/// False for most words that are no addresses in a region, at once.
#[inline]
pub fn may_contain(word: u64) -> bool {
    const { assert!(BASE.is_multiple_of(PARTS_BYTES)) };
    word / PARTS_BYTES as u64 == (BASE / PARTS_BYTES) as u64
}

/// The start of the region that the address lies in.
#[inline]
pub fn start_of(address: usize) -> usize {
    BASE + ((address - BASE) & !(stride() - 1))
}

/// Mapped address ranges, for whoever saves and restores them: constant once the heap was used.
pub fn regions() -> impl Iterator<Item = (usize, usize)> {
    let bytes = bytes();
    let whole = bytes == stride();
    let count = if bytes == 0 {
        0
    } else if whole {
        1
    } else {
        thread_limit::get()
    };
    let all = thread_limit::get() * stride();
    let length = if whole { all } else { bytes };
    (0..count).map(move |k| (BASE + k * stride(), BASE + k * stride() + length))
}

/// The parts of the regions that blocks take up, living or not: the only parts that were ever used.
pub fn used() -> impl Iterator<Item = (usize, usize)> {
    let bytes = bytes();
    let starts = (0..thread_limit::get()).map(|thread| BASE + thread * stride());
    let each = starts.filter(move |_| bytes > 0).flat_map(move |start| {
        // SAFETY: mapped; zeros if it was never used.
        let header = unsafe { &*(start as *const Header) };
        let large = small_end(start, bytes);
        [(start, header.small_next), (large, header.large_next)]
    });
    each.filter(|(start, end)| start < end)
}

/// Maps the regions of all threads, in one mapping if the kernel allows that much address space.
#[cold]
fn map_all() -> usize {
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_NORESERVE | ::libc::MAP_FIXED_NOREPLACE;
    let (threads, stride) = (thread_limit::get(), stride());
    if map_exactly(BASE, threads * stride, flags) {
        REGION_BYTES.store(stride, Ordering::Relaxed);
        return stride;
    }
    let mut bytes = stride / 2;
    while bytes >= 1 << 20 {
        let mapped = (0..threads).take_while(|k| map_exactly(BASE + k * stride, bytes, flags));
        let mapped = mapped.count();
        if mapped == threads {
            REGION_BYTES.store(bytes, Ordering::Relaxed);
            return bytes;
        }
        for k in 0..mapped {
            // SAFETY: mapped just above, not used yet.
            unsafe { sys::call3(::libc::SYS_munmap, BASE + k * stride, bytes, 0) };
        }
        bytes /= 2;
    }
    REGION_BYTES.store(1, Ordering::Relaxed);
    0
}

/// Maps memory at this address and nowhere else. Older kernels take a fixed address for a hint: then it does not count.
fn map_exactly(at: usize, bytes: usize, flags: i32) -> bool {
    match sys::map(at, bytes, flags) {
        Some(address) if address as usize == at => true,
        Some(address) => {
            // SAFETY: a fresh mapping that nobody uses.
            unsafe { sys::call3(::libc::SYS_munmap, address as usize, bytes, 0) };
            false
        }
        None => false,
    }
}

/// Maps the regions, for tests: the runtime has one thread at that time, and they have many.
#[cfg(test)]
pub(super) fn map_once() {
    static MAPPED: std::sync::Once = std::sync::Once::new();
    MAPPED.call_once(|| assert!(bytes() > 0));
}
