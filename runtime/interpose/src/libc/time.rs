//! Virtual time.
//!
//! A clock shows what it showed at the root, plus what the reading thread has learned and done
//! since: a microsecond for each unit of its vector clock's sum, a nanosecond for each time it looked,
//! and what it slept. So a value depends on what happens before the reading, and on nothing else; it
//! grows along each thread, and from a thread to those that synchronize with it (as far as it did not
//! sleep, or was joined: [`join`]).
//!
//! Sleeping is a hint to let others run, and no more.

use crate::engine;
use crate::hooks::plain;
use crate::pthread::cancel::{self, Outcome};
use crate::pthread::signal::deliver;
use crate::state::Kept;
use crate::world::{self, rolled_back, THREADS_MAX};
use ::libc::{clockid_t, timespec, timeval};
use core::ffi::{c_int, c_long, c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicI64, Ordering};
use dpor_explorer::program::{Kind, ThreadId};
use dpor_machine::sys;

const SECOND: i64 = 1_000_000_000;

/// Nanoseconds per unit of a vector clock's sum.
const UNIT: i64 = 1_000;

/// Nanoseconds that each thread adds to what happened before: looks and sleeps.
#[repr(C)]
pub struct State {
    own: [i64; THREADS_MAX],
}

rolled_back!(static STATE: RolledBack<State> = world::TIME);

/// Clocks whose value at the root is kept; others follow `CLOCK_MONOTONIC`.
const CLOCKS: usize = 12;

static AT_ROOT: Kept<[AtomicI64; CLOCKS]> = Kept::new([const { AtomicI64::new(0) }; CLOCKS]);

/// Sets the clocks to what `told` says ([`dpor_abi::options::Options::clock`]), or else to what the
/// kernel's show; returns what they show.
pub fn at_root(told: &str) -> String {
    let mut told = told.split('.').map(str::parse::<i64>);
    let mut shown = Vec::with_capacity(CLOCKS);
    for (id, at_root) in AT_ROOT.iter().enumerate() {
        let value = match told.next() {
            Some(Ok(value)) => value,
            _ => kernel_clock(id),
        };
        at_root.store(value, Ordering::Relaxed);
        shown.push(value.to_string());
    }
    shown.join(".")
}

/// Returns what a clock of the kernel shows, in nanoseconds; 0 if there is none of this number.
fn kernel_clock(id: usize) -> i64 {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a local, writable for the kernel.
    let result = unsafe { sys::call3(::libc::SYS_clock_gettime, id, &raw mut now as usize, 0) };
    if result == 0 {
        now.tv_sec * SECOND + now.tv_nsec
    } else {
        0
    }
}

fn own(thread: ThreadId) -> *mut i64 {
    // SAFETY: address arithmetic in the world; thread numbers are below THREADS_MAX.
    unsafe { &raw mut (*STATE.get()).own[usize::from(thread.0)] }
}

/// Returns what a clock shows to the running thread, which looks at it, in nanoseconds.
pub fn now(clock: clockid_t) -> i64 {
    let thread = engine::thread();
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let own = unsafe {
        *own(thread) += 1;
        *own(thread)
    };
    let learned = engine::ask_races().map_or(0, |(races, slot)| races.time(slot) as i64);
    let known = usize::try_from(clock).ok().filter(|&id| id < CLOCKS);
    let base = AT_ROOT[known.unwrap_or(::libc::CLOCK_MONOTONIC as usize)].load(Ordering::Relaxed);
    base + learned * UNIT + own
}

/// Adds to the running thread's time that it has slept.
pub fn slept(nanoseconds: i64) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { *own(engine::thread()) += nanoseconds.max(0) };
}

/// Returns what the running thread adds to what happened before, for [`advance`].
pub fn own_time() -> i64 {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { *own(engine::thread()) }
}

/// Advances the running thread's time to that of a thread that it hears of, which added so much.
pub fn advance(to: i64) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        let own = own(engine::thread());
        if to > *own {
            *own = to;
        }
    }
}

/// `child` starts with, or `parent` goes on with, the other's time if that is later: for create
/// (`join(parent, child)`) and join (`join(child, joiner)`).
pub fn join(from: ThreadId, into: ThreadId) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        // Nothing is written where nobody asks for the time: its page need not be copied back.
        if *own(from) > *own(into) {
            *own(into) = *own(from);
        }
    }
}

fn as_timespec(nanoseconds: i64) -> timespec {
    timespec {
        tv_sec: nanoseconds.div_euclid(SECOND),
        tv_nsec: nanoseconds.rem_euclid(SECOND),
    }
}

/// Nanoseconds of an interval; `None` if it is not one.
fn of_timespec(time: &timespec) -> Option<i64> {
    let valid = time.tv_sec >= 0 && (0..SECOND).contains(&time.tv_nsec);
    valid.then(|| {
        time.tv_sec
            .saturating_mul(SECOND)
            .saturating_add(time.tv_nsec)
    })
}

/// Nanoseconds of a moment, which may lie before all others.
pub fn as_nanoseconds(time: &timespec) -> i64 {
    time.tv_sec
        .saturating_mul(SECOND)
        .saturating_add(time.tv_nsec)
}

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

/// Tells of the running thread's plain write of a time, which it is about to store.
fn store<T>(to: *mut T) {
    plain::access(to as u64, size_of::<T>() as u64, true, engine::site());
}

/// POSIX `clock_gettime`.
///
/// # Safety
/// `time` is writable for a time.
#[no_mangle]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    if !engine::active() {
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
#[no_mangle]
pub unsafe extern "C" fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
    if !engine::active() {
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
#[no_mangle]
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    if !engine::active() {
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
#[no_mangle]
pub unsafe extern "C" fn time(result: *mut ::libc::time_t) -> ::libc::time_t {
    if !engine::active() {
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
#[no_mangle]
pub extern "C" fn clock() -> ::libc::clock_t {
    if !engine::active() {
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
#[no_mangle]
pub unsafe extern "C" fn times(result: *mut ::libc::tms) -> ::libc::clock_t {
    if !engine::active() {
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
pub(crate) unsafe fn store_times(result: *mut ::libc::tms) -> ::libc::clock_t {
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

/// The system calls behind the functions above, when something else makes them: their result, or
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
