//! Timers of processor time: `setitimer` with `ITIMER_VIRTUAL` and `ITIMER_PROF`.
//!
//! How much processor time a program uses is not known, so such a timer expires at any moment, or never: with
//! `--timeouts=all` both are tried, at each moment, once for each time it is armed. Otherwise it expires as often as
//! the execution has early time-outs left; with none it never does, as if little time were used. While all threads are blocked it does not run; but what comes of an expiration then
//! also comes of one just before the last of them blocked, which did nothing since.
//!
//! A deadlock or a loop without end while one is armed that would be noticed is no finding: it may be that so
//! much time must have been used by then that it has expired ([`may_still_expire`]).
//!
//! Processor time does not pass: a timer that is armed tells what it was set to.
//!
//! Source: POSIX.1-2017 `setitimer`.

use super::state::{is_over, timer, Notice, OF_PROCESSOR, SI_KERNEL, TIMERS};
use crate::engine::{self, early};
use crate::hooks::options::is_by_states;
use crate::pthread::signal::send::{self, Expired};
use crate::pthread::{entry, thread};
use crate::world::world;
use ::libc::c_int;
use core::ffi::c_void;
use core::ptr;
use dpor_model::{Argument, Kind, Operation};

/// The timers, by number, and the signal of each.
const ALL: [(usize, c_int, c_int); OF_PROCESSOR] = [
    (TIMERS, ::libc::ITIMER_VIRTUAL, ::libc::SIGVTALRM),
    (TIMERS + 1, ::libc::ITIMER_PROF, ::libc::SIGPROF),
];

/// Returns the number of the timer that `setitimer` calls `which`.
pub(super) fn number_of(which: c_int) -> Option<usize> {
    let mut timers = ALL.into_iter();
    timers.find(|timer| timer.1 == which).map(|timer| timer.0)
}

/// Arms one for so many nanoseconds from now, or disarms it (0). After an event that conflicts with everything.
pub(super) fn set(number: usize, after: i64, interval: i64) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let armed = unsafe {
        let timer = timer(number);
        (*timer).notice = Notice::Signal;
        (*timer).signal = ALL[number - TIMERS].2;
        (*timer).armed = after > 0;
        (*timer).deadline = after;
        (*timer).interval = interval;
        (*timer).armings = next_arming(number, (*timer).armings);
        (*timer).armings
    };
    if after == 0 {
        return;
    }
    early::note_call();
    if expires(number) {
        let watcher = thread::begin_hidden(watch, number | armed << 8);
        // SAFETY: the state lies in the world, which is mapped; the thread that is noted has not
        // begun, and no other fiber runs.
        unsafe { (*world()).engine.watchers.insert(watcher) };
    }
}

/// Tells the next arming of a timer from this one and from all that threads which wait for it were told of. Where states
/// are remembered, which have to come back, it is the lowest such number.
fn next_arming(number: usize, last: usize) -> usize {
    if !is_by_states() {
        return last + 1;
    }
    // SAFETY: the world is mapped; these are plain reads, and no other fiber runs.
    let watchers = unsafe { (*world()).engine.watchers };
    let is_told = |next: &usize| {
        let told = number | next << 8;
        // SAFETY: as above.
        { watchers.iter() }.any(|thread| unsafe { (*entry(thread)).argument as usize == told })
    };
    let is_free = |next: &usize| *next != last && !is_told(next);
    (1..).find(is_free).unwrap_or(last + 1)
}

/// Returns whether the timer that was armed just now expires in this execution.
fn expires(number: usize) -> bool {
    if !early::always() {
        return send::is_noticed(ALL[number - TIMERS].2) && early::happens_meanwhile();
    }
    let whether = Operation {
        argument: Argument::choices(2),
        ..engine::operation(Kind::Choose)
    };
    engine::perform(whether).alternative == 0
}

/// Body of the thread that lets a timer expire, at any moment.
unsafe extern "C" fn watch(what: *mut c_void) -> *mut c_void {
    engine::perform(engine::operation(Kind::Opaque));
    let (number, armed) = (what as usize & 0xff, what as usize >> 8);
    if !engine::is_ending() && !is_over() {
        expire(number, armed);
    }
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    unsafe { (*world()).engine.watchers.remove(engine::thread()) };
    ptr::null_mut()
}

/// Lets the timer expire, if it is armed as it was then.
fn expire(number: usize, armed: usize) {
    // SAFETY: the state lies in the world, which is mapped; one fiber runs at a time, and none
    // switches here.
    let signal = unsafe {
        let timer = timer(number);
        if !(*timer).armed || (*timer).armings != armed || !send::is_noticed((*timer).signal) {
            return;
        }
        (*timer).armed = (*timer).interval > 0;
        (*timer).deadline = (*timer).interval;
        (*timer).signal
    };
    send::expired(Expired {
        signal,
        code: SI_KERNEL,
        value: 0,
        timer: 0,
    });
}

/// Returns whether a timer of processor time is armed whose signal would be noticed. To be called
/// while no fiber runs.
pub fn may_still_expire() -> bool {
    ALL.into_iter().any(|(number, _, signal)| {
        // SAFETY: the state lies in the world, which is mapped; this is a plain read, and no other
        // fiber runs.
        unsafe { (*timer(number)).armed && send::is_noticed(signal) }
    })
}
