//! `pthread_mutex_*`.
//!
//! The kind of a mutex is read from its memory, so static initializers work. Everything else about
//! it is in the object model: lock, trylock and unlock touch no memory while the program is explored.
//!
//! Deviations:
//! 1. Priorities change no set of interleavings: mutexes that inherit or protect them are ordinary ones.
//! 2. A ceiling below the caller's priority is not an error.

use super::timed::{Deadline, Patience};
use super::{
    destroyed, happens_before, live_objects, locks_at_root, me, memory, misuse_before_root,
    trylock_loops, uninitialized_mutexes, unwinder_locks, valid,
};
use crate::cxx::lock_all;
use crate::engine::{self, early, object};
use ::libc::{
    clockid_t, pthread_mutex_t, pthread_mutexattr_t, timespec, CLOCK_REALTIME, EBUSY, EOWNERDEAD,
};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use dpor_explorer::program::{mutex_kind, several, Detail, Kind, Operation};

/// Place where glibc keeps the kind in a `pthread_mutex_t`, in bytes.
const KIND_OFFSET: usize = 16;
/// Bits of the kind: the type; robust; priority-protected.
const TYPE_MASK: c_int = 3;
const ROBUST: c_int = 16;
const PROTECT: c_int = 64;
/// Kind that `pthread_mutex_destroy` leaves in a mutex.
const DESTROYED: c_int = -1;

fn kind_word(mutex: *mut pthread_mutex_t) -> *mut c_int {
    mutex.wrapping_byte_add(KIND_OFFSET).cast()
}

/// Returns the [`mutex_kind`] of a mutex.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`, of whatever contents.
pub(super) unsafe fn kind(mutex: *mut pthread_mutex_t) -> u64 {
    // SAFETY: inside the object, and aligned as it is.
    let word = unsafe { kind_word(mutex).read() };
    if word == DESTROYED || !valid::is_mutex_kind(word) {
        // The model knows that it is destroyed, and says so; or it never was one, and may become one.
        return mutex_kind::NORMAL;
    }
    match word & TYPE_MASK {
        ::libc::PTHREAD_MUTEX_RECURSIVE => mutex_kind::RECURSIVE,
        ::libc::PTHREAD_MUTEX_ERRORCHECK => mutex_kind::ERRORCHECK,
        // Normal, and glibc's adaptive kind, which differs in speed only.
        _ => mutex_kind::NORMAL,
    }
}

/// Returns the operation `what` on a mutex.
unsafe fn operation(what: Kind, mutex: *mut pthread_mutex_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::mutex(mutex as usize);
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    operation.argument = unsafe { kind(mutex) };
    operation
}

/// Judges a call before the root. `must`: whether its caller must hold the mutex, or must not.
unsafe fn judge_before_root(mutex: *mut pthread_mutex_t, must: Option<bool>) {
    misuse_before_root::explore_if(|| {
        let object = object::mutex(mutex as usize);
        // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
        let (kind, word) = unsafe { (kind(mutex), kind_word(mutex).read()) };
        if word == DESTROYED || !valid::is_mutex_kind(word) {
            return true;
        }
        destroyed::was_made_anew(object);
        // The other kinds say that the caller does not hold them.
        let matters = |&must: &bool| kind == mutex_kind::NORMAL || !must;
        must.filter(matters)
            .is_some_and(|must| misuse_before_root::is_held_wrongly(object, must))
    });
}

/// Tells of a mutex whose memory is none's.
///
/// # Safety
/// `mutex` points to as many bytes as one has.
pub(super) unsafe fn check(mutex: *mut pthread_mutex_t) {
    let object = object::mutex(mutex as usize);
    // SAFETY: the kind lies inside of the mutex, which exists, as this function's caller
    // guarantees.
    let is_one = match unsafe { kind_word(mutex).read() } {
        DESTROYED => destroyed::is_known(object),
        word => valid::is_mutex_kind(word),
    };
    if !is_one {
        valid::tell(object);
    }
}

/// Returns whether a mutex is robust.
///
/// # Safety
/// `mutex` points to as many bytes as a `pthread_mutex_t` has.
unsafe fn is_robust(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: the kind lies inside of the mutex, which exists, as this function's caller
    // guarantees.
    let word = unsafe { kind_word(mutex).read() };
    valid::is_mutex_kind(word) && word & ROBUST != 0
}

/// Returns the operation `what` on a mutex that exists.
unsafe fn use_of(what: Kind, mutex: *mut pthread_mutex_t) -> Operation {
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe {
        let operation = operation(what, mutex);
        check(mutex);
        if kind_word(mutex).read() != DESTROYED {
            destroyed::made_anew(Operation {
                kind: Kind::MutexInit,
                ..operation
            });
        }
        operation
    }
}

