//! `pthread_cond_*`.
//!
//! A wait is two events: giving up the mutex and joining the queue, atomically; and coming back once
//! woken and once the mutex is free. Which waiter a signal wakes is the explorer's choice.
//!
//! A wait may end by itself: with a time-out, if it has a limit ([`super::timed`], [`early`]), or for no reason,
//! as often in each thread as `--spurious` says. Then it never joined the queue, to the model; nobody can
//! tell it from one that left the queue before the next signal. Where nothing else can go on, a wait
//! with a limit leaves the queue, and then locks the mutex like any other.

use super::cancel::{self, Outcome, Wait};
use super::condvar_flags::{self, DESTROYED, MONOTONIC};
use super::timed::{Deadline, Patience};
use super::{
    destroyed, entry, happens_before, live_objects, me, memory, misuse_before_root, mutex,
    uninitialized_mutexes, valid,
};
use crate::engine::{self, early, object};
use crate::world::world;
use ::libc::{
    clockid_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t, timespec, CLOCK_MONOTONIC,
    CLOCK_REALTIME,
};
use core::ffi::{c_int, c_void};
use dpor_model::{Argument, Detail, Kind, Operation, ThreadId, NO_WAITER, TIMEOUT};

crate::hooks::clean_entry::clean_entries! {
    pthread_cond_init, pthread_cond_destroy, pthread_cond_signal, pthread_cond_broadcast
}

/// Returns the operation `what` on a condition variable that exists.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`.
unsafe fn use_of(what: Kind, condvar: *mut pthread_cond_t) -> Operation {
    // SAFETY: `condvar` points to a `pthread_cond_t`, as this function's caller guarantees.
    if !unsafe { valid::is_condvar(condvar) } {
        valid::tell(object::condvar(condvar as usize));
    }
    let operation = operation(what, condvar);
    // SAFETY: the flags lie inside of the condition variable, which exists, as this function's
    // caller guarantees.
    if unsafe { condvar_flags::of(condvar).read() } & DESTROYED == 0 {
        destroyed::made_anew(Operation {
            kind: Kind::CondInit,
            ..operation
        });
    }
    operation
}

fn operation(what: Kind, condvar: *mut pthread_cond_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::condvar(condvar as usize);
    operation
}

/// Begins the exploration if a call on `condvar` before the root is a misuse.
unsafe fn judge_before_root(condvar: *mut pthread_cond_t) {
    misuse_before_root::explore_if(|| {
        // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on
        // it lasts.
        let (is_none, flags) = unsafe {
            (
                !valid::is_condvar(condvar),
                condvar_flags::of(condvar).read(),
            )
        };
        let is_misuse = is_none || flags & DESTROYED != 0;
        if !is_misuse {
            destroyed::was_made_anew(object::condvar(condvar as usize));
        }
        is_misuse
    });
}

