//! `pthread_mutex_*`.
//!
//! The kind of a mutex is read from its memory, so static initializers work. Everything else about
//! it is in the object model: lock, trylock and unlock touch no memory while the program is explored.
//!
//! Deviations:
//! 1. Priorities change no set of interleavings: mutexes that inherit or protect them are ordinary ones.
//! 2. A ceiling below the caller's priority is not an error.

mod kind;
mod lifetime;
mod operation;
mod owner;

use super::timed::{Deadline, Patience};
use super::{locks_at_root, memory, trylock_loops, uninitialized_mutexes, unwinder_locks, valid};
use crate::cxx::lock_all;
use crate::engine::{self, early, object};
use ::libc::{clockid_t, pthread_mutex_t, timespec, CLOCK_REALTIME, EBUSY};
use core::ffi::c_int;
use dpor_model::{mutex_kind, Argument, Detail, Kind, Operation};
pub(super) use kind::{check, kind};
use kind::{kind_word, DESTROYED, PROTECT, ROBUST, TYPE_MASK};
pub use lifetime::{pthread_mutex_destroy, pthread_mutex_init};
use operation::{judge_before_root, use_of};
pub(super) use owner::{abandon_robust, locked, unlocked};

crate::hooks::clean_entry::clean_entries! {
    pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_unlock, pthread_mutex_timedlock, pthread_mutex_clocklock, pthread_mutex_consistent, pthread_mutex_setprioceiling
}

/// `pthread_mutex_lock`: an event that waits until the mutex is free.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { uninitialized_mutexes::look(mutex) };
    if engine::before_root() {
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        if let Some(result) = unsafe { lock_before_root(mutex) } {
            return result;
        }
    }
    if !engine::active() {
        let lock = real!(pthread_mutex_lock: fn(*mut pthread_mutex_t) -> c_int);
        // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than
        // this one.
        return unsafe { lock(mutex) };
    }
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { acquire(Kind::MutexLock, mutex) }
}

/// Locks as the only thread. `None`: this would block for ever, so the exploration began here, and
/// the model will report it.
unsafe fn lock_before_root(mutex: *mut pthread_mutex_t) -> Option<c_int> {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { judge_before_root(mutex, None) };
    if engine::active() {
        return None;
    }
    // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on it.
    let result = unsafe { pthread_mutex_trylock(mutex) };
    if result != EBUSY {
        return Some(result);
    }
    // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on it.
    if unsafe { kind(mutex) } == mutex_kind::ERRORCHECK {
        return Some(::libc::EDEADLK);
    }
    engine::begin();
    None
}

/// `pthread_mutex_trylock`: an event that never waits, unless the call is the only thing a loop
/// does.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe {
        uninitialized_mutexes::look(mutex);
        judge_before_root(mutex, None);
    }
    if engine::active() {
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        return match trylock_loops::or_waits(Kind::MutexTrylock) {
            // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on
            // it.
            Kind::MutexLock => trylock_loops::result(unsafe { acquire(Kind::MutexLock, mutex) }),
            // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on
            // it.
            tries => unsafe { acquire(tries, mutex) },
        };
    }
    let trylock = real!(pthread_mutex_trylock: fn(*mut pthread_mutex_t) -> c_int);
    // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than this
    // one.
    let result = unsafe { trylock(mutex) };
    // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on it.
    unsafe { record_if_locked(mutex, result) }
}

unsafe fn acquire(what: Kind, mutex: *mut pthread_mutex_t) -> c_int {
    if unwinder_locks::contains(mutex as usize) || lock_all::is_granted(mutex as usize) {
        return 0;
    }
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe {
        let operation = engine::first_of_turn(use_of(what, mutex));
        match what {
            Kind::MutexLock => locked(mutex, memory::perform_lock(operation).result, true),
            _ => {
                lock_all::tries(operation.object);
                let result = memory::perform(operation).result;
                if result == EBUSY {
                    lock_all::failed(mutex as usize);
                }
                locked(mutex, result, false)
            }
        }
    }
}

/// Returns the operation that locks several mutexes at once. `None`: one of them is not normal or
/// recursive, or is robust, or is none of the program's.
///
/// # Safety
/// `mutexes`, at most [`MAX`](dpor_model::several::MAX), are the addresses of mutexes.
pub(crate) unsafe fn together(mutexes: &[usize]) -> Option<Operation> {
    let pointer = |address: usize| core::ptr::with_exposed_provenance_mut(address);
    for &address in mutexes {
        // SAFETY: `mutex` points to a mutex, as this function's caller guarantees for the whole
        // call.
        let word = unsafe { kind_word(pointer(address)).read() };
        let is_known = word == DESTROYED || valid::is_mutex_kind(word);
        let checks = word & TYPE_MASK == ::libc::PTHREAD_MUTEX_ERRORCHECK;
        let is_plain = word == DESTROYED || word & ROBUST == 0 && !checks;
        if !is_known || !is_plain || unwinder_locks::contains(address) {
            return None;
        }
    }
    // SAFETY: as for the loop above: each of `mutexes` is the address of a mutex.
    let all = mutexes.iter().map(|&m| unsafe {
        uninitialized_mutexes::look(pointer(m));
        use_of(Kind::MutexLock, pointer(m))
    });
    let kinds = Argument::mutexes(all.map(|operation| operation.mutex_kind()));
    Some(Operation {
        object: object::mutex(mutexes[0]),
        argument: kinds,
        ..engine::operation(Kind::MutexLockAll)
    })
}

