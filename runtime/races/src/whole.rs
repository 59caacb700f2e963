//! Whole pages: memory of which one cell says who accessed it, as long as no two of those accesses could race wherever in it
//! they were.
//!
//! A thread that computes on an array of its own, or on one that was handed to it, makes millions of accesses, and each byte
//! of them is remembered for others that never come. So where a block is accessed much, a page of shadow memory becomes
//! *whole*: its first cell stands for all of its bytes. An access to any of them is recorded there as one to all of them. As
//! long as that finds no race, there is none: what is recorded covers what was accessed.
//!
//! ```text
//!   cells of    ┌──┬──┬──┬──┬──┐  told often, nothing in it races    ┌────────────────┐
//!   a page      │r │w │  │rw│w │ ──────────────────────────────────► │ rw, all bytes  │
//!               └──┴──┴──┴──┴──┘                                     └────────────────┘
//! ```
//!
//! Where it does find one, or something else is done to the page than plain accesses, it is not known whether any byte
//! of it is raced for: it is *torn*. Then the execution says nothing, and the search begins anew, knowing that nothing in that
//! block ever is whole ([`Races::take_learnt`]). So what is reported is what cells of granules report
//! (decision 0115).

use crate::blocks::Blocks;
use crate::entry::Entry;
use crate::plain::Attempt;
use crate::shadow::{Cell, Part, Shadow, PAGE_BYTES, PAGE_CELLS};
use crate::{check, Races};

/// Plain accesses that the detector is told of in an execution before any page becomes whole (chosen: 12 ms of them), so that
/// what is torn was worth trying, and executions of ordinary tests are judged as they are.
const TOLD_BEFORE: u64 = 1 << 18;

/// Accesses to a page that the detector is told of before it may become whole. Where it cannot, the number doubles each time.
const TRIED_AFTER: u16 = 8;

/// The same where it was whole before.
const TRIED_AGAIN_AFTER: u16 = 2;

/// Blocks that may be torn before no page becomes whole any more: each costs what was explored up to then.
const TORN_MAX: usize = 8;

/// How many accesses to a page are left before it may become whole, and after how many it was tried last.
#[derive(Clone, Copy)]
struct Heat {
    left: u16,
    last: u16,
}

/// Which pages are whole, and which may become so.
pub(crate) struct WholePages {
    /// By page, whether it is whole.
    pages: Vec<bool>,
    heat: Vec<Heat>,
    /// False until some page became whole.
    any: bool,
    /// True if pages may become whole.
    is_wanted: bool,
    /// Plain accesses that were told of up to now in this execution.
    pub(crate) told: u64,
    /// How many of them there are before any page becomes whole.
    told_before: u64,
    /// Memory that was torn, as `[from, end)`: never taken back.
    torn: Vec<(u64, u64)>,
    /// True if a page was torn since this was asked last.
    is_torn: bool,
}

impl Default for WholePages {
    fn default() -> Self {
        WholePages {
            pages: Vec::new(),
            heat: Vec::new(),
            any: false,
            is_wanted: false,
            told: 0,
            told_before: TOLD_BEFORE,
            torn: Vec::new(),
            is_torn: false,
        }
    }
}

impl WholePages {
    #[inline(always)]
    pub(crate) fn is(&self, page: u32) -> bool {
        self.pages[page as usize]
    }

    pub(crate) fn set(&mut self, page: u32, is_whole: bool) {
        self.pages[page as usize] = is_whole;
        self.any |= is_whole;
    }

    /// A page was added, which is not whole.
    pub(crate) fn add_page(&mut self) {
        self.pages.push(false);
        self.heat.push(Heat {
            left: TRIED_AFTER,
            last: TRIED_AFTER,
        });
    }

    /// Whether memory that was torn meets these bytes.
    fn was_torn(&self, from: u64, end: u64) -> bool {
        { self.torn.iter() }.any(|&(torn, torn_end)| torn < end && from < torn_end)
    }

    /// A plain access to the page was told of: whether it should be tried to make it whole.
    #[inline(always)]
    fn is_hot(&mut self, page: u32) -> bool {
        self.told += 1;
        if self.told < self.told_before || !self.is_wanted {
            return false;
        }
        let heat = &mut self.heat[page as usize];
        heat.left = heat.left.wrapping_sub(1);
        heat.left == 0
    }

    /// It was tried to make the page whole: whether it is.
    fn note_tried(&mut self, page: u32, is_whole: bool) {
        let heat = &mut self.heat[page as usize];
        heat.last = match is_whole {
            true => TRIED_AGAIN_AFTER,
            false => heat.last.saturating_mul(2),
        };
        heat.left = heat.last;
    }
}

