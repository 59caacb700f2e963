//! The runtime's own memory: one shared mapping, never rolled back.
//!
//! Shared (`MAP_SHARED`), so that a process forked to run one execution leaves what it learned for
//! its parent; a worker makes a copy of its own ([`detach`]). One OS thread runs at a time, so there is no lock: before exploration the process
//! has one thread or the runtime does not allocate, and afterwards all program threads are fibers.
//!
//! Sizes are rounded to powers of two; a freed block goes to its size's list. Nothing is returned.

use crate::state::Kept;
use crate::sys;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Address of the arena. It is fixed, so that a report can name runtime memory as such.
pub const ADDRESS: usize = 0x0800_0000_0000;

/// Address space asked for, largest first (containers may limit it).
const SIZES: [usize; 3] = [1 << 38, 1 << 35, 1 << 32];

const SMALLEST: usize = 16;
const CLASSES: usize = 40;

/// First bytes of the mapping.
#[repr(C)]
struct Header {
    /// First byte never handed out.
    next: usize,
    /// One past the last byte.
    end: usize,
    /// First free block of `SMALLEST << k` bytes, or 0; a free block begins with the next one's address.
    free: [usize; CLASSES],
}

/// The global allocator of the runtime.
pub struct Arena {
    /// Ends the process, saying why, if the system gives no memory; must not allocate.
    pub refuse: fn(&str) -> !,
}

static MAPPED: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Address range, for whoever must leave it alone.
pub fn range() -> (usize, usize) {
    (ADDRESS, ADDRESS + MAPPED.load(Ordering::Relaxed))
}

/// The part of it that was handed out so far, in whole pages.
pub fn used() -> (usize, usize) {
    // SAFETY: the header is mapped since the first allocation, which is before exploration.
    let next = unsafe { (*(ADDRESS as *const Header)).next };
    (ADDRESS, next.next_multiple_of(4096))
}

/// Makes it this process's own, which was just forked: what its parent does there is no more seen, and
/// the other way round. False if there is no memory for that.
pub fn detach() -> bool {
    let (start, end) = used();
    let (bytes, flags) = (
        MAPPED.load(Ordering::Relaxed),
        libc::MAP_SHARED | libc::MAP_NORESERVE,
    );
    let Some(copy) = sys::map(0, bytes, flags) else {
        return false;
    };
    // SAFETY: both mappings have so many bytes, and the parent waits until all its children are there.
    unsafe {
        copy.copy_from_nonoverlapping(start as *const u8, end - start);
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as usize;
        let moved = sys::call6(
            libc::SYS_mremap,
            copy as usize,
            bytes,
            bytes,
            flags,
            ADDRESS,
            0,
        );
        moved == ADDRESS as isize
    }
}

/// Maps it; null if the system gives no memory.
#[cold]
fn map() -> *mut Header {
    for bytes in SIZES {
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        if let Some(start) = sys::map(ADDRESS, bytes, flags) {
            MAPPED.store(bytes, Ordering::Relaxed);
            let header = start.cast::<Header>();
            // SAFETY: fresh memory, larger than a header.
            unsafe {
                header.write(Header {
                    next: ADDRESS + size_of::<Header>(),
                    end: ADDRESS + bytes,
                    free: [0; CLASSES],
                });
            }
            return header;
        }
    }
    ptr::null_mut()
}

impl Arena {
    #[inline]
    fn header(&self) -> *mut Header {
        if MAPPED.load(Ordering::Relaxed) != 0 {
            return ADDRESS as *mut Header;
        }
        let header = map();
        if header.is_null() {
            (self.refuse)("cannot map memory for the runtime");
        }
        header
    }
}

/// Index of the class of a layout.
fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(SMALLEST);
    (size.next_power_of_two() / SMALLEST).trailing_zeros() as usize
}

// SAFETY: blocks are disjoint, aligned to their power-of-two size (at most a page) or better than
// asked, and one OS thread runs at a time (module docs).
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let class = class(layout);
        let header = self.header();
        // SAFETY: the header is mapped; free blocks are ours and hold the next address.
        unsafe {
            let free = (*header).free[class];
            if free != 0 {
                (*header).free[class] = *(free as *const usize);
                return free as *mut u8;
            }
            let bytes = SMALLEST << class;
            let start = (*header)
                .next
                .next_multiple_of(bytes.min(4096).max(layout.align()));
            if start + bytes > (*header).end {
                return ptr::null_mut();
            }
            (*header).next = start + bytes;
            start as *mut u8
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the header is mapped; the rest is as the trait asks of the caller.
        unsafe {
            let next = (*self.header()).next;
            let block = self.alloc(layout);
            // What was never handed out is as the kernel gave it: its pages need not be touched.
            if !block.is_null() && (block as usize) < next {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let class = class(layout);
        let header = self.header();
        // SAFETY: the block was allocated with this layout, so it is at least a word of this class.
        unsafe {
            *block.cast::<usize>() = (*header).free[class];
            (*header).free[class] = block as usize;
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as the trait asks of the caller.
        let new = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        if class(new) == class(layout) {
            return block;
        }
        // SAFETY: both blocks hold the smaller size.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(bytes));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bytes: usize, alignment: usize) -> Layout {
        Layout::from_size_align(bytes, alignment).expect("a power of two")
    }

    // One test: there is one arena, and it has no lock.
    #[test]
    fn blocks_are_aligned_disjoint_and_used_again_and_survive_a_copy_of_the_arena() {
        let arena = Arena {
            refuse: |why| panic!("{why}"),
        };
        // SAFETY: each block is used within its layout and given back with it.
        unsafe {
            let first = arena.alloc(layout(24, 8));
            let second = arena.alloc(layout(24, 8));
            assert_eq!(first as usize % 8, 0);
            assert!(second.offset_from(first).unsigned_abs() >= 24);

            arena.dealloc(first, layout(24, 8));
            // 17 to 32 bytes are one class.
            assert_eq!(arena.alloc(layout(17, 1)), first);

            let aligned = arena.alloc(layout(8, 8192));
            assert_eq!(aligned as usize % 8192, 0);

            second.write_bytes(5, 24);
            assert_eq!(arena.realloc(second, layout(24, 8), 32), second);
            let moved = arena.realloc(second, layout(32, 8), 33);
            assert_ne!(moved, second);
            assert_eq!(*moved.add(23), 5);

            // Of a class that nobody else uses.
            let large = layout(3 << 20, 8);
            let fresh = arena.alloc_zeroed(large);
            let bytes = |block: *mut u8| core::slice::from_raw_parts(block, 3 << 20);
            assert!(bytes(fresh).iter().all(|&byte| byte == 0));
            fresh.write_bytes(7, 3 << 20);
            arena.dealloc(fresh, large);
            let again = arena.alloc_zeroed(large);
            assert_eq!(again, fresh);
            assert!(bytes(again).iter().all(|&byte| byte == 0));

            let (start, end) = used();
            assert!((start..end).contains(&(moved as usize)));
            assert!(detach());
            assert_eq!(*moved.add(23), 5);
            moved.write(6);
            assert_eq!(moved.read(), 6);
        }
    }
}
