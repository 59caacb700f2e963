//! `sem_*`: unnamed semaphores, and operations on all of them.
//!
//! Before the root libc counts, in the semaphore's memory; from there on the object model does, and the
//! memory stays as it was.
//!
//! Semaphores shared between processes are those of this process alone: another cannot be created.
//!
//! Source: POSIX.1-2017, `sem_init` to `sem_wait`.

use super::cancel::{self, Outcome, Wait};
use super::signal::deliver;
use super::signal::interrupt::{self, Ended, Restarts, There, Turn};
use super::timed::{Deadline, Patience};
use super::{
    happens_before, late_cancellation, live_objects, memory, misuse_before_root, objects_at_root,
    trylock_loops,
};
use crate::engine::{self, early, object, own_semaphore};
use crate::hooks::plain;
use ::libc::{clockid_t, sem_t, timespec, CLOCK_REALTIME, EAGAIN, EINTR, ETIMEDOUT};
use core::ffi::{c_int, c_uint, c_void};
use dpor_model::{Argument, Kind, Operation, AGAIN, TIMEOUT};

crate::hooks::clean_entry::clean_entries! {
    sem_init, sem_destroy, sem_post, sem_trywait, sem_getvalue
}

fn operation(what: Kind, semaphore: *mut sem_t) -> Operation {
    let mut operation = engine::operation(what);
    operation.object = object::semaphore(semaphore as usize);
    operation
}

/// Begins the exploration if a call on `semaphore` before the root is a misuse.
fn judge_before_root(semaphore: *mut sem_t) {
    misuse_before_root::explore_if(|| {
        objects_at_root::exists(object::semaphore(semaphore as usize)).is_none()
    });
}

/// Returns `result`, an errno or 0, as these functions do: 0, or -1 with `errno` set.
pub(super) fn answer(result: c_int) -> c_int {
    if result == 0 {
        return 0;
    }
    // SAFETY: libc's errno of the running thread.
    unsafe { *::libc::__errno_location() = result };
    -1
}

/// `sem_init`: an event on the semaphore, then libc's function fills its memory.
///
/// # Safety
/// `semaphore` is writable for a `sem_t`.
pub unsafe extern "C" fn sem_init(semaphore: *mut sem_t, shared: c_int, value: c_uint) -> c_int {
    let event = operation(Kind::SemInit, semaphore);
    if engine::active() {
        let result = memory::perform(Operation {
            argument: Argument::count(value.into()),
            ..event
        })
        .result;
        if result != 0 {
            return answer(result);
        }
        happens_before::made(event.object);
        live_objects::began(event.object);
    }
    let init = real!(sem_init: fn(*mut sem_t, c_int, c_uint) -> c_int);
    // SAFETY: libc's function gets the program's arguments as they came; it only writes the object.
    let result = unsafe { init(semaphore, shared, value) };
    if result == 0 && engine::before_root() {
        objects_at_root::add(event.object, 0);
        live_objects::began(event.object);
    }
    result
}

/// `sem_destroy`: an event on the semaphore.
///
/// # Safety
/// `semaphore` points to a `sem_t`.
pub unsafe extern "C" fn sem_destroy(semaphore: *mut sem_t) -> c_int {
    let event = operation(Kind::SemDestroy, semaphore);
    judge_before_root(semaphore);
    if engine::active() {
        let result = memory::perform(event).result;
        if result == 0 {
            live_objects::ended(event.object);
        }
        return answer(result);
    }
    let destroy = real!(sem_destroy: fn(*mut sem_t) -> c_int);
    // SAFETY: libc's function gets the program's semaphore as it came, and asks no more of it than
    // this one.
    let result = unsafe { destroy(semaphore) };
    if result == 0 && engine::before_root() {
        objects_at_root::destroyed(event.object);
        live_objects::ended(event.object);
    }
    result
}

/// `sem_post`: an event that counts up.
///
/// # Safety
/// `semaphore` points to a `sem_t`.
pub unsafe extern "C" fn sem_post(semaphore: *mut sem_t) -> c_int {
    judge_before_root(semaphore);
    if engine::active() {
        let event = engine::first_of_turn(operation(Kind::SemPost, semaphore));
        let result = memory::perform(event).result;
        if result == 0 {
            happens_before::release(event.object);
            late_cancellation::posted(semaphore as usize);
        }
        return answer(result);
    }
    let post = real!(sem_post: fn(*mut sem_t) -> c_int);
    // SAFETY: libc's function gets the program's semaphore as it came, and asks no more of it than
    // this one.
    unsafe { post(semaphore) }
}