impl Shadow {
    /// Whether the page of the cell is whole.
    #[inline(always)]
    pub(crate) fn is_whole(&self, cell: Cell) -> bool {
        self.whole.any && self.whole.is(cell.page())
    }

    /// Something is asked of a page that is whole which only its granules can answer.
    #[cold]
    pub(crate) fn tear(&mut self, page: u32, blocks: &Blocks) {
        let start = self.start_of(page);
        let block = { blocks.at(start) }.map(|block| (block.start, block.start + block.bytes));
        let (from, end) = block.unwrap_or((start, start + PAGE_BYTES));
        let whole = &mut self.whole;
        if !whole.was_torn(from, end) {
            whole.torn.push((from, end));
        }
        whole.is_wanted &= whole.torn.len() < TORN_MAX;
        whole.is_torn = true;
    }

    /// What the cells of a page come to as one, beside an access `now` to all of their bytes, which covers what happened
    /// before it as far as it conflicts with as much: of each slot and kind the latest access. `None`: not all of them are plain
    /// accesses that do not race with it wherever they were, or they are too many for a cell.
    fn as_one(&self, page: u32, now: Entry, clock: &[u32]) -> Option<[u64; 4]> {
        let mut one = [now.0, 0, 0, 0];
        for cell in (page * PAGE_CELLS..(page + 1) * PAGE_CELLS).map(Cell) {
            if self.is_empty(cell.place()) {
                continue;
            }
            for entry in self.entries(cell) {
                if entry.kind().is_atomic() || entry.is_free() || entry.is_stale() {
                    return None;
                }
                if check::is_ordered(entry, clock) {
                    if now.kind().dominates(entry.kind()) {
                        continue;
                    }
                } else if now.kind().conflicts(entry.kind()) {
                    return None;
                }
                let is_like = |&other: &u64| {
                    let other = Entry(other);
                    let slots = (other.epoch().slot(), entry.epoch().slot());
                    other == Entry::EMPTY || other.kind() == entry.kind() && slots.0 == slots.1
                };
                let like = &mut one[one.iter().position(is_like)?];
                if *like == 0 || Entry(*like).epoch().clock() < entry.epoch().clock() {
                    *like = entry.with_mask(0xFF).0;
                }
            }
        }
        Some(one)
    }

    /// The page is whole from now on, with these words in its first cell.
    fn make_whole(&mut self, page: u32, one: [u64; 4]) {
        self.empty_page(page);
        self.set_cell(Cell(page * PAGE_CELLS).place(), one);
        self.turn(page, true, true);
    }

    /// A whole page ceases to be, as if nobody had touched it: what is freed in it, [`Blocks`] says.
    fn end_whole(&mut self, page: u32) {
        self.set_cell(Cell(page * PAGE_CELLS).place(), [0; 4]);
        self.turn(page, false, false);
    }
}

impl Races {
    /// Lets pages become whole, or not. Whoever wants it asks whether one was torn ([`Races::take_learnt`]) after each
    /// execution, and begins the search anew.
    pub fn judge_whole_pages(&mut self, is_wanted: bool) {
        self.shadow.whole.is_wanted = is_wanted;
    }

    /// Whether pages may become whole.
    pub fn judges_whole_pages(&self) -> bool {
        self.shadow.whole.is_wanted
    }

    /// Lets pages become whole behind so many accesses; for tests.
    #[doc(hidden)]
    pub fn judge_whole_pages_after(&mut self, accesses: u64) {
        self.shadow.whole.is_wanted = true;
        self.shadow.whole.told_before = accesses;
    }

    /// Whether the [`PAGE_BYTES`] around `address` are judged as one: behind an access of a thread to any of them, others of
    /// the same kind tell nothing new up to the end of its epoch. It may be so, and not be known.
    #[inline(always)]
    pub fn is_page_whole(&self, address: u64) -> bool {
        self.shadow.whole.any && self.shadow.is_whole_at(address)
    }

    /// Whether a page was torn: what is found in this execution from then on may lack a race.
    #[inline(always)]
    pub fn is_torn(&self) -> bool {
        self.shadow.whole.is_torn
    }

    /// Whether a page was torn at any time.
    pub fn has_torn(&self) -> bool {
        !self.shadow.whole.torn.is_empty()
    }

    /// [`Races::is_torn`], told once.
    pub(crate) fn take_torn(&mut self) -> bool {
        std::mem::take(&mut self.shadow.whole.is_torn)
    }

