//! Looks of threads that wait for what is in memory.
//!
//! A thread that came to such a wait may look at any moment until it goes on, and for ever if it never does. The
//! search leaves looks in vain out; here they are accesses like others.
//!
//! Let a be the moment at which the thread came. *One look is enough*: a look orders only more, so if one of several
//! races, it does without the others. Whether it passes does not matter: right before or behind an access of another
//! thread it is possible in any case, and either way an access.
//!
//! - **An access behind a**, up to where the thread goes on: the look can come right before it, and nothing orders
//!   the two. So the look is remembered at a, with the thread's epoch. The epoch stays the same until the thread goes
//!   on, and what comes behind that is judged as behind the look that passed.
//! - **A write before a** that a does not know, and that the look, if it acquires, does not learn of from what it
//!   reads: a race at a.
//! - **A write before a** that the look learns of at a. The look may come at other moments:
//!   - *behind a*, when the bytes were written again by someone who published less ([`Races::look_again`]);
//!   - *before a* in this order of the execution: as long as the write was hidden from who read the bytes, up to some
//!     event. If the thread could have come before that event, it can look right before it. Whether it could, the
//!     search knows ([`Doubt`]).
//!
//! Each is judged with its own order: what a look in vain learns is what it reads, and is forgotten.
//!
//! Decision 0065 has what is left out.

use crate::check;
use crate::clock::{Clocks, Row};
use crate::entry::{Entry, Kind};
use crate::plain::Attempt;
use crate::shadow::{granules, Cell};
use crate::{Race, Races};
use dpor_model::{SiteId, ThreadId};

/// The operation with which a waiting thread looks at memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// A plain read.
    Plain,
    /// An atomic load, or a compare-exchange, which writes only where it passes.
    Load,
    /// A read-modify-write that is no compare-exchange.
    Update,
}

/// What follows from a thread's coming to a wait.
#[derive(Clone, Default, Debug)]
pub struct Arrival {
    /// The race of a look at this moment, if it makes one.
    pub race: Option<Race>,
    /// The race that a look at an earlier moment may make, if a look now makes none.
    pub doubt: Option<Doubt>,
}

/// A race that a look makes if the thread could have come to its wait before an event.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The number of that event, as [`Races::stand`] was told it.
    pub event: u32,
    /// The race of the look with an earlier write.
    pub race: Race,
}

/// A thread whose look learned of a write that the thread does not know, in words: its address, bytes (0: there is
/// none) and site.
#[derive(Clone, Copy)]
struct Learned {
    address: [u32; 2],
    bytes: u32,
    site: [u32; 2],
}

/// The looks of all threads that wait.
pub(crate) struct Looks {
    /// The clock of the look that is being judged: what it knows to have happened before.
    known: Row,
    threads: Vec<Learned>,
    /// Word: number of threads whose entry in `threads` is set.
    count: u32,
}

impl Looks {
    pub(crate) fn new(clocks: &mut Clocks, threads: usize) -> Looks {
        let mut word = || clocks.new_word(0);
        let threads = (0..threads).map(|_| Learned {
            address: [word(), word()],
            bytes: word(),
            site: [word(), word()],
        });
        let threads = threads.collect();
        Looks {
            threads,
            count: clocks.new_word(0),
            known: clocks.row(),
        }
    }
}

impl Races {
    /// Event number `event` is about to be executed.
    #[inline]
    pub fn stand(&mut self, event: u32) {
        self.event = event;
    }

    /// `thread` comes to where it waits until these bytes have some value. `order`: that of its look.
    pub fn arrive(
        &mut self,
        thread: ThreadId,
        (address, bytes): (u64, u32),
        look: Look,
        order: u32,
        site: SiteId,
    ) -> Arrival {
        let kind = match look {
            Look::Plain => Kind::READ,
            Look::Load => Kind::ATOMIC_READ,
            Look::Update => Kind::ATOMIC_WRITE,
        };
        let attempt = Attempt { thread, kind, site };
        let acquires = look != Look::Plain && self.acquires(order);
        self.know(thread, (address, bytes.into()), acquires);
        if look == Look::Update {
            self.disturbed
                .add(address, address.saturating_add(bytes.into()));
        }
        let mut arrival = Arrival::default();
        let mut learned = false;
        for (granule, mask) in granules(address, address.saturating_add(bytes.into())) {
            let cell = self.shadow.cell(granule, &self.blocks);
            let entry = self.entry(attempt, mask);
            let clock = self.clocks.entries(self.threads.now(thread));
            let unknown = check::conflicts(&self.shadow, cell.place(), entry, clock);
            let known = self.clocks.entries(self.looks.known);
            let (doubts, races): (Vec<Entry>, Vec<Entry>) = unknown
                .into_iter()
                .partition(|&earlier| !earlier.is_free() && check::is_ordered(earlier, known));
            learned |= !doubts.is_empty();
            if arrival.race.is_none() && !races.is_empty() {
                arrival.race = Some(self.report(attempt, granule, &races));
            }
            if arrival.doubt.is_none() {
                arrival.doubt = self.doubt(attempt, (granule, mask), cell, &doubts);
            }
            let clock = self.clocks.entries(self.threads.now(thread));
            check::access(&mut self.shadow, cell.place(), entry, clock);
            let below = self.stacks.meet(thread, granule);
            if let Some(owner) = below.filter(|_| arrival.race.is_none()) {
                arrival.race = Some(self.below_frames(attempt, entry, granule, owner));
            }
        }
        if arrival.race.is_some() {
            arrival.doubt = None;
        }
        if learned {
            self.note_learned(thread, address, bytes, site);
        }
        arrival
    }

