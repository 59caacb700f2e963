//! How ready the lock of a file is, which is a channel for the search.

use crate::libc::descriptor::{self, Lock};

/// Returns how ready the lock of a file is, as a channel.
pub fn levels(number: usize) -> u64 {
    let free = |wanted| u64::from(is_free(number, wanted));
    free(Lock::Shared) | free(Lock::Exclusive) << 16
}

/// Returns whether nobody has a lock on a file that excludes this one.
pub fn is_free(number: usize, wanted: Lock) -> bool {
    descriptor::are_locks(number, |lock| match wanted {
        Lock::None => true,
        Lock::Shared => lock != Lock::Exclusive,
        Lock::Exclusive => lock == Lock::None,
    })
}
