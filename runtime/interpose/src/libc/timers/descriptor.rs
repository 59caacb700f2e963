//! Timers that are read: `timerfd_create` and its kin.
//!
//! Such a timer is a channel that counts, like `eventfd`, and whose count goes up when the timer expires.
//! As long as nobody has read that, it does not expire again: how often it would is not told.
//!
//! Source: timerfd_create(2).

use super::state::{timer, Notice, TIMERS};
use super::told::tell;
use super::watching::set;
use crate::engine;
use crate::libc::channel::{self, enter, open};
use crate::libc::time::{self, of_timespec};
use ::libc::{itimerspec, EINVAL};
use core::ffi::c_int;

const fn error(errno: c_int) -> isize {
    -(errno as isize)
}

/// `timerfd_create`, after an event that conflicts with everything.
pub(super) fn create(clock: c_int, flags: c_int) -> isize {
    if flags & !(::libc::TFD_NONBLOCK | ::libc::TFD_CLOEXEC) != 0 {
        return error(EINVAL);
    }
    if !matches!(
        clock,
        ::libc::CLOCK_REALTIME | ::libc::CLOCK_MONOTONIC | ::libc::CLOCK_BOOTTIME
    ) {
        engine::unsupported("timerfd_create with the clock of an alarm");
    }
    // SAFETY: the state lies in the world, which is mapped; these are plain reads, and no other
    // fiber runs.
    let mut free = (1..TIMERS).filter(|&n| unsafe { (*timer(n)).notice } == Notice::Free);
    let Some(number) = free.next() else {
        engine::unsupported("more than 15 timers");
    };
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe {
        let timer = timer(number);
        (*timer).notice = Notice::Count;
        (*timer).armed = false;
        (*timer).clock = clock;
        (*timer).interval = 0;
    }
    // The flags are those of `eventfd`.
    open::counter_of(0, flags, number as u8)
}

/// Returns the timer of a descriptor, after an event on its channel.
///
/// # Errors
/// `-EBADF`, `-EINVAL`.
fn of(fd: c_int) -> Result<(usize, usize), isize> {
    if !open::is_channel(fd) {
        let known = enter::look_up(fd).is_some();
        return Err(error(if known { EINVAL } else { ::libc::EBADF }));
    }
    let end = enter::enter(fd, |_| 0)?;
    match channel::channel(end.number).timer {
        0 => Err(error(EINVAL)),
        timer => Ok((end.number, timer.into())),
    }
}

/// `timerfd_settime`, after an event that conflicts with everything.
///
/// # Safety
/// `new` points to an `itimerspec` of the program's; `old` is 0 or writable for one.
pub(super) unsafe fn set_time(fd: c_int, flags: c_int, new: usize, old: usize) -> isize {
    let (channel, number) = match of(fd) {
        Ok(found) => found,
        Err(errno) => return errno,
    };
    // SAFETY: `new` points to an `itimerspec` of the program's, as this function's caller
    // guarantees.
    let new = unsafe { *(new as *const itimerspec) };
    let Some((value, interval)) = of_timespec(&new.it_value).zip(of_timespec(&new.it_interval))
    else {
        return error(EINVAL);
    };
    if flags & !::libc::TFD_TIMER_ABSTIME != 0 {
        engine::unsupported("timerfd_settime with flags other than TFD_TIMER_ABSTIME");
    }
    // SAFETY: `old` is 0 or writable for an `itimerspec`, as this function's caller guarantees.
    unsafe { tell(number, old) };
    // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
    // fiber runs.
    let now = time::now(unsafe { (*timer(number)).clock });
    let deadline = match flags & ::libc::TFD_TIMER_ABSTIME {
        0 => now.saturating_add(value),
        _ => value,
    };
    channel::held(channel).change(|channel| channel.count = 0);
    set(number, (value > 0).then_some(deadline), interval);
    0
}

/// `timerfd_gettime`, after an event that conflicts with everything.
///
/// # Safety
/// `place` is writable for an `itimerspec` of the program's.
pub(super) unsafe fn get_time(fd: c_int, place: usize) -> isize {
    match of(fd) {
        Ok((_, number)) => {
            // SAFETY: `place` is writable for an `itimerspec`, as this function's caller
            // guarantees.
            unsafe { tell(number, place) };
            0
        }
        Err(errno) => errno,
    }
}
