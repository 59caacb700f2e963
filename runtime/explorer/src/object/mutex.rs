//! Mutexes: normal, recursive, error-checking, robust.
//!
//! State: owner + 1 in the lowest 16 bits and the number of locks in the high half, both 0 if it is
//! free; in between the kind + 1, [`IN_DOUBT`] and [`LOST`]; or [`DESTROYED`]. Waiting is an operation
//! that is not enabled, never a failed attempt.
//!
//! A robust mutex whose owner ended is free and in doubt. Who locks it then is told so, and either
//! says that what it protects is right again, or unlocks it and it is lost: nobody can lock it any more.
//!
//! The kind comes from `MutexInit`, or from the first operation on the mutex; what comes with later
//! ones does not count. A thread publishes its operation before it is executed, and another one may
//! initialize the mutex with another kind in between: the two events would not conflict, and yet
//! their order would matter.
//!
//! Source: POSIX.1-2017, `pthread_mutex_lock`, its table of relock and unlock;
//! `pthread_mutexattr_setrobust`, `pthread_mutex_consistent`.

use super::facts::BlockedBy;
use super::{
    Act, Automaton, Effect, Facts, View, EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD,
    EPERM, OK,
};
use crate::conflict::{Class, Object};
use crate::end::MisuseKind;
use crate::operation::Interned;
use dpor_model::{mutex_kind, Argument, Detail, Kind, Operation, ThreadId};

/// Mutexes of POSIX.
pub(crate) struct Mutex;

impl Automaton for Mutex {
    const KINDS: &'static [(Kind, Facts)] = &[
        (Kind::MutexInit, Facts::new("mutex-init").makes()),
        (Kind::MutexDestroy, Facts::new("mutex-destroy").destroys()),
        (
            Kind::MutexLock,
            Facts::new("lock").blocked_by(BlockedBy::Object).of_lock(),
        ),
        (
            Kind::MutexLockAll,
            Facts::new("lock-all").blocked_by(BlockedBy::Objects),
        ),
        (
            Kind::MutexTrylock,
            Facts::new("trylock").of_lock().tries(Kind::MutexLock),
        ),
        (Kind::MutexUnlock, Facts::new("unlock").of_lock()),
        (Kind::MutexAbandon, Facts::new("mutex-abandon")),
        (Kind::MutexConsistent, Facts::new("mutex-consistent")),
    ];

    #[inline]
    fn effect(act: Act, view: &impl View) -> Effect {
        if act.interned.operation.kind == Kind::MutexLockAll {
            return lock_all(act.interned, act.thread, view);
        }
        let object = act.interned.object();
        let value = view.value(object);
        effect(&act.interned.operation, object, act.thread, value)
    }

    #[inline]
    fn passes(interned: &Interned, thread: ThreadId, mut value: impl FnMut(Object) -> u64) -> bool {
        match interned.operation.kind {
            Kind::MutexLockAll => lets_all_pass(interned, thread, value),
            Kind::MutexLock => lets_pass(&interned.operation, thread, value(interned.object())),
            _ => true,
        }
    }

    fn lets_pass(interned: &Interned, thread: ThreadId, value: u64) -> bool {
        interned.operation.kind != Kind::MutexLock || lets_pass(&interned.operation, thread, value)
    }

    fn holder(_: &Interned, value: u64) -> Option<ThreadId> {
        owner(value)
    }
}

pub(crate) const DESTROYED: u64 = u64::MAX;

/// The thread that holds a mutex in state `value`.
pub(crate) fn owner(value: u64) -> Option<ThreadId> {
    let holder = value as u16;
    (value != DESTROYED && holder != 0).then(|| ThreadId(holder - 1))
}

const KIND_SHIFT: u32 = 16;
const KIND_BITS: u64 = 3 << KIND_SHIFT;
/// The last owner but for the present one ended.
const IN_DOUBT: u64 = 1 << 18;
/// The mark of a mutex that was unlocked in doubt.
const LOST: u64 = 1 << 19;
/// What stays while nobody holds it.
const LASTING: u64 = KIND_BITS | IN_DOUBT | LOST;

/// The kind of a mutex in state `value`, if the operation on it says `published`.
fn kind(value: u64, published: u64) -> u64 {
    match (value & KIND_BITS) >> KIND_SHIFT {
        0 => published,
        told => told - 1,
    }
}

/// The state of a free mutex of this kind.
pub(crate) fn free(kind: u64) -> u64 {
    (kind + 1) << KIND_SHIFT
}

/// True if a mutex is held by the same thread as often in two states, or free in both.
pub(crate) fn is_held_alike(a: u64, b: u64) -> bool {
    // The kind comes from the first use.
    a != DESTROYED && b != DESTROYED && a & !KIND_BITS == b & !KIND_BITS
}

fn is_free(value: u64) -> bool {
    value & !LASTING == 0
}

/// A mutex's value after one lock more, by a thread that may have it.
fn locked(value: u64, thread: ThreadId) -> u64 {
    let count = value >> 32;
    (count + 1) << 32 | (value & LASTING) | (u64::from(thread.0) + 1)
}

/// A mutex's value after one lock less.
pub(crate) fn unlocked(value: u64) -> u64 {
    match value >> 32 {
        0 | 1 if value & IN_DOUBT != 0 => value & KIND_BITS | LOST,
        0 | 1 => value & KIND_BITS,
        _ => value - (1 << 32),
    }
}

