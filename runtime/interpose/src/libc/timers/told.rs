//! What a timer tells of itself.

use super::state::{timer, Notice, TIMERS};
use crate::libc::syscalls::touch;
use crate::libc::time;
use ::libc::{itimerspec, timespec};

const SECOND: i64 = 1_000_000_000;

/// Returns the time until a timer expires; 0: it is not armed.
pub(super) fn remaining(number: usize) -> i64 {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let timer = unsafe { *timer(number) };
    // What is late has not expired, unless nobody hears of that.
    let least = if timer.notice == Notice::Signal {
        1_000
    } else {
        0
    };
    match timer.armed {
        true if number >= TIMERS => timer.deadline,
        true => (timer.deadline - time::now(timer.clock)).max(least),
        false => 0,
    }
}

/// Tells how a timer stands, unless the place is null.
///
/// # Safety
/// `place` is 0 or writable for an `itimerspec` of the program's.
pub(super) unsafe fn tell(number: usize, place: usize) {
    if place == 0 {
        return;
    }
    let as_timespec = |nanoseconds: i64| timespec {
        tv_sec: nanoseconds / SECOND,
        tv_nsec: nanoseconds % SECOND,
    };
    touch(place, size_of::<itimerspec>());
    // SAFETY: the place is null or the program's, as this function's caller guarantees; the state
    // lies in the world.
    unsafe {
        (place as *mut itimerspec).write(itimerspec {
            it_value: as_timespec(remaining(number)),
            it_interval: as_timespec((*timer(number)).interval),
        });
    }
}
