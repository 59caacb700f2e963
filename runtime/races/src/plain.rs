//! Accesses: plain ones, those of allocation and free, and what they have in common with atomic ones.

use crate::blocks::{Block, Freed};
use crate::entry::{Entry, Kind, GRANULE};
use crate::initial_heap::InitialBlock;
use crate::shadow::{granules, mask, Cell, Part, PAGE_BYTES};
use crate::{check, Access, Race, Races};
use dpor_model::{SiteId, ThreadId};

/// An access that is being judged.
#[derive(Clone, Copy)]
pub(crate) struct Attempt {
    pub(crate) thread: ThreadId,
    pub(crate) kind: Kind,
    pub(crate) site: SiteId,
}

impl Races {
    /// A plain read of `bytes` bytes from `address` on.
    #[inline(always)]
    pub fn read(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        self.access(
            Attempt {
                thread,
                kind: Kind::READ,
                site,
            },
            address,
            bytes,
        )
    }

    /// A plain write of `bytes` bytes from `address` on.
    #[inline(always)]
    pub fn write(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        self.access(
            Attempt {
                thread,
                kind: Kind::WRITE,
                site,
            },
            address,
            bytes,
        )
    }

    /// The bytes are a new block (or a new stack, mapping, …): no earlier access to them counts.
    pub fn allocate(&mut self, thread: ThreadId, address: u64, bytes: u64, site: SiteId) {
        self.forget(address, address.saturating_add(bytes));
        self.blocks.allocate(Block {
            start: address,
            bytes,
            site,
            thread,
        });
    }

    /// No access to `[address, end)` counts any more.
    fn forget(&mut self, address: u64, end: u64) {
        self.disturbed.add(address, end);
        self.forget_whole(address, end);
        for part in self.shadow.present_parts(address, end) {
            self.forget_part(part, None);
        }
        for row in self.objects.within(address, end) {
            self.clocks.clear(row);
        }
    }

    /// Forgets the accesses to a part of a page, which are guarded from now on if `guard` is given.
    fn forget_part(&mut self, (from, to, page): Part, guard: Option<Entry>) {
        let (has_messages, is_ahead) = (self.messages.has_page(page), self.ahead.is_any());
        for (granule, mask) in granules(from, to) {
            let cell = Cell::in_page(page, granule);
            let left = guard.map_or(Entry::EMPTY, |guard| guard.with_mask(mask));
            check::replace(&mut self.shadow, cell.place(), mask, left);
            if has_messages {
                self.messages.forget(&mut self.clocks, cell, mask);
            }
            if is_ahead {
                self.ahead.forget(granule, mask);
            }
        }
    }

    /// The bytes next to a block, before or behind it, are no one's until they are allocated: whoever accesses
    /// them missed the block.
    pub fn guard(&mut self, block: Block, address: u64, bytes: u64) {
        let end = address.saturating_add(bytes);
        self.disturbed.add(address, end);
        self.forget_whole(address, end);
        for part in self.shadow.present_parts(address, end) {
            self.forget_part(part, Some(Entry::guard(0xFF)));
        }
        self.blocks.guard(address, end, block);
    }

    /// The block is freed, which writes all its bytes. Accesses that are ordered behind are uses of freed
    /// memory, until the bytes are allocated again.
    ///
    /// *Cost:* proportional to the part of the block that was ever accessed.
    pub fn free(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        let attempt = Attempt {
            thread,
            kind: Kind::WRITE,
            site,
        };
        let entry = self.entry(attempt, 0xFF).made_free();
        let race = self.overwrite(attempt, entry, address, bytes);
        race.map(|race| Race {
            frees: true,
            ..race
        })
    }