/// `pthread_cond_init`: an event on the condition variable, then libc's function fills its memory.
///
/// # Safety
/// `condvar` is writable for a `pthread_cond_t`; `attributes` is null or points to initialized
/// attributes.
pub unsafe extern "C" fn pthread_cond_init(
    condvar: *mut pthread_cond_t,
    attributes: *const pthread_condattr_t,
) -> c_int {
    let object = object::condvar(condvar as usize);
    if engine::active() {
        let decision = memory::perform(operation(Kind::CondInit, condvar));
        if decision.result != 0 {
            return decision.result;
        }
        happens_before::made(object);
        destroyed::forget(object);
        live_objects::began(object);
    }
    let init =
        real!(pthread_cond_init: fn(*mut pthread_cond_t, *const pthread_condattr_t) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came; it only writes the object.
    let result = unsafe { init(condvar, attributes) };
    if result == 0 && engine::before_root() {
        destroyed::forget(object);
        live_objects::began(object);
    }
    result
}

/// `pthread_cond_destroy`: an event on the condition variable, which leaves a mark in its flags.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`.
pub unsafe extern "C" fn pthread_cond_destroy(condvar: *mut pthread_cond_t) -> c_int {
    let object = object::condvar(condvar as usize);
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    unsafe { judge_before_root(condvar) };
    if engine::active() {
        // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on
        // it lasts.
        let result = memory::perform(unsafe { use_of(Kind::CondDestroy, condvar) }).result;
        if result == 0 {
            // SAFETY: `condvar` points to a condition variable, whose flags lie inside of it; only
            // this fiber runs.
            unsafe { *condvar_flags::of(condvar) |= DESTROYED };
            destroyed::note(object);
            live_objects::ended(object);
        }
        return result;
    }
    let destroy = real!(pthread_cond_destroy: fn(*mut pthread_cond_t) -> c_int);
    // SAFETY: libc's function gets the program's condition variable as it came, and asks no more of
    // it than this one.
    let result = unsafe { destroy(condvar) };
    if result == 0 && engine::before_root() {
        destroyed::note(object);
        live_objects::ended(object);
    }
    result
}

/// `pthread_cond_wait`: gives up the mutex and waits for a signal, in two events.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`, `mutex` to a `pthread_mutex_t`.
pub(super) unsafe extern "C" fn wait(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> Outcome {
    if engine::before_root() {
        // Nobody can wake the only thread: the model reports the deadlock.
        engine::begin();
    }
    if !engine::active() {
        let wait = real!(pthread_cond_wait: fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int);
        return Outcome::native(wait as *const c_void);
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { wait_for(condvar, mutex, None) }
}

/// The ways in which a wait can end without a signal, as alternatives of its first half.
struct Ends {
    /// Alternative that stands for a time-out; 0: a time-out does not end this wait.
    late: u32,
    /// Alternative that stands for an end without a reason; 0: the wait does not end so.
    spurious: u32,
    count: u32,
}

impl Ends {
    fn of(deadline: Option<Deadline>) -> Ends {
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        let spurious = unsafe { (*me()).spurious } < engine::spurious_max();
        let late = deadline.is_some_and(|deadline| deadline.patience() == Patience::Any);
        let count = u32::from(late) + u32::from(spurious);
        Ends {
            late: u32::from(late),
            spurious: if spurious { count } else { 0 },
            count,
        }
    }
}

/// Waits under exploration.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`, `mutex` to a `pthread_mutex_t`.
unsafe fn wait_for(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    deadline: Option<Deadline>,
) -> Outcome {
    let ends = Ends::of(deadline);
    let is_early =
        deadline.is_some() && ends.late == 0 && early::happens_with(object::mutex(mutex as usize));
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    let mut enqueue = unsafe { use_of(Kind::CondEnqueue, condvar) };
    enqueue.other = object::mutex(mutex as usize);
    // SAFETY: `mutex` is the program's argument, a mutex as long as the call with it lasts.
    unsafe {
        uninitialized_mutexes::look(mutex);
        mutex::check(mutex);
        enqueue.argument = Argument::mutex(mutex::kind(mutex));
    }
    enqueue.detail = match is_early {
        true => Detail::Leaves,
        false => Detail::ways_to_end(ends.count),
    };
    let how = memory::perform(enqueue);
    if how.result != 0 {
        return Outcome::result(how.result);
    }
    // SAFETY: `mutex` is the program's argument, a mutex that the thread held; the entry in the
    // world is the running thread's own.
    unsafe {
        mutex::unlocked(mutex);
        match how.alternative {
            0 => (*me()).waiting = condvar as usize,
            _ if is_early => {}
            end if end == ends.spurious => (*me()).spurious += 1,
            _ => {}
        }
    }
    let cancellable = cancel::is_possible();
    // A request that came first ends the wait, unless a signal has: that must not be lost.
    let mut leaves = cancellable
        && cancel::begin_wait(Wait::Condvar(enqueue.object))
        && (how.alternative != 0 || cancel::signal(enqueue.object, engine::thread()));
    let reacquire = Operation {
        kind: Kind::CondReacquire,
        detail: Detail::None,
        timed: how.alternative == 0 && deadline.is_some() && !leaves,
        ..enqueue
    };
    let leave = || cancel::signal(enqueue.object, engine::thread());
    let mut decision = early::wait(reacquire, memory::perform_lock, leave);
    let mut late = is_early || ends.late != 0 && how.alternative == ends.late;
    if decision.alternative == TIMEOUT {
        late = true;
        // SAFETY: the entry in the world is the running thread's own, and no other fiber runs
        // between two events.
        unsafe { (*me()).waiting = 0 };
        decision = memory::perform_lock(Operation {
            timed: false,
            ..reacquire
        });
    }
    // SAFETY: `mutex` is the program's argument, and the entry in the world the running thread's
    // own. Somebody else's signal would have cleared `waiting`.
    let locked = unsafe {
        (*me()).waiting = 0;
        mutex::locked(mutex, decision.result, true)
    };
    if cancellable {
        leaves |= cancel::end_wait();
    }
    if leaves {
        cancel::leave_wait();
        return Outcome::leave();
    }
    Outcome::result(match deadline {
        Some(deadline) if late && locked == 0 => deadline.reached(),
        _ => locked,
    })
}

/// Waits as `pthread_cond_clockwait`, under exploration or before the root, which then is here.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`, `mutex` to a `pthread_mutex_t`, `until` to a time.
unsafe fn wait_until(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> Outcome {
    // SAFETY: `until` points to a time, as this function's caller guarantees.
    let deadline = match unsafe { Deadline::new(clock, until) } {
        Ok(deadline) => deadline,
        Err(error) => return Outcome::result(error),
    };
    if engine::before_root() {
        engine::begin();
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { wait_for(condvar, mutex, Some(deadline)) }
}

/// `pthread_cond_timedwait`: the time `until` is one of the clock that the condition variable's
/// flags name.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`, `mutex` to a `pthread_mutex_t`, `until` to a time.
pub(super) unsafe extern "C" fn timed(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(pthread_cond_timedwait:
            fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns; the flags lie
    // inside of the condition variable.
    unsafe {
        let clock = match condvar_flags::of(condvar).read() & MONOTONIC {
            0 => CLOCK_REALTIME,
            _ => CLOCK_MONOTONIC,
        };
        wait_until(condvar, mutex, clock, until)
    }
}

/// `pthread_cond_clockwait`: the time `until` is one of `clock`.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`, `mutex` to a `pthread_mutex_t`, `until` to a time.
pub(super) unsafe extern "C" fn clock(
    condvar: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(pthread_cond_clockwait:
            fn(*mut pthread_cond_t, *mut pthread_mutex_t, clockid_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { wait_until(condvar, mutex, clock, until) }
}

/// `pthread_cond_signal`: an event that wakes the waiter which the search chooses, if there is one.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`.
pub unsafe extern "C" fn pthread_cond_signal(condvar: *mut pthread_cond_t) -> c_int {
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    unsafe { judge_before_root(condvar) };
    if !engine::active() {
        let signal = real!(pthread_cond_signal: fn(*mut pthread_cond_t) -> c_int);
        // SAFETY: libc's function gets the program's condition variable as it came, and asks no
        // more of it than this one.
        return unsafe { signal(condvar) };
    }
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    let decision = memory::perform(unsafe { use_of(Kind::CondSignal, condvar) });
    if decision.alternative != NO_WAITER {
        wake(ThreadId(decision.alternative as u16));
    }
    decision.result
}

/// `pthread_cond_broadcast`: an event that wakes every waiter.
///
/// # Safety
/// `condvar` points to a `pthread_cond_t`.
pub unsafe extern "C" fn pthread_cond_broadcast(condvar: *mut pthread_cond_t) -> c_int {
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    unsafe { judge_before_root(condvar) };
    if !engine::active() {
        let broadcast = real!(pthread_cond_broadcast: fn(*mut pthread_cond_t) -> c_int);
        // SAFETY: libc's function gets the program's condition variable as it came, and asks no
        // more of it than this one.
        return unsafe { broadcast(condvar) };
    }
    // SAFETY: `condvar` is the program's argument, a condition variable as long as the call on it
    // lasts.
    let decision = memory::perform(unsafe { use_of(Kind::CondBroadcast, condvar) });
    // SAFETY: the world is mapped; a plain read.
    let live = unsafe { (*world()).engine.live };
    for thread in live.iter() {
        // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
        // event.
        if unsafe { (*entry(thread)).waiting } == condvar as usize {
            wake(thread);
        }
    }
    decision.result
}

/// Wakes `thread`, in the step of the running thread's signal.
fn wake(thread: ThreadId) {
    // SAFETY: the entry lies in the world, which is mapped; its thread stands in
    // `pthread_cond_wait`.
    unsafe { (*entry(thread)).waiting = 0 };
    happens_before::signal(thread);
}