/// Orders the running thread after the posts before it if `result` says that it took a count, and
/// returns what the program's call does.
fn taken(semaphore: *mut sem_t, result: c_int) -> c_int {
    if result == 0 {
        happens_before::acquire(object::semaphore(semaphore as usize));
    }
    answer(result)
}

/// Takes a count, before the root, with libc's function that tries. `None`: nobody could post, so
/// the exploration began here, and the model will report it.
///
/// # Safety
/// `semaphore` points to a semaphore.
unsafe fn wait_before_root(semaphore: *mut sem_t) -> Option<c_int> {
    judge_before_root(semaphore);
    if engine::active() {
        return None;
    }
    let attempt = real!(sem_trywait: fn(*mut sem_t) -> c_int);
    // SAFETY: `semaphore` points to a semaphore, as this function's caller guarantees; no other
    // thread exists yet.
    if unsafe { attempt(semaphore) } == 0 {
        return Some(0);
    }
    engine::begin();
    None
}

/// `sem_wait`: waits for a count and takes it.
///
/// # Safety
/// `semaphore` points to a `sem_t`.
pub(super) unsafe extern "C" fn wait(semaphore: *mut sem_t) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_wait: fn(*mut sem_t) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: `semaphore` is the program's argument, a semaphore as long as the call on it lasts.
    unsafe { wait_for(semaphore, Restarts::IfAsked, None) }
}

/// Waits for a count and takes it; `deadline`: the time at which the thread gives up, if there is
/// one.
///
/// # Safety
/// `semaphore` points to a `sem_t`.
unsafe fn wait_for(
    semaphore: *mut sem_t,
    restarts: Restarts,
    deadline: Option<Deadline>,
) -> Outcome {
    if engine::before_root() {
        // SAFETY: `semaphore` points to a semaphore, as this function's caller guarantees.
        if let Some(result) = unsafe { wait_before_root(semaphore) } {
            return Outcome::result(result);
        }
    }
    let any = deadline.is_some_and(|deadline| deadline.patience() == Patience::Any);
    if late_cancellation::ends_waits() && !deliver::is_possible() && !any {
        engine::forget_turn();
        return wait_or_leave(semaphore, deadline);
    }
    if cancel::begin_blocking() {
        return Outcome::leave();
    }
    let wait = match deadline {
        None => engine::first_of_turn(operation(Kind::SemWait, semaphore)),
        Some(_) => operation(Kind::SemWait, semaphore),
    };
    let attempt = operation(Kind::SemTrywait, semaphore);
    let once = || match memory::perform(attempt).result {
        EAGAIN => None,
        result => Some(result),
    };
    let patience = deadline.map(Deadline::patience);
    if let Some(deadline) = deadline.filter(|_| patience == Some(Patience::Long)) {
        let attempt = || memory::perform(attempt).result;
        if let Some(result) = deadline.early(attempt, EAGAIN) {
            cancel::end_blocking();
            return Outcome::result(taken(semaphore, result));
        }
    }
    let wait = |timed| match patience {
        Some(Patience::Any) => once().map_or(Turn::GaveUp, Turn::Done),
        _ => {
            let again = patience.is_some() && early::is_possible();
            let wait = Operation {
                timed,
                again,
                ..wait
            };
            let decision = memory::perform_or_decide(wait);
            match decision.alternative {
                TIMEOUT => Turn::GaveUp,
                AGAIN => Turn::Again,
                _ => Turn::Done(decision.result),
            }
        }
    };
    let there = || match memory::perform(operation(Kind::SemGetvalue, semaphore)).result {
        0 => There::No,
        _ => There::Before,
    };
    let result = match interrupt::wait(restarts, deadline.is_some(), once, there, wait) {
        Ended::Done(result) => result,
        Ended::Late => deadline.map_or(ETIMEDOUT, Deadline::reached),
        Ended::Interrupted => EINTR,
    };
    cancel::end_blocking();
    Outcome::result(taken(semaphore, result))
}