    /// The thread ends, and with it its stack: as [`Races::free`], but only of granules that were accessed
    /// before it, and of others where none was accessed near by.
    ///
    /// *Cost:* proportional to the pages that came into being since the first mark.
    pub fn end_stack(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        let attempt = Attempt {
            thread,
            kind: Kind::WRITE,
            site,
        };
        let entry = self.entry(attempt, 0xFF).made_free();
        let end = address.saturating_add(bytes);
        self.disturbed.add(address, end);
        let mut race = None;
        for start in self.shadow.appeared_in(address, end) {
            for granule in (start..start + PAGE_BYTES).step_by(GRANULE as usize) {
                let cell = self.shadow.cell(granule, &self.blocks);
                // What was in a frame has ended with it.
                let end = check::frame_end(&self.shadow, cell.place(), 0xFF);
                let is_over = end.is_some_and(|end| !end.is_frame_begin());
                let is_used = self.shadow.words(cell)[0] != 0 || self.ahead.may_have(granule);
                if is_used && !is_over {
                    let part = self.record(attempt, granule, cell, entry);
                    race = race.or(part);
                }
            }
        }
        self.blocks.end_stack(address, end, entry);
        race.map(|race| Race { ends: true, ..race })
    }

    /// A thread begins, on a stack that may have been that of one which has ended.
    pub fn begin_stack(&mut self, address: u64, bytes: u64) {
        if self.blocks.begin_stack(address) {
            self.forget(address, address.saturating_add(bytes));
        }
    }

    /// Takes the heap as it was when exploration began, by address. To be called before anything is judged.
    pub fn begin_with(&mut self, blocks: Vec<InitialBlock>) {
        self.blocks.begin_with(blocks);
    }

    /// Judges that something else takes the place of the bytes (a mapping of another), which writes them all: as
    /// [`Races::free`], but they may be used on.
    pub fn replace(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        let attempt = Attempt {
            thread,
            kind: Kind::WRITE,
            site,
        };
        let entry = self.entry(attempt, 0xFF);
        self.overwrite(attempt, entry, address, bytes)
    }

    /// Writes many bytes, most of which nobody accessed.
    fn overwrite(
        &mut self,
        attempt: Attempt,
        entry: Entry,
        address: u64,
        bytes: u64,
    ) -> Option<Race> {
        let end = address.saturating_add(bytes);
        self.disturbed.add(address, end);
        let mut race = None;
        for (from, to, page) in self.shadow.present_parts(address, end) {
            if self.shadow.is_whole(Cell::in_page(page, from)) {
                self.overwrite_whole(attempt, entry, (from, to, page));
                continue;
            }
            let is_simple = entry.is_free() && self.has_only_cells(page);
            if is_simple && to - from == PAGE_BYTES && self.vanish(attempt.thread, page) {
                continue;
            }
            for (granule, mask) in granules(from, to) {
                let (cell, now) = (Cell::in_page(page, granule), entry.with_mask(mask));
                let clock = self.clocks.entries(self.threads.now(attempt.thread));
                let is_done = is_simple
                    && check::free_after(&mut self.shadow, cell.place(), now, clock)
                    || check::is_known(self.shadow.words(cell), now);
                if !is_done {
                    let part = self.record(attempt, granule, cell, now);
                    race = race.or(part);
                }
            }
        }
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let twice = self.blocks.free(address, bytes, entry, |earlier| {
            check::is_ordered(earlier, clock)
        });
        let again = twice
            .first()
            .and_then(|part| self.report_second_free(attempt, part));
        // The lowest address, wherever it was found; of the same, the one that knows all accesses.
        race.into_iter()
            .chain(again)
            .min_by_key(|race| race.address)
    }

    /// Whether all that is known of a page of shadow memory is in its cells, and nobody else has to know of what
    /// happens to it. Where a cell is watched, its page has messages.
    fn has_only_cells(&self, page: u32) -> bool {
        let start = self.shadow.start_of(page);
        !self.plain.is_asked
            && !self.ahead.is_any()
            && !self.messages.has_page(page)
            && !self.stacks.meets(start, start + PAGE_BYTES)
    }

    /// A page of shadow memory, which [has only cells](Races::has_only_cells), lies in a block that the thread frees. If it
    /// has nothing but accesses that happened before, it vanishes: what is left to know of it is that it is freed, and that
    /// [`crate::blocks`] says. Returns whether it does.
    fn vanish(&mut self, thread: ThreadId, page: u32) -> bool {
        let clock = self.clocks.entries(self.threads.now(thread));
        let goes = |entry: Entry| !entry.is_free() && check::is_ordered(entry, clock);
        self.shadow.vanish(page, goes)
    }

    /// The block that `address` belongs to, or belonged to before it was freed.
    pub fn block_of(&self, address: u64) -> Option<Block> {
        self.blocks.at(address)
    }

