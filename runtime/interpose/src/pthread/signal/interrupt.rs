//! Waits that a signal handler ends (`EINTR`), or begins anew (`SA_RESTART`).
//!
//! A handler runs before the call, as before every operation, or in it. In it means: the signal was not
//! there when the call began, and what the call waits for is not there when the thread looks at both. A
//! signal that comes later does not wake the thread: what comes of it also comes of the signal that was
//! there when the thread looked, because the thread did nothing since (see [`super`]).
//!
//! *Deviation*: what the call waits for may have come and gone between the signal and the look. A thread
//! that was woken by then would not notice the signal in the call; here it may.
//!
//! Source: POSIX.1-2017, XSH 2.4.4; signal(7), "Interruption of system calls".

use super::deliver::{self, deliver, look};
use super::{bit, of, read_own};
use crate::engine;
use crate::libc::signals;
use dpor_explorer::program::{Kind, ThreadId};

/// What a handler does to a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restarts {
    /// It ends it.
    Never,
    /// Not if it was installed with `SA_RESTART`.
    IfAsked,
}

/// Waits with `wait`, or, where a signal is there, tries with `attempt`, which does not block. `None`: a
/// handler ended the wait.
pub fn wait<T>(
    restarts: Restarts,
    mut attempt: impl FnMut() -> Option<T>,
    wait: impl FnOnce() -> T,
) -> Option<T> {
    if !deliver::is_possible() {
        return Some(wait());
    }
    look(&engine::operation(Kind::Pause));
    loop {
        read_own();
        if !is_there(engine::thread()) {
            return Some(quietly(wait));
        }
        if let Some(result) = quietly(&mut attempt) {
            // The signal arrives before the thread's next operation.
            return Some(result);
        }
        let asked = deliver();
        if asked.is_some_and(|asked| restarts == Restarts::Never || !asked) {
            return None;
        }
    }
}

/// Whether a handler ends a call that waits for a while, of which nothing but its time-out is to come.
pub fn ends() -> bool {
    wait(Restarts::Never, || None, || ()).is_none()
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