/// `pthread_mutex_init`: an event on the mutex, after which its memory is what libc's function
/// makes of one.
///
/// # Safety
/// `mutex` is writable for a `pthread_mutex_t`; `attributes` is null or points to initialized
/// attributes.
#[no_mangle]
pub unsafe extern "C" fn pthread_mutex_init(
    mutex: *mut pthread_mutex_t,
    attributes: *const pthread_mutexattr_t,
) -> c_int {
    let init =
        real!(pthread_mutex_init: fn(*mut pthread_mutex_t, *const pthread_mutexattr_t) -> c_int);
    if !engine::active() {
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        let result = unsafe { init(mutex, attributes) };
        if result == 0 && engine::before_root() {
            // SAFETY: the call of `init` just before initialized `mutex`; no other fiber ran since.
            unsafe { uninitialized_mutexes::mark(mutex) };
            destroyed::forget(object::mutex(mutex as usize));
            live_objects::began(object::mutex(mutex as usize));
        }
        return result;
    }
    // Built aside first: the event must know the kind, and the memory must change only with it.
    let mut made = MaybeUninit::<pthread_mutex_t>::zeroed();
    // SAFETY: `made` is a local, writable for a mutex; the attributes are the program's, as this
    // function's caller guarantees.
    let error = unsafe { init(made.as_mut_ptr(), attributes) };
    if error != 0 {
        return error;
    }
    // SAFETY: the call of `init` just before initialized `made`, which only this frame knows.
    let mut event = unsafe {
        uninitialized_mutexes::mark(made.as_mut_ptr());
        operation(Kind::MutexInit, made.as_mut_ptr())
    };
    event.object = object::mutex(mutex as usize);
    let decision = memory::perform(event);
    if decision.result == 0 {
        // SAFETY: `mutex` is writable for a mutex, as this function's caller guarantees; a glibc
        // mutex holds no pointer to itself.
        unsafe { mutex.write(made.assume_init()) };
        happens_before::made(event.object);
        destroyed::forget(event.object);
        live_objects::began(event.object);
    }
    decision.result
}

/// `pthread_mutex_destroy`: an event on the mutex, which leaves glibc's mark of a destroyed one in
/// its memory.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
#[no_mangle]
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int {
    let object = object::mutex(mutex as usize);
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    unsafe { judge_before_root(mutex, Some(false)) };
    if !engine::active() {
        let destroy = real!(pthread_mutex_destroy: fn(*mut pthread_mutex_t) -> c_int);
        // SAFETY: libc's function gets the program's mutex as it came, and asks no more of it than
        // this one.
        let result = unsafe { destroy(mutex) };
        if result == 0 && engine::before_root() {
            destroyed::note(object);
            live_objects::ended(object);
        }
        return result;
    }
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call on it lasts.
    let decision = memory::perform(unsafe { use_of(Kind::MutexDestroy, mutex) });
    if decision.result == 0 {
        // SAFETY: `mutex` is the program's mutex, which was destroyed just now; this is the mark
        // that glibc leaves.
        unsafe { kind_word(mutex).write(DESTROYED) };
        destroyed::note(object);
        live_objects::ended(object);
    }
    decision.result
}

/// `pthread_mutex_lock`: an event that waits until the mutex is free.
///
/// # Safety
/// `mutex` points to a `pthread_mutex_t`.
#[no_mangle]
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
#[no_mangle]
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
/// `mutexes`, at most [`several::MAX`], are the addresses of mutexes.
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
    let kinds = several::kinds(all.map(|operation| operation.argument));
    Some(Operation {
        object: object::mutex(mutexes[0]),
        argument: kinds,
        ..engine::operation(Kind::MutexLockAll)
    })
}

/// Notes that a call with this result locked the mutex, if it did. `waits`: if it was held, the call
/// would have waited.
///
/// # Safety
/// `mutex` points to a mutex.
pub(super) unsafe fn locked(mutex: *mut pthread_mutex_t, result: c_int, waits: bool) -> c_int {
    if result == 0 || result == EOWNERDEAD {
        match waits {
            true => memory::lock(object::mutex(mutex as usize)),
            false => happens_before::lock_at_once(object::mutex(mutex as usize)),
        }
        // SAFETY: `mutex` points to a mutex, as this function's caller guarantees; the entry is the
        // running thread's own.
        unsafe {
            if is_robust(mutex) {
                (*me()).robust.add(mutex as usize);
            }
        }
    }
    result
}

/// Notes that the running thread gave the mutex up.
///
/// # Safety
/// `mutex` points to a mutex.
pub(super) unsafe fn unlocked(mutex: *mut pthread_mutex_t) {
    // SAFETY: `mutex` points to a mutex, as this function's caller guarantees; the entry is the
    // running thread's own.
    unsafe {
        if is_robust(mutex) {
            (*me()).robust.remove(mutex as usize);
        }
    }
    happens_before::unlock(object::mutex(mutex as usize));
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
#[no_mangle]
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
#[no_mangle]
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
#[no_mangle]
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
#[no_mangle]
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
#[no_mangle]
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

/// Gives up the robust mutexes of the running thread, which ends: they tell their next owners.
pub(super) fn abandon_robust() {
    // SAFETY: the entry in the world is the running thread's own; the mutexes are locked, so they
    // exist.
    unsafe {
        while let Some(mutex) = (*me()).robust.last() {
            let mutex = mutex as *mut pthread_mutex_t;
            let object = object::mutex(mutex as usize);
            memory::perform(use_of(Kind::MutexAbandon, mutex));
            (*me()).robust.forget(mutex as usize);
            happens_before::unlock(object);
        }
    }
}
