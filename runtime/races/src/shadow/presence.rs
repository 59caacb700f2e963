//! Which pages of shadow memory there are: they come into being when they are first touched, and vanish with the block that
//! they lie in.

use super::NO_PAGE;
use super::{
    granules, Cell, Page, Parts, Shadow, CACHE, CELL_WORDS, OVERFLOW, PAGE_BYTES, PAGE_CELLS,
};
use crate::blocks::Blocks;
use crate::entry::{Entry, GRANULE};

impl Shadow {
    /// The cell of the granule at `address` if its page is present.
    pub(crate) fn existing(&self, address: u64) -> Option<Cell> {
        let page = self.page_of(address / PAGE_BYTES)?;
        Some(Cell::in_page(page, address))
    }

    /// Present pages that meet `[start, end)`, as address ranges cut to it, in ascending order.
    #[inline]
    pub(crate) fn present_parts(&self, start: u64, end: u64) -> Parts {
        if start >= end {
            return Parts::new();
        }
        let (first, last) = (start / PAGE_BYTES, (end - 1) / PAGE_BYTES);
        let cut = |(number, page): (u64, u32)| {
            let from = number * PAGE_BYTES;
            let to = from.saturating_add(PAGE_BYTES).min(end);
            (from.max(start), to, page)
        };
        if last - first < self.index.len() as u64 {
            let met = (first..=last).filter_map(|number| Some((number, self.page_of(number)?)));
            return met.map(cut).collect();
        }
        let all = self.index.iter().map(|(&number, &page)| (number, page));
        let mut met: Vec<(u64, u32)> = all
            .filter(|&(number, page)| {
                (first..=last).contains(&number) && self.present[page as usize]
            })
            .collect();
        met.sort_unstable();
        met.into_iter().map(cut).collect()
    }

    /// The page with this number, if it is present.
    #[inline]
    fn page_of(&self, number: u64) -> Option<u32> {
        let (cached, page) = self.cache[number as usize % CACHE];
        if cached == number {
            return Some(page);
        }
        let page = *self.index.get(&number)?;
        self.present[page as usize].then_some(page)
    }

    /// First bytes of the pages in `[start, end)` that are present and came into being since the first mark,
    /// in ascending order.
    pub(crate) fn appeared_in(&self, start: u64, end: u64) -> Vec<u64> {
        let pages = start / PAGE_BYTES..end / PAGE_BYTES;
        let is_new = |&&(page, was, _): &&(u32, bool, bool)| !was && self.present[page as usize];
        let new = { self.turned.iter().filter(is_new) }.map(|&(page, ..)| page as usize);
        let numbers = new.map(|page| self.numbers[page]);
        let met = numbers.filter(|number| pages.contains(number));
        let mut met: Vec<u64> = met.map(|number| number * PAGE_BYTES).collect();
        met.sort_unstable();
        met.dedup();
        met
    }

    /// The page has to be looked for when it is touched next.
    pub(super) fn forget_cached(&mut self, page: u32) {
        let number = self.numbers[page as usize];
        let slot = &mut self.cache[number as usize % CACHE];
        if slot.0 == number {
            slot.0 = NO_PAGE;
        }
    }

    /// A page becomes present or whole, or ceases to be.
    pub(crate) fn turn(&mut self, page: u32, is_present: bool, is_whole: bool) {
        let at = page as usize;
        if self.logging && self.turned_in[at] != self.interval {
            self.turned_in[at] = self.interval;
            self.turned
                .push((page, self.present[at], self.whole.is(page)));
        }
        self.present[at] = is_present;
        self.whole.set(page, is_whole);
        self.forget_cached(page);
    }

    /// Makes a page absent that lies in a block which is freed, if all entries in it may `go` for that; returns whether they
    /// may.
    pub(crate) fn vanish(&mut self, page: u32, go: impl Fn(Entry) -> bool) -> bool {
        let all = self.pages[page as usize].0.as_flattened();
        let may_go = |&word: &u64| word == 0 || Entry(word).mask() != 0 && go(Entry(word));
        if !all.iter().all(may_go) {
            return false;
        }
        self.empty_page(page);
        self.turn(page, false, false);
        true
    }

    #[cold]
    pub(super) fn find(&mut self, number: u64, blocks: &Blocks) -> u32 {
        let page = match self.index.get(&number) {
            Some(&page) => page,
            None => self.create(number),
        };
        if !self.present[page as usize] {
            self.turn(page, true, false);
            let start = number * PAGE_BYTES;
            for part in blocks.freed_in(start, start.saturating_add(PAGE_BYTES)) {
                for free in part.by {
                    self.fill(page, part.from % PAGE_BYTES, part.to - part.from, free);
                }
            }
        }
        self.cache[number as usize % CACHE] = (number, page);
        page
    }

    fn create(&mut self, number: u64) -> u32 {
        let page = self.pages.len();
        let words = (page as u64 + 1) * u64::from(PAGE_CELLS * CELL_WORDS);
        assert!(
            words <= u64::from(OVERFLOW),
            "[dpor internal bug] shadow memory is full"
        );
        self.pages
            .push(Box::new(Page([[0; 4]; PAGE_CELLS as usize])));
        self.present.push(false);
        self.whole.add_page();
        self.turned_in.push(0);
        self.numbers.push(number);
        self.index.insert(number, page as u32);
        page as u32
    }

    /// Notes the freeing of a block whose bytes `[from, from + bytes)` of a new page were.
    fn fill(&mut self, page: u32, from: u64, bytes: u64, free: Entry) {
        for (granule, mask) in granules(from, from + bytes) {
            let place = Cell(page * PAGE_CELLS + (granule / GRANULE) as u32).place();
            self.add(place, free.with_mask(mask));
        }
    }
}
