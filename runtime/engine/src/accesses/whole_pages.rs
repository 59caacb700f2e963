//! A word for every page of shadow memory that the race detector may judge as one (`dpor_races`, `whole.rs`), for accesses of
//! either kind, and one for writes: what was told of such a page is known again in ten instructions.
//!
//! A word holds the stamp ([`repeated`](super::repeated)) of the last access to the page that was told, whatever bytes that
//! was of. So it counts only while nothing has to be noted of each access, in steps of which that is said ([`count`]). Every
//! address has words of its own, and a bit for each 64 KB says whether any of them may not be empty. Where memory is limited
//! there are none.

use dpor_machine::state::{Kept, Plain};
use dpor_machine::sys;
use dpor_races::PAGE_BYTES;

/// Where the words are.
const ADDRESS: usize = 0x1400_0000_0000;
/// Bits of an address that a program can have.
const ADDRESS_BITS: u32 = 47;
/// Bits above those.
const HIGH: u32 = 64 - ADDRESS_BITS;
/// Bytes of the two words of a page.
const WORDS_BYTES: u64 = 16;
/// Bytes of the program that share a bit.
const BIT_OF: u64 = 1 << 16;
/// Bytes of all words, and of the bits behind them.
const WORDS: usize = ((1 << ADDRESS_BITS) / PAGE_BYTES * WORDS_BYTES) as usize;
const BITS: usize = ((1 << ADDRESS_BITS) / BIT_OF / 8) as usize;

/// No stamp counts: a word is never as high as the first one.
const NONE: [(u64, u64); 2] = [(u64::MAX, 0); 2];

/// Whether there are words, and which of them count.
struct Pages {
    /// Of accesses of either kind and of writes: the first stamp that counts, and how far behind it the last one lies. What is
    /// left of an earlier step is never looked at: a stamp that begins sets it ([`count_none`]).
    count: Plain<[(u64, u64); 2]>,
    /// True once a word was written.
    is_used: Plain<bool>,
    is_mapped: Plain<bool>,
}

static PAGES: Kept<Pages> = Kept::new(Pages {
    count: Plain::new(NONE),
    is_used: Plain::new(false),
    is_mapped: Plain::new(false),
});

