//! Blocks of the heap: how one is taken, given back, and known again.
//!
//! In front of each block lie two words:
//!
//! ```text
//!  63     48 47  40 39            0 │ 63                                     0
//! ┌─────────┬──────┬───────────────┐│┌────────────────────────────────────────┐
//! │ state   │ class│ bytes asked   │││ link                                   │
//! └─────────┴──────┴───────────────┘│└────────────────────────────────────────┘
//! ```
//!
//! `link` of a free block: the next one of its list, or of the blocks that are kept back. Of a live block: 0, or the distance to the
//! aligned block inside it (state `OUTER`); of an aligned block: the distance back (`ALIGNED`).
//! A freed block's contents stay as they are, so no page is written for the sake of a list.
//!
//! Blocks of a class are never split or merged: what a thread gets depends on how often it
//! allocated and freed each class, and on nothing else.

use super::region::{self, Header};
use crate::sys::PAGE;
use dpor_abi::size_class::{bytes_of, class_of, CLASSES, HEADER_BYTES};

const LIVE: u64 = 0xa10c;
const OUTER: u64 = 0xa1e0;
const ALIGNED: u64 = 0xa1ed;
const FREED: u64 = 0xdead;

/// Bytes of freed blocks that a thread keeps back before they are given out again (chosen: what small tests
/// free in an execution; each page that is not used twice costs a copy of it when the state is taken back).
const KEPT_BYTES_MAX: usize = 64 << 10;

const BYTES_MASK: u64 = (1 << 40) - 1;

#[repr(C)]
struct BlockHeader {
    word: u64,
    link: usize,
}

impl BlockHeader {
    fn state(&self) -> u64 {
        self.word >> 48
    }
    fn class(&self) -> usize {
        (self.word >> 40 & 0xff) as usize
    }
    fn bytes(&self) -> usize {
        (self.word & BYTES_MASK) as usize
    }
    fn set(&mut self, state: u64, class: usize, bytes: usize) {
        self.word = state << 48 | (class as u64) << 40 | bytes as u64;
    }
}

/// What an address given to `free` stands for.
pub enum Known {
    /// A live block of so many bytes, as the program requested them.
    Live(usize),
    /// A block of so many bytes that was freed before.
    Freed(usize),
    /// No block that the heap gave out.
    Unknown,
}

/// A block of a region, live or freed, with the bytes around it that are nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Address of the first byte in front of the block that is nobody's: its header.
    pub from: usize,
    /// Address of the block's first byte.
    pub start: usize,
    /// The block's size in bytes, as the program requested it.
    pub bytes: usize,
    /// Address behind the last byte that belongs to no other block.
    pub end: usize,
    /// True if the block was freed.
    pub freed: bool,
}

/// Takes a block for a thread, and returns its address and whether all its bytes are zero. `None`: there is no memory.
/// `spare`: number of bytes behind the block that are nobody's.
#[inline]
pub fn take(thread: usize, bytes: usize, spare: usize) -> Option<(usize, bool)> {
    let class = class_of(bytes.checked_add(spare)?)?;
    let region = region::header(thread)?;
    // SAFETY: region headers and the blocks on their lists are mapped, aligned and only used here,
    // by one OS thread.
    unsafe {
        let first = (*region).free[class];
        if first != 0 {
            let block = first as *mut BlockHeader;
            (*region).free[class] = (*block).link;
            (*block).set(LIVE, class, bytes);
            (*block).link = 0;
            return Some((first + HEADER_BYTES, false));
        }
        let block = fresh(region, class)? as *mut BlockHeader;
        (*block).set(LIVE, class, bytes);
        (*block).link = 0;
        Some((block as usize + HEADER_BYTES, true))
    }
}

/// Takes memory that was never handed out; `None` if the region is used up.
///
/// # Safety
/// `region` is the header of a mapped region ([`region::header`]), and no reference to it is alive.
unsafe fn fresh(region: *mut Header, class: usize) -> Option<usize> {
    let start = region as usize;
    let mapped = region::bytes();
    let bytes = bytes_of(class);
    // SAFETY: by the caller's promise the region is mapped and nobody else refers to its header; one thread of the
    // system runs the heap.
    let header = unsafe { &mut *region };
    let small = bytes < PAGE;
    let (next, end) = if small {
        (&mut header.small_next, region::small_end(start, mapped))
    } else {
        (&mut header.large_next, start + mapped)
    };
    let block = *next;
    // What lies before the first large block is nobody's.
    let end = if small { end - FRONT_BYTES } else { end };
    if bytes > end.saturating_sub(block) {
        return None;
    }
    *next = block + bytes;
    Some(block)
}