    /// Records an access to a page that is whole as one to all of its bytes.
    #[inline(never)]
    pub(crate) fn record_whole(&mut self, attempt: Attempt, cell: Cell, now: Entry) {
        let page = cell.page();
        if attempt.kind.is_atomic() || now.is_free() {
            return self.shadow.tear(page, &self.blocks);
        }
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let first = Cell(page * PAGE_CELLS).place();
        let races = check::access(&mut self.shadow, first, now.with_mask(0xFF), clock);
        if !races.is_empty() {
            self.shadow.tear(page, &self.blocks);
        }
    }

    /// Whether the page of the granule is whole: then a read that may be ahead of its condition is recorded like others. If
    /// it is not used, that is too much, which tears the page at worst.
    pub(crate) fn reads_whole(&mut self, attempt: Attempt, granule: u64) -> bool {
        let cell = self.shadow.cell_or_whole(granule, &self.blocks);
        let is_whole = self.shadow.is_whole(cell);
        if is_whole {
            let now = self.entry(attempt, 0xFF);
            self.record_whole(attempt, cell, now);
        }
        is_whole
    }

    /// A plain access to the cell was recorded: its page may be due to become whole.
    #[inline(always)]
    pub(crate) fn warm(&mut self, attempt: Attempt, cell: Cell) {
        let page = cell.page();
        if self.shadow.whole.is_hot(page) {
            let is_whole = self.try_whole(attempt, page);
            self.shadow.whole.note_tried(page, is_whole);
        }
    }

    /// Makes a page whole, if that loses nothing: all accesses in it are plain ones, to a block that is alive, and
    /// happened before this one as far as they conflict. Returns whether it is whole.
    #[cold]
    fn try_whole(&mut self, attempt: Attempt, page: u32) -> bool {
        let start = self.shadow.start_of(page);
        let end = start + PAGE_BYTES;
        if !self.blocks.is_alive(start, end)
            || self.shadow.whole.was_torn(start, end)
            || self.watched.any
            || self.plain.is_asked
            || self.messages.has_page(page)
            || self.ahead.has_within(start, end)
            || self.stacks.has(start, end)
        {
            return false;
        }
        let now = self.entry(attempt, 0xFF);
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let one = { self.shadow.as_one(page, now, clock) }.filter(|one| self.may_be_widened(one));
        one.map(|one| self.shadow.make_whole(page, one)).is_some()
    }

    /// Whether these accesses may count as accesses to a whole page, although some were to parts of it only.
    ///
    /// What a thread does next in the epoch of its access is redundant by it, and not compared with the others. So of two that
    /// conflict, one of the two threads has to know of the other's access: then the epoch of that is over.
    fn may_be_widened(&self, one: &[u64; 4]) -> bool {
        let knows = |one: Entry, other: Entry| {
            let slot = one.epoch().slot();
            let thread = self.threads.owner(&self.clocks, slot);
            // Another thread may have its number by now.
            let is_it = self.threads.epoch(thread).slot() == slot;
            is_it && check::is_ordered(other, self.clocks.entries(self.threads.now(thread)))
        };
        let all = one
            .map(Entry)
            .into_iter()
            .filter(|&entry| entry != Entry::EMPTY);
        let mut pairs = all
            .clone()
            .flat_map(|one| all.clone().map(move |other| (one, other)));
        pairs.all(|(one, other)| {
            let conflict = one.kind().conflicts(other.kind());
            !conflict || knows(one, other) || knows(other, one)
        })
    }

    /// No access to `[address, end)` counts any more: pages that lie in it are not whole any more, one that does not
    /// lie in it alone is torn.
    pub(crate) fn forget_whole(&mut self, address: u64, end: u64) {
        if !self.shadow.whole.any {
            return;
        }
        for (from, to, page) in self.shadow.present_parts(address, end) {
            if !self.shadow.whole.is(page) {
                continue;
            }
            match to - from {
                PAGE_BYTES => self.shadow.end_whole(page),
                _ => self.shadow.tear(page, &self.blocks),
            }
        }
    }

    /// A part of a page that is whole is freed or replaced by `entry`.
    pub(crate) fn overwrite_whole(
        &mut self,
        attempt: Attempt,
        entry: Entry,
        (from, to, page): Part,
    ) {
        let first = Cell(page * PAGE_CELLS);
        if !entry.is_free() {
            return self.record_whole(attempt, first, entry);
        }
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let is_ordered = |entry| check::is_ordered(entry, clock);
        let is_over = self.shadow.entries(first).all(is_ordered);
        match to - from == PAGE_BYTES && is_over {
            true => self.shadow.end_whole(page),
            false => self.shadow.tear(page, &self.blocks),
        }
    }
}