/// Maps the words, all of them empty; they need not be there.
pub(super) fn map() {
    // SAFETY: only the thread that runs the program's fibers, or is about to, uses them: plain accesses. What is mapped there is
    // nobody's, or the words of before.
    unsafe {
        // Older words are there when they are emptied.
        let fixed = match *PAGES.is_mapped.get() {
            false => libc::MAP_FIXED_NOREPLACE,
            true => libc::MAP_FIXED,
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | fixed;
        let base = sys::map(ADDRESS, WORDS + BITS, flags).filter(|&at| at as usize == ADDRESS);
        *PAGES.is_mapped.get() = base.is_some();
        *PAGES.is_used.get() = false;
        *PAGES.count.get() = NONE;
        if base.is_some() {
            for advice in [
                libc::MADV_WIPEONFORK,
                libc::MADV_NOHUGEPAGE,
                libc::MADV_DONTDUMP,
            ] {
                sys::call3(libc::SYS_madvise, ADDRESS, WORDS + BITS, advice as usize);
            }
        }
    }
}

/// The address range of the words, for whoever must leave it alone.
pub fn range() -> (usize, usize) {
    // SAFETY: only the thread that runs the program's fibers writes it.
    match unsafe { *PAGES.is_mapped.get() } {
        true => (ADDRESS, ADDRESS + WORDS + BITS),
        false => (ADDRESS, ADDRESS),
    }
}

/// A word of the page that an address is in.
#[inline(always)]
fn word(address: u64, of_writes: bool) -> *mut u64 {
    // What no program can have as an address may be any other's.
    let page = (address << HIGH >> HIGH) / PAGE_BYTES;
    (ADDRESS + (page * WORDS_BYTES) as usize + 8 * usize::from(of_writes)) as *mut u64
}

/// Whether an access of so many bytes, a power of two, is known since its page is judged as one; false if it is not aligned.
#[inline(always)]
pub(super) fn is_known(address: u64, bytes: u64, of_writes: bool) -> bool {
    if !is_used() {
        return false;
    }
    out_of_line();
    address & (bytes - 1) == 0 && counts(address, of_writes)
}

/// What follows is laid out behind the rest of a function: most programs never come there.
#[cold]
#[inline(always)]
fn out_of_line() {}

/// Whether accesses to the page that an address is in are known.
#[inline(always)]
pub(super) fn is_any_known(address: u64, of_writes: bool) -> bool {
    is_used() && counts(address, of_writes)
}

/// Whether any word was written.
#[inline(always)]
fn is_used() -> bool {
    // SAFETY: only the thread that runs the program's fibers writes it.
    unsafe { *PAGES.is_used.get() }
}

/// Whether the word of a page, which is mapped, counts.
#[inline(always)]
fn counts(address: u64, of_writes: bool) -> bool {
    // SAFETY: only the thread that runs the program's fibers uses these; words are mapped if one was written.
    unsafe {
        let (first, last) = (*PAGES.count.get())[usize::from(of_writes)];
        (*word(address, of_writes)).wrapping_sub(first) <= last
    }
}

/// Whether an access to the page was told of with a stamp from `first` to `last`.
#[inline(always)]
pub(super) fn was_told(address: u64, of_writes: bool, first: u64, last: u64) -> bool {
    // SAFETY: only the thread that runs the program's fibers uses these; words are mapped if one was written.
    unsafe { *PAGES.is_used.get() && (first..=last).contains(&*word(address, of_writes)) }
}

/// Remembers that an access to a page was told of with this stamp; returns false if there are no words.
#[inline(always)]
pub(super) fn remember(address: u64, is_write: bool, stamp: u64) -> bool {
    // SAFETY: only the thread that runs the program's fibers uses these; the words are mapped.
    unsafe {
        if !*PAGES.is_mapped.get() {
            return false;
        }
        *PAGES.is_used.get() = true;
        *word(address, false) = stamp;
        if is_write {
            *word(address, true) = stamp;
        }
        let (bits, bit) = used(address);
        *bits |= 1 << bit;
    }
    true
}

/// The bit of the 64 KB that an address is in.
#[inline(always)]
fn used(address: u64) -> (*mut u8, u64) {
    let number = (address << HIGH >> HIGH) / BIT_OF;
    let byte = ADDRESS + WORDS + (number / 8) as usize;
    (byte as *mut u8, number % 8)
}

/// No stamp counts.
#[inline(always)]
pub(super) fn count_none() {
    // SAFETY: only the thread that runs the program's fibers uses it.
    unsafe { *PAGES.count.get() = NONE };
}

/// Stamps from `first` to `last` count, for writes if `of_writes`.
#[inline(always)]
pub(super) fn count(first: u64, last: u64, of_writes: bool) {
    // SAFETY: only the thread that runs the program's fibers uses it.
    unsafe {
        let count = &mut *PAGES.count.get();
        count[0] = (first, last - first);
        if of_writes {
            count[1] = (first, last - first);
        }
    }
}

/// Empties the words of the pages that the memory from `from` to `end` meets.
///
/// *Cost:* proportional to its 64 KBs whose words were used, and to a half millionth of its size.
#[inline(always)]
pub(super) fn forget(from: u64, end: u64) {
    if is_used() {
        forget_used(from, end);
    }
}

#[inline(never)]
fn forget_used(from: u64, end: u64) {
    let mut at = from;
    while at < end {
        let block = at & !(BIT_OF - 1);
        let next = block.saturating_add(BIT_OF).min(end);
        let (bits, bit) = used(at);
        // SAFETY: only this thread uses the words, which are mapped; those of the pages from `at` to `next` lie side by
        // side.
        unsafe {
            if *bits >> bit & 1 != 0 {
                let pages = (next - 1) / PAGE_BYTES - at / PAGE_BYTES + 1;
                word(at, false).write_bytes(0, 2 * pages as usize);
                if next - at == BIT_OF {
                    *bits &= !(1 << bit);
                }
            }
        }
        at = next;
    }
}
