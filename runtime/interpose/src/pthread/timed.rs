//! Calls with a time limit: what their deadline means.
//!
//! Time is virtual (libc/time.rs), so a deadline is never reached by waiting for it. What has passed
//! already makes the call one that does not wait. Otherwise it may give up at any moment, as long as the
//! execution has such an early time-out left (`--timeouts`): it tries first, and if that is in vain, either gives
//! up or waits like a call without a limit, and then gives up only where no thread can go on.
//! With `--timeouts=all` it is the call that tries, made at any moment, with another error.
//!
//! Source: POSIX.1-2017, `pthread_mutex_timedlock`, `pthread_cond_timedwait`, `sem_timedwait`.

use super::memory;
use crate::engine::early;
use crate::libc::time;
use ::libc::{clockid_t, timespec, CLOCK_MONOTONIC, CLOCK_REALTIME, EINVAL, ETIMEDOUT};
use core::ffi::c_int;
use dpor_model::{Decision, Operation, TIMEOUT};

/// A moment on a clock.
#[derive(Clone, Copy)]
pub struct Deadline {
    clock: clockid_t,
    nanoseconds: i64,
}

/// The way in which a thread waits with a deadline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// The thread waits until it succeeds, or nothing else can go on; or it gives up early, which
    /// is another's to ask ([`early`]).
    Long,
    /// The call may give up at any moment.
    Any,
}

impl Deadline {
    /// Returns the moment `until` on a clock.
    ///
    /// # Errors
    /// `EINVAL`: no such moment, or not one of the clocks that these calls take.
    ///
    /// # Safety
    /// `until` points to a time.
    pub unsafe fn new(clock: clockid_t, until: *const timespec) -> Result<Deadline, c_int> {
        // SAFETY: `until` points to a time, as this function's caller guarantees, and is copied at
        // once.
        let until = unsafe { until.read() };
        let valid = matches!(clock, CLOCK_REALTIME | CLOCK_MONOTONIC);
        match (0..1_000_000_000).contains(&until.tv_nsec) && valid {
            true => Ok(Deadline {
                clock,
                nanoseconds: time::as_nanoseconds(&until),
            }),
            false => Err(EINVAL),
        }
    }

    /// Returns the moment after an interval from now.
    pub fn after(clock: clockid_t, interval: &timespec) -> Deadline {
        Deadline {
            clock,
            nanoseconds: time::now(clock).saturating_add(time::as_nanoseconds(interval)),
        }
    }

    /// Returns how the running thread waits for this deadline.
    pub fn patience(self) -> Patience {
        early::note_call();
        match early::always() || self.has_passed() {
            true => Patience::Any,
            false => Patience::Long,
        }
    }

    fn has_passed(self) -> bool {
        time::now(self.clock) >= self.nanoseconds
    }

    /// Notes that the running thread waited for this deadline in vain. Returns `ETIMEDOUT`.
    pub fn reached(self) -> c_int {
        time::slept(self.nanoseconds - time::now(self.clock));
        ETIMEDOUT
    }

    /// Waits with `wait`, or tries with `attempt`, which fails with `busy`. The result of the call.
    pub fn perform(self, wait: Operation, attempt: Operation, busy: c_int) -> c_int {
        match self.patience() {
            Patience::Any => match memory::perform(attempt).result {
                result if result == busy => self.reached(),
                result => result,
            },
            Patience::Long => match self.early(|| memory::perform(attempt).result, busy) {
                Some(result) => result,
                None => {
                    let timed = Operation {
                        timed: true,
                        ..wait
                    };
                    self.result(memory::perform_within(timed, early::nothing))
                }
            },
        }
    }

    /// Returns the result of a call that need not wait, or gives up early: `attempt` fails with
    /// `busy`. `None`: it waits.
    pub fn early(self, attempt: impl FnOnce() -> c_int, busy: c_int) -> Option<c_int> {
        if !early::is_possible() {
            return None;
        }
        match attempt() {
            result if result == busy => early::happens().then(|| self.reached()),
            result => Some(result),
        }
    }

    /// Returns the result of a call that may have given up.
    pub fn result(self, decision: Decision) -> c_int {
        match decision.alternative {
            TIMEOUT => self.reached(),
            _ => decision.result,
        }
    }
}
