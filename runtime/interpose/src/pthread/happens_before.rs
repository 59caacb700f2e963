//! What granted operations mean for the race detector.
//!
//! What the detector knows tells of the way here; a thread that goes on to another event in the same call of the program's
//! stands in frames where it lay ([`dead_stack`](crate::engine::by_states::dead_stack)). So each function forgets its own.
//!
//! Each function is called right after the grant, before anything else can run. POSIX (XBD 4.12)
//! names the functions that synchronize memory. A signal to a condition variable orders nothing: the thread that it
//! wakes might have woken by itself (decision 0066).

use super::me;
use crate::engine;
use crate::engine::by_states::dead_stack::behind;
#[cfg(feature = "mutations")]
use crate::engine::mutations::{self, Mutation};
use crate::libc::time;
use dpor_model::{ObjectId, ThreadId};

/// Orders the running thread after the last owner of a lock that it took for itself alone, and
/// waited for.
#[inline(always)]
pub fn lock(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            let others = races.lockset(me);
            races.lock(me, object.0);
            if others != 0 {
                note_order(others, object);
            }
        }
    });
}

/// Orders the running thread after the last owner of a lock that others may hold too, or that it
/// only tried to take: nobody waits for such a lock.
#[inline(always)]
pub fn lock_at_once(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.lock(me, object.0);
        }
    });
}

/// Publishes the running thread's clock for the next owner of a lock that it gave back.
#[inline(always)]
pub fn unlock(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.unlock(me, object.0);
        }
    });
}

/// Orders the running thread, which is about to take a lock for writing, after all who read under
/// that lock.
#[inline(always)]
pub fn after_readers(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.acquire(me, readers_of(object));
        }
    });
}

/// Publishes the running thread's clock for the next writer, through a lock that it held for
/// reading.
#[inline(always)]
pub fn unlock_shared(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.unlock_shared(me, object.0, readers_of(object));
        }
    });
}

/// Returns the object through which readers of a lock publish.
fn readers_of(lock: ObjectId) -> u64 {
    lock.0 | 1 << 55
}

/// Publishes the running thread's clock as a reader's: writers learn it, and readers do not.
pub fn release_of_reader(object: ObjectId) {
    release(ObjectId(readers_of(object)));
}

/// Forgets what was published through a read-write lock at this address, which is new.
pub fn made_shared(object: ObjectId) {
    made(object);
    made(ObjectId(readers_of(object)));
}

/// Orders the running thread after what was published through `object`, which is no lock of the
/// program's.
#[inline(always)]
pub fn acquire(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.acquire(me, object.0);
        }
    });
}

/// Publishes the running thread's clock through `object`, which is no lock of the program's.
#[inline(always)]
pub fn release(object: ObjectId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.release(me, object.0);
        }
    });
}

/// Notes that the running thread signals a condition variable at which `thread` waits, which goes
/// on later.
#[inline(always)]
pub fn signal(thread: ThreadId) {
    behind(|| {
        #[cfg(feature = "mutations")]
        if mutations::does(Mutation::OrderedSignal) {
            return wake(thread);
        }
        if let Some((mut races, me)) = engine::races() {
            races.come_later(me, thread);
        }
    });
}

/// Publishes the running thread's clock for `thread`, which waits and is asked to end.
#[inline(always)]
pub fn wake(thread: ThreadId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.fork_edge(me, thread);
        }
    });
}

/// Returns whether the detector can follow one more thread.
pub fn can_create(child: ThreadId) -> bool {
    engine::races().is_none_or(|(races, me)| races.can_create(me, child))
}

/// Publishes the running thread's clock for `child`, which it created: also the virtual time it has
/// reached.
#[inline(always)]
pub fn create(child: ThreadId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.create(me, child);
        }
        time::join(engine::thread(), child);
    });
}

/// Forgets what was published through an object at this address: a new one is there, and whatever
/// was there before orders nothing.
#[inline(always)]
pub fn made(object: ObjectId) {
    behind(|| {
        if let Some((mut races, _)) = engine::races() {
            races.reset(object.0);
        }
    });
}

/// Orders the running thread after all that `child` did, which it joined: also after its virtual
/// time.
#[inline(always)]
pub fn join(child: ThreadId) {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.join(me, child);
        }
        time::join(child, engine::thread());
    });
}

/// Publishes the running thread's clock for its joiner: it has come to its end.
#[inline(always)]
pub fn finish() {
    behind(|| {
        if let Some((mut races, me)) = engine::races() {
            races.finish(me);
        }
    });
}

/// Stores to an atomic byte with release order, for whoever loads it with acquire order.
///
/// Only for bytes that no plain access of the program reaches (guards of the C++ ABI), so the
/// detector has no race to tell.
#[inline(always)]
pub fn store_release(address: usize, bytes: u32) {
    behind(|| {
        let site = engine::site();
        if let Some((mut races, me)) = engine::races() {
            let _ = races.atomic_store(me, address as u64, bytes, dpor_abi::order::RELEASE, site);
        }
    });
}

/// Notes that the running thread took a lock for itself alone while it held others.
#[cold]
pub(super) fn note_order(others: u32, lock: ObjectId) {
    // SAFETY: the running thread's own entry in the world, which is mapped.
    let before = unsafe { (*me()).predecessors };
    engine::orders::note(others, lock, before);
}
