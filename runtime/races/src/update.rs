//! Atomic updates whose order is not explored.
//!
//! Read-modify-writes without result by the same operator on the same bytes leave the same value in
//! every order, so an exploration may run one order for all. What they synchronize does depend on it:
//! an acquiring member of such a *run* learns what members before it released. A race that exists only
//! where they come in another order must still be found, and nothing may be called a race that is
//! none in any order.
//!
//! So do those that are the same in all, and of whose result only the answer of a comparison is seen, if they had the same
//! answer ([`Races::atomic_counter`]): that with the other answer is no member, and comes behind the run.
//!
//! **Rule.** A member of a run learns what was published before the run, and nothing that members of
//! the run published. What comes behind the run learns all. So the order that is judged is a part of
//! the happens-before of *every* order of the run, and a function of none: if no access races under
//! it, none races in any order.
//!
//! The converse fails: the member may come behind another in every order, through other variables, and
//! with several runs it may have to come behind one of two, whichever way they are turned. So a thread
//! that did not learn something *lacks* it from then on, and whoever learns from that thread; a race
//! seen by a thread that lacks something is marked ([`crate::Race::doubtful`]). A race that is not
//! marked is one in this very order: the thread knows all that this order could have told it.
//!
//! Decision 0010 has the argument in full.

use crate::entry::Kind;
use crate::messages::Cells;
use crate::plain::Attempt;
use crate::shadow::{granules, Cell};
use crate::{Race, Races};
use dpor_model::{Counter, SiteId, ThreadId};

impl Races {
    /// An atomic read-modify-write that commutes with others of the same `operator` (any number but 0)
    /// on the same bytes, all within one aligned group of eight, as long as no other atomic access to
    /// them comes between.
    pub fn atomic_update(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u32,
        operator: u8,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        let class = u32::from(operator) << 16 | bytes << 8 | (address & 7) as u32;
        self.member_of_run(thread, (address, bytes), class, order, site)
    }

    /// An atomic read-modify-write that commutes with others that are the same `counter` and had the same `answer`, as
    /// [`Races::atomic_update`].
    #[allow(clippy::too_many_arguments, reason = "an access, and what it is")]
    pub fn atomic_counter(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u32,
        counter: Counter,
        answer: bool,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        let class = counter_class(address, bytes, counter, answer);
        self.member_of_run(thread, (address, bytes), class, order, site)
    }

    /// An atomic load of `bytes` bytes of which only is seen that a count, its first `count` bytes, is not the last one. It
    /// belongs to the run of those that drop one and are told the same ([`Counter::LAST`]): it learns what was published
    /// before the run. Nobody learns of it.
    pub fn atomic_look(
        &mut self,
        thread: ThreadId,
        address: u64,
        (bytes, count): (u32, u32),
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        let others = bytes - count;
        let race = match others {
            0 => None,
            _ => self.atomic_load(thread, address + u64::from(count), others, order, site),
        };
        let class = counter_class(address, count, Counter::LAST, false);
        self.learn_before_run(thread, (address, count), class, order);
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_READ,
            site,
        };
        race.or(self.access(attempt, address, count.into()))
    }

    /// Lets a thread learn what was published before the run of this class, whose next member it makes; the run's cells.
    fn learn_before_run(
        &mut self,
        thread: ThreadId,
        (address, bytes): (u64, u32),
        class: u32,
        order: u32,
    ) -> (Cell, u8, Cells) {
        let now = self.threads.now(thread);
        let into = match self.acquires(order) {
            true => now,
            false => self.threads.pending(thread),
        };
        let (granule, mask) = granules(address, address.saturating_add(bytes.into()))
            .next()
            .expect("an access has bytes");
        let cell = self.shadow.cell(granule, &self.blocks);
        let cells = self.messages.cells(&mut self.clocks, cell, mask);
        self.messages.continue_run(&mut self.clocks, cells, class);
        for row in self.messages.rows(cells) {
            self.clocks.join(into, row);
        }
        for row in self.messages.runs(cells) {
            match self.sequential_runs {
                true => self.clocks.join(into, row),
                false => self.clocks.lack(into, now, row),
            }
        }
        (cell, mask, cells)
    }

    /// An atomic read-modify-write that belongs to a run of this class.
    fn member_of_run(
        &mut self,
        thread: ThreadId,
        (address, bytes): (u64, u32),
        class: u32,
        order: u32,
        site: SiteId,
    ) -> Option<Race> {
        let (cell, mask, cells) = self.learn_before_run(thread, (address, bytes), class, order);
        let attempt = Attempt {
            thread,
            kind: Kind::ATOMIC_WRITE,
            site,
        };
        let race = self.access(attempt, address, bytes.into());
        let publishes = self.releases(order);
        let published = self.published(thread, publishes);
        for row in self.messages.runs(cells) {
            self.clocks.join(row, published);
        }
        self.messages.note_write(&mut self.clocks, cell, mask, None);
        if publishes {
            self.threads.tick(&mut self.clocks, thread);
        }
        race.or_else(|| self.look_again(address, bytes.into()))
    }

    /// Lets members of a run learn from each other, which hides races of the orders that are not
    /// explored. Only for the test that shows that the tests would notice.
    #[doc(hidden)]
    pub fn learn_within_runs(&mut self) {
        self.sequential_runs = true;
    }
}

/// The class of counters on these bytes that had this answer.
fn counter_class(address: u64, bytes: u32, counter: Counter, answer: bool) -> u32 {
    let place = (address & 7) as u32 | bytes.trailing_zeros() << 3;
    1 << 31 | counter.number() << 6 | u32::from(answer) << 5 | place
}
