//! The operations that order threads: creation and join, objects, atomic accesses, fences.

use crate::check;
use crate::clock::Row;
use crate::entry::Kind;
use crate::plain::Attempt;
use crate::shadow::{granules, Cell};
use crate::{Judgement, Race, Races};
use dpor_abi::order::{ACQUIRE, ACQ_REL, RELEASE, SEQ_CST};
use dpor_model::{SiteId, ThreadId};

/// Threads and objects.
impl Races {
    /// Whether [`Races::create`] is possible: the number's last owner has ended, and either `parent` is
    /// ordered after its end (a join, direct or learned of) or a spare clock slot is left, of which
    /// there are as many as threads.
    pub fn can_create(&self, parent: ThreadId, child: ThreadId) -> bool {
        self.threads
            .free_slot(&self.clocks, parent, child)
            .is_some()
    }

    /// `parent` creates `child`, which knows what the parent knows.
    ///
    /// # Panics
    /// If `child` lives, or if [`Races::can_create`] says no.
    pub fn create(&mut self, parent: ThreadId, child: ThreadId) {
        self.threads.create(&mut self.clocks, parent, child);
    }

    /// `thread` has ended. Its number can be used again.
    pub fn finish(&mut self, thread: ThreadId) {
        self.threads.finish(&mut self.clocks, thread);
    }

    /// `thread` joins `child`, which has ended and whose number has not been used again.
    pub fn join(&mut self, thread: ThreadId, child: ThreadId) {
        self.clocks
            .join(self.threads.now(thread), self.threads.now(child));
    }

    /// `thread` learns what has been released to `object`.
    pub fn acquire(&mut self, thread: ThreadId, object: u64) {
        if let Some(row) = self.objects.known(object) {
            self.clocks.join(self.threads.now(thread), row);
        }
    }

    /// `thread` adds what it knows to `object`.
    pub fn release(&mut self, thread: ThreadId, object: u64) {
        let row = self.objects.row(&mut self.clocks, object);
        self.clocks.join(row, self.threads.now(thread));
        self.threads.tick(&mut self.clocks, thread);
    }

    /// `object` holds what `thread` knows, and nothing else any more.
    pub fn release_store(&mut self, thread: ThreadId, object: u64) {
        let row = self.objects.row(&mut self.clocks, object);
        self.clocks.copy(row, self.threads.now(thread));
        self.threads.tick(&mut self.clocks, thread);
    }

    /// `object` is new: nothing has been released to it (initialization, or memory used again).
    pub fn reset(&mut self, object: u64) {
        if let Some(row) = self.objects.known(object) {
            self.clocks.clear(row);
        }
    }

    /// `thread` acquires `lock`; to be called once per nested acquisition.
    pub fn lock(&mut self, thread: ThreadId, lock: u64) {
        self.acquire(thread, lock);
        let held = self.threads.locks(&self.clocks, thread);
        let held = self.locksets.add(held, lock);
        self.threads.set_locks(&mut self.clocks, thread, held);
    }

    /// `thread` releases `lock`; to be called once per nested acquisition.
    pub fn unlock(&mut self, thread: ThreadId, lock: u64) {
        let held = self.threads.locks(&self.clocks, thread);
        let held = self.locksets.remove(held, lock);
        self.threads.set_locks(&mut self.clocks, thread, held);
        self.release(thread, lock);
    }

    /// The locks that `thread` holds, as a number: 0 is none, and equal sets have equal numbers.
    pub fn lockset(&self, thread: ThreadId) -> u32 {
        self.threads.locks(&self.clocks, thread)
    }

    /// The locks of a lockset, sorted; one entry for each nested acquisition.
    pub fn locks_of(&self, lockset: u32) -> &[u64] {
        self.locksets.names(lockset)
    }

    /// `thread` gives back a lock that others may hold at the same time, and publishes to `readers`,
    /// which nobody who only reads acquires.
    pub fn unlock_shared(&mut self, thread: ThreadId, lock: u64, readers: u64) {
        let held = self.threads.locks(&self.clocks, thread);
        let held = self.locksets.remove(held, lock);
        self.threads.set_locks(&mut self.clocks, thread, held);
        self.release(thread, readers);
    }

    /// What `from` has done so far happens before what `to` does next.
    pub fn fork_edge(&mut self, from: ThreadId, to: ThreadId) {
        self.clocks
            .join(self.threads.now(to), self.threads.now(from));
        self.threads.tick(&mut self.clocks, from);
    }

    /// `to` goes on later than what `from` did so far, and knows nothing of it (a signal and the thread it wakes, which
    /// might as well have woken by itself).
    pub fn come_later(&mut self, from: ThreadId, to: ThreadId) {
        self.clocks
            .set_later(self.threads.now(to), self.threads.now(from));
    }

    /// A number that grows along happens-before, and along [`Races::come_later`]; it depends only on what happened
    /// before.
    pub fn time(&self, thread: ThreadId) -> u64 {
        self.clocks.time(self.threads.now(thread))
    }

