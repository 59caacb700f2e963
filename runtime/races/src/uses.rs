//! Calls on synchronization objects, as accesses to their memory.
//!
//! A call is an atomic access that reads the bytes and orders nothing: it races with plain writes, the
//! free of the memory among them, and with no other call.
//!
//! **A lock** is judged before it orders anything: it has no part in ordering its own call after the
//! initialization. It is remembered behind what it orders, so that it takes the place of the uses by
//! those who had the lock before, and the cell stays as small as for one thread. Nothing is missed by
//! that. The access is remembered with its thread's epoch, which is the same before and behind the
//! acquisition. Who knows this epoch learnt it from a release that ended it, which was behind the
//! acquisition, and so learnt all that the acquisition ordered as well. So a later write that is not
//! ordered after a use that was dropped is not ordered after this one either, and races with it.

use crate::check;
use crate::entry::{Entry, Kind, GRANULE};
use crate::plain::Attempt;
use crate::shadow::mask;
use crate::{Race, Races};
use dpor_model::{SiteId, ThreadId};

impl Races {
    /// A call on an object.
    #[inline]
    pub fn use_object(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        site: SiteId,
    ) -> Option<Race> {
        if bytes == 0 {
            return None;
        }
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_READ,
            site,
        };
        self.access(attempt, address, bytes)
    }

    /// `thread` locks `lock`, an object at `address`: as [`Races::use_object`], then [`Races::lock`].
    pub fn lock_object(
        &mut self,
        thread: ThreadId,
        lock: u64,
        (address, bytes): (u64, u64),
        site: SiteId,
    ) -> Option<Race> {
        let low = address % GRANULE;
        if bytes.wrapping_sub(1) >= GRANULE - low {
            let race = self.use_object(thread, address, bytes, site);
            self.lock(thread, lock);
            return race;
        }
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_READ,
            site,
        };
        let mask = mask(low, low + bytes);
        let cell = self.shadow.cell(address, &self.blocks);
        let now = Entry::new(self.threads.epoch(thread), attempt.kind, 0, mask);
        let words = self.shadow.words(cell);
        if check::is_known(words, now) {
            self.lock(thread, lock);
            return None;
        }
        let below = self.stacks.meet(thread, address - low);
        let mut race = below.map(|owner| self.below_frames(attempt, now, address - low, owner));
        if !check::are_atomic_reads(words) {
            let clock = self.clocks.entries(self.threads.now(thread));
            let races = check::conflicts(&self.shadow, cell.place(), now, clock);
            if !races.is_empty() {
                race = Some(self.report(attempt, address - low, &races));
            }
        }
        self.lock(thread, lock);
        let now = self.entry(attempt, mask);
        let clock = self.clocks.entries(self.threads.now(thread));
        // What races with it was found above: the acquisition only orders more.
        check::remember_use(&mut self.shadow, cell, now, clock);
        race
    }
}
