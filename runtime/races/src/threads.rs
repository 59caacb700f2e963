//! Threads: their clocks, the clocks of their fences, the locks they hold.
//!
//! Per **slot** three clocks:
//!
//! | clock | meaning |
//! |---|---|
//! | `now` | what happened before the thread's next access |
//! | `released` | `now` at the last release fence: what a later relaxed store publishes |
//! | `pending` | what relaxed loads have read: what a later acquire fence learns |
//!
//! A thread's own entry in `now` is its current epoch. It grows by one at each release operation, so
//! that what comes after the release is not taken to be published by it.
//!
//! **Reuse of thread numbers.** An entry in shadow memory names a slot and an epoch. If the creator
//! of a new thread is ordered after the end of the number's last owner (it joined it, or learned of
//! the join), the new thread continues the slot at the next epoch: everything the old one did happened
//! before. Otherwise that would hide races between the two, so the number gets a further slot.

use crate::clock::{Clocks, Row};
use crate::entry::{Epoch, CLOCK_MAX};
use crate::knowledge::least;
use crate::lockset::LocksetId;
use dpor_model::ThreadId;

/// The three clocks of a slot.
#[derive(Clone, Copy)]
struct Slot {
    now: Row,
    released: Row,
    pending: Row,
    /// Word: one more than the thread number that the slot belongs to, 0 if to none yet.
    owner: u32,
}

/// Where a thread number's undoable words are.
#[derive(Clone, Copy)]
struct Thread {
    /// Word: the slot in use.
    slot: u32,
    /// Word: 1 between creation and end.
    alive: u32,
    /// Word: the lockset held.
    locks: u32,
}

/// The threads and their clocks.
pub(crate) struct Threads {
    threads: Vec<Thread>,
    slots: Vec<Slot>,
    /// One more than the highest thread number ever used.
    count: usize,
    /// Current epoch of each thread number; follows from the clocks.
    epochs: Vec<Epoch>,
}

impl Threads {
    /// Numbers below `count`; thread 0 exists from the start.
    pub(crate) fn new(clocks: &mut Clocks, count: usize) -> Self {
        let new_thread = |_| Thread {
            slot: clocks.new_word(0),
            alive: clocks.new_word(0),
            locks: clocks.new_word(0),
        };
        let threads = (0..count).map(new_thread).collect();
        let mut all = Threads {
            threads,
            slots: Vec::new(),
            count: 1,
            epochs: vec![Epoch::new(0, 0); count],
        };
        let slot = all.new_slot(clocks);
        all.begin(clocks, ThreadId::MAIN, slot, 1);
        all
    }

    #[inline]
    pub(crate) fn epoch(&self, thread: ThreadId) -> Epoch {
        self.epochs[thread.index()]
    }

    /// The thread number that a slot belongs to.
    pub(crate) fn owner(&self, clocks: &Clocks, slot: u32) -> ThreadId {
        let owner = clocks.word(self.slots[slot as usize].owner);
        ThreadId(owner.saturating_sub(1) as u16)
    }

    /// What happened before the thread's next access.
    #[inline]
    pub(crate) fn now(&self, thread: ThreadId) -> Row {
        self.slot(thread).now
    }

    pub(crate) fn released(&self, thread: ThreadId) -> Row {
        self.slot(thread).released
    }

    pub(crate) fn pending(&self, thread: ThreadId) -> Row {
        self.slot(thread).pending
    }

    pub(crate) fn locks(&self, clocks: &Clocks, thread: ThreadId) -> LocksetId {
        clocks.word(self.threads[thread.index()].locks)
    }

    pub(crate) fn set_locks(&self, clocks: &mut Clocks, thread: ThreadId, locks: LocksetId) {
        clocks.set_word(self.threads[thread.index()].locks, locks);
    }

    /// Starts the thread's next epoch.
    pub(crate) fn tick(&mut self, clocks: &mut Clocks, thread: ThreadId) {
        let (slot, now) = (self.epoch(thread).slot(), self.now(thread));
        let clock = clocks.entry(now, slot) + 1;
        assert!(
            clock <= CLOCK_MAX,
            "[dpor internal bug] a thread released {CLOCK_MAX} times"
        );
        clocks.set_entry(now, slot, clock);
        self.epochs[thread.index()] = Epoch::new(slot, clock);
    }

