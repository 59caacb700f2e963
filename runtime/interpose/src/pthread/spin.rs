//! `pthread_spin_*`: to the object model, mutexes.
//!
//! A thread that would spin is not enabled. The word stays free while the program is explored.
//!
//! Source: POSIX.1-2017, `pthread_spin_lock`.

use super::{
    happens_before, live_objects, locks_at_root, memory, misuse_before_root, objects_at_root,
    trylock_loops,
};
use crate::engine::{self, object};
use ::libc::{pthread_spinlock_t, EBUSY};
use core::ffi::c_int;
use dpor_model::{mutex_kind, Argument, Kind, Operation};

crate::hooks::clean_entry::clean_entries! {
    pthread_spin_init, pthread_spin_destroy, pthread_spin_lock, pthread_spin_trylock, pthread_spin_unlock
}

fn operation(what: Kind, lock: *mut pthread_spinlock_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::spin(lock as usize);
    operation.argument = Argument::mutex(mutex_kind::NORMAL);
    operation
}

/// Judges a call before the root. `must`: whether its caller must hold the lock, or must not.
fn judge_before_root(lock: *mut pthread_spinlock_t, must: Option<bool>) {
    misuse_before_root::explore_if(|| {
        let object = object::spin(lock as usize);
        let is_held_wrongly = |must| misuse_before_root::is_held_wrongly(object, must);
        objects_at_root::is_destroyed(object) || must.is_some_and(is_held_wrongly)
    });
}

/// `pthread_spin_init`: an event on the lock.
///
/// # Safety
/// `lock` is writable for a `pthread_spinlock_t`.
pub unsafe extern "C" fn pthread_spin_init(lock: *mut pthread_spinlock_t, shared: c_int) -> c_int {
    if engine::active() {
        let event = operation(Kind::MutexInit, lock);
        let result = memory::perform(event).result;
        if result != 0 {
            return result;
        }
        happens_before::made(event.object);
    }
    let init = real!(pthread_spin_init: fn(*mut pthread_spinlock_t, c_int) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came; it only writes the word.
    let result = unsafe { init(lock, shared) };
    if engine::before_root() {
        objects_at_root::forget(|other| other == object::spin(lock as usize));
    }
    if engine::before_root() || engine::active() {
        live_objects::began(object::spin(lock as usize));
    }
    result
}

/// `pthread_spin_destroy`: an event on the lock.
///
/// # Safety
/// `lock` points to a `pthread_spinlock_t`.
pub unsafe extern "C" fn pthread_spin_destroy(lock: *mut pthread_spinlock_t) -> c_int {
    judge_before_root(lock, Some(false));
    let object = object::spin(lock as usize);
    if engine::active() {
        let result = memory::perform(operation(Kind::MutexDestroy, lock)).result;
        if result == 0 {
            live_objects::ended(object);
        }
        return result;
    }
    if engine::before_root() {
        objects_at_root::destroyed(object);
        live_objects::ended(object);
    }
    let destroy = real!(pthread_spin_destroy: fn(*mut pthread_spinlock_t) -> c_int);
    // SAFETY: libc's function gets the program's lock as it came, and asks no more of it than this
    // one.
    unsafe { destroy(lock) }
}

fn acquire(what: Kind, lock: *mut pthread_spinlock_t) -> c_int {
    let event = engine::first_of_turn(operation(what, lock));
    let result = memory::perform(event).result;
    match what {
        _ if result != 0 => {}
        Kind::MutexTrylock => happens_before::lock_at_once(event.object),
        _ => happens_before::lock(event.object),
    }
    result
}

/// `pthread_spin_lock`: an event that waits until the lock is free.
///
/// # Safety
/// `lock` points to a `pthread_spinlock_t`.
pub unsafe extern "C" fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int {
    if engine::before_root() {
        judge_before_root(lock, None);
        // SAFETY: `lock` is the program's argument, a lock as long as the call on it lasts.
        if engine::before_root() && unsafe { pthread_spin_trylock(lock) } == 0 {
            return 0;
        }
        // The only thread would spin for ever: the model reports the deadlock.
        engine::begin();
    }
    if engine::active() {
        return acquire(Kind::MutexLock, lock);
    }
    let native = real!(pthread_spin_lock: fn(*mut pthread_spinlock_t) -> c_int);
    // SAFETY: libc's function gets the program's lock as it came, and asks no more of it than this
    // one.
    unsafe { native(lock) }
}

/// `pthread_spin_trylock`: an event that takes the lock if it is free.
///
/// # Safety
/// `lock` points to a `pthread_spinlock_t`.
pub unsafe extern "C" fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int {
    judge_before_root(lock, None);
    let object = object::spin(lock as usize);
    if engine::active() {
        return trylock_loops::result(acquire(trylock_loops::or_waits(Kind::MutexTrylock), lock));
    }
    if engine::before_root() {
        if locks_at_root::contains(object) {
            return EBUSY;
        }
        // The word stays free.
        locks_at_root::add(object, mutex_kind::NORMAL);
        return 0;
    }
    let native = real!(pthread_spin_trylock: fn(*mut pthread_spinlock_t) -> c_int);
    // SAFETY: libc's function gets the program's lock as it came, and asks no more of it than this
    // one.
    unsafe { native(lock) }
}

/// `pthread_spin_unlock`: an event that gives the lock back.
///
/// # Safety
/// `lock` points to a `pthread_spinlock_t`.
pub unsafe extern "C" fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int {
    judge_before_root(lock, Some(true));
    let event = operation(Kind::MutexUnlock, lock);
    if engine::active() {
        let result = memory::perform(engine::first_of_turn(event)).result;
        if result == 0 {
            happens_before::unlock(event.object);
        }
        return result;
    }
    if engine::before_root() {
        locks_at_root::remove(event.object);
        return 0;
    }
    let native = real!(pthread_spin_unlock: fn(*mut pthread_spinlock_t) -> c_int);
    // SAFETY: libc's function gets the program's lock as it came, and asks no more of it than this
    // one.
    unsafe { native(lock) }
}
