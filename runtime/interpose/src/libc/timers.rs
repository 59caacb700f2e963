//! Timers of the process that were set before the root (`alarm`, `setitimer`).
//!
//! They run in real time, which no thread of an explored program sees, and their signal would come to
//! whichever fiber stands there. So they are switched off. One whose signal a handler waits for is
//! unsupported: without it the program would seem to deadlock. One that would only end the process is
//! a watchdog, and never fires here, as if time were short.
//!
//! Deviation: POSIX timers (`timer_create`) that were set before the root are not seen.

use super::signals;
use crate::sys;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether one was set that is more than a watchdog.
static AWAITED: AtomicBool = AtomicBool::new(false);

/// The kinds of timers, and the signal of each (POSIX, `setitimer`).
const TIMERS: [(i32, i32); 3] = [
    (::libc::ITIMER_REAL, ::libc::SIGALRM),
    (::libc::ITIMER_VIRTUAL, ::libc::SIGVTALRM),
    (::libc::ITIMER_PROF, ::libc::SIGPROF),
];

/// Switches them off. The program's signal actions must be known.
pub fn at_root() {
    for (timer, signal) in TIMERS {
        let off = MaybeUninit::<::libc::itimerval>::zeroed();
        let mut before = MaybeUninit::<::libc::itimerval>::zeroed();
        // SAFETY: a zero timer is off; the old one is written whole.
        let before = unsafe {
            let (off, old) = (off.as_ptr() as usize, before.as_mut_ptr() as usize);
            sys::call3(::libc::SYS_setitimer, timer as usize, off, old);
            before.assume_init().it_value
        };
        let was_set = before.tv_sec != 0 || before.tv_usec != 0;
        let handler = signals::action_of(signal).handler;
        if was_set && handler != ::libc::SIG_DFL && handler != ::libc::SIG_IGN {
            AWAITED.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether the signal of a timer that was set before the root has a handler.
pub fn are_awaited() -> bool {
    AWAITED.load(Ordering::Relaxed)
}