    /// `thread` has slept until `milliseconds`, counted from the beginning: whoever hears of it goes on later.
    pub fn sleep(&mut self, thread: ThreadId, milliseconds: u32) {
        self.clocks.sleep(self.threads.now(thread), milliseconds);
    }

    /// The latest moment until which `thread`, or somebody of whom it heard, has slept ([`Races::sleep`]), in milliseconds
    /// from the beginning. It grows along happens-before and along [`Races::come_later`].
    pub fn slept(&self, thread: ThreadId) -> u32 {
        self.clocks.slept(self.threads.now(thread))
    }
}

/// Atomics. Orders are those of [`dpor_abi::order`]; any other number counts as relaxed.
impl Races {
    /// An atomic load; also a compare-exchange that failed, with its failure order.
    pub fn atomic_load(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u32,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        self.learn(thread, address, bytes, order);
        // The write that is read may order this very access after a plain one, so learning is first.
        self.access(
            Attempt {
                thread,
                kind: Kind::ATOMIC_READ,
                site,
            },
            address,
            bytes.into(),
        )
    }

    /// An atomic store.
    pub fn atomic_store(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u32,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_WRITE,
            site,
        };
        let race = self.access(attempt, address, bytes.into());
        let publishes = self.releases(order);
        let published = self.published(thread, publishes);
        for (granule, mask) in granules(address, address.saturating_add(bytes.into())) {
            let cell = self.shadow.cell(granule, &self.blocks);
            let row = self.messages.overwritten(&mut self.clocks, cell, mask);
            self.clocks.copy(row, published);
            self.note_write(cell, mask, row);
        }
        if publishes {
            self.threads.tick(&mut self.clocks, thread);
        }
        race.or_else(|| self.look_again(address, bytes.into()))
    }

    /// An atomic read-modify-write, with the order of both its halves.
    pub fn atomic_rmw(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u32,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        self.learn(thread, address, bytes, order);
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_WRITE,
            site,
        };
        let race = self.access(attempt, address, bytes.into());
        let publishes = self.releases(order);
        let published = self.published(thread, publishes);
        for (granule, mask) in granules(address, address.saturating_add(bytes.into())) {
            let cell = self.shadow.cell(granule, &self.blocks);
            let cells = self.messages.cells(&mut self.clocks, cell, mask);
            // The release sequence goes on: what was published before stays.
            for row in self.messages.rows(cells) {
                self.clocks.join(row, published);
            }
            let row = self.messages.rows(cells).next();
            self.note_write(cell, mask, row.unwrap_or(published));
        }
        if publishes {
            self.threads.tick(&mut self.clocks, thread);
        }
        race.or_else(|| self.look_again(address, bytes.into()))
    }

    /// A fence between threads (a fence with the signal handler only is none).
    pub fn fence(&mut self, thread: ThreadId, order: u32) {
        let now = self.threads.now(thread);
        if self.acquires(order) {
            self.clocks.join(now, self.threads.pending(thread));
        }
        if self.releases(order) {
            self.clocks.copy(self.threads.released(thread), now);
            self.threads.tick(&mut self.clocks, thread);
        }
    }

    /// The load half of an atomic access: the thread learns, now or at its next acquire fence.
    fn learn(&mut self, thread: ThreadId, address: u64, bytes: u32, order: u32) {
        let into = if self.acquires(order) {
            self.threads.now(thread)
        } else {
            self.threads.pending(thread)
        };
        for (granule, mask) in granules(address, address.saturating_add(bytes.into())) {
            let cell = self.shadow.cell(granule, &self.blocks);
            let cells = self.messages.cells(&mut self.clocks, cell, mask);
            self.messages.settle(&mut self.clocks, cells);
            for row in self.messages.rows(cells) {
                self.clocks.join(into, row);
            }
        }
    }

    /// The bytes of `mask` were written atomically, and `row` is published with them.
    #[inline]
    fn note_write(&mut self, cell: Cell, mask: u8, row: Row) {
        let clock = self.clocks.entries(row);
        let hides = check::hides_write(self.shadow.words(cell), mask, clock);
        let write = Some((self.event, hides));
        self.messages
            .note_write(&mut self.clocks, cell, mask, write);
    }

    /// What a write publishes: all that the thread knows, or what it knew at its last release fence.
    pub(crate) fn published(&self, thread: ThreadId, releases: bool) -> Row {
        if releases {
            self.threads.now(thread)
        } else {
            self.threads.released(thread)
        }
    }

    pub(crate) fn acquires(&self, order: u32) -> bool {
        self.judgement == Judgement::Sc || matches!(order, ACQUIRE | ACQ_REL | SEQ_CST)
    }

    pub(crate) fn releases(&self, order: u32) -> bool {
        self.judgement == Judgement::Sc || matches!(order, RELEASE | ACQ_REL | SEQ_CST)
    }
}
