//! Thread 0's first events: it takes the locks that it holds when exploration begins.

use super::locks_at_root::{all, READ, WRITE};
use super::{happens_before, mutex, rwlock};
use crate::engine::{self, object};
use dpor_model::{Argument, Kind, ObjectId};

/// Takes the locks that thread 0 holds.
pub(crate) fn at_root() {
    for lock in all() {
        for _ in 0..lock.depth {
            take(lock.object, lock.kind);
        }
    }
}

fn take(object: ObjectId, kind: u64) {
    let mut operation = engine::operation(match kind {
        READ => Kind::RwlockRead,
        WRITE => Kind::RwlockWrite,
        _ => Kind::MutexLock,
    });
    operation.object = object;
    operation.argument = match kind < READ {
        true => Argument::mutex(kind),
        false => Argument::NONE,
    };
    engine::perform(operation);
    match object::address(object) {
        // SAFETY: a lock that is held exists.
        Some(address) if kind == WRITE => unsafe {
            rwlock::begins_to_write(address as *mut _, true);
        },
        Some(address) if object == object::mutex(address as usize) => {
            // SAFETY: `address` is that of a mutex that thread 0 holds, so it exists.
            unsafe { mutex::locked(address as *mut _, 0, true) };
        }
        _ if kind == READ => happens_before::lock_at_once(object),
        _ => happens_before::lock(object),
    }
}