/// True if a lock (or the second half of a wait) need not wait.
pub(crate) fn lets_pass(op: &Operation, thread: ThreadId, value: u64) -> bool {
    let own = owner(value) == Some(thread);
    match kind(value, op.mutex_kind()) {
        _ if is_free(value) || value == DESTROYED => true,
        mutex_kind::RECURSIVE | mutex_kind::ERRORCHECK => own,
        _ => false,
    }
}

/// A lock of the mutex in this place among those of a `MutexLockAll`.
fn one_of(op: &Operation, place: usize) -> Operation {
    Operation {
        kind: Kind::MutexLock,
        argument: Argument::mutex(op.mutex_kind_of(place)),
        ..*op
    }
}

/// True if a lock of several need not wait.
pub(crate) fn lets_all_pass(
    interned: &Interned,
    thread: ThreadId,
    mut value: impl FnMut(Object) -> u64,
) -> bool {
    let mut mutexes = interned.objects.iter().enumerate();
    mutexes
        .all(|(place, &mutex)| lets_pass(&one_of(&interned.operation, place), thread, value(mutex)))
}

/// The first mutex for which a lock of several has to wait.
pub(crate) fn first_held(
    interned: &Interned,
    thread: ThreadId,
    mut value: impl FnMut(Object) -> u64,
) -> Option<Object> {
    let mutexes = interned.objects.iter().enumerate();
    let mut held = mutexes.filter(|&(place, &mutex)| {
        !lets_pass(&one_of(&interned.operation, place), thread, value(mutex))
    });
    held.next().map(|(_, &mutex)| mutex)
}

/// A lock of several, if it is enabled: each of them is locked.
pub(crate) fn lock_all(interned: &Interned, thread: ThreadId, view: &impl View) -> Effect {
    let mut all = Effect::none();
    for (place, &mutex) in interned.objects.iter().enumerate() {
        let one = one_of(&interned.operation, place);
        let locked = effect(&one, mutex, thread, view.value(mutex));
        if locked.misuse.is_some() {
            return locked;
        }
        all.footprint.extend(locked.footprint);
    }
    all
}

/// The states of the mutexes of a lock of several, in order: now, and after it.
pub(crate) fn values_of_all<'a>(
    interned: &'a Interned,
    thread: ThreadId,
    view: &'a impl View,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let mutexes = interned.objects.iter().enumerate();
    mutexes.map(move |(place, &mutex)| {
        let value = view.value(mutex);
        let one = one_of(&interned.operation, place);
        (value, effect(&one, mutex, thread, value).after[0])
    })
}

/// Operations on `object`, a mutex in state `value`; locks only if they are enabled.
pub(crate) fn effect(op: &Operation, object: Object, thread: ThreadId, value: u64) -> Effect {
    let own = owner(value) == Some(thread);
    let kind = kind(value, op.mutex_kind());
    let write = |after| Effect::on(object, Class::WRITE, after);
    // What nearly all of them are.
    match op.kind {
        Kind::MutexLock if is_free(value) && value & (IN_DOUBT | LOST) == 0 => {
            return write(locked(value, thread))
        }
        Kind::MutexUnlock if own && value & IN_DOUBT == 0 => return write(unlocked(value)),
        _ => {}
    }
    let lock = || Effect {
        result: if value & IN_DOUBT != 0 && !own {
            EOWNERDEAD
        } else {
            OK
        },
        ..write(locked(value, thread))
    };
    match op.kind {
        Kind::MutexInit if op.detail == Detail::Remade && value != DESTROYED => {
            Effect::read(object, value, EBUSY)
        }
        Kind::MutexInit | Kind::MutexDestroy if owner(value).is_some() => {
            Effect::misuse(MisuseKind::DestroyedInUse)
        }
        Kind::MutexInit => write(free(op.mutex_kind())),
        _ if value == DESTROYED => Effect::misuse(MisuseKind::UseAfterDestroy),
        Kind::MutexDestroy => write(DESTROYED),
        Kind::MutexLock if own && kind == mutex_kind::ERRORCHECK => {
            Effect::read(object, value, EDEADLK)
        }
        Kind::MutexLock | Kind::MutexTrylock | Kind::CondReacquire if value & LOST != 0 => {
            Effect::read(object, value, ENOTRECOVERABLE)
        }
        Kind::MutexLock | Kind::CondReacquire => lock(),
        Kind::MutexTrylock if is_free(value) || (own && kind == mutex_kind::RECURSIVE) => lock(),
        Kind::MutexTrylock
            if own && kind == mutex_kind::ERRORCHECK && op.detail == Detail::Locks =>
        {
            Effect::read(object, value, EDEADLK)
        }
        Kind::MutexTrylock => Effect::read(object, value, EBUSY),
        Kind::MutexUnlock if own => write(unlocked(value)),
        Kind::MutexUnlock => not_owner(op, object, value),
        Kind::MutexAbandon if own => write(value & KIND_BITS | IN_DOUBT),
        Kind::MutexAbandon => Effect::read(object, value, OK),
        Kind::MutexConsistent if own && value & IN_DOUBT != 0 => write(value & !IN_DOUBT),
        Kind::MutexConsistent => Effect::read(object, value, EINVAL),
        _ => unreachable!("not an operation on a mutex: {op:?}"),
    }
}

/// Unlock or wait by a thread that does not hold the mutex. POSIX: EPERM if the mutex checks,
/// otherwise undefined.
pub(crate) fn not_owner(op: &Operation, object: Object, value: u64) -> Effect {
    match kind(value, op.mutex_kind()) {
        mutex_kind::NORMAL => Effect::misuse(MisuseKind::UnlockNotOwner),
        _ => Effect::read(object, value, EPERM),
    }
}
