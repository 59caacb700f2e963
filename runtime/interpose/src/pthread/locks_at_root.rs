//! Locks that thread 0 took before the root.
//!
//! Before the root libc's own functions lock. The object model starts with every mutex free, so the
//! locks still held when the exploration begins become its first events.

use super::happens_before;
use crate::engine::{self, object};
use crate::world::{self, rolled_back};
use dpor_model::{mutex_kind, Argument, Kind, ObjectId, Operation};

/// Instead of a [`mutex_kind`]: a read-write lock, held for reading or for writing.
pub const READ: u64 = 100;
/// Instead of a [`mutex_kind`]: a read-write lock, held for writing.
pub const WRITE: u64 = 101;

/// Different locks held at once before the root.
const LOCKS_MAX: usize = 256;

/// One lock that thread 0 holds.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Lock {
    pub object: ObjectId,
    /// A [`mutex_kind`], [`READ`] or [`WRITE`].
    pub kind: u64,
    /// Number of times that thread 0 took the lock and did not give it back; 0 in unused entries.
    pub depth: u64,
}

/// The locks that thread 0 holds, in the order in which it took them.
#[repr(C)]
pub(crate) struct LocksAtRoot {
    locks: [Lock; LOCKS_MAX],
    count: usize,
    /// Locks for which there was no place.
    lost: usize,
}

rolled_back!(static HELD: RolledBack<LocksAtRoot> = world::LOCKS_AT_ROOT);

fn held() -> *mut LocksAtRoot {
    HELD.get()
}

/// Notes that thread 0 took a lock, before the root.
pub fn add(object: ObjectId, kind: u64) {
    // SAFETY: before the root there is one thread and nothing switches; the borrow ends here.
    let held = unsafe { &mut *held() };
    let count = held.count;
    if let Some(lock) = held.locks[..count]
        .iter_mut()
        .find(|lock| lock.object == object)
    {
        lock.depth += 1;
    } else if count < LOCKS_MAX {
        held.locks[count] = Lock {
            object,
            kind,
            depth: 1,
        };
        held.count += 1;
    } else {
        held.lost += 1;
    }
}

/// Notes that thread 0 gave a lock back, before the root. Locks that are not known were taken
/// before the runtime was there.
pub fn remove(object: ObjectId) {
    // SAFETY: the list lies in the world; before the root there is one thread, and the borrow ends
    // with this function.
    let held = unsafe { &mut *held() };
    let count = held.count;
    let Some(at) = held.locks[..count]
        .iter()
        .position(|lock| lock.object == object)
    else {
        return;
    };
    held.locks[at].depth -= 1;
    if held.locks[at].depth == 0 {
        held.locks.copy_within(at + 1..count, at);
        held.count -= 1;
    }
}

/// Returns whether thread 0 holds a lock, before the root.
pub fn contains(object: ObjectId) -> bool {
    // SAFETY: the list lies in the world; before the root there is one thread, and the borrow ends
    // with this function.
    let held = unsafe { &*held() };
    held.locks[..held.count]
        .iter()
        .any(|lock| lock.object == object)
}

/// Returns whether every lock that thread 0 holds before the root is in the list.
pub fn is_known() -> bool {
    // SAFETY: the list lies in the world, which is mapped; this is a plain read on the only thread.
    unsafe { (*held()).lost == 0 }
}

/// Returns a lock of the program's that thread 0 holds, before the root, and that `which` selects.
pub fn find(which: impl Fn(ObjectId) -> bool) -> Option<ObjectId> {
    // SAFETY: the list lies in the world; before the root there is one thread, and the borrow ends
    // with this function.
    let held = unsafe { &*held() };
    let locks = held.locks[..held.count].iter().map(|lock| lock.object);
    locks
        .into_iter()
        .find(|&lock| object::is_program_lock(lock) && which(lock))
}

/// Returns the locks that thread 0 holds, in the order in which it took them. When exploration begins.
pub(super) fn all() -> impl Iterator<Item = Lock> {
    // SAFETY: plain reads; nobody writes these fields after the root.
    let (count, lost) = unsafe { ((*held()).count, (*held()).lost) };
    if lost > 0 {
        engine::unsupported("more than 256 locks held when the second thread is created");
    }
    // SAFETY: the list lies in the world, which is mapped, and `at` is below its count.
    (0..count).map(|at| unsafe { (*held()).locks[at] })
}

/// Takes a lock of the program's away from the running thread: its memory is gone.
pub fn give_up(lock: ObjectId) {
    let (init, _) = object::life(lock);
    let is_rwlock = init == Kind::RwlockInit;
    engine::perform(Operation {
        object: lock,
        ..engine::operation(if is_rwlock {
            Kind::RwlockUnlock
        } else {
            Kind::MutexUnlock
        })
    });
    happens_before::unlock(lock);
}

/// Takes the runtime's own lock at an address. Blocks (in the model) while another thread has it.
pub fn lock_guard(address: usize) {
    let object = object::guard(address);
    let mut operation = engine::operation(Kind::MutexLock);
    operation.object = object;
    operation.argument = Argument::mutex(mutex_kind::NORMAL);
    engine::perform(operation);
    happens_before::lock(object);
}

/// Gives back the lock of a guard or control word.
pub fn unlock_guard(address: usize) {
    let object = object::guard(address);
    let mut operation = engine::operation(Kind::MutexUnlock);
    operation.object = object;
    operation.argument = Argument::mutex(mutex_kind::NORMAL);
    engine::perform(operation);
    happens_before::unlock(object);
}