    /// True if all other threads have ended, and `thread` knows all that they did.
    pub(crate) fn is_last(&self, clocks: &Clocks, thread: ThreadId) -> bool {
        let own = self.epoch(thread).slot() as usize;
        let lives = |other: &Thread| clocks.word(other.alive) != 0;
        let known = self.now(thread);
        let knows = |place: usize| {
            let last = clocks.entry(self.slots[place].now, place as u32);
            last <= clocks.entry(known, place as u32)
        };
        let used = |&place: &usize| place != own && clocks.word(self.slots[place].owner) != 0;
        self.threads.iter().filter(|other| lives(other)).count() <= 1
            && (0..self.slots.len()).filter(used).all(knows)
    }

    /// By slot: the last epoch of which all threads that live know.
    pub(crate) fn known_by_all(&self, clocks: &Clocks) -> Vec<u32> {
        let lives = |&thread: &usize| clocks.word(self.threads[thread].alive) != 0;
        let all = (0..self.count).filter(lives);
        least(clocks, all.map(|thread| self.now(ThreadId(thread as u16))))
    }

    /// Tells of each thread that lives, with the slot that it has.
    pub(crate) fn each_alive(&self, clocks: &Clocks, mut each: impl FnMut(ThreadId, u32)) {
        for (thread, words) in self.threads[..self.count].iter().enumerate() {
            if clocks.word(words.alive) != 0 {
                each(ThreadId(thread as u16), clocks.word(words.slot));
            }
        }
    }

    /// A slot for a new thread `child`, if one is left.
    pub(crate) fn free_slot(
        &self,
        clocks: &Clocks,
        parent: ThreadId,
        child: ThreadId,
    ) -> Option<usize> {
        let known = self.now(parent);
        let reusable = |&place: &usize| {
            let slot = &self.slots[place];
            let last = clocks.entry(slot.now, place as u32);
            clocks.word(slot.owner) == u32::from(child.0) + 1
                && last <= clocks.entry(known, place as u32)
        };
        let unused = |&place: &usize| {
            self.slots
                .get(place)
                .is_none_or(|slot| clocks.word(slot.owner) == 0)
        };
        (0..self.slots.len())
            .find(reusable)
            .or_else(|| (0..clocks.slots()).find(unused))
    }

    /// `child` starts, knowing what `parent` knows.
    pub(crate) fn create(&mut self, clocks: &mut Clocks, parent: ThreadId, child: ThreadId) {
        let alive = clocks.word(self.threads[child.index()].alive);
        assert!(
            alive == 0,
            "[dpor internal bug] thread {} is created while it lives",
            child.0
        );
        let place = self.free_slot(clocks, parent, child);
        let place = place.expect("[dpor internal bug] can_create was not asked");
        if place == self.slots.len() {
            self.new_slot(clocks);
        }
        let slot = self.slots[place];
        let clock = clocks.entry(slot.now, place as u32) + 1;
        assert!(
            clock <= CLOCK_MAX,
            "[dpor internal bug] a thread released {CLOCK_MAX} times"
        );
        clocks.copy(slot.now, self.now(parent));
        clocks.clear(slot.released);
        clocks.clear(slot.pending);
        self.begin(clocks, child, place, clock);
        self.tick(clocks, parent);
    }

    pub(crate) fn finish(&mut self, clocks: &mut Clocks, thread: ThreadId) {
        clocks.set_word(self.threads[thread.index()].alive, 0);
        clocks.set_word(self.threads[thread.index()].locks, 0);
    }

    /// Brings `epochs` in line with the clocks after a rollback.
    pub(crate) fn refresh(&mut self, clocks: &Clocks) {
        for (thread, words) in self.threads[..self.count].iter().enumerate() {
            let slot = clocks.word(words.slot);
            let clock = clocks.entry(self.slots[slot as usize].now, slot);
            self.epochs[thread] = Epoch::new(slot, clock);
        }
    }

    fn begin(&mut self, clocks: &mut Clocks, thread: ThreadId, place: usize, clock: u32) {
        clocks.widen(place as u32);
        self.count = self.count.max(thread.index() + 1);
        clocks.set_entry(self.slots[place].now, place as u32, clock);
        clocks.set_word(self.slots[place].owner, u32::from(thread.0) + 1);
        let words = self.threads[thread.index()];
        clocks.set_word(words.slot, place as u32);
        clocks.set_word(words.alive, 1);
        clocks.set_word(words.locks, 0);
        self.epochs[thread.index()] = Epoch::new(place as u32, clock);
    }

    fn new_slot(&mut self, clocks: &mut Clocks) -> usize {
        let (now, released, pending) = (clocks.row(), clocks.row(), clocks.row());
        self.slots.push(Slot {
            now,
            released,
            pending,
            owner: clocks.new_word(0),
        });
        self.slots.len() - 1
    }

    #[inline]
    fn slot(&self, thread: ThreadId) -> &Slot {
        &self.slots[self.epochs[thread.index()].slot() as usize]
    }
}
