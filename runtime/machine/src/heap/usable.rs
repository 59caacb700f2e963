//! The bytes of the heap that may be used, while the program has one thread.
//!
//! Until the root nothing is judged: the program is itself. Under `dpor check` its accesses to the heap are held
//! against this map, one byte for eight of thread 0's region, which `malloc` and its family write:
//!
//! ```text
//!   8   all of them are of a live block
//!   k   the first k are: a block's last bytes
//!   0   none: freed, next to a block, or never handed out
//! ```
//!
//! An access that it does not allow is where exploration begins. With the root the map is given up.

use super::{block, region};
use crate::state::Kept;
use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the heap for which one byte of the map stands. Blocks begin at multiples of it.
const GRANULE: usize = 8;
/// Address of the map: among what is the runtime's own, and not the program's to share.
const ADDRESS: usize = 0x0790_0000_0000;
const BYTES: usize = region::STRIDE_MAX / GRANULE;

/// Address of the map; 0 if there is none.
pub static MAP: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

#[inline(always)]
fn map() -> *mut u8 {
    MAP.load(Ordering::Relaxed) as *mut u8
}

/// Watches accesses from here on. False: the system gives no memory for the map.
pub fn watch() -> bool {
    let flags = ::libc::MAP_PRIVATE | ::libc::MAP_NORESERVE | ::libc::MAP_FIXED_NOREPLACE;
    if sys::map(ADDRESS, BYTES, flags).is_none() {
        return false;
    }
    let lived = block::lived(0, usize::MAX);
    MAP.store(ADDRESS, Ordering::Relaxed);
    for block in lived.iter().filter(|block| !block.freed) {
        begin_life(block.start, block.bytes);
    }
    true
}

/// Gives up the map, as exploration begins.
pub fn end_watch() {
    if MAP.swap(0, Ordering::Relaxed) != 0 {
        // SAFETY: mapped by `watch`, and nobody looks at it any more.
        unsafe { sys::call3(::libc::SYS_munmap, ADDRESS, BYTES, 0) };
    }
}

/// Whether accesses are held against the map.
#[inline(always)]
pub fn is_watched() -> bool {
    !map().is_null()
}

/// Allows these bytes, which are a block's now.
#[inline]
pub fn begin_life(start: usize, bytes: usize) {
    let Some(at) = byte_of(start) else {
        return;
    };
    let (whole, rest) = (bytes / GRANULE, bytes % GRANULE);
    // SAFETY: the map has a byte for each granule of the region that the block lies in.
    unsafe {
        at.write_bytes(GRANULE as u8, whole);
        if rest > 0 {
            at.add(whole).write(rest as u8);
        }
    }
}

/// Forbids these bytes, which are nobody's now.
#[inline]
pub fn end_life(start: usize, bytes: usize) {
    if let Some(at) = byte_of(start) {
        // SAFETY: the map is mapped, and the bytes of a block lie in the region, so those of the map that stand for
        // them lie in the map; one thread of the system runs.
        unsafe { at.write_bytes(0, bytes.div_ceil(GRANULE)) };
    }
}

/// The map's byte for an address of the region.
#[inline(always)]
fn byte_of(address: usize) -> Option<*mut u8> {
    let offset = address.wrapping_sub(region::BASE);
    if map().is_null() || offset >= region::bytes().min(region::STRIDE_MAX) {
        return None;
    }
    // SAFETY: `offset` was compared with the bytes of the region, so the result lies in the map.
    Some(unsafe { map().add(offset / GRANULE) })
}

/// Whether the map does not allow an access. False outside of the region.
#[inline(always)]
pub fn forbids(address: u64, bytes: u64) -> bool {
    let offset = address.wrapping_sub(region::BASE as u64);
    if offset >= region::STRIDE_MAX as u64 || !is_watched() {
        return false;
    }
    // SAFETY: the map has a byte for each granule of a region.
    let usable = unsafe { map().add(offset as usize / GRANULE).read() };
    offset % GRANULE as u64 + bytes > u64::from(usable) && forbids_in_region(address, bytes)
}

/// An access that is not within one granule, or not allowed.
#[cold]
fn forbids_in_region(address: u64, bytes: u64) -> bool {
    let end = address.saturating_add(bytes);
    let mut granule = address & !(GRANULE as u64 - 1);
    while granule < end {
        let Some(at) = byte_of(granule as usize) else {
            return false;
        };
        // SAFETY: `byte_of` gives an address in the map, which only this thread of the system writes.
        let usable = u64::from(unsafe { at.read() });
        if end.min(granule + GRANULE as u64) - granule > usable {
            return true;
        }
        granule += GRANULE as u64;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test: there is one map, of thread 0's region.
    #[test]
    fn bytes_of_live_blocks_may_be_used_and_no_others_while_there_is_a_map() {
        let block = region::BASE + (1 << 20);
        let forbidden = |from: usize, bytes| forbids((block + from) as u64, bytes);
        assert!(!is_watched() && !forbidden(0, 8));

        region::map_once();
        assert!(watch());
        begin_life(block, 20);
        for (from, bytes, expected) in [
            (0, 8, false),
            (12, 8, false),
            (4, 16, false),
            (19, 1, false),
        ] {
            assert_eq!(forbidden(from, bytes), expected, "{bytes} bytes at {from}");
        }
        for (from, bytes) in [(20, 1), (19, 2), (16, 8), (24, 8), (0, 21)] {
            assert!(forbidden(from, bytes), "{bytes} bytes at {from}");
        }
        assert!(!forbids(8, 8), "outside of the heap nothing is");
        end_life(block, 20);
        assert!(forbidden(0, 1));

        end_watch();
        assert!(!is_watched() && !forbidden(0, 1));
    }
}
