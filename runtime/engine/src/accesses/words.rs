//! Memory for two words beside every eight bytes of the program, and a bit for each page of them that may not be empty.
//!
//! The words lie at a fixed place, side by side as the program's bytes do. Addresses that are a terabyte apart share them.
//! What is in a word is [`repeated`](super::repeated)'s affair; 0 is nothing.

use dpor_machine::state::{Kept, Plain};
use dpor_machine::sys;

/// Where the words are.
const ADDRESS: usize = 0x0400_0000_0000;
/// Bytes of the program that have words of their own: a terabyte, that is, the heaps of sixteen threads. Others
/// share, which costs time only.
pub(super) const WINDOW: u64 = 1 << 40;
/// The same where memory is limited, which counts what is mapped: half a megabyte of words.
pub(super) const WINDOW_SMALL: u64 = 1 << 18;
/// Bytes of two words for each byte of a window.
const BYTES_PER_BYTE: u64 = 2;

/// Bytes of the program whose words are one page: of each, a bit says whether any word there may not be empty.
pub(super) const PAGE_OF: u64 = 4096 / BYTES_PER_BYTE;

/// The two words of memory before it is mapped, and the bit of their page: nothing is ever known in them.
static NOTHING: Kept<Plain<[u64; 3]>> = Kept::new(Plain::new([0; 3]));

/// The words: their first one, and the bits of an address that choose two of them.
struct Words {
    base: Plain<*mut u64>,
    mask: Plain<u64>,
}

// SAFETY: the pointer leads to memory that only the thread that runs the program's fibers uses.
unsafe impl Sync for Words {}

static WORDS: Kept<Words> = Kept::new(Words {
    base: Plain::new((&raw const NOTHING).cast_mut().cast()),
    mask: Plain::new(0),
});

/// Maps words for a window of so many bytes, all of them empty.
pub(super) fn map(window: u64) -> bool {
    let bytes = bytes_of(window);
    // Older words are there when they are emptied.
    let fixed = match mapped_window() {
        0 => libc::MAP_FIXED_NOREPLACE,
        _ => libc::MAP_FIXED,
    };
    let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | fixed;
    let Some(base) = sys::map(ADDRESS, bytes, flags).filter(|&at| at as usize == ADDRESS) else {
        return false;
    };
    // A forked process need not copy what says nothing to it. Large pages would be mostly empty. Nobody reads the
    // words in a dump. Without any of that it goes as well.
    for advice in [
        libc::MADV_WIPEONFORK,
        libc::MADV_NOHUGEPAGE,
        libc::MADV_DONTDUMP,
    ] {
        // SAFETY: the memory was mapped just now.
        unsafe { sys::call3(libc::SYS_madvise, ADDRESS, bytes, advice as usize) };
    }
    // SAFETY: only the thread that runs the program's fibers, or is about to, uses them; these are plain writes.
    unsafe {
        *WORDS.base.get() = base.cast();
        *WORDS.mask.get() = window - 8;
    }
    true
}

/// Bytes of the words for a window of so many bytes, and of the bits of their pages.
fn bytes_of(window: u64) -> usize {
    let pages = (window / PAGE_OF).div_ceil(8);
    (window * BYTES_PER_BYTE + pages).next_multiple_of(4096) as usize
}

/// Bytes of the program that have words of their own; 0 before they are mapped.
pub(super) fn mapped_window() -> u64 {
    // SAFETY: only the thread that runs the program's fibers writes it.
    match unsafe { *WORDS.mask.get() } {
        0 => 0,
        mask => mask + 8,
    }
}

/// The address range of the words, for whoever must leave it alone.
pub fn range() -> (usize, usize) {
    (ADDRESS, ADDRESS + bytes_of(mapped_window()))
}

/// Returns a word of the granule that the address is in.
#[inline(always)]
pub(super) fn word(address: u64, of_writes: bool) -> *mut u64 {
    // SAFETY: only the thread that runs the program's fibers uses them; two words for each granule are mapped, or the
    // mask is 0.
    unsafe {
        let place = (address & *WORDS.mask.get()) * BYTES_PER_BYTE + 8 * u64::from(of_writes);
        (*WORDS.base.get()).byte_add(place as usize)
    }
}

/// Empties the words of the memory from `from` to `end`.
pub(super) fn empty(from: u64, end: u64) {
    let mut granule = from & !7;
    while granule < end {
        // SAFETY: only this thread; see `word`.
        unsafe {
            *word(granule, false) = 0;
            *word(granule, true) = 0;
        }
        granule = granule.saturating_add(8);
    }
}

/// Does what [`empty`] does, for a part of memory that may have whole pages of words and is smaller than the window.
///
/// *Cost:* proportional to its parts whose words were used, and to a 131,072nd of its size.
pub(super) fn empty_pages(from: u64, end: u64) {
    let (low, high) = (from.next_multiple_of(PAGE_OF), end & !(PAGE_OF - 1));
    if high <= low {
        return empty(from, end);
    }
    empty(from, low);
    empty(high, end);
    let mut page = low / PAGE_OF;
    while page != high / PAGE_OF {
        let (bits, first) = used_pages(page * PAGE_OF);
        let count = (high / PAGE_OF - page).min(u64::from(64 - first));
        let part = u64::MAX >> (64 - count) << first;
        // SAFETY: only this thread uses them.
        let mut used = unsafe { *bits } & part;
        // SAFETY: as above.
        unsafe { *bits &= !part };
        while used != 0 {
            let at = (page + u64::from(used.trailing_zeros() - first)) * PAGE_OF;
            // SAFETY: the words of a page lie side by side, and only this thread uses them.
            unsafe { word(at, false).write_bytes(0, 512) };
            used &= used - 1;
        }
        page += count;
    }
}

/// Notes that words of the granule at this address are about to be used.
#[inline(always)]
pub(super) fn note_used(granule: u64) {
    let (bits, page) = used_pages(granule);
    // SAFETY: only this thread; see `used_pages`.
    unsafe { *bits |= 1 << page };
}

/// Where the bit is that says whether anything was remembered of the page of words of this address: 64 bits, and its place
/// in them.
#[inline(always)]
fn used_pages(address: u64) -> (*mut u64, u32) {
    // SAFETY: only the thread that runs the program's fibers uses them; behind the words there is a bit for each of their
    // pages, or the mask is 0.
    unsafe {
        let (mask, base) = (*WORDS.mask.get(), *WORDS.base.get());
        let page = (address & mask) / PAGE_OF;
        let bits = base.byte_add(((mask + 8) * BYTES_PER_BYTE) as usize);
        (bits.add((page / 64) as usize), (page % 64) as u32)
    }
}