/// Remembers a lock taken by libc's function before the root; returns `result`.
unsafe fn record_if_locked(mutex: *mut pthread_mutex_t, result: c_int) -> c_int {
    if result == 0 && engine::before_root() {
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        locks_at_root::add(object::mutex(mutex as usize), unsafe { kind(mutex) });
    }
    result
}

/// `pthread_mutex_unlock`: an event that gives the mutex back.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { judge_before_root(mutex, Some(true)) };
    if engine::active() {
        if unwinder_locks::contains(mutex as usize) {
            return 0;
        }
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        let result = memory::perform(engine::first_of_turn(unsafe {
            use_of(Kind::MutexUnlock, mutex)
        }))
        .result;
        if result == 0 {
            // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on
            // it.
            unsafe { unlocked(mutex) };
        }
        return result;
    }
    let unlock = real!(pthread_mutex_unlock: fn(*mut pthread_mutex_t) -> c_int);
    // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than this
    // one.
    let result = unsafe { unlock(mutex) };
    if result == 0 && engine::before_root() {
        locks_at_root::remove(object::mutex(mutex as usize));
    }
    result
}

/// # Safety
/// `mutex` points to a mutex, `until` to a time.
unsafe fn lock_until(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: `mutex` points to a mutex, as this function's caller guarantees for the whole call.
    unsafe { uninitialized_mutexes::look(mutex) };
    if engine::before_root() {
        // SAFETY: `mutex` points to a mutex, as this function's caller guarantees for the whole
        // call.
        if let Some(result) = unsafe { lock_before_root(mutex) } {
            return result;
        }
    }
    if unwinder_locks::contains(mutex as usize) {
        return 0;
    }
    // SAFETY: `until` points to a time that the program leaves alone during its call.
    let deadline = match unsafe { Deadline::new(clock, until) } {
        Ok(deadline) => deadline,
        Err(error) => return error,
    };
    if deadline.patience() == Patience::Any || early::is_possible() {
        lock_all::tries(object::mutex(mutex as usize));
    }
    // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on it.
    let (wait, attempt) = unsafe {
        let wait = use_of(Kind::MutexLock, mutex);
        (
            wait,
            Operation {
                kind: Kind::MutexTrylock,
                detail: Detail::Locks,
                ..wait
            },
        )
    };
    // SAFETY: `mutex` is the program's mutex, which exists at least as long as this call on it.
    unsafe { locked(mutex, deadline.perform(wait, attempt, EBUSY), true) }
}

/// `pthread_mutex_timedlock`: locks the mutex, or gives up at the time `until` of `CLOCK_REALTIME`.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`, `until` to a time.
pub unsafe extern "C" fn pthread_mutex_timedlock(
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    if engine::active() || engine::before_root() {
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { lock_until(mutex, CLOCK_REALTIME, until) };
    }
    let lock = real!(pthread_mutex_timedlock: fn(*mut pthread_mutex_t, *const timespec) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came, and asks no more of them
    // than this one.
    unsafe { lock(mutex, until) }
}

/// `pthread_mutex_clocklock`: locks the mutex, or gives up at the time `until` of `clock`.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`, `until` to a time.
pub unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    if engine::active() || engine::before_root() {
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { lock_until(mutex, clock, until) };
    }
    let lock = real!(pthread_mutex_clocklock:
        fn(*mut pthread_mutex_t, clockid_t, *const timespec) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came, and asks no more of them
    // than this one.
    unsafe { lock(mutex, clock, until) }
}

/// `pthread_mutex_consistent`: an event after which a robust mutex whose owner ended can be used
/// again.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
pub unsafe extern "C" fn pthread_mutex_consistent(mutex: *mut pthread_mutex_t) -> c_int {
    if engine::active() {
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        return memory::perform(unsafe { use_of(Kind::MutexConsistent, mutex) }).result;
    }
    let consistent = real!(pthread_mutex_consistent: fn(*mut pthread_mutex_t) -> c_int);
    // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than this
    // one.
    unsafe { consistent(mutex) }
}

/// Ceilings matter to the system's scheduler only; the mutex is locked for the change, as POSIX has it.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`; `old` is null or writable for an `int`.
pub unsafe extern "C" fn pthread_mutex_setprioceiling(
    mutex: *mut pthread_mutex_t,
    ceiling: c_int,
    old: *mut c_int,
) -> c_int {
    let set =
        real!(pthread_mutex_setprioceiling: fn(*mut pthread_mutex_t, c_int, *mut c_int) -> c_int);
    // SAFETY: `mutex` points to a mutex, whose kind is a word inside of it; while a program uses
    // the mutex nobody writes that word.
    let protects = unsafe { kind_word(mutex).read() } & PROTECT != 0;
    if !engine::active() || !protects {
        // SAFETY: libc's function gets the program's arguments as they came. Without a ceiling it
        // only says so.
        return unsafe { set(mutex, ceiling, old) };
    }
    // SAFETY: libc's function gets the program's arguments as they came, between a lock and an
    // unlock; the mutex's memory is that of a free one.
    unsafe {
        let result = pthread_mutex_lock(mutex);
        if result != 0 {
            return result;
        }
        let result = set(mutex, ceiling, old);
        pthread_mutex_unlock(mutex);
        result
    }
}
