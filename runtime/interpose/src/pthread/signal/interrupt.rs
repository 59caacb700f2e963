//! Waits that a signal handler ends (`EINTR`), or begins anew (`SA_RESTART`).
//!
//! A handler runs before the call, as before every operation, or in it. In it means: the signal was not
//! there when the call began, and what the call waits for is not there when the thread looks at both. A
//! signal that comes later does not wake the thread: what comes of it also comes of the signal that was
//! there when the thread looked, because the thread did nothing since (see [`super`]).
//!
//! Where only a time-out, or a timer, lets anything go on, a signal cannot have come before the thread
//! blocked. So once a program was seen to do that, threads also look where nothing can go on: they give up
//! waiting, like calls with a limit, and if no signal is there, they wait on, until something else happens.
//! Each of these looks may come before the signal or after; where it was in vain ([`super::has_wasted`]) and the
//! signal comes later, there is another execution in which the look comes later, too.
//!
//! *Deviation*: what the call waits for may have come and gone between the signal and the look. A thread
//! that was woken by then would not notice the signal in the call; here it may.
//!
//! Source: POSIX.1-2017, XSH 2.4.4; signal(7), "Interruption of system calls".

use super::deliver::{self, deliver, look};
use super::{bit, note_pending, of, read_own, take_from_process};
use crate::engine::uses::{self, Use};
use crate::engine::{self, object};
use crate::libc::signals;
use core::ptr;
use dpor_explorer::program::{Decision, Kind, Operation, ThreadId, TIMEOUT};

/// What a handler does to a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restarts {
    /// It ends it.
    Never,
    /// Not if it was installed with `SA_RESTART`.
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
        // SAFETY: as above, after an event that conflicts with everything that sends.
        unsafe { (*of(me)).pending.add(sent) };
        note_pending(me);
    }
    let result = wait();
    // SAFETY: as above.
    unsafe {
        signals::mask_of(me).write(before);
        (*of(me)).masked = false;
    }
    result
}

/// How a wait ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended<T> {
    /// What it waits for came.
    Done(T),
    /// Its time is over.
    Late,
    /// A handler ended it.
    Interrupted,
}

/// Waits with `wait`, or, where a signal is there, tries with `attempt`, which does not block.
///
/// `wait` is told whether it may give up where nothing else can go on; `None`: it did. That is how a wait
/// ends that is `limited`, and how a thread looks again for signals that only then can come
/// ([`Use::LateSignals`]).
pub fn wait<T>(
    restarts: Restarts,
    limited: bool,
    mut attempt: impl FnMut() -> Option<T>,
    mut wait: impl FnMut(bool) -> Option<T>,
) -> Ended<T> {
    let me = engine::thread();
    if !deliver::is_possible() && !is_there(me) {
        return wait(limited).map_or(Ended::Late, Ended::Done);
    }
    look(&engine::operation(Kind::Pause));
    let looks_again = uses::knows(Use::LateSignals);
    loop {
        read_own();
        if !is_there(me) {
            if let Some(result) = quietly(|| wait(limited || looks_again)) {
                return Ended::Done(result);
            }
            if looks_again {
                read_own();
            }
            if !looks_again || !is_there(me) {
                return match limited {
                    true => Ended::Late,
                    false => waste(|| wait(false)).map_or(Ended::Late, Ended::Done),
                };
            }
        } else if let Some(result) = quietly(&mut attempt) {
            // The signal arrives before the thread's next operation.
            return Ended::Done(result);
        }
        let asked = deliver();
        if asked.is_some_and(|asked| restarts == Restarts::Never || !asked) {
            return Ended::Interrupted;
        }
    }
}

/// The same for an operation that handlers do not end; `None`: there is nothing special about it.
pub fn wait_on(operation: &Operation) -> Option<Decision> {
    // SAFETY: the running thread's own entry.
    let quiet = unsafe { (*of(engine::thread())).quiet };
    let signalled = deliver::is_possible() && uses::knows(Use::LateSignals);
    if quiet || operation.timed || !signalled || !looks_late(operation) {
        return None;
    }
    let timed = Operation {
        timed: true,
        ..*operation
    };
    loop {
        let decision = quietly(|| engine::perform(timed));
        if decision.alternative != TIMEOUT {
            return Some(decision);
        }
        read_own();
        if deliver().is_none() {
            return Some(waste(|| engine::perform(*operation)));
        }
    }
}

/// Whether a thread that blocks in an operation can look for signals where nothing else can go on. A wait
/// on a condition variable would have to join the queue again; so would a writer that announced itself.
pub fn looks_late(operation: &Operation) -> bool {
    match operation.kind {
        Kind::MutexLock | Kind::MutexLockAll | Kind::RwlockRead | Kind::Join => true,
        Kind::RwlockWrite => operation.argument != 1,
        Kind::Channel => operation.argument != 0,
        Kind::SemWait => !object::is_signal(operation.object),
        _ => operation.waits,
    }
}

/// The running thread looked in vain, and blocks again. It does not look a second time where nothing can go
/// on: that would be for ever.
pub fn waste<T>(wait: impl FnOnce() -> T) -> T {
    let me = engine::thread();
    // SAFETY: the running thread's own entry.
    unsafe { (*of(me)).wasted = true };
    let result = quietly(wait);
    // SAFETY: as above.
    unsafe { (*of(me)).wasted = false };
    result
}

/// Whether a handler ends a call that waits for a while, of which nothing but its time-out is to come.
pub fn ends() -> bool {
    wait(Restarts::Never, false, || None, |_| Some(())) == Ended::Interrupted
}

/// Whether a signal is pending that the thread does not block and that does something.
fn is_there(thread: ThreadId) -> bool {
    // SAFETY: the running thread's own entries, after an event in which it looked.
    let deliverable = unsafe { (*of(thread)).pending.set() & !*signals::mask_of(thread) };
    (1..=64).any(|signal| deliverable & bit(signal) != 0 && !signals::is_ignored(signal))
}

/// The running thread does not look for signals in the meantime.
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let me = engine::thread();
    // SAFETY: the running thread's own entry.
    unsafe { (*of(me)).quiet = true };
    let result = act();
    // SAFETY: as above.
    unsafe { (*of(me)).quiet = false };
    result
}
