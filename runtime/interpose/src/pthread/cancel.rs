//! Cancellation.
//!
//! Whether a thread was asked to end is an object of its own: `pthread_cancel` writes it, the thread
//! reads it at each cancellation point. So these events are there only for threads that are cancelled
//! at all ([`learned_events::learn_cancelled`]), and only while they do not forbid it.
//!
//! A thread that blocks in a cancellation point first leaves word of what it blocks on ([`Wait`]), in
//! the event in which it reads that nobody has asked yet. Who asks after that finds the word and wakes
//! it: by a signal for this one thread, or a post. A thread that was woken in another way takes its
//! word back, and acts on the request at its next cancellation point: the call that ended has had its
//! effect.
//!
//! A function that is a cancellation point returns an [`Outcome`] to a stub ([`super::unwind`]), which
//! unwinds the stack where the call was, as `pthread_exit` does.
//!
//! A wait that has no effect before it ends need not be left ([`begin_blocking`]): what comes of a request also
//! comes of one before it. That is not so where only a time-out led to the request, as that needs the thread to
//! block. Once a program was seen to do that ([`EventCause::LateRequests`]), a thread that waits for a semaphore looks
//! at it without waiting, asks to be told of posts in the same event, and waits for an object of its own, which
//! both posts and requests make ready ([`super::late_cancellation`]); and waits for signals are left as joins are. In other
//! calls such a request is unsupported.
//!
//! A thread with asynchronous cancellation also looks before each access that is an event, and where it is
//! set aside ([`anywhere`]); so it is cancelled between events, and not between two plain accesses. Such a
//! thread should call nothing that waits but cancellation points (XSH 2.9.5.4); locks, barriers and waits on
//! futexes are then unsupported ([`refuse`]).
//!
//! *Deviations*: functions that POSIX only allows to be cancellation points are none. That a request was made is ordered before the thread's acting on it, for the race detector:
//! POSIX does not say so, every implementation does it.
//!
//! Source: POSIX.1-2017, XSH 2.9.5.

mod blocking;
mod outcome;
mod points;
mod state;

use super::{entry, existing, happens_before, unwinder};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object, own_semaphore};
use crate::world::world;
use ::libc::pthread_t;
pub use blocking::{
    begin_blocking, begin_wait, block_in_call, end_blocking, end_wait, is_late, is_stuck,
    leave_wait, remembers_time_out,
};
use core::ffi::c_int;
use dpor_model::{Argument, Kind, ObjectId, Operation, ThreadId};
pub use outcome::{Outcome, LEAVE};
pub(super) use points::{act, look, test};
pub use points::{anywhere, is_anywhere, is_possible, point, point_of, refuse};
pub(crate) use state::State;
pub use state::Wait;

crate::hooks::clean_entry::clean_entries! {
    pthread_cancel
}

/// Posts once more on `object`, a semaphore that is there from the start.
pub(super) fn post(object: ObjectId) {
    engine::perform(own_semaphore::post(object));
}

/// A request in a wait that it cannot end.
const LATE: &str = "a request to end, for a thread that blocks in a call other than sem_wait, where only a time-out \
    let anything go on (--timeouts may help)";

/// `pthread_cancel`: asks a thread to end, in an event on its request.
pub extern "C" fn pthread_cancel(thread: pthread_t) -> c_int {
    if engine::before_root() {
        // The first thread asks itself to end, which its next cancellation point must know.
        engine::begin();
    }
    if !engine::active() {
        let cancel = real!(pthread_cancel: fn(pthread_t) -> c_int);
        // SAFETY: libc's function takes any value: it gets the program's `thread` as it came.
        return unsafe { cancel(thread) };
    }
    let Some(target) = existing::existing(thread) else {
        return gone();
    };
    let object = object::cancellation(target);
    if learned_events::learn_cancelled(target) {
        engine::perform(Operation {
            object,
            ..engine::operation(Kind::SharedWrite)
        });
        if existing::existing(thread).is_none() {
            return gone();
        }
    }
    happens_before::release(object);
    // SAFETY: the entry lies in the world, which is mapped; the event above conflicts with those
    // around its other uses.
    let before = unsafe {
        let state = &raw mut (*entry(target)).cancel;
        let before = *state;
        (*state).requested = true;
        let is_late = before.blocked && before.time_outs != (*world()).engine.time_outs;
        if !before.requested && is_late {
            (*state).late = true;
            if learned_events::learn(EventCause::LateRequests) {
                engine::unsupported(LATE);
            }
        }
        before
    };
    if !before.requested {
        wake(target, before.wait);
    }
    if target == engine::thread() && is_anywhere() {
        act();
        unwinder::cancelled();
    }
    0
}

fn gone() -> c_int {
    existing::misuse::<()>(
        "cancellation of a thread that was already joined, or that never existed",
        ::libc::ESRCH,
    )
    .err()
    .unwrap_or(0)
}

/// Ends the wait of a thread, if it has not ended yet.
fn wake(target: ThreadId, wait: Wait) {
    match wait {
        Wait::None => {}
        Wait::Condvar(object) => {
            if signal(object, target) {
                // SAFETY: the entry lies in the world, which is mapped; its thread has not run
                // since it was woken.
                unsafe { (*entry(target)).cancel.woken = true };
            }
        }
        Wait::Post(object) => {
            post(object);
        }
    }
}

/// Wakes this one thread if it waits on the condition variable; whether it did.
pub fn signal(condvar: ObjectId, target: ThreadId) -> bool {
    let decision = engine::perform(Operation {
        object: condvar,
        argument: Argument::only(target),
        ..engine::operation(Kind::CondSignal)
    });
    let woken = decision.alternative == u32::from(target.0);
    if woken {
        // SAFETY: the entry lies in the world, which is mapped; its thread stands in a wait.
        unsafe { (*entry(target)).waiting = 0 };
        if target != engine::thread() {
            happens_before::wake(target);
        }
    }
    woken
}

/// Notes that the running thread releases the number of one that it joined: nobody may cancel that
/// one now, or send it a signal.
pub fn joined(target: ThreadId) {
    let read = |object| {
        engine::perform(Operation {
            object,
            ..engine::operation(Kind::SharedRead)
        });
    };
    if learned_events::is_cancelled(target) {
        read(object::cancellation(target));
    }
    if learned_events::is_signalled(target) {
        read(object::signals(target));
    }
}