/// Waits until there is a count, or until somebody asks the running thread to end: see [`cancel`].
fn wait_or_leave(semaphore: *mut sem_t, deadline: Option<Deadline>) -> Outcome {
    let request = object::request(engine::thread());
    let hear_no_more = || {
        if late_cancellation::listens() {
            memory::perform(operation(Kind::SemGetvalue, semaphore));
            late_cancellation::listen(0);
        }
    };
    loop {
        if cancel::begin_wait(Wait::Post(request)) {
            hear_no_more();
            cancel::leave_wait();
            return Outcome::leave();
        }
        let result = memory::perform(operation(Kind::SemTrywait, semaphore)).result;
        if result != EAGAIN {
            late_cancellation::listen(0);
            cancel::end_wait();
            return Outcome::result(taken(semaphore, result));
        }
        late_cancellation::listen(semaphore as usize);
        if let Some(deadline) = deadline.filter(|_| early::happens()) {
            hear_no_more();
            cancel::end_wait();
            return Outcome::result(answer(deadline.reached()));
        }
        let wait = Operation {
            timed: deadline.is_some(),
            ..own_semaphore::wait(request)
        };
        let decision = early::wait(wait, engine::perform, early::nothing);
        if decision.alternative == TIMEOUT {
            hear_no_more();
            cancel::end_wait();
            let result = deadline.map_or(ETIMEDOUT, Deadline::reached);
            return Outcome::result(answer(result));
        }
    }
}

/// `sem_trywait`: an event that takes a count if there is one.
///
/// # Safety
/// `semaphore` points to a `sem_t`.
pub unsafe extern "C" fn sem_trywait(semaphore: *mut sem_t) -> c_int {
    judge_before_root(semaphore);
    if engine::active() {
        let event = operation(trylock_loops::or_waits(Kind::SemTrywait), semaphore);
        let event = engine::first_of_turn(event);
        return taken(semaphore, memory::perform(event).result);
    }
    let attempt = real!(sem_trywait: fn(*mut sem_t) -> c_int);
    // SAFETY: libc's function gets the program's semaphore as it came, and asks no more of it than
    // this one.
    unsafe { attempt(semaphore) }
}

/// # Safety
/// `semaphore` points to a semaphore, `until` to a time.
unsafe fn wait_until(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> Outcome {
    // SAFETY: `until` points to a time, as this function's caller guarantees.
    match unsafe { Deadline::new(clock, until) } {
        // SAFETY: `semaphore` points to a semaphore, as this function's caller guarantees.
        Ok(deadline) => unsafe {
            // Linux begins a wait on a futex anew only if it has no limit.
            wait_for(semaphore, Restarts::Never, Some(deadline))
        },
        Err(error) => Outcome::result(answer(error)),
    }
}

/// `sem_timedwait`: as `sem_wait`, until the time `until` of `CLOCK_REALTIME`.
///
/// # Safety
/// `semaphore` points to a `sem_t`, `until` to a time.
pub(super) unsafe extern "C" fn timed(semaphore: *mut sem_t, until: *const timespec) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_timedwait: fn(*mut sem_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { wait_until(semaphore, CLOCK_REALTIME, until) }
}

/// `sem_clockwait`: as `sem_wait`, until the time `until` of `clock`.
///
/// # Safety
/// `semaphore` points to a `sem_t`, `until` to a time.
pub(super) unsafe extern "C" fn clock(
    semaphore: *mut sem_t,
    clock: clockid_t,
    until: *const timespec,
) -> Outcome {
    if !engine::active() && !engine::before_root() {
        let native = real!(sem_clockwait: fn(*mut sem_t, clockid_t, *const timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { wait_until(semaphore, clock, until) }
}

/// `sem_getvalue`: an event that reads the count, and a plain write of `value` by its caller.
///
/// # Safety
/// `semaphore` points to a `sem_t`; `value` is writable for an `int`.
pub unsafe extern "C" fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int {
    judge_before_root(semaphore);
    if engine::active() {
        let count = memory::perform(operation(Kind::SemGetvalue, semaphore)).result;
        plain::judge(
            value as u64,
            size_of::<c_int>() as u64,
            true,
            engine::site(),
        );
        // SAFETY: `value` is the program's place for an `int`; only this fiber runs until the next
        // event.
        unsafe { value.write(count) };
        return 0;
    }
    let get = real!(sem_getvalue: fn(*mut sem_t, *mut c_int) -> c_int);
    // SAFETY: the pointers are the program's arguments, valid until its call returns.
    unsafe { get(semaphore, value) }
}
