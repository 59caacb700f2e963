//! Waits that a signal handler ends (`EINTR`), or begins anew (`SA_RESTART`).
//!
//! A handler runs before the call, as before every operation, or in it. In it means: the signal was not
//! there when the call began, and what the call waits for is not there when the thread looks at both. A
//! signal that comes later does not wake the thread: what comes of it also comes of the signal that was
//! there when the thread looked, because the thread did nothing since (see [`super`]).
//!
//! A signal that only a time-out led to comes while the thread blocks ([`late`]). Such a thread looks at what it waits
//! for when it was woken. If that is there, it was woken for it, before the signal or after: a semaphore's count is
//! taken by the thread itself, after the handler; what a call of the kernel's waits for, the call takes before the handler
//! runs.
//!
//! *Deviation*: what the call waits for may have come and gone between the signal and the look. A thread
//! that was woken by then would not notice the signal in the call; here it may.
//!
//! Source: POSIX.1-2017, XSH 2.4.4; signal(7), "Interruption of system calls".

use super::deliver::{self, deliver, look};
use super::late;
use super::state::{is_there, note_pending, of, quietly, read_own, take_from_process};
use crate::engine::{self, early};
use crate::libc::signals;
use core::ptr;
use dpor_model::Kind;

/// The effect that a handler has on the call in which it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restarts {
    /// A handler always ends the call, with `EINTR`.
    Never,
    /// A handler ends the call unless it was installed with `SA_RESTART`.
    IfAsked,
}

/// Waits with `wait`, which uses [`wait`], while another mask is in force (`pselect`, `ppoll`): what it lets
/// in arrives in the wait, if that does not end otherwise.
pub fn with_mask<T>(mask: u64, wait: impl FnOnce() -> T) -> T {
    let me = engine::thread();
    // SAFETY: the running thread's own mask and entry.
    let before = unsafe {
        (*of(me)).masked = true;
        ptr::replace(signals::mask_of(me), signals::maskable(mask))
    };
    if let Some(sent) = take_from_process(!signals::maskable(mask)) {
        // SAFETY: the queue in the world is the running thread's own; the event before conflicts
        // with everything that sends.
        unsafe { (*of(me)).pending.add(sent) };
        note_pending(me);
    }
    let result = wait();
    // SAFETY: the mask and the entry are the running thread's own in the world; no other fiber runs
    // since the wait.
    unsafe {
        signals::mask_of(me).write(before);
        (*of(me)).masked = false;
    }
    result
}

/// The way in which a wait ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended<T> {
    /// The thing that the call waits for came.
    Done(T),
    /// The time limit of the call is over.
    Late,
    /// A handler ended it.
    Interrupted,
}

/// The way in which an operation ends that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn<T> {
    /// The thing that the operation waits for came.
    Done(T),
    /// The thread gave up where nothing else could go on.
    GaveUp,
    /// Another thread gave up, and this one decides again whether it gives up early ([`early`]).
    Again,
}

/// The state of what a thread waits for, as a late signal that woke it finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum There<T> {
    /// The thing is not there.
    No,
    /// The thing is there, and the thread is to take it when the handler has run.
    Before,
    /// The thing is there, and the thread has taken it.
    Done(T),
}

/// Waits with `wait`, or, where a signal is there, tries with `attempt`, which does not block.
///
/// `wait` is told whether it may give up where nothing else can go on. That is how a wait
/// ends that is `limited`, and how a thread comes to await a signal that is late. `there`: what it finds then.
pub fn wait<T>(
    restarts: Restarts,
    limited: bool,
    mut attempt: impl FnMut() -> Option<T>,
    mut there: impl FnMut() -> There<T>,
    mut wait: impl FnMut(bool) -> Turn<T>,
) -> Ended<T> {
    let me = engine::thread();
    if !deliver::is_possible() && !is_there(me) {
        return to_end(|| wait(limited));
    }
    look(&engine::operation(Kind::Pause));
    loop {
        read_own();
        if is_there(me) {
            if let Some(result) = quietly(&mut attempt) {
                // The signal arrives before the thread's next operation.
                return Ended::Done(result);
            }
        } else if late::is_known() && deliver::is_possible() {
            let gave_up = |turn: &Turn<T>| matches!(turn, Turn::GaveUp);
            match late::wait(limited, || true, || wait(true), gave_up) {
                Some(Turn::Done(result)) => return Ended::Done(result),
                Some(Turn::GaveUp) => return Ended::Late,
                Some(Turn::Again) if quietly(early::happens_again) => return Ended::Late,
                Some(Turn::Again) => continue,
                None => match quietly(&mut there) {
                    There::Done(result) => return Ended::Done(result),
                    There::Before => {
                        read_own();
                        deliver();
                        continue;
                    }
                    There::No => {}
                },
            }
        } else {
            return quietly(|| to_end(|| wait(limited)));
        }
        // Others may have come since the look.
        read_own();
        let asked = deliver();
        if asked.is_some_and(|asked| restarts == Restarts::Never || !asked) {
            return Ended::Interrupted;
        }
    }
}

/// Waits with `wait`, as often as the thread decides again, until that is over.
fn to_end<T>(mut wait: impl FnMut() -> Turn<T>) -> Ended<T> {
    loop {
        match wait() {
            Turn::Done(result) => return Ended::Done(result),
            Turn::GaveUp => return Ended::Late,
            Turn::Again if early::happens_again() => return Ended::Late,
            Turn::Again => {}
        }
    }
}

/// Lets the running thread, which waits for a timer, wait for nothing any more, in an execution
/// that is none.
pub fn waste<T>(wait: impl FnOnce() -> T) -> T {
    let me = engine::thread();
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*of(me)).wasted = true };
    let result = quietly(wait);
    // SAFETY: the entry in the world is the running thread's own.
    unsafe { (*of(me)).wasted = false };
    result
}

/// Returns whether a handler ends a call that waits for a while, of which nothing but its time-out
/// is to come.
pub fn ends() -> bool {
    let done = |_| Turn::Done(());
    wait(Restarts::Never, false, || None, || There::No, done) == Ended::Interrupted
}