/// Takes a block whose address is a multiple of `alignment`, a power of two.
pub fn take_aligned(thread: usize, alignment: usize, bytes: usize, spare: usize) -> Option<usize> {
    if alignment <= HEADER_BYTES {
        return take(thread, bytes, spare).map(|(address, _)| address);
    }
    let (outer, _) = take(thread, bytes.checked_add(alignment)?, spare)?;
    let address = outer.next_multiple_of(alignment);
    let distance = address - outer;
    if distance == 0 {
        // SAFETY: the block was just taken.
        unsafe {
            let header = &mut *((outer - HEADER_BYTES) as *mut BlockHeader);
            header.set(LIVE, header.class(), bytes);
        }
        return Some(outer);
    }
    // SAFETY: the block was just taken and has room for the distance and the bytes; the distance is
    // a multiple of 16, so the inner header lies behind the outer one.
    unsafe {
        let header = &mut *((outer - HEADER_BYTES) as *mut BlockHeader);
        let class = header.class();
        header.set(OUTER, class, header.bytes());
        header.link = distance;
        let inner = &mut *((address - HEADER_BYTES) as *mut BlockHeader);
        inner.set(ALIGNED, class, bytes);
        inner.link = distance;
    }
    Some(address)
}

/// Tells what `address` stands for.
#[inline]
pub fn look_up(address: usize) -> Known {
    if !region::contains(address)
        || !address.is_multiple_of(16)
        || address % region::stride() < HEADER_BYTES
    {
        return Known::Unknown;
    }
    // SAFETY: mapped and aligned, as just checked.
    let header = unsafe { &*((address - HEADER_BYTES) as *const BlockHeader) };
    match header.state() {
        LIVE | ALIGNED if header.class() < CLASSES => Known::Live(header.bytes()),
        FREED if header.class() < CLASSES => Known::Freed(header.bytes()),
        _ => Known::Unknown,
    }
}

/// Gives a live block to a thread's list; or, if it is to be kept back, to the end of its queue of blocks
/// that will be given out again only after others, so that whoever uses one still uses freed memory. A
/// block that is larger than the whole queue may be is given out again at once.
///
/// # Safety
/// [`look_up`] said that the block lives.
#[inline]
pub unsafe fn give_back(thread: usize, address: usize, keep: bool) {
    let Some(region) = region::header(thread) else {
        return;
    };
    // SAFETY: the caller's; the block is on no list yet.
    unsafe {
        let block = end(address);
        match keep {
            true => keep_back(&mut *region, block),
            false => put_free(&mut *region, block),
        }
    }
}

/// Ends a live block's life. Returns its header, the outer one of an aligned block.
///
/// # Safety
/// [`look_up`] said that the block lives.
#[inline]
unsafe fn end(address: usize) -> *mut BlockHeader {
    // SAFETY: the caller's; an aligned block's outer header is where its link says.
    unsafe {
        let mut block = (address - HEADER_BYTES) as *mut BlockHeader;
        let (class, bytes) = ((*block).class(), (*block).bytes());
        let aligned = (*block).state() == ALIGNED;
        (*block).set(FREED, class, bytes);
        if aligned {
            block = block.byte_sub((*block).link);
            (*block).set(FREED, class, (*block).bytes());
        }
        block
    }
}

/// The thread in whose region a block lies.
pub fn owner(address: usize) -> usize {
    (address - region::BASE) / region::stride()
}

/// Ends a live block's life without a place on any list: [`put_back`] gives it one. Returns the address of its first
/// byte, of an aligned one that of the block around it.
///
/// # Safety
/// [`look_up`] said that the block lives.
pub unsafe fn set_aside(address: usize) -> usize {
    // SAFETY: the caller's.
    unsafe {
        let block = end(address);
        (*block).link = 0;
        block as usize + HEADER_BYTES
    }
}

