//! Whether the memory of a mutex, condition variable or read-write lock can be one's.
//!
//! Under exploration the memory of these stays as its initializer left it, and initializers leave zeros but
//! for a few flags. Other memory was never initialized. A thread looks at it where it calls: another may
//! initialize it before the call takes place, but need not, so that the program is wrong in any case.
//!
//! Source: glibc's layouts for x86-64.

use super::condvar_flags;
use crate::engine::{self, object};
use ::libc::{pthread_cond_t, pthread_rwlock_t};
use dpor_model::ObjectId;
use dpor_report::FindingKind;

/// The flags of a condition variable that libc sets.
const CONDVAR_KNOWN: u32 =
    condvar_flags::SHARED | condvar_flags::MONOTONIC | condvar_flags::DESTROYED;

/// Words of a read-write lock: two that are not used, one that says whether it is shared, and the
/// preference.
const RWLOCK_UNUSED: [usize; 2] = [4, 5];
const RWLOCK_SHARED: usize = 7;
const RWLOCK_PREFERENCE: usize = 12;

/// Returns whether the memory at `condvar` can be a condition variable's.
///
/// # Safety
/// `condvar` points to as many bytes as a `pthread_cond_t` has.
pub unsafe fn is_condvar(condvar: *mut pthread_cond_t) -> bool {
    let words = condvar.cast::<u32>();
    // SAFETY: `at` is below the number of words of a condition variable, which are readable, as
    // this function's caller guarantees.
    let word = |at: usize| unsafe { words.add(at).read_unaligned() };
    let flags = condvar_flags::word();
    (0..condvar_flags::WORDS).all(|at| match at == flags {
        true => word(at) & !CONDVAR_KNOWN == 0,
        false => word(at) == 0,
    })
}

/// Returns whether the memory at `rwlock` can be a read-write lock's.
///
/// # Safety
/// `rwlock` points to as many bytes as a `pthread_rwlock_t` has.
pub unsafe fn is_rwlock(rwlock: *mut pthread_rwlock_t) -> bool {
    let words = rwlock.cast::<u32>();
    // SAFETY: every `at` used below is a word inside of a read-write lock, which is readable, as
    // this function's caller guarantees.
    let word = |at: usize| unsafe { words.add(at).read_unaligned() };
    RWLOCK_UNUSED.iter().all(|&at| word(at) == 0)
        && word(RWLOCK_SHARED) <= 1
        && word(RWLOCK_PREFERENCE) <= 2
}

/// Returns whether `word` can be the kind of a mutex: the type, robust, the protocol, shared, lock
/// elision, the ceiling.
pub fn is_mutex_kind(word: i32) -> bool {
    const KNOWN: i32 = 3 | 16 | 32 | 64 | 128 | 256 | 512 | !0x7_ffff;
    word & !KNOWN == 0
}

/// Tells that the running thread is about to use what is no such object. The execution goes on as
/// if it was one, so that it does the same as where another thread initializes it first.
pub fn tell(object: ObjectId) {
    engine::tell(
        FindingKind::UninitializedObject,
        None,
        &format!("{} is used before it was initialized", object::noun(object)),
        Some(object),
        (engine::thread(), "call", engine::site()),
        Vec::new(),
    );
}