    /// `thread` goes on.
    #[inline]
    pub fn leave(&mut self, thread: ThreadId) {
        let of_thread = self.looks.threads[thread.index()];
        if self.clocks.word(of_thread.bytes) != 0 {
            self.clocks.set_word(of_thread.bytes, 0);
            let count = self.clocks.word(self.looks.count);
            self.clocks.set_word(self.looks.count, count - 1);
        }
    }

    /// Judges the looks of the threads that wait for these bytes, which were just written atomically, and returns the
    /// race of one of them.
    #[inline]
    pub(crate) fn look_again(&mut self, address: u64, bytes: u64) -> Option<Race> {
        match self.clocks.word(self.looks.count) {
            0 => None,
            _ => self.look_again_each(address, bytes),
        }
    }

    #[cold]
    fn look_again_each(&mut self, address: u64, bytes: u64) -> Option<Race> {
        for thread in (0..self.looks.threads.len() as u16).map(ThreadId) {
            let of_thread = self.looks.threads[thread.index()];
            let width = u64::from(self.clocks.word(of_thread.bytes));
            let start = self.wide(of_thread.address);
            if start >= address + bytes || address >= start + width || width == 0 {
                continue;
            }
            let site = SiteId(self.wide(of_thread.site));
            let kind = Kind::ATOMIC_READ;
            let attempt = Attempt { thread, kind, site };
            self.know(thread, (start, width), true);
            for (granule, mask) in granules(start, start + width) {
                let cell = self.shadow.cell(granule, &self.blocks);
                let entry = self.entry(attempt, mask);
                let known = self.clocks.entries(self.looks.known);
                let races = check::all_conflicts(&self.shadow, cell.place(), entry, known);
                if !races.is_empty() {
                    return Some(self.report(attempt, granule, &races));
                }
            }
        }
        None
    }

    /// Finds what a look knows: what its thread does, and what was published with what it reads, if it acquires.
    fn know(&mut self, thread: ThreadId, (address, bytes): (u64, u64), acquires: bool) {
        let known = self.looks.known;
        self.clocks.copy(known, self.threads.now(thread));
        if !acquires {
            return;
        }
        for (granule, mask) in granules(address, address.saturating_add(bytes)) {
            let cell = self.shadow.cell(granule, &self.blocks);
            self.messages.tell(&mut self.clocks, cell, mask, known);
        }
    }

    /// Returns the doubt about a look that learned of the writes `learned`, if the last plain write to the cell is
    /// among them.
    fn doubt(
        &self,
        attempt: Attempt,
        (granule, mask): (u64, u8),
        cell: Cell,
        learned: &[Entry],
    ) -> Option<Doubt> {
        learned.iter().find_map(|&write| {
            let is_write = write.kind() == Kind::WRITE;
            let event = self
                .messages
                .hidden_until(&self.clocks, cell, mask, write.epoch());
            let event = event.filter(|_| is_write)?;
            let race = self.report(attempt, granule, &[write]);
            Some(Doubt { event, race })
        })
    }

    fn note_learned(&mut self, thread: ThreadId, address: u64, bytes: u32, site: SiteId) {
        self.leave(thread);
        let of_thread = self.looks.threads[thread.index()];
        for (words, value) in [(of_thread.address, address), (of_thread.site, site.0)] {
            self.clocks.set_word(words[0], value as u32);
            self.clocks.set_word(words[1], (value >> 32) as u32);
        }
        self.clocks.set_word(of_thread.bytes, bytes);
        let count = self.clocks.word(self.looks.count);
        self.clocks.set_word(self.looks.count, count + 1);
    }

    fn wide(&self, [low, high]: [u32; 2]) -> u64 {
        u64::from(self.clocks.word(low)) | u64::from(self.clocks.word(high)) << 32
    }
}
