//! `pthread_rwlock_*`.
//!
//! As with mutexes the lock's memory stays as its initializer left it: the preference is read from it,
//! and everything else is in the object model. A lock that prefers writers
//! (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`) lets no reader pass while a writer waits, so that a
//! writer says that it waits, which is an event. `PTHREAD_RWLOCK_PREFER_WRITER_NP` prefers readers, as
//! in glibc.
//!
//! For the race detector readers are ordered after writers and before them, and not with each other:
//! the lock is two objects, one that writers publish through and one that readers do.
//!
//! Source: POSIX.1-2017; glibc's `pthread_rwlockattr_setkind_np(3)`.

use super::timed::{Deadline, Patience};
use super::{
    destroyed, happens_before, live_objects, locks_at_root, memory, misuse_before_root,
    trylock_loops, valid,
};
use crate::engine::{self, early, object};
use ::libc::{clockid_t, pthread_rwlock_t, pthread_rwlockattr_t, timespec, CLOCK_REALTIME, EBUSY};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use dpor_model::{Argument, Kind, Operation, TIMEOUT};

crate::hooks::clean_entry::clean_entries! {
    pthread_rwlock_init, pthread_rwlock_destroy, pthread_rwlock_unlock, pthread_rwlock_rdlock, pthread_rwlock_wrlock,
    pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock,
    pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock
}

/// Place where glibc keeps the preference in a `pthread_rwlock_t`, in bytes, and the value that
/// prefers writers.
const KIND_OFFSET: usize = 48;
const PREFER_WRITERS: u32 = 2;
/// Place where glibc keeps the thread that writes, in bytes; the runtime, too, in a form of its
/// own.
const WRITER_OFFSET: usize = 24;
const WRITER: u32 = 1 << 30;
/// Bytes that glibc does not use, and our mark in them.
const MARK_OFFSET: usize = 40;
const DESTROYED: u64 = u64::from_le_bytes(*b"dpordest");

/// The way in which a call locks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Read,
    Write,
}

fn mark(rwlock: *mut pthread_rwlock_t) -> *mut u64 {
    rwlock.wrapping_byte_add(MARK_OFFSET).cast()
}

fn writer(rwlock: *mut pthread_rwlock_t) -> *mut u32 {
    rwlock.wrapping_byte_add(WRITER_OFFSET).cast()
}

/// Returns what the word of the writer holds while the running thread writes.
fn own() -> u32 {
    WRITER | u32::from(engine::thread().0)
}

/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn prefers_writers(rwlock: *mut pthread_rwlock_t) -> bool {
    // SAFETY: the word lies inside of the lock, which exists, as this function's caller guarantees.
    let kind = unsafe { rwlock.byte_add(KIND_OFFSET).cast::<u32>().read() };
    kind == PREFER_WRITERS
}

fn operation(what: Kind, rwlock: *mut pthread_rwlock_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::rwlock(rwlock as usize);
    operation
}

/// Returns the operation `what` on a lock that exists.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn use_of(what: Kind, rwlock: *mut pthread_rwlock_t) -> Operation {
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for the
    // whole call.
    if !unsafe { valid::is_rwlock(rwlock) } {
        valid::tell(object::rwlock(rwlock as usize));
    }
    let operation = operation(what, rwlock);
    // SAFETY: the word lies inside of the lock, which exists, as this function's caller guarantees.
    if unsafe { mark(rwlock).read() } != DESTROYED {
        destroyed::made_anew(Operation {
            kind: Kind::RwlockInit,
            ..operation
        });
    }
    operation
}

/// Judges a call before the root. `must`: whether its caller must hold the lock, or must not.
unsafe fn judge_before_root(rwlock: *mut pthread_rwlock_t, must: Option<bool>) {
    misuse_before_root::explore_if(|| {
        let object = object::rwlock(rwlock as usize);
        // SAFETY: `rwlock` points to a lock, as this function's caller guarantees; the mark lies
        // inside of it.
        if unsafe { !valid::is_rwlock(rwlock) || mark(rwlock).read() == DESTROYED } {
            return true;
        }
        destroyed::was_made_anew(object);
        must.is_some_and(|must| misuse_before_root::is_held_wrongly(object, must))
    });
}

