//! Objects that were destroyed, and may come back without a call.
//!
//! A mutex or condition variable may be initialized by an assignment: libstdc++ destroys every
//! `std::condition_variable` with `pthread_cond_destroy` but makes it from the static initializer, and
//! the next one often lies at the same address. The object model would take it for the destroyed
//! one. So destroying leaves a mark in the object's memory, and the address is noted here; an object
//! that is noted but has lost its mark was made anew, which becomes an init event before its use: one of
//! each thread that uses it, of which the model takes the first.

use super::{happens_before, objects_at_root};
use crate::engine;
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back};
use dpor_model::{Detail, Kind, ObjectId, Operation};

/// Places, a power of two. Three quarters may be taken.
const PLACES: usize = 4096;
const COUNT_MAX: usize = PLACES / 4 * 3;
/// Number of objects noted before the root, at most.
const COUNT_BEFORE: usize = PLACES / 4;

/// Hash table with linear probing. 0: an empty place.
#[repr(C)]
pub(crate) struct Destroyed {
    count: usize,
    places: [u64; PLACES],
    /// Threads that used what lies there since, without a call that initialized it.
    users: [ThreadMask; PLACES],
}

rolled_back!(static TABLE: RolledBack<Destroyed> = world::DESTROYED);

fn table() -> *mut Destroyed {
    TABLE.get()
}

/// Where the search for an object starts. Neighbours in memory are neighbours here: objects that are
/// destroyed together are written to few pages, which every restore copies. Of a name, the lowest four
/// bits say nothing, and the highest eight which kind of object it is.
fn home(object: u64) -> usize {
    ((object >> 4) ^ (object >> 56)) as usize % PLACES
}

impl Destroyed {
    /// Returns the object's place, or the empty one at which the search for it ends.
    fn find(&self, object: u64) -> usize {
        let mut at = home(object);
        while self.places[at] != 0 && self.places[at] != object {
            at = (at + 1) % PLACES;
        }
        at
    }

    fn insert(&mut self, object: u64) {
        let at = self.find(object);
        self.count += usize::from(self.places[at] == 0);
        self.places[at] = object;
        if !self.users[at].is_empty() {
            self.users[at] = ThreadMask::EMPTY;
        }
    }

    /// Returns whether the object is noted and the running thread uses it for the first time since
    /// it was; from now on it does.
    fn is_first_use(&mut self, object: u64) -> bool {
        let at = self.find(object);
        let me = engine::thread();
        if self.places[at] == 0 || self.users[at].contains(me) {
            return false;
        }
        self.users[at].insert(me);
        true
    }

    /// Removes an object and returns whether it was noted. Entries behind it move up, so that
    /// searches still find them.
    fn remove(&mut self, object: u64) -> bool {
        let mut hole = self.find(object);
        if self.places[hole] == 0 {
            return false;
        }
        self.count -= 1;
        let mut at = hole;
        loop {
            at = (at + 1) % PLACES;
            let other = self.places[at];
            if other == 0 {
                self.places[hole] = 0;
                self.users[hole] = ThreadMask::EMPTY;
                return true;
            }
            // It may move if its home is not between the hole and its place.
            let distance = |from: usize, to: usize| (to + PLACES - from) % PLACES;
            if distance(home(other), at) >= distance(hole, at) {
                self.places[hole] = other;
                self.users[hole] = self.users[at];
                hole = at;
            }
        }
    }
}

/// Notes that an object was destroyed, and its memory marked.
pub fn note(object: ObjectId) {
    // SAFETY: nothing switches while the borrow lives.
    let table = unsafe { &mut *table() };
    if engine::before_root() && table.count >= COUNT_BEFORE {
        // Most leave a mark that says the same, as long as the model does not know them.
        return;
    }
    if table.count >= COUNT_MAX {
        engine::unsupported(
            "more than 3072 destroyed mutexes, condition variables and read-write locks",
        );
    }
    if engine::before_root() {
        objects_at_root::destroyed(object);
    }
    table.insert(object.0);
}

/// Forgets an object that was initialized by a call.
pub fn forget(object: ObjectId) {
    // SAFETY: the table lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    unsafe { (*table()).remove(object.0) };
    if engine::before_root() {
        objects_at_root::forget(|other| other == object);
    }
}

/// Returns whether an object is noted.
pub fn is_known(object: ObjectId) -> bool {
    // SAFETY: the table lies in the world, which is mapped; no event is made while it is borrowed,
    // so no other fiber runs.
    let table = unsafe { &*table() };
    table.places[table.find(object.0)] != 0
}

/// Forgets, before the root, that an object was destroyed whose memory has no mark and which is
/// used: it was made anew.
pub fn was_made_anew(object: ObjectId) {
    // SAFETY: the table lies in the world, which is mapped; this is a plain read on the only
    // thread.
    if unsafe { (*table()).count } > 0 {
        forget(object);
    }
}

/// Before a use of an object whose memory has no mark: if it was destroyed, it was made anew, which
/// is an event `init`.
///
/// Each thread makes it before its own first use, and the model takes the first: whether a thread has to
/// may not depend on what another does at the same time.
pub fn made_anew(init: Operation) {
    debug_assert!(matches!(
        init.kind,
        Kind::MutexInit | Kind::CondInit | Kind::RwlockInit
    ));
    // SAFETY: the table lies in the world, which is mapped; each borrow ends before the event
    // below.
    let again = unsafe { (*table()).count > 0 && (*table()).is_first_use(init.object.0) };
    if again {
        let detail = Detail::Remade;
        if engine::perform(Operation { detail, ..init }).result == 0 {
            happens_before::made(init.object);
        }
    }
}
