//! Timers of the process that were set before the root (`alarm`, `setitimer`).
//!
//! They run in real time, which no thread of an explored program sees, and their signal would come to
//! whichever fiber stands there. So they are switched off. One that would only end the process is a
//! watchdog, and never fires here, as if time were short. Otherwise it is armed anew, as a timer of the model.
//!
//! Deviation: POSIX timers (`timer_create`) that were set before the root are not seen.

use super::{call, processor};
use crate::libc::signals;
use crate::state::Kept;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicI64, Ordering};
use dpor_machine::sys;
use dpor_model::ThreadId;

/// Nanoseconds from the root after which each would have expired (0: it was not set), and its
/// interval.
static AFTER: Kept<[AtomicI64; TIMERS.len()]> =
    Kept::new([const { AtomicI64::new(0) }; TIMERS.len()]);
static INTERVAL: Kept<[AtomicI64; TIMERS.len()]> =
    Kept::new([const { AtomicI64::new(0) }; TIMERS.len()]);

/// The kinds of timers, and the signal of each (POSIX, `setitimer`).
const TIMERS: [(i32, i32); 3] = [
    (::libc::ITIMER_REAL, ::libc::SIGALRM),
    (::libc::ITIMER_VIRTUAL, ::libc::SIGVTALRM),
    (::libc::ITIMER_PROF, ::libc::SIGPROF),
];

/// Switches them off. The program's signal actions must be known.
pub fn at_root() {
    for (number, (timer, signal)) in TIMERS.into_iter().enumerate() {
        let off = MaybeUninit::<::libc::itimerval>::zeroed();
        let mut before = MaybeUninit::<::libc::itimerval>::zeroed();
        // SAFETY: a zero timer is off; the old one is written whole.
        let before = unsafe {
            let (off, old) = (off.as_ptr() as usize, before.as_mut_ptr() as usize);
            sys::call3(::libc::SYS_setitimer, timer as usize, off, old);
            before.assume_init()
        };
        let nanoseconds =
            |time: ::libc::timeval| time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000;
        let after = nanoseconds(before.it_value);
        let handler = signals::action_of(signal).handler;
        // SAFETY: the world is mapped; this is a plain read, and one thread runs.
        let blocked = unsafe { *signals::mask_of(ThreadId(0)) } >> (signal - 1) & 1 == 1;
        let is_watchdog = handler == ::libc::SIG_DFL && !blocked || handler == ::libc::SIG_IGN;
        if after == 0 || is_watchdog {
            continue;
        }
        AFTER[number].store(after, Ordering::Relaxed);
        INTERVAL[number].store(nanoseconds(before.it_interval), Ordering::Relaxed);
    }
}

/// Arms what was armed. On thread 0, as soon as the exploration has begun.
pub fn begin() {
    for (number, (which, _)) in TIMERS.into_iter().enumerate() {
        let after = AFTER[number].load(Ordering::Relaxed);
        let interval = INTERVAL[number].load(Ordering::Relaxed);
        match processor::number_of(which) {
            _ if after == 0 => {}
            None => call::set_real(after, interval),
            Some(timer) => processor::set(timer, after, interval),
        }
    }
}