/// Whether a block that was set aside is such a one as a thread that asks for so many bytes would get, which has none of
/// its own.
///
/// # Safety
/// [`set_aside`] returned the address, and nobody has put the block back.
pub unsafe fn would_serve(thread: usize, bytes: usize, address: usize) -> bool {
    // SAFETY: by the caller's promise a header lies there; that of a region is mapped.
    unsafe {
        let class = (*((address - HEADER_BYTES) as *const BlockHeader)).class();
        owner(address) == thread
            && class_of(bytes) == Some(class)
            && region::header(thread).is_some_and(|region| (*region).free[class] == 0)
    }
}

/// Puts a block that was set aside on the list of its owner.
///
/// # Safety
/// As for [`would_serve`].
pub unsafe fn put_back(address: usize) {
    if let Some(region) = region::header(owner(address)) {
        // SAFETY: by the caller's promise it is the header of a freed block that is on no list.
        unsafe { put_free(&mut *region, (address - HEADER_BYTES) as *mut BlockHeader) };
    }
}

/// Puts a freed block on the region's list of its class.
///
/// # Safety
/// `block` is the header of a block of this region that was freed and is on no list.
unsafe fn put_free(region: &mut Header, block: *mut BlockHeader) {
    // SAFETY: by the caller's promise `block` is a header in the mapped region; it lies behind the region's own header,
    // which `region` refers to.
    let block_header = unsafe { &mut *block };
    let first = &mut region.free[block_header.class()];
    block_header.link = *first;
    *first = block as usize;
}

/// Puts a freed block at the end of the region's queue of blocks that are kept back, and gives out what the queue has
/// no room for.
///
/// # Safety
/// `block` is the header of a block of this region that was freed and is on no list.
unsafe fn keep_back(region: &mut Header, block: *mut BlockHeader) {
    // SAFETY: by the caller's promise `block` is a header in the mapped region, which only this thread of the system
    // reads or writes.
    let bytes = unsafe { bytes_of((*block).class()) };
    if bytes > KEPT_BYTES_MAX {
        // SAFETY: the caller's promise is the same, and the block has not been put on a list.
        return unsafe { put_free(region, block) };
    }
    region.kept_bytes += bytes;
    // SAFETY: the caller's; blocks of the queue are freed ones.
    unsafe {
        (*block).link = 0;
        match region.kept_last {
            0 => region.kept_first = block as usize,
            last => (*(last as *mut BlockHeader)).link = block as usize,
        }
    }
    region.kept_last = block as usize;
    while region.kept_bytes > KEPT_BYTES_MAX {
        let oldest = region.kept_first as *mut BlockHeader;
        // SAFETY: the queue is not empty, as it has bytes.
        unsafe {
            region.kept_bytes -= bytes_of((*oldest).class());
            region.kept_first = (*oldest).link;
            put_free(region, oldest);
        }
        if region.kept_first == 0 {
            region.kept_last = 0;
        }
    }
}

/// Changes the size of a live block where it is; false if it would not fit.
///
/// # Safety
/// [`look_up`] said that the block lives.
#[inline]
pub unsafe fn resize(address: usize, bytes: usize, spare: usize) -> bool {
    // SAFETY: the block lives, so its header lies in front of it in a mapped region; no other reference to it is alive.
    let header = unsafe { &mut *((address - HEADER_BYTES) as *mut BlockHeader) };
    let front = if header.state() == ALIGNED {
        header.link
    } else {
        0
    };
    let class = header.class();
    let room = bytes_of(class) - HEADER_BYTES - front;
    // A block that shrinks to less than half moves, so that its memory is of use to others.
    if bytes.saturating_add(spare) > room || bytes < room / 2 {
        return false;
    }
    let state = header.state();
    header.set(state, class, bytes);
    true
}

/// The first byte before a live block that is nobody's: of its header, which lies further before an aligned one;
/// before the first block of an area, also of what lies there: the region's header, or nothing.
///
/// # Safety
/// [`look_up`] said that the block lives.
#[inline]
pub unsafe fn front_of(address: usize) -> usize {
    // SAFETY: the block lives, so its header lies in front of it in a mapped region, and nobody writes it during this
    // call.
    let header = unsafe { &*((address - HEADER_BYTES) as *const BlockHeader) };
    let outer = match header.state() {
        ALIGNED => address - HEADER_BYTES - header.link,
        _ => address - HEADER_BYTES,
    };
    before_first(outer)
}

