//! Shadow memory: for every eight bytes of the program, the accesses that still matter.
//!
//! ```text
//! address ──/256───► cache ─► index ─► page ──► cell (one per granule of 8 bytes)
//!                                               ┌───────┬───────┬───────┬───────────────┐
//!                                               │ entry │ entry │ entry │ entry or link ├─► chunk
//!                                               └───────┴───────┴───────┴───────────────┘
//! ```
//!
//! A cell of four words (so shadow memory is four times what the program touches) holds the accesses
//! of ordinary programs: a writer and a reader or two, or two fields of half a granule each. What
//! does not fit continues in a chain of chunks; nothing is ever dropped for lack of room.
//!
//! **Pages** come into being when they are first touched and are kept. Whether a page is *present* is
//! undone with everything else: the first touch after a rollback looks again for blocks that were
//! freed in it (see `blocks.rs`; freeing a block does not create pages). A page that lies in a freed block, and of which
//! nothing else is to be remembered, *vanishes*: it is as if nobody had touched it.
//!
//! **Whole pages.** A page may be *whole*: then its first cell stands for the bytes of all, and the others are empty
//! (`whole.rs`). Whoever asks for a cell of it without knowing that *tears* it.

mod presence;

use crate::blocks::Blocks;
use crate::entry::{Entry, GRANULE};
use crate::hash::Map;
use crate::log::Log;
use crate::whole::WholePages;
use smallvec::SmallVec;

/// Program bytes per page (chosen: few enough that two threads rarely meet in one by chance, as one may be whole; a page is
/// 1 KB of shadow).
pub const PAGE_BYTES: u64 = 256;
/// Granules per page.
pub(crate) const PAGE_CELLS: u32 = (PAGE_BYTES / GRANULE) as u32;
const CELL_WORDS: u32 = 4;
/// The words of a page, cell by cell. Two neighbouring cells are one cache line.
#[repr(align(64))]
struct Page([[u64; CELL_WORDS as usize]; PAGE_CELLS as usize]);
/// Slots of the direct-mapped cache of pages (chosen: 1 MB of program memory without a map look-up).
const CACHE: usize = 4096;
/// Places from here on are in the overflow chunks.
pub(crate) const OVERFLOW: u32 = 1 << 31;
/// A page number that no address has.
const NO_PAGE: u64 = u64::MAX;

/// A granule whose page exists: page × [`PAGE_CELLS`] + place in the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell(pub(crate) u32);

impl Cell {
    /// The place of the cell's first word.
    #[inline]
    pub(crate) fn place(self) -> u32 {
        self.0 * CELL_WORDS
    }

    /// The page that the cell is in.
    #[inline(always)]
    pub(crate) fn page(self) -> u32 {
        self.0 / PAGE_CELLS
    }

    /// The cell of the granule at `address`, which is in this page.
    #[inline]
    pub(crate) fn in_page(page: u32, address: u64) -> Cell {
        Cell(page * PAGE_CELLS + (address % PAGE_BYTES / GRANULE) as u32)
    }
}

/// A part of a page that is present: its first byte, the byte behind its last one, and the page.
pub(crate) type Part = (u64, u64, u32);
/// Most blocks lie in few pages.
pub(crate) type Parts = SmallVec<[Part; 4]>;

/// A point in the shadow's past.
#[derive(Clone, Copy)]
pub(crate) struct ShadowPoint {
    log: usize,
    overflow: usize,
    turned: usize,
    told: u64,
}

/// All shadow memory.
pub(crate) struct Shadow {
    #[allow(clippy::vec_box, reason = "no page is copied when there are more")]
    pages: Vec<Box<Page>>,
    present: Vec<bool>,
    /// Which pages are whole, and what else is to be known for that.
    pub(crate) whole: WholePages,
    /// Page → address / [`PAGE_BYTES`].
    numbers: Vec<u64>,
    /// Address / [`PAGE_BYTES`] → page.
    index: Map<u64, u32>,
    cache: Box<[(u64, u32); CACHE]>,
    /// Chunks of four words; grows with use, shrinks with rollback.
    overflow: Vec<u64>,
    log: Log,
    /// Pages that appeared or vanished, became whole or ceased to be, in order, each with whether it was present before, and
    /// whole; of those between two marks the first.
    turned: Vec<(u32, bool, bool)>,
    /// By page: the interval between marks in which it is in `turned`.
    turned_in: Vec<u64>,
    /// The number of the interval behind the last mark; never used again.
    interval: u64,
    logging: bool,
}

