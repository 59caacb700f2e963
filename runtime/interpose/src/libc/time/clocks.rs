//! Clocks, as the program finds them.

use super::{as_timespec, now, of_timespec, slept, SECOND};
use crate::engine;
use crate::engine::learned_events::note_clock_read_before_root;
use crate::hooks::plain;
use ::libc::{clockid_t, timespec, timeval};
use core::ffi::{c_int, c_long, c_void};
use core::ptr;

crate::hooks::clean_entry::clean_entries! {
    clock_gettime, timespec_get, gettimeofday, time, clock, times
}

/// Tells of the running thread's plain write of a time, which it is about to store.
fn store<T>(to: *mut T) {
    plain::access(to as u64, size_of::<T>() as u64, true, engine::site());
}

/// POSIX `clock_gettime`.
///
/// # Safety
/// `time` is writable for a time.
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(clock_gettime: fn(clockid_t, *mut timespec) -> c_int);
        // SAFETY: libc's function gets the program's place as it came, and asks no more of it than
        // this one.
        return unsafe { native(clock, time) };
    }
    store(time);
    // SAFETY: `time` is writable, as this function's caller guarantees; no other fiber runs before
    // the next event.
    unsafe { *time = as_timespec(now(clock)) };
    0
}

/// C11 `timespec_get`.
///
/// # Safety
/// `time` is writable for a time.
pub unsafe extern "C" fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(timespec_get: fn(*mut timespec, c_int) -> c_int);
        // SAFETY: libc's function gets the program's place as it came, and asks no more of it than
        // this one.
        return unsafe { native(time, base) };
    }
    const TIME_UTC: c_int = 1;
    if base != TIME_UTC {
        return 0;
    }
    store(time);
    // SAFETY: `time` is writable, as this function's caller guarantees; no other fiber runs before
    // the next event.
    unsafe { *time = as_timespec(now(::libc::CLOCK_REALTIME)) };
    base
}

/// POSIX `gettimeofday`.
///
/// # Safety
/// `time` and `zone` are null or writable.
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(gettimeofday: fn(*mut timeval, *mut c_void) -> c_int);
        // SAFETY: libc's function gets the program's places as they came, and asks no more of them
        // than this one.
        return unsafe { native(time, zone) };
    }
    if !time.is_null() {
        store(time);
    }
    // SAFETY: `time` and `zone` are null or writable, as this function's caller guarantees; `zone`
    // is a pair of ints, and glibc stores zeros there.
    unsafe {
        if !time.is_null() {
            let now = as_timespec(now(::libc::CLOCK_REALTIME));
            *time = timeval {
                tv_sec: now.tv_sec,
                tv_usec: now.tv_nsec / 1000,
            };
        }
        if !zone.is_null() {
            ptr::write_bytes(zone.cast::<c_int>(), 0, 2);
        }
    }
    0
}

/// C `time`.
///
/// # Safety
/// `result` is null or writable for a `time_t`.
pub unsafe extern "C" fn time(result: *mut ::libc::time_t) -> ::libc::time_t {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(time: fn(*mut ::libc::time_t) -> ::libc::time_t);
        // SAFETY: libc's function gets the program's place as it came, and asks no more of it than
        // this one.
        return unsafe { native(result) };
    }
    if !result.is_null() {
        store(result);
    }
    let seconds = now(::libc::CLOCK_REALTIME) / SECOND;
    if !result.is_null() {
        // SAFETY: `result` is not null here, so it is writable, as this function's caller
        // guarantees.
        unsafe { *result = seconds };
    }
    seconds
}

/// C `clock`: processor time in microseconds.
pub extern "C" fn clock() -> ::libc::clock_t {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(clock: fn() -> ::libc::clock_t);
        // SAFETY: libc's function takes no arguments.
        return unsafe { native() };
    }
    now(::libc::CLOCK_PROCESS_CPUTIME_ID) / 1000
}

/// POSIX `times`: all of the processor time is the user's; ticks are hundredths of a second.
///
/// # Safety
/// `result` is null or writable for a `struct tms`.
pub unsafe extern "C" fn times(result: *mut ::libc::tms) -> ::libc::clock_t {
    if !engine::active() {
        note_clock_read_before_root();
        let native = real!(times: fn(*mut ::libc::tms) -> ::libc::clock_t);
        // SAFETY: libc's function gets the program's place as it came, and asks no more of it than
        // this one.
        return unsafe { native(result) };
    }
    if !result.is_null() {
        store(result);
    }
    // SAFETY: `result` is null or writable, as this function's caller guarantees.
    unsafe { store_times(result) }
}

const TICK: i64 = SECOND / 100;

/// # Safety
/// `result` is null or writable.
unsafe fn store_times(result: *mut ::libc::tms) -> ::libc::clock_t {
    if !result.is_null() {
        let user = now(::libc::CLOCK_PROCESS_CPUTIME_ID) / TICK;
        // SAFETY: `result` is not null here, so it is writable, as this function's caller
        // guarantees.
        unsafe {
            *result = ::libc::tms {
                tms_utime: user,
                tms_stime: 0,
                tms_cutime: 0,
                tms_cstime: 0,
            };
        }
    }
    now(::libc::CLOCK_MONOTONIC) / TICK
}

/// The system calls behind these functions and behind those of [`mod@super::sleep`], when something else makes them: their result, or
/// `None` if `number` is none of them.
///
/// # Safety
/// `args` are the arguments of the program's call `number`.
pub(crate) unsafe fn system_call(number: c_long, args: &[usize; 6]) -> Option<isize> {
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // each arm uses those that its call has.
    unsafe {
        match number {
            ::libc::SYS_clock_gettime => {
                *(args[1] as *mut timespec) = as_timespec(now(args[0] as clockid_t));
            }
            ::libc::SYS_gettimeofday => {
                let now = as_timespec(now(::libc::CLOCK_REALTIME));
                if args[0] != 0 {
                    *(args[0] as *mut timeval) = timeval {
                        tv_sec: now.tv_sec,
                        tv_usec: now.tv_nsec / 1000,
                    };
                }
            }
            ::libc::SYS_time => {
                let seconds = now(::libc::CLOCK_REALTIME) / SECOND;
                if args[0] != 0 {
                    *(args[0] as *mut i64) = seconds;
                }
                return Some(seconds as isize);
            }
            ::libc::SYS_times => return Some(store_times(args[0] as *mut ::libc::tms) as isize),
            ::libc::SYS_nanosleep => match of_timespec(&*(args[0] as *const timespec)) {
                Some(nanoseconds) => slept(nanoseconds),
                None => return Some(-(::libc::EINVAL as isize)),
            },
            ::libc::SYS_clock_nanosleep => {
                let Some(mut nanoseconds) = of_timespec(&*(args[2] as *const timespec)) else {
                    return Some(-(::libc::EINVAL as isize));
                };
                if args[1] as c_int & ::libc::TIMER_ABSTIME != 0 {
                    nanoseconds -= now(args[0] as clockid_t);
                }
                slept(nanoseconds);
            }
            _ => return None,
        }
    }
    Some(0)
}
