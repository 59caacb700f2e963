//! Sleeping: a hint to let others run, and no more.

use super::{now, of_timespec, slept, SECOND};
use crate::engine;
use crate::hooks::plain;
use crate::pthread::cancel::{self, Outcome};
use crate::pthread::signal::deliver;
use ::libc::{clockid_t, timespec};
use core::ffi::{c_int, c_uint, c_void};
use dpor_model::Kind;

/// Lets others run, then lets the time pass, unless the thread is cancelled meanwhile. `interrupted`: the
/// result if a signal handler runs meanwhile, which happens at the beginning.
fn sleep_for(nanoseconds: i64, interrupted: impl FnOnce() -> c_int) -> Outcome {
    engine::perform(engine::operation(Kind::Pause));
    if deliver::interrupts() {
        return Outcome::result(interrupted());
    }
    slept(nanoseconds);
    match cancel::point() {
        true => Outcome::leave(),
        false => Outcome::result(0),
    }
}

/// Sleeps in a call that looks for requests to end by itself. Returns 0, or `-EINTR`.
pub fn sleep_in_call(nanoseconds: i64) -> isize {
    engine::perform(engine::operation(Kind::Pause));
    if deliver::interrupts() {
        return -(::libc::EINTR as isize);
    }
    slept(nanoseconds);
    0
}

/// Tells what is left of a sleep that was interrupted: all of it.
unsafe fn tell_remaining(request: *const timespec, remaining: *mut timespec) {
    if !remaining.is_null() {
        // SAFETY: `request` points to a time, and `remaining` is not null here, so it is writable
        // for one.
        unsafe { remaining.write(request.read()) };
    }
}

fn fail(error: c_int) -> c_int {
    // SAFETY: libc's errno of the running thread.
    unsafe { *::libc::__errno_location() = error };
    -1
}

/// Tells the race detector of the running thread's plain read of a time that it was given.
fn look_at(time: *const timespec) {
    plain::judge(
        time as u64,
        size_of::<timespec>() as u64,
        false,
        engine::site(),
    );
}

/// POSIX `nanosleep`.
///
/// # Safety
/// `request` points to a time; `remaining` is null or writable for one.
pub unsafe extern "C" fn nanosleep(request: *const timespec, remaining: *mut timespec) -> Outcome {
    if !engine::active() {
        let native = real!(nanosleep: fn(*const timespec, *mut timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    look_at(request);
    // SAFETY: `request` points to a time, as this function's caller guarantees; no other fiber
    // writes it before the next event.
    match of_timespec(unsafe { &*request }) {
        Some(nanoseconds) => sleep_for(nanoseconds, || {
            // SAFETY: `request` points to a time and `remaining` is null or writable for one, as
            // this function's caller guarantees.
            unsafe { tell_remaining(request, remaining) };
            fail(::libc::EINTR)
        }),
        None => Outcome::result(fail(::libc::EINVAL)),
    }
}

/// POSIX `clock_nanosleep`. Returns the error.
///
/// # Safety
/// `request` points to a time; `remaining` is null or writable for one.
pub unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    request: *const timespec,
    remaining: *mut timespec,
) -> Outcome {
    if !engine::active() {
        let native =
            real!(clock_nanosleep: fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    look_at(request);
    // SAFETY: `request` points to a time, as this function's caller guarantees; no other fiber
    // writes it before the next event.
    let Some(mut nanoseconds) = of_timespec(unsafe { &*request }) else {
        return Outcome::result(::libc::EINVAL);
    };
    let absolute = flags & ::libc::TIMER_ABSTIME != 0;
    if absolute {
        nanoseconds -= now(clock);
    }
    sleep_for(nanoseconds, || {
        if !absolute {
            // SAFETY: `request` points to a time and `remaining` is null or writable for one, as
            // this function's caller guarantees.
            unsafe { tell_remaining(request, remaining) };
        }
        ::libc::EINTR
    })
}

/// POSIX `usleep`: lets others run, and adds to the running thread's time.
pub extern "C" fn usleep(microseconds: c_uint) -> Outcome {
    if !engine::active() {
        let native = real!(usleep: fn(c_uint) -> c_int);
        return Outcome::native(native as *const c_void);
    }
    sleep_for(i64::from(microseconds) * 1000, || fail(::libc::EINTR))
}

/// POSIX `sleep`: lets others run, and adds to the running thread's time.
pub extern "C" fn sleep(seconds: c_uint) -> Outcome {
    if !engine::active() {
        let native = real!(sleep: fn(c_uint) -> c_uint);
        return Outcome::native(native as *const c_void);
    }
    sleep_for(i64::from(seconds) * SECOND, || seconds as c_int)
}