/// A cache that knows no page; not made by way of the stack, which may be the program's own and small.
fn empty_cache() -> Box<[(u64, u32); CACHE]> {
    let all = vec![(NO_PAGE, 0); CACHE].into_boxed_slice();
    all.try_into().expect("[dpor internal bug] as many slots")
}

impl Shadow {
    pub(crate) fn new() -> Self {
        Shadow {
            pages: Vec::new(),
            present: Vec::new(),
            whole: WholePages::default(),
            numbers: Vec::new(),
            index: Map::default(),
            cache: empty_cache(),
            overflow: Vec::new(),
            log: Log::default(),
            turned: Vec::new(),
            turned_in: Vec::new(),
            interval: 1,
            logging: false,
        }
    }

    /// The cell of the granule at `address`, created if need be. A page that is whole is torn.
    #[inline(always)]
    pub(crate) fn cell(&mut self, address: u64, blocks: &Blocks) -> Cell {
        let cell = self.cell_or_whole(address, blocks);
        if self.is_whole(cell) {
            self.tear(cell.page(), blocks);
        }
        cell
    }

    /// The cell of the granule at `address`, created if need be, for who knows what it means that its page is whole.
    #[inline(always)]
    pub(crate) fn cell_or_whole(&mut self, address: u64, blocks: &Blocks) -> Cell {
        let number = address / PAGE_BYTES;
        let (cached, page) = self.cache[number as usize % CACHE];
        let page = if cached == number {
            page
        } else {
            self.find(number, blocks)
        };
        Cell::in_page(page, address)
    }

    /// Tells of each granule of the pages that are present: its number, and the accesses that are remembered.
    pub(crate) fn each(&self, mut each: impl FnMut(u64, &[Entry])) {
        let mut entries = Vec::new();
        for (page, cells) in self.pages.iter().enumerate() {
            if !self.present[page] {
                continue;
            }
            let first = self.numbers[page] * u64::from(PAGE_CELLS);
            for (at, cell) in cells.0.iter().enumerate() {
                if *cell == [0; CELL_WORDS as usize] {
                    continue;
                }
                let cell = Cell(page as u32 * PAGE_CELLS + at as u32);
                entries.clear();
                entries.extend(self.entries(cell));
                each(first + at as u64, &entries);
            }
        }
    }

    /// The words of a cell.
    #[inline(always)]
    pub(crate) fn words(&self, cell: Cell) -> &[u64; 4] {
        &self.pages[(cell.0 / PAGE_CELLS) as usize].0[(cell.0 % PAGE_CELLS) as usize]
    }