/// `pthread_rwlock_init`: an event on the lock, after which its memory is what libc's function
/// makes of one.
///
/// # Safety
/// `rwlock` is writable for a `pthread_rwlock_t`; `attributes` is null or points to initialized
/// attributes.
pub unsafe extern "C" fn pthread_rwlock_init(
    rwlock: *mut pthread_rwlock_t,
    attributes: *const pthread_rwlockattr_t,
) -> c_int {
    let init =
        real!(pthread_rwlock_init: fn(*mut pthread_rwlock_t, *const pthread_rwlockattr_t) -> c_int);
    let object = object::rwlock(rwlock as usize);
    if !engine::active() {
        // SAFETY: the pointers are the program's arguments, valid until its call returns.
        let result = unsafe { init(rwlock, attributes) };
        if result == 0 && engine::before_root() {
            destroyed::forget(object);
            live_objects::began(object);
        }
        return result;
    }
    let mut made = MaybeUninit::<pthread_rwlock_t>::zeroed();
    // SAFETY: `made` is a local, writable for a lock; the attributes are the program's, as this
    // function's caller guarantees.
    let error = unsafe { init(made.as_mut_ptr(), attributes) };
    if error != 0 {
        return error;
    }
    let event = operation(Kind::RwlockInit, rwlock);
    let decision = memory::perform(event);
    if decision.result == 0 {
        // SAFETY: `rwlock` is writable for a lock, as this function's caller guarantees; a glibc
        // lock holds no pointer to itself.
        unsafe { rwlock.write(made.assume_init()) };
        happens_before::made_shared(object);
        destroyed::forget(object);
        live_objects::began(object);
    }
    decision.result
}

/// `pthread_rwlock_destroy`: an event on the lock, which leaves a mark in its memory.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
pub unsafe extern "C" fn pthread_rwlock_destroy(rwlock: *mut pthread_rwlock_t) -> c_int {
    // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it lasts.
    unsafe { judge_before_root(rwlock, Some(false)) };
    let result = match engine::active() {
        // SAFETY: `rwlock` is the program's argument, a lock as long as its call lasts.
        true => memory::perform(unsafe { use_of(Kind::RwlockDestroy, rwlock) }).result,
        false => {
            let destroy = real!(pthread_rwlock_destroy: fn(*mut pthread_rwlock_t) -> c_int);
            // SAFETY: libc's function gets the program's lock as it came, and asks no more of it
            // than this one.
            unsafe { destroy(rwlock) }
        }
    };
    if result == 0 && (engine::active() || engine::before_root()) {
        // SAFETY: the mark lies inside the program's lock, which was destroyed just now: nobody
        // else may use its memory yet.
        unsafe { mark(rwlock).write(DESTROYED) };
        destroyed::note(object::rwlock(rwlock as usize));
        live_objects::ended(object::rwlock(rwlock as usize));
    }
    result
}

/// Notes what a call that returned `result` locked.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn locked(rwlock: *mut pthread_rwlock_t, lock: Lock, result: c_int, waits: bool) -> c_int {
    match lock {
        _ if result != 0 => {}
        Lock::Read => happens_before::lock_at_once(object::rwlock(rwlock as usize)),
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for
        // the whole call.
        Lock::Write => unsafe { begins_to_write(rwlock, waits) },
    }
    result
}

/// Notes that the running thread holds the lock for writing, for which it may have waited.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
pub(super) unsafe fn begins_to_write(rwlock: *mut pthread_rwlock_t, waits: bool) {
    // SAFETY: the word lies inside of the lock, which exists, as this function's caller guarantees.
    unsafe { writer(rwlock).write(own()) };
    let object = object::rwlock(rwlock as usize);
    happens_before::after_readers(object);
    match waits {
        true => happens_before::lock(object),
        false => happens_before::lock_at_once(object),
    }
}

