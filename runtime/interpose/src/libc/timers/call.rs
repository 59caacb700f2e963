//! The system calls of timers. Each is answered on the thread's own stack, as arming a timer may create a
//! thread; the event that conflicts with everything came before the call.

use super::state::{timer, Notice, SI_KERNEL, TIMERS};
use super::told::{remaining, tell};
use super::watching::set;
use super::{descriptor, processor};
use crate::engine;
use crate::libc::syscalls::touch;
use crate::libc::time::{self, of_timespec};
use ::libc::{
    c_int, itimerspec, itimerval, sigevent, timeval, CLOCK_BOOTTIME, CLOCK_MONOTONIC,
    CLOCK_REALTIME, EINVAL,
};

/// `si_code` of the signals of POSIX timers.
const SI_TIMER: c_int = -2;

const SECOND: i64 = 1_000_000_000;

const fn error(errno: c_int) -> isize {
    -(errno as isize)
}

/// Returns whether a system call is answered here.
pub fn is_here(number: i64) -> bool {
    matches!(
        number,
        ::libc::SYS_alarm
            | ::libc::SYS_setitimer
            | ::libc::SYS_getitimer
            | ::libc::SYS_timer_create
            | ::libc::SYS_timer_settime
            | ::libc::SYS_timer_gettime
            | ::libc::SYS_timer_getoverrun
            | ::libc::SYS_timer_delete
            | ::libc::SYS_timerfd_create
            | ::libc::SYS_timerfd_settime
            | ::libc::SYS_timerfd_gettime
    )
}

/// Answers a system call of [`is_here`].
///
/// # Safety
/// The arguments are those of the program's call `number`.
pub unsafe fn answer(number: i64, args: &[usize; 6]) -> isize {
    // SAFETY: the arguments are those of the program's call, as this function's caller guarantees;
    // each arm uses those that its call has.
    unsafe {
        match number {
            ::libc::SYS_alarm => alarm(args[0] as u32),
            ::libc::SYS_setitimer => set_interval(args[0] as c_int, args[1], args[2]),
            ::libc::SYS_getitimer => match interval_timer(args[0] as c_int) {
                Some(number) => {
                    tell_interval(number, args[1]);
                    0
                }
                None => error(EINVAL),
            },
            ::libc::SYS_timerfd_create => descriptor::create(args[0] as c_int, args[1] as c_int),
            ::libc::SYS_timerfd_settime => {
                descriptor::set_time(args[0] as c_int, args[1] as c_int, args[2], args[3])
            }
            ::libc::SYS_timerfd_gettime => descriptor::get_time(args[0] as c_int, args[1]),
            ::libc::SYS_timer_create => create(args[0] as c_int, args[1], args[2]),
            ::libc::SYS_timer_settime => set_time(args),
            ::libc::SYS_timer_gettime => match existing(args[0]) {
                Some(number) => {
                    tell(number, args[1]);
                    0
                }
                None => error(EINVAL),
            },
            // Virtual time does not pass while a signal is pending.
            ::libc::SYS_timer_getoverrun => existing(args[0]).map_or(error(EINVAL), |_| 0),
            _ => match existing(args[0]) {
                Some(number) => {
                    set(number, None, 0);
                    (*timer(number)).notice = Notice::Free;
                    0
                }
                None => error(EINVAL),
            },
        }
    }
}

/// The timer of `alarm` and `setitimer`.
const REAL: usize = 0;

/// Arms [`REAL`] for so many nanoseconds from now, or disarms it (0).
pub fn set_real(after: i64, interval: i64) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        let timer = timer(REAL);
        (*timer).notice = Notice::Signal;
        (*timer).clock = CLOCK_MONOTONIC;
        (*timer).signal = ::libc::SIGALRM;
        (*timer).code = SI_KERNEL;
    }
    let deadline = (after > 0).then(|| time::now(CLOCK_MONOTONIC).saturating_add(after));
    set(REAL, deadline, interval);
}

fn alarm(seconds: u32) -> isize {
    let before = remaining(REAL);
    set_real(i64::from(seconds) * SECOND, 0);
    match before {
        0 => 0,
        // To the nearest second, but never 0.
        before => ((before + SECOND / 2) / SECOND).max(1) as isize,
    }
}

fn of_timeval(time: &timeval) -> Option<i64> {
    let valid = time.tv_sec >= 0 && (0..1_000_000).contains(&time.tv_usec);
    valid.then(|| {
        let seconds = time.tv_sec.saturating_mul(SECOND);
        seconds.saturating_add(time.tv_usec * 1_000)
    })
}