    /// The accesses that are remembered in a cell, and in what it continues in.
    pub(crate) fn entries(&self, cell: Cell) -> impl Iterator<Item = Entry> + '_ {
        let mut place = Some(cell.place());
        let four = std::iter::from_fn(move || {
            let four = self.four(place?);
            place = four[3].linked().map(Shadow::chunk_place);
            Some(four)
        });
        four.flatten().filter(|entry| entry.mask() != 0)
    }

    /// Whether the page that an address is in is whole; it may be, and not be known, if its page was not looked for last.
    #[inline(always)]
    pub(crate) fn is_whole_at(&self, address: u64) -> bool {
        let number = address / PAGE_BYTES;
        let (cached, page) = self.cache[number as usize % CACHE];
        cached == number && self.is_whole(Cell::in_page(page, address))
    }

    /// Whether nothing is remembered in the cell at `place`.
    #[inline(always)]
    pub(crate) fn is_empty(&self, place: u32) -> bool {
        *self.words(Cell(place / CELL_WORDS)) == [0; CELL_WORDS as usize]
    }

    /// The four words from `place` on: a cell or a chunk.
    #[inline]
    pub(crate) fn block(&self, place: u32) -> &[u64; 4] {
        if place < OVERFLOW {
            return self.words(Cell(place / CELL_WORDS));
        }
        let chunk = self.overflow[(place - OVERFLOW) as usize..].first_chunk();
        chunk.expect("chunks are whole")
    }

    /// The entries of a [`Shadow::block`].
    #[inline]
    pub(crate) fn four(&self, place: u32) -> [Entry; 4] {
        self.block(place).map(Entry)
    }

    /// The entry at `place`.
    #[inline]
    pub(crate) fn entry(&self, place: u32) -> Entry {
        let block = self.block(place - place % CELL_WORDS);
        Entry(block[(place % CELL_WORDS) as usize])
    }

    #[inline]
    pub(crate) fn set(&mut self, place: u32, entry: Entry) {
        let word = self.word(place);
        let old = std::mem::replace(word, entry.0);
        if self.logging && old != entry.0 {
            self.log.push(place, old);
        }
    }

    /// Sets the four words of the cell at `place`.
    #[inline(always)]
    pub(crate) fn set_cell(&mut self, place: u32, new: [u64; 4]) {
        let page = &mut self.pages[(place / CELL_WORDS / PAGE_CELLS) as usize];
        let words = &mut page.0[(place / CELL_WORDS % PAGE_CELLS) as usize];
        let old = std::mem::replace(words, new);
        for (at, (old, new)) in (place..).zip(old.into_iter().zip(new)) {
            if self.logging && old != new {
                self.log.push(at, old);
            }
        }
    }

    /// The place of a chunk's first word.
    pub(crate) fn chunk_place(chunk: u32) -> u32 {
        OVERFLOW + chunk * CELL_WORDS
    }

    /// Puts `entry` into a new chunk behind the full cell or chunk at `place`.
    #[cold]
    pub(crate) fn extend(&mut self, place: u32, entry: Entry) {
        let chunk = (self.overflow.len() / CELL_WORDS as usize) as u32;
        assert!(
            chunk < OVERFLOW / CELL_WORDS,
            "[dpor internal bug] overflow of shadow memory"
        );
        let moved = self.four(place)[3];
        self.overflow.extend_from_slice(&[moved.0, entry.0, 0, 0]);
        self.set(place + 3, Entry::link(chunk));
    }

    pub(crate) fn mark(&mut self) -> ShadowPoint {
        self.logging = true;
        self.interval += 1;
        ShadowPoint {
            log: self.log.mark(),
            overflow: self.overflow.len(),
            turned: self.turned.len(),
            told: self.whole.told,
        }
    }

    pub(crate) fn rollback(&mut self, point: ShadowPoint) {
        while let Some((place, old)) = self.log.pop_behind(point.log) {
            *self.word(place) = old;
        }
        self.overflow.truncate(point.overflow);
        self.interval += 1;
        while self.turned.len() > point.turned {
            let Some((page, was_present, was_whole)) = self.turned.pop() else {
                break;
            };
            self.present[page as usize] = was_present;
            self.whole.set(page, was_whole);
            self.forget_cached(page);
        }
        self.whole.told = point.told;
    }

    /// The first byte of the program that a page is of.
    pub(crate) fn start_of(&self, page: u32) -> u64 {
        self.numbers[page as usize] * PAGE_BYTES
    }

    /// Forgets what is in the cells of a page.
    pub(crate) fn empty_page(&mut self, page: u32) {
        for cell in (page * PAGE_CELLS..(page + 1) * PAGE_CELLS).map(Cell) {
            if !self.is_empty(cell.place()) {
                self.set_cell(cell.place(), [0; CELL_WORDS as usize]);
            }
        }
    }

    /// The number of changes in the log.
    pub(crate) fn logged(&self) -> usize {
        self.log.len()
    }

    /// Makes the log as short as these marks allow, which are all that there are, in this order.
    pub(crate) fn keep_marks<'a>(&mut self, points: impl Iterator<Item = &'a mut ShadowPoint>) {
        self.log.thin_between(points.map(|point| &mut point.log));
    }

    /// Forgets the log: no mark is left.
    pub(crate) fn stop(&mut self) {
        self.logging = false;
        self.log.clear();
        self.turned.clear();
        self.interval += 1;
    }

    /// What a checkpoint without the detector's state would leave behind; for the test that shows
    /// that the tests notice.
    pub(crate) fn forget_everything(&mut self) {
        for page in &mut self.pages {
            page.0.fill([0; 4]);
        }
        for word in &mut self.overflow {
            *word = 0;
        }
    }

    #[inline]
    fn word(&mut self, place: u32) -> &mut u64 {
        if place < OVERFLOW {
            let (cell, word) = (place / CELL_WORDS, place % CELL_WORDS);
            let page = &mut self.pages[(cell / PAGE_CELLS) as usize];
            &mut page.0[(cell % PAGE_CELLS) as usize][word as usize]
        } else {
            &mut self.overflow[(place - OVERFLOW) as usize]
        }
    }

    /// Adds `entry` to the cell at `place`, to one of the same access if there is one.
    pub(crate) fn add(&mut self, place: u32, entry: Entry) {
        let mut place = place;
        loop {
            let four = self.four(place);
            let fits = |old: &Entry| *old == Entry::EMPTY || old.same_but_mask(entry);
            if let Some(at) = four.iter().position(fits) {
                let mask = four[at].mask() | entry.mask();
                self.set(place + at as u32, entry.with_mask(mask));
                return;
            }
            let Some(chunk) = four[3].linked() else {
                self.extend(place, entry);
                return;
            };
            place = Shadow::chunk_place(chunk);
        }
    }
}

