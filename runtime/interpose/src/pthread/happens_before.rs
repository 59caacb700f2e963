//! What granted operations mean for the race detector.
//!
//! Each function is called right after the grant, before anything else can run. POSIX (XBD 4.12)
//! names the functions that synchronize memory. A signal to a condition variable orders nothing: the thread that it
//! wakes might have woken by itself (decision 0066).

use crate::engine;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Wrong};
use crate::libc::time;
use dpor_explorer::program::{ObjectId, ThreadId};

/// The running thread took a lock for itself alone, and waited for it.
pub fn lock(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        let others = races.lockset(me);
        races.lock(me, object.0);
        if others != 0 {
            engine::orders::note(others, object);
        }
    }
}

/// It took a lock that others may have too, or that it only tried to take: nobody waits for it then.
pub fn lock_at_once(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.lock(me, object.0);
    }
}

/// It gave it back.
pub fn unlock(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.unlock(me, object.0);
    }
}

/// It is about to take a lock for writing: what those who read did comes before.
pub fn after_readers(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.acquire(me, readers_of(object));
    }
}

/// It gave back a lock that it had for reading.
pub fn unlock_shared(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.unlock_shared(me, object.0, readers_of(object));
    }
}

/// The object through which readers of a lock publish.
fn readers_of(lock: ObjectId) -> u64 {
    lock.0 | 1 << 55
}

/// It publishes as one who reads: who reads next does not learn of it.
pub fn release_of_reader(object: ObjectId) {
    release(ObjectId(readers_of(object)));
}

/// A read-write lock is new.
pub fn made_shared(object: ObjectId) {
    made(object);
    made(ObjectId(readers_of(object)));
}

/// It learns what was published through an object that is no lock of the program's.
pub fn acquire(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.acquire(me, object.0);
    }
}

/// It publishes through such an object.
pub fn release(object: ObjectId) {
    if let Some((mut races, me)) = engine::races() {
        races.release(me, object.0);
    }
}

/// It signals a condition variable at which `thread` waits, which goes on later.
pub fn signal(thread: ThreadId) {
    #[cfg(feature = "mutations")]
    if mutations::does(Wrong::OrderedSignal) {
        return wake(thread);
    }
    if let Some((mut races, me)) = engine::races() {
        races.come_later(me, thread.0);
    }
}

/// It asks `thread`, which waits, to end.
pub fn wake(thread: ThreadId) {
    if let Some((mut races, me)) = engine::races() {
        races.fork_edge(me, thread.0);
    }
}

/// Whether the detector can follow one more thread.
pub fn can_create(child: ThreadId) -> bool {
    engine::races().is_none_or(|(races, me)| races.can_create(me, child.0))
}

/// It created `child`.
pub fn create(child: ThreadId) {
    if let Some((mut races, me)) = engine::races() {
        races.create(me, child.0);
    }
    time::join(engine::thread(), child);
}

/// A synchronization object is new: whatever was at its address before orders nothing.
pub fn made(object: ObjectId) {
    if let Some((mut races, _)) = engine::races() {
        races.reset(object.0);
    }
}

/// It joined `child`.
pub fn join(child: ThreadId) {
    if let Some((mut races, me)) = engine::races() {
        races.join(me, child.0);
    }
    time::join(child, engine::thread());
}

/// It has come to its end.
pub fn finish() {
    if let Some((mut races, me)) = engine::races() {
        races.finish(me);
    }
}

/// It stores to an atomic byte with release order.
///
/// Only for bytes that no plain access of the program reaches (guards of the C++ ABI), so the
/// detector has no race to tell.
pub fn store_release(address: usize, bytes: u32) {
    let site = engine::site();
    if let Some((mut races, me)) = engine::races() {
        let _ = races.atomic_store(me, address as u64, bytes, dpor_abi::order::RELEASE, site);
    }
}
