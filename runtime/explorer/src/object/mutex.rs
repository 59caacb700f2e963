//! Mutexes: normal, recursive, error-checking.
//!
//! State: 0 free (also a mutex that was never initialized and is all zero), [`DESTROYED`], or
//! owner + 1 in the low half and the number of locks in the high half. The kind comes with every
//! operation. Waiting is an operation that is not enabled, never a failed attempt.
//!
//! Source: POSIX.1-2017, `pthread_mutex_lock`, its table of relock and unlock.

use super::{Effect, EBUSY, EDEADLK, EPERM};
use crate::conflict::{Class, Object};
use crate::end::MisuseKind;
use crate::program::{mutex_kind, Kind, Operation, ThreadId};

pub(crate) const FREE: u64 = 0;
pub(crate) const DESTROYED: u64 = u64::MAX;

/// The thread that holds a mutex in state `value`.
pub(crate) fn owner(value: u64) -> Option<ThreadId> {
    let holder = value as u32;
    (value != DESTROYED && holder != 0).then(|| ThreadId((holder - 1) as u16))
}

/// One lock more, by a thread that may have it.
fn locked(value: u64, thread: ThreadId) -> u64 {
    let count = value >> 32;
    (count + 1) << 32 | (u64::from(thread.0) + 1)
}

/// One lock less.
pub(crate) fn unlocked(value: u64) -> u64 {
    match value >> 32 {
        0 | 1 => FREE,
        _ => value - (1 << 32),
    }
}

/// True if a lock (or the second half of a wait) need not wait.
pub(crate) fn lets_pass(op: &Operation, thread: ThreadId, value: u64) -> bool {
    let own = owner(value) == Some(thread);
    match op.argument {
        _ if value == FREE || value == DESTROYED => true,
        mutex_kind::RECURSIVE | mutex_kind::ERRORCHECK => own,
        _ => false,
    }
}

/// Operations on `object`, a mutex in state `value`; locks only if they are enabled.
pub(crate) fn effect(op: &Operation, object: Object, thread: ThreadId, value: u64) -> Effect {
    let own = owner(value) == Some(thread);
    let write = |after| Effect::on(object, Class::WRITE, after);
    match op.kind {
        Kind::MutexInit | Kind::MutexDestroy if owner(value).is_some() => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::MutexInit => write(FREE),
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        Kind::MutexDestroy => write(DESTROYED),
        Kind::MutexLock if own && op.argument == mutex_kind::ERRORCHECK => {
            Effect::read(object, value, EDEADLK)
        }
        Kind::MutexLock | Kind::CondReacquire => write(locked(value, thread)),
        Kind::MutexTrylock if value == FREE || (own && op.argument == mutex_kind::RECURSIVE) => {
            write(locked(value, thread))
        }
        Kind::MutexTrylock => Effect::read(object, value, EBUSY),
        Kind::MutexUnlock if own => write(unlocked(value)),
        Kind::MutexUnlock => not_owner(op, object, value),
        _ => unreachable!("not an operation on a mutex: {op:?}"),
    }
}

/// Unlock or wait by a thread that does not hold the mutex. POSIX: EPERM if the mutex checks,
/// otherwise undefined.
pub(crate) fn not_owner(op: &Operation, object: Object, value: u64) -> Effect {
    match op.argument {
        mutex_kind::NORMAL => Effect::misuse(MisuseKind::UnlockNotOwner),
        _ => Effect::read(object, value, EPERM),
    }
}
