//! Whether the memory of a condition variable or read-write lock can be one's.
//!
//! Under exploration the memory of these stays as its initializer left it, and initializers leave zeros but
//! for a few flags. Other memory was never initialized. A thread looks at it where it calls: another may
//! initialize it before the call takes place, but need not, so that the program is wrong in any case.
//! (Mutexes say so themselves, in the kind that they publish.)
//!
//! Source: glibc's layouts for x86-64.

use crate::engine;
use ::libc::{pthread_cond_t, pthread_rwlock_t};
use dpor_report::FindingKind;

/// Words of a condition variable, and which of them has flags.
const CONDVAR_WORDS: usize = 12;
const CONDVAR_FLAGS: usize = 9;
/// That it is shared, and of the monotonic clock; destroyed.
const CONDVAR_KNOWN: u32 = 7;

/// In words, of a read-write lock: two that are not used, one that says whether it is shared, and the
/// preference.
const RWLOCK_UNUSED: [usize; 2] = [4, 5];
const RWLOCK_SHARED: usize = 7;
const RWLOCK_PREFERENCE: usize = 12;

/// # Safety
/// `condvar` points to as many bytes as one has.
pub unsafe fn is_condvar(condvar: *mut pthread_cond_t) -> bool {
    let words = condvar.cast::<u32>();
    // SAFETY: the caller's.
    let word = |at: usize| unsafe { words.add(at).read_unaligned() };
    (0..CONDVAR_WORDS).all(|at| match at {
        CONDVAR_FLAGS => word(at) & !CONDVAR_KNOWN == 0,
        _ => word(at) == 0,
    })
}

/// # Safety
/// `rwlock` points to as many bytes as one has.
pub unsafe fn is_rwlock(rwlock: *mut pthread_rwlock_t) -> bool {
    let words = rwlock.cast::<u32>();
    // SAFETY: the caller's.
    let word = |at: usize| unsafe { words.add(at).read_unaligned() };
    RWLOCK_UNUSED.iter().all(|&at| word(at) == 0)
        && word(RWLOCK_SHARED) <= 1
        && word(RWLOCK_PREFERENCE) <= 2
}

/// Ends the execution: what the running thread uses cannot be `noun`.
pub fn refuse(noun: &str) -> ! {
    engine::fail(
        FindingKind::UninitializedObject,
        &format!("{noun} is used before it was initialized"),
    )
}