/// The granules that `[start, end)` meets, each with the mask of its bytes in the range.
pub(crate) fn granules(start: u64, end: u64) -> impl Iterator<Item = (u64, u8)> {
    let first = start / GRANULE;
    let count = if start < end {
        (end - 1) / GRANULE - first + 1
    } else {
        0
    };
    (first..first + count).map(move |granule| {
        let base = granule * GRANULE;
        let low = start.max(base) - base;
        let high = end.min(base.saturating_add(GRANULE)) - base;
        (base, mask(low, high))
    })
}

/// The bytes `[low, high)` of a granule; `low < high <= 8`.
#[inline]
pub(crate) fn mask(low: u64, high: u64) -> u8 {
    ((0xFFu32 >> (8 - (high - low))) << low) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_into_granules() {
        let cut = |start, end| granules(start, end).collect::<Vec<_>>();
        assert_eq!(cut(8, 16), [(8, 0xFF)]);
        assert_eq!(cut(9, 10), [(8, 0b10)]);
        assert_eq!(cut(6, 17), [(0, 0b1100_0000), (8, 0xFF), (16, 1)]);
        assert_eq!(cut(5, 5), []);
        assert_eq!(cut(u64::MAX - 2, u64::MAX), [(u64::MAX - 7, 0b0110_0000)]);
    }

    #[test]
    fn a_full_cell_continues_in_chunks_and_comes_back() {
        let blocks = Blocks::new();
        let mut shadow = Shadow::new();
        let place = shadow.cell(0x1000, &blocks).place();
        let entry = |n: u64| Entry(n | 1 << 56);
        for n in 0..4 {
            shadow.set(place + n as u32, entry(n));
        }
        let point = shadow.mark();
        shadow.extend(place, entry(4));
        let link = shadow.four(place)[3]
            .linked()
            .expect("the last word became a link");
        assert_eq!(
            shadow.four(Shadow::chunk_place(link))[..2],
            [entry(3), entry(4)]
        );
        shadow.rollback(point);
        assert!(
            shadow.overflow.is_empty(),
            "executions must not pile up chunks"
        );
        assert_eq!(shadow.four(place), [entry(0), entry(1), entry(2), entry(3)]);
    }
}