/// Locks under exploration, with a deadline if there is one.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn acquire(rwlock: *mut pthread_rwlock_t, lock: Lock, deadline: Option<Deadline>) -> c_int {
    let patience = deadline.map(Deadline::patience);
    if patience == Some(Patience::Any) {
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for
        // the whole call.
        let result = unsafe { attempt(rwlock, lock) };
        return match deadline {
            Some(deadline) if result == EBUSY => deadline.reached(),
            _ => result,
        };
    }
    let is_early = deadline.is_some() && early::is_possible();
    if is_early {
        let tries = match lock {
            Lock::Read => Kind::RwlockTryread,
            Lock::Write => Kind::RwlockTrywrite,
        };
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for
        // the whole call.
        let result = unsafe { memory::perform(use_of(tries, rwlock)).result };
        if result != EBUSY {
            // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as above.
            return unsafe { locked(rwlock, lock, result, false) };
        }
    }
    let what = match lock {
        Lock::Read => Kind::RwlockRead,
        Lock::Write => Kind::RwlockWrite,
    };
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for the
    // whole call.
    let mut wait = unsafe { use_of(what, rwlock) };
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`; the preference is a word inside of it.
    if lock == Lock::Write && unsafe { prefers_writers(rwlock) } {
        // That it waits is an event that a turn does not take back (`dpor_explorer`'s parked.rs).
        engine::forget_turn();
        memory::perform(Operation {
            kind: Kind::RwlockAnnounce,
            ..wait
        });
        wait.argument = Argument::ANNOUNCED;
    }
    if let Some(deadline) = deadline.filter(|_| is_early && early::happens()) {
        retract(wait);
        return deadline.reached();
    }
    wait.timed = deadline.is_some();
    if !wait.timed {
        wait = engine::first_of_turn(wait);
    }
    let decision = memory::perform_within(wait, || retract(wait));
    match deadline {
        Some(deadline) if decision.alternative == TIMEOUT => deadline.reached(),
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as above.
        _ => unsafe { locked(rwlock, lock, decision.result, true) },
    }
}

/// Takes back that the running thread waits with this operation, which it did.
fn retract(wait: Operation) -> bool {
    if wait.is_announced() {
        memory::perform(Operation {
            kind: Kind::RwlockRetract,
            timed: false,
            ..wait
        });
    }
    true
}

/// Tries to lock under exploration.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn attempt(rwlock: *mut pthread_rwlock_t, lock: Lock) -> c_int {
    let tries = match lock {
        Lock::Read => Kind::RwlockTryread,
        Lock::Write => Kind::RwlockTrywrite,
    };
    let what = trylock_loops::or_waits(tries);
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for the
    // whole call.
    unsafe {
        let result = memory::perform(engine::first_of_turn(use_of(what, rwlock))).result;
        locked(rwlock, lock, trylock_loops::result(result), what != tries)
    }
}

/// Locks, before the root, with libc's function that tries. `None`: this would block for ever, so
/// the exploration began here, and the model will report it.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
unsafe fn lock_before_root(rwlock: *mut pthread_rwlock_t, lock: Lock) -> Option<c_int> {
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for the
    // whole call.
    unsafe { judge_before_root(rwlock, None) };
    if engine::active() {
        return None;
    }
    // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for the
    // whole call.
    let result = unsafe {
        match lock {
            Lock::Read => pthread_rwlock_tryrdlock(rwlock),
            Lock::Write => pthread_rwlock_trywrlock(rwlock),
        }
    };
    if result != EBUSY {
        return Some(result);
    }
    engine::begin();
    None
}

macro_rules! locks {
    ($($name:ident $lock:expr;)*) => {$(
        /// Locks for reading or for writing, and waits as long as that takes.
        ///
        /// # Safety
        /// `rwlock` points to a `pthread_rwlock_t`.
        pub unsafe extern "C" fn $name(rwlock: *mut pthread_rwlock_t) -> c_int {
            if engine::before_root() {
                // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it
                // lasts.
                if let Some(result) = unsafe { lock_before_root(rwlock, $lock) } {
                    return result;
                }
            }
            if !engine::active() {
                let native = real!($name: fn(*mut pthread_rwlock_t) -> c_int);
                // SAFETY: libc's function gets the program's lock as it came, and asks no more of
                // it than this one.
                return unsafe { native(rwlock) };
            }
            // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it lasts.
            unsafe { acquire(rwlock, $lock, None) }
        }
    )*};
}

locks! {
    pthread_rwlock_rdlock Lock::Read;
    pthread_rwlock_wrlock Lock::Write;
}

macro_rules! attempts {
    ($($name:ident $lock:expr, $held:expr;)*) => {$(
        /// Locks for reading or for writing if that is possible at once.
        ///
        /// # Safety
        /// `rwlock` points to a `pthread_rwlock_t`.
        pub unsafe extern "C" fn $name(rwlock: *mut pthread_rwlock_t) -> c_int {
            // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it lasts.
            unsafe { judge_before_root(rwlock, None) };
            if engine::active() {
                // SAFETY: `rwlock` is the program's argument, a lock as long as its call lasts.
                return unsafe { attempt(rwlock, $lock) };
            }
            let native = real!($name: fn(*mut pthread_rwlock_t) -> c_int);
            // SAFETY: libc's function gets the program's lock as it came, and asks no more of it
            // than this one.
            let result = unsafe { native(rwlock) };
            if result == 0 && engine::before_root() {
                locks_at_root::add(object::rwlock(rwlock as usize), $held);
            }
            result
        }
    )*};
}

attempts! {
    pthread_rwlock_tryrdlock Lock::Read, locks_at_root::READ;
    pthread_rwlock_trywrlock Lock::Write, locks_at_root::WRITE;
}

/// # Safety
/// `rwlock` points to a lock, `until` to a time.
unsafe fn lock_until(
    rwlock: *mut pthread_rwlock_t,
    lock: Lock,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    if engine::before_root() {
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees for
        // the whole call.
        if let Some(result) = unsafe { lock_before_root(rwlock, lock) } {
            return result;
        }
    }
    // SAFETY: `until` points to a time, as this function's caller guarantees.
    match unsafe { Deadline::new(clock, until) } {
        // SAFETY: `rwlock` points to a `pthread_rwlock_t`, as this function's caller guarantees.
        Ok(deadline) => unsafe { acquire(rwlock, lock, Some(deadline)) },
        Err(error) => error,
    }
}

macro_rules! timed_locks {
    ($($timed:ident $clocked:ident $lock:expr;)*) => {$(
        /// Locks for reading or for writing, or gives up at the time `until` of `CLOCK_REALTIME`.
        ///
        /// # Safety
        /// `rwlock` points to a `pthread_rwlock_t`, `until` to a time.
        pub unsafe extern "C" fn $timed(
            rwlock: *mut pthread_rwlock_t,
            until: *const timespec,
        ) -> c_int {
            if !engine::active() && !engine::before_root() {
                let native = real!($timed: fn(*mut pthread_rwlock_t, *const timespec) -> c_int);
                // SAFETY: the pointers are the program's arguments, valid until its call returns.
                return unsafe { native(rwlock, until) };
            }
            // SAFETY: the pointers are the program's arguments, valid until its call returns.
            unsafe { lock_until(rwlock, $lock, CLOCK_REALTIME, until) }
        }

        /// Locks for reading or for writing, or gives up at the time `until` of `clock`.
        ///
        /// # Safety
        /// `rwlock` points to a `pthread_rwlock_t`, `until` to a time.
        pub unsafe extern "C" fn $clocked(
            rwlock: *mut pthread_rwlock_t,
            clock: clockid_t,
            until: *const timespec,
        ) -> c_int {
            if !engine::active() && !engine::before_root() {
                let native =
                    real!($clocked: fn(*mut pthread_rwlock_t, clockid_t, *const timespec) -> c_int);
                // SAFETY: the pointers are the program's arguments, valid until its call returns.
                return unsafe { native(rwlock, clock, until) };
            }
            // SAFETY: the pointers are the program's arguments, valid until its call returns.
            unsafe { lock_until(rwlock, $lock, clock, until) }
        }
    )*};
}

timed_locks! {
    pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock Lock::Read;
    pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock Lock::Write;
}

/// `pthread_rwlock_unlock`: an event that gives back the running thread's lock, for reading or for
/// writing.
///
/// # Safety
/// `rwlock` points to a `pthread_rwlock_t`.
pub unsafe extern "C" fn pthread_rwlock_unlock(rwlock: *mut pthread_rwlock_t) -> c_int {
    let object = object::rwlock(rwlock as usize);
    // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it lasts.
    unsafe { judge_before_root(rwlock, Some(true)) };
    if engine::active() {
        // SAFETY: `rwlock` is the program's argument, a lock as long as the call on it lasts; the
        // writer's word lies inside of it.
        unsafe {
            let unlock = engine::first_of_turn(use_of(Kind::RwlockUnlock, rwlock));
            let result = memory::perform(unlock).result;
            match writer(rwlock).read() == own() {
                _ if result != 0 => {}
                true => {
                    writer(rwlock).write(0);
                    happens_before::unlock(object);
                }
                false => happens_before::unlock_shared(object),
            }
            return result;
        }
    }
    let unlock = real!(pthread_rwlock_unlock: fn(*mut pthread_rwlock_t) -> c_int);
    // SAFETY: libc's function gets the program's lock as it came, and asks no more of it than this
    // one.
    let result = unsafe { unlock(rwlock) };
    if result == 0 && engine::before_root() {
        locks_at_root::remove(object);
    }
    result
}