/// The first byte that is nobody's before the block whose outer header is at `outer` ([`front_of`]).
fn before_first(outer: usize) -> usize {
    let start = region::start_of(outer);
    match outer {
        _ if outer == first_small(start) => start,
        _ if outer == region::small_end(start, region::bytes()) => outer - FRONT_BYTES,
        _ => outer,
    }
}

/// Bytes before the first large block that are nobody's: the small ones hardly come that far.
const FRONT_BYTES: usize = 64;

/// Where the first small block of the region at `start` is.
fn first_small(start: usize) -> usize {
    start + size_of::<Header>().next_multiple_of(64)
}

/// The first byte behind a live block that may be another's: it, its spare bytes and the header of what
/// follows lie before.
///
/// # Safety
/// [`look_up`] said that the block lives.
#[inline]
pub unsafe fn end_of(address: usize) -> usize {
    // SAFETY: the block lives, so its header lies in front of it in a mapped region, and nobody writes it during this
    // call.
    let header = unsafe { &*((address - HEADER_BYTES) as *const BlockHeader) };
    let front = match header.state() {
        ALIGNED => header.link,
        _ => 0,
    };
    address - front + bytes_of(header.class())
}

/// All blocks of a thread's region, alive or freed, by address, at most `most`; up to the first whose header
/// the program wrote over.
pub fn lived(thread: usize, most: usize) -> Vec<Extent> {
    let mut all = Vec::new();
    let Some(region) = region::header(thread) else {
        return all;
    };
    let start = region as usize;
    // SAFETY: `region::header` gave the header of a mapped region, which nobody writes during this call.
    let (small, large) = unsafe { ((*region).small_next, (*region).large_next) };
    let areas = [
        (first_small(start), small),
        (region::small_end(start, region::bytes()), large),
    ];
    for (first, end) in areas {
        let mut block = first;
        while block < end && all.len() < most {
            // SAFETY: below the end, so it is a block's header; an outer block holds an aligned one.
            let (this, inner) = unsafe {
                let this = &*(block as *const BlockHeader);
                let front = if this.state() == OUTER { this.link } else { 0 };
                (this, &*((block + front) as *const BlockHeader))
            };
            let start = inner as *const BlockHeader as usize + HEADER_BYTES;
            let from = before_first(block);
            block += bytes_of(this.class().min(CLASSES - 1));
            let end = block + HEADER_BYTES;
            let is_whole = matches!(this.state(), LIVE | OUTER | FREED)
                && this.class() < CLASSES
                && start + inner.bytes() <= end;
            if !is_whole {
                return all;
            }
            // The header of the next is the next one's.
            all.push(Extent {
                from,
                start,
                bytes: inner.bytes(),
                end: end - HEADER_BYTES,
                freed: this.state() == FREED,
            });
        }
    }
    all
}

/// The live block that an address lies in: its start and its bytes. Walks the region.
pub fn at(address: usize) -> Option<(usize, usize)> {
    if !region::contains(address) {
        return None;
    }
    let start = region::start_of(address);
    // SAFETY: a mapped region; a header that was never used ends the walk at once.
    let header = unsafe { &*(start as *const Header) };
    let large = region::small_end(start, region::bytes());
    let (mut block, end) = if address < large {
        (first_small(start), header.small_next)
    } else {
        (large, header.large_next)
    };
    while block < end {
        // SAFETY: below the end, so it is a block's header.
        let this = unsafe { &*(block as *const BlockHeader) };
        if !matches!(this.state(), LIVE | OUTER | FREED) || this.class() >= CLASSES {
            // The program wrote over it.
            return None;
        }
        let next = block + bytes_of(this.class());
        if address < next {
            let front = if this.state() == OUTER { this.link } else { 0 };
            let first = block + HEADER_BYTES + front;
            // SAFETY: an outer block holds an aligned one at this distance.
            let bytes = unsafe { (*((first - HEADER_BYTES) as *const BlockHeader)).bytes() };
            let inside =
                this.state() != FREED && address >= first && address < first + bytes.max(1);
            return inside.then_some((first, bytes));
        }
        block = next;
    }
    None
}

#[cfg(test)]
mod tests;
