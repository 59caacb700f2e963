//! Scheduling policies and other hints that are kept and read back, as [`super::attributes`] does it.
//!
//! Policies that need a privilege are granted.
//!
//! Source: POSIX `pthread_getschedparam`, `pthread_setschedprio`, `pthread_getconcurrency`,
//! `pthread_getcpuclockid`; default attributes are glibc's.

use super::attributes::{get, open, set, state};
use super::existing;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object};
use ::libc::{clockid_t, pthread_attr_t, pthread_t, sched_param};
use core::ffi::c_int;

/// Returns whether threads of `policy` may have the priority `priority`.
fn is_priority(policy: c_int, priority: c_int) -> bool {
    match policy {
        ::libc::SCHED_OTHER | ::libc::SCHED_BATCH | ::libc::SCHED_IDLE => priority == 0,
        ::libc::SCHED_FIFO | ::libc::SCHED_RR => (1..=99).contains(&priority),
        _ => false,
    }
}

/// `pthread_setschedparam`: keeps the policy and the priority with the thread.
///
/// # Safety
/// `parameters` points to a `sched_param`.
#[no_mangle]
pub unsafe extern "C" fn pthread_setschedparam(
    thread: pthread_t,
    policy: c_int,
    parameters: *const sched_param,
) -> c_int {
    if !engine::active() {
        let native =
            real!(pthread_setschedparam: fn(pthread_t, c_int, *const sched_param) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, policy, parameters) };
    }
    // SAFETY: `parameters` points to the program's `sched_param`, as POSIX asks of its caller.
    let priority = unsafe { (*parameters).sched_priority };
    if !is_priority(policy, priority) {
        return ::libc::EINVAL;
    }
    let Some(attributes) = open(thread, set) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe {
        (*attributes).policy = policy;
        (*attributes).priority = priority;
    }
    0
}

/// `pthread_getschedparam`: returns what is kept with the thread.
///
/// # Safety
/// `policy` is writable for an `int`, `parameters` for a `sched_param`.
#[no_mangle]
pub unsafe extern "C" fn pthread_getschedparam(
    thread: pthread_t,
    policy: *mut c_int,
    parameters: *mut sched_param,
) -> c_int {
    if !engine::active() {
        let native =
            real!(pthread_getschedparam: fn(pthread_t, *mut c_int, *mut sched_param) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, policy, parameters) };
    }
    let Some(attributes) = open(thread, get) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, which is mapped; both places are writable, as this
    // function's caller guarantees.
    unsafe {
        policy.write((*attributes).policy);
        (*parameters).sched_priority = (*attributes).priority;
    }
    0
}

/// `pthread_setschedprio`: keeps the priority with the thread. Whether there is such a priority
/// depends on the thread's policy, so that is read, too.
#[no_mangle]
pub extern "C" fn pthread_setschedprio(thread: pthread_t, priority: c_int) -> c_int {
    if !engine::active() {
        let native = real!(pthread_setschedprio: fn(pthread_t, c_int) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, priority) };
    }
    learned_events::learn(EventCause::Attributes);
    let Some(attributes) = open(thread, set) else {
        return ::libc::ESRCH;
    };
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe {
        if !is_priority((*attributes).policy, priority) {
            return ::libc::EINVAL;
        }
        (*attributes).priority = priority;
    }
    0
}

/// `pthread_setconcurrency`: a hint, read back as it was given.
#[no_mangle]
pub extern "C" fn pthread_setconcurrency(level: c_int) -> c_int {
    if !engine::active() {
        let native = real!(pthread_setconcurrency: fn(c_int) -> c_int);
        // SAFETY: libc's function takes no pointer and asks nothing of its caller.
        return unsafe { native(level) };
    }
    if level < 0 {
        return ::libc::EINVAL;
    }
    set(object::PROCESS);
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { (*state()).concurrency = level };
    0
}

/// `pthread_getconcurrency`: returns the hint of [`pthread_setconcurrency`].
#[no_mangle]
pub extern "C" fn pthread_getconcurrency() -> c_int {
    if !engine::active() {
        let native = real!(pthread_getconcurrency: fn() -> c_int);
        // SAFETY: libc's function takes no pointer and asks nothing of its caller.
        return unsafe { native() };
    }
    get(object::PROCESS);
    // SAFETY: the state lies in the world, which is mapped; no other fiber runs since the event.
    unsafe { (*state()).concurrency }
}

/// `pthread_getcpuclockid`: the clock of the time that a thread has used. Virtual time knows one
/// such clock (libc/time.rs), which is that of the thread that looks at it.
///
/// # Safety
/// `clock` is writable for a `clockid_t`.
#[no_mangle]
pub unsafe extern "C" fn pthread_getcpuclockid(thread: pthread_t, clock: *mut clockid_t) -> c_int {
    if !engine::active() {
        let native = real!(pthread_getcpuclockid: fn(pthread_t, *mut clockid_t) -> c_int);
        // SAFETY: libc's function gets the program's arguments as they came, and asks no more of
        // them than this one.
        return unsafe { native(thread, clock) };
    }
    if existing::existing(thread).is_none() {
        return ::libc::ESRCH;
    }
    // SAFETY: `clock` is the program's place for a `clockid_t`, as POSIX asks of its caller.
    unsafe { clock.write(::libc::CLOCK_THREAD_CPUTIME_ID) };
    0
}

/// Sets the attributes of threads created without any: libc keeps them. A fiber's stack is as large
/// as it is, and they matter to nothing else.
///
/// # Safety
/// `attributes` points to initialized attributes.
#[no_mangle]
pub unsafe extern "C" fn pthread_setattr_default_np(attributes: *const pthread_attr_t) -> c_int {
    if engine::active() {
        set(object::PROCESS);
    }
    let native = real!(pthread_setattr_default_np: fn(*const pthread_attr_t) -> c_int);
    // SAFETY: libc's function gets the program's attributes as they came, and asks no more of them
    // than this one.
    unsafe { native(attributes) }
}

/// Returns the attributes of threads created without any, as libc keeps them.
///
/// # Safety
/// `attributes` is writable for a `pthread_attr_t`.
#[no_mangle]
pub unsafe extern "C" fn pthread_getattr_default_np(attributes: *mut pthread_attr_t) -> c_int {
    if engine::active() {
        get(object::PROCESS);
    }
    let native = real!(pthread_getattr_default_np: fn(*mut pthread_attr_t) -> c_int);
    // SAFETY: libc's function gets the program's place as it came, and asks no more of it than this
    // one.
    unsafe { native(attributes) }
}