unsafe fn set_interval(which: c_int, new: usize, old: usize) -> isize {
    let Some(number) = interval_timer(which) else {
        return error(EINVAL);
    };
    // A null pointer disarms the timer.
    let new = match new {
        0 => Some((0, 0)),
        new => {
            // SAFETY: `new` is not 0 here, so it is the program's address of an `itimerval`, as
            // this function's caller guarantees.
            let new = unsafe { *(new as *const itimerval) };
            of_timeval(&new.it_value).zip(of_timeval(&new.it_interval))
        }
    };
    let Some((after, interval)) = new else {
        return error(EINVAL);
    };
    // SAFETY: `old` is 0 or the program's place for an `itimerval`, as this function's caller
    // guarantees.
    unsafe { tell_interval(number, old) };
    match number {
        REAL => set_real(after, interval),
        number => processor::set(number, after, interval),
    }
    0
}

/// Returns the number of the timer that `setitimer` calls `which`.
fn interval_timer(which: c_int) -> Option<usize> {
    match which {
        ::libc::ITIMER_REAL => Some(REAL),
        which => processor::number_of(which),
    }
}

unsafe fn tell_interval(number: usize, place: usize) {
    if place == 0 {
        return;
    }
    let as_timeval = |nanoseconds: i64| timeval {
        tv_sec: nanoseconds / SECOND,
        tv_usec: nanoseconds % SECOND / 1_000,
    };
    touch(place, size_of::<itimerval>());
    // SAFETY: the place is null or the program's, as this function's caller guarantees; the state
    // lies in the world.
    unsafe {
        (place as *mut itimerval).write(itimerval {
            it_value: as_timeval(remaining(number)),
            it_interval: as_timeval((*timer(number)).interval),
        });
    }
}

/// Returns the timer that `timer_create` gave this number.
fn existing(id: usize) -> Option<usize> {
    let number = usize::try_from(id as c_int).ok()?;
    let named = (REAL + 1..TIMERS).contains(&number);
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let notice = || unsafe { (*timer(number)).notice };
    (named && matches!(notice(), Notice::Signal | Notice::None)).then_some(number)
}

unsafe fn create(clock: c_int, event: usize, id: usize) -> isize {
    if !matches!(clock, CLOCK_REALTIME | CLOCK_MONOTONIC | CLOCK_BOOTTIME) {
        engine::unsupported("timer_create with a clock of processor time or an alarm");
    }
    // SAFETY: the state lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let mut free = (REAL + 1..TIMERS).filter(|&n| unsafe { (*timer(n)).notice } == Notice::Free);
    let Some(number) = free.next() else {
        engine::unsupported("more than 15 timers");
    };
    let (notice, signal, value) = match event {
        0 => (Notice::Signal, ::libc::SIGALRM, number),
        // SAFETY: `event` is not 0 here, so it is the program's address of a `sigevent`, as this
        // function's caller guarantees.
        event => match unsafe { *(event as *const sigevent) } {
            event if event.sigev_notify == ::libc::SIGEV_NONE => (Notice::None, 0, 0),
            event if event.sigev_notify == ::libc::SIGEV_SIGNAL => {
                let signal = event.sigev_signo;
                (Notice::Signal, signal, event.sigev_value.sival_ptr as usize)
            }
            _ => engine::unsupported("timer_create for a thread"),
        },
    };
    if notice == Notice::Signal && !(1..=64).contains(&signal) {
        return error(EINVAL);
    }
    touch(id, size_of::<c_int>());
    // SAFETY: the state lies in the world, and `id` is the program's place for an `int`, as this
    // function's caller guarantees. A thread that waited for the number's last timer goes on.
    unsafe {
        let timer = timer(number);
        (*timer).notice = notice;
        (*timer).armed = false;
        (*timer).clock = clock;
        (*timer).signal = signal;
        (*timer).code = SI_TIMER;
        (*timer).value = value;
        (*timer).interval = 0;
        (id as *mut c_int).write(number as c_int);
    }
    0
}

unsafe fn set_time(args: &[usize; 6]) -> isize {
    let Some(number) = existing(args[0]) else {
        return error(EINVAL);
    };
    // SAFETY: the third argument is the program's address of an `itimerspec`, as this function's
    // caller guarantees.
    let new = unsafe { *(args[2] as *const itimerspec) };
    let Some((value, interval)) = of_timespec(&new.it_value).zip(of_timespec(&new.it_interval))
    else {
        return error(EINVAL);
    };
    // SAFETY: the fourth argument is 0 or the program's place for an `itimerspec`, as this
    // function's caller guarantees.
    unsafe { tell(number, args[3]) };
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let now = time::now(unsafe { (*timer(number)).clock });
    let deadline = match args[1] as c_int & ::libc::TIMER_ABSTIME {
        0 => now.saturating_add(value),
        _ => value,
    };
    set(number, (value > 0).then_some(deadline), interval);
    0
}