    /// The block that `address` belongs to, or belonged to, among those that were allocated since exploration began.
    pub fn judged_block_of(&self, address: u64) -> Option<Block> {
        self.blocks.judged_at(address)
    }

    /// The blocks that were allocated and not freed, by address.
    pub fn live_blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks.live()
    }

    /// The thread that freed the byte at `address`, and the site of its call; `None` if the byte is not freed, or was
    /// before exploration.
    pub fn free_of(&self, address: u64) -> Option<(ThreadId, SiteId)> {
        let part = self
            .blocks
            .freed_in(address, address + 1)
            .into_iter()
            .next()?;
        let free = part.by.iter().find(|entry| !entry.is_before())?;
        let owner = self.threads.owner(&self.clocks, free.epoch().slot());
        Some((owner, self.contexts.pair(free.context()).0))
    }

    /// Whether what freed the byte at `address` is ordered before what the thread does next; also if nothing did.
    pub fn is_free_ordered(&self, thread: ThreadId, address: u64) -> bool {
        let clock = self.clocks.entries(self.threads.now(thread));
        let parts = self.blocks.freed_in(address, address + 1);
        let mut frees = parts.iter().flat_map(|part| &part.by);
        frees.all(|&free| check::is_ordered(free, clock))
    }

    /// Whether the byte at `address` was accessed atomically since its memory was allocated.
    pub fn cell_has_atomics(&self, address: u64) -> bool {
        self.has_atomics(address, 1)
    }

    /// Whether any of the `bytes` bytes from `address` on was accessed atomically since its memory was allocated.
    pub fn has_atomics(&self, address: u64, bytes: u64) -> bool {
        granules(address, address.saturating_add(bytes)).any(|(granule, mask)| {
            let cell = self.shadow.existing(granule);
            cell.is_some_and(|cell| self.messages.touched(&self.clocks, cell, mask) != 0)
        })
    }

    /// Judges an access of any size.
    ///
    /// Inlined into the two plain accesses, where the kind is a constant: then the fast path is 46
    /// instructions and 2.5 ns instead of 94 and 3.3 (callgrind and clock on examples/cost.rs).
    #[inline(always)]
    pub(crate) fn access(&mut self, attempt: Attempt, address: u64, bytes: u64) -> Option<Race> {
        let low = address % GRANULE;
        if bytes.wrapping_sub(1) >= GRANULE - low {
            return self.access_range(attempt, address, bytes);
        }
        let mask = mask(low, low + bytes);
        let cell = match attempt.kind.is_atomic() {
            true => self.shadow.cell(address, &self.blocks),
            false => self.shadow.cell_or_whole(address, &self.blocks),
        };
        let now = Entry::new(self.threads.epoch(attempt.thread), attempt.kind, 0, mask);
        if check::is_known(self.shadow.words(cell), now) {
            return None;
        }
        self.record_access(attempt, address, cell, mask)
    }

    #[inline(never)]
    fn record_access(
        &mut self,
        attempt: Attempt,
        address: u64,
        cell: Cell,
        mask: u8,
    ) -> Option<Race> {
        let now = self.entry(attempt, mask);
        self.record(attempt, address, cell, now)
    }

    #[inline(always)]
    pub(crate) fn record(
        &mut self,
        attempt: Attempt,
        address: u64,
        cell: Cell,
        now: Entry,
    ) -> Option<Race> {
        if self.shadow.is_whole(cell) {
            self.record_whole(attempt, cell, now);
            return None;
        }
        if attempt.kind == Kind::WRITE {
            self.messages
                .end(&mut self.clocks, cell, now.mask(), now.epoch());
        } else if attempt.kind == Kind::ATOMIC_WRITE {
            let granule = address - address % GRANULE;
            self.disturbed.add(granule, granule.saturating_add(GRANULE));
        }
        if self.watched.any && !attempt.kind.is_atomic() {
            self.meet(attempt.thread, cell);
        }
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let mut races = check::access(&mut self.shadow, cell.place(), now, clock);
        let granule = address - address % GRANULE;
        let below = self.stacks.meet(attempt.thread, granule);
        if attempt.kind.is_write() && self.ahead.may_have(granule) {
            races.append(&mut self.meet_ahead(attempt, granule, now));
        }
        if races.is_empty() {
            if !attempt.kind.is_atomic() && !now.is_free() {
                self.warm(attempt, cell);
            }
            return below.map(|owner| self.below_frames(attempt, now, granule, owner));
        }
        if races.iter().any(|entry| entry.is_frame_end()) {
            // It is none to what comes to lie there.
            check::forget_access(&mut self.shadow, cell.place(), now);
        }
        Some(self.report(attempt, granule, &races))
    }

    #[inline(never)]
    fn access_range(&mut self, attempt: Attempt, address: u64, bytes: u64) -> Option<Race> {
        let mut race = None;
        let mut whole = None;
        for (granule, mask) in granules(address, address.saturating_add(bytes)) {
            // One access to a page that is whole is as good as all.
            if whole == Some(granule / PAGE_BYTES) {
                continue;
            }
            whole = { !attempt.kind.is_atomic() && self.is_page_whole(granule) }
                .then_some(granule / PAGE_BYTES);
            let first = granule + u64::from(mask.trailing_zeros());
            let part = self.access(attempt, first, u64::from(mask.count_ones()));
            if race.is_none() {
                race = part;
            }
        }
        race
    }

    pub(crate) fn entry(&mut self, attempt: Attempt, mask: u8) -> Entry {
        let locks = self.threads.locks(&self.clocks, attempt.thread);
        let context = self.contexts.id(attempt.site, locks);
        Entry::new(
            self.threads.epoch(attempt.thread),
            attempt.kind,
            context,
            mask,
        )
    }

    /// The race of a free with an earlier one, in memory without shadow.
    fn report_second_free(&self, attempt: Attempt, part: &Freed) -> Option<Race> {
        let (granule, mask) = granules(part.from, part.to).next()?;
        let earlier: Vec<Entry> = part.by.iter().map(|free| free.with_mask(mask)).collect();
        Some(self.report(attempt, granule, &earlier))
    }

    /// Chooses one of several races, a use of freed memory if there is one, so that two orders of
    /// independent accesses give the same: not by place in the cell, but by what the accesses are.
    #[cold]
    pub(crate) fn report(&self, attempt: Attempt, granule: u64, earlier: &[Entry]) -> Race {
        let all = earlier
            .iter()
            .map(|&entry| self.race(attempt, granule, entry));
        let key = |race: &Race| {
            let Access {
                write,
                atomic,
                thread,
                site,
                ..
            } = race.earlier;
            (
                !race.outside,
                !race.after_free,
                !race.returned,
                race.address,
                !write,
                atomic,
                thread,
                site,
                race.earlier.locks.clone(),
            )
        };
        all.min_by_key(key)
            .expect("a report is made of at least one race")
    }

    pub(crate) fn race(&self, attempt: Attempt, granule: u64, earlier: Entry) -> Race {
        let first = earlier.mask().trailing_zeros();
        let (site, locks) = self.contexts.pair(earlier.context());
        let now = self.threads.now(attempt.thread);
        // Frees are told of what races with them alone.
        let outside = earlier.is_guard();
        let after_free = !outside && check::is_ordered(earlier, self.clocks.entries(now));
        let held = self.threads.locks(&self.clocks, attempt.thread);
        Race {
            address: granule + u64::from(first),
            bytes: u64::from((earlier.mask() >> first).trailing_ones()),
            earlier: Access {
                thread: self.threads.owner(&self.clocks, earlier.epoch().slot()),
                write: earlier.kind().is_write(),
                atomic: earlier.kind().is_atomic(),
                site,
                locks: self.locksets.names(locks).to_vec(),
            },
            outside,
            after_free,
            freed: earlier.is_free() && !outside && !earlier.is_frame_begin(),
            frees: false,
            ends: false,
            returned: earlier.is_frame_end(),
            returns: false,
            freed_before: earlier.is_before() && !outside,
            // What is known to be ordered is so in every order of the updates.
            doubtful: !outside && !after_free && self.clocks.is_lacking(now),
            later: Access {
                thread: attempt.thread,
                write: attempt.kind.is_write(),
                atomic: attempt.kind.is_atomic(),
                site: attempt.site,
                locks: self.locksets.names(held).to_vec(),
            },
        }
    }
}
