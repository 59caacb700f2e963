//! Signals that are read from a descriptor: what `signalfd` finds pending.
//!
//! A thread reads what is pending for itself, then what is pending for the process. Every look is in an
//! event that conflicts with everything, and so is every signal that is sent, once a program is known to
//! have such a descriptor ([`is_used`]): which signals somebody may read is decided when they are sent.
//!
//! *Unsupported* is what the kernel decides otherwise than [`super::send`]: a signal to the process stays
//! there until somebody takes it, who may be a reader as well as a thread that does not block it or waits
//! for it. Here it is given to one of the latter at once. So a signal that a descriptor names must be blocked.
//!
//! Source: signalfd(2).

use super::super::happens_before;
use super::state::{bit, note_pending, of, process, Sent};
use crate::engine::learned_events::{self, EventCause};
use crate::engine::{self, object};
use crate::libc::channel::readers;
use crate::libc::signals;
use crate::state::Kept;
use crate::world::world;
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether a descriptor that reads signals existed at the root.
static AT_ROOT: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Notes that there is a descriptor that reads signals. At the root.
pub fn is_used_at_root() {
    AT_ROOT.store(true, Ordering::Relaxed);
}

/// Returns whether signals that are sent conflict with everything, because they may be read.
pub fn is_used() -> bool {
    AT_ROOT.load(Ordering::Relaxed) || learned_events::knows(EventCause::SignalDescriptors)
}

/// Returns whether a signal of the set can be read by the running thread, in an event that
/// conflicts with everything.
pub fn is_there(set: u64) -> bool {
    check(set);
    // SAFETY: the queues lie in the world, which is mapped; the caller is in the step of an event
    // that conflicts with everything.
    let there = unsafe { (*of(engine::thread())).pending.set() | (*process()).set() };
    if there & set != 0 {
        acquire();
    }
    there & set != 0
}

/// Takes a signal of the set for the running thread, in an event that conflicts with everything.
pub(crate) fn take(set: u64) -> Option<Sent> {
    check(set);
    let me = engine::thread();
    // SAFETY: the queues lie in the world, which is mapped, and no borrow of them is alive; the
    // caller is in the step of an event that conflicts with everything.
    let taken = unsafe {
        let own = (*of(me)).pending.take(set);
        own.or_else(|| (*process()).take(set))
    };
    note_pending(me);
    if taken.is_some() {
        acquire();
    }
    taken
}

fn acquire() {
    happens_before::acquire(object::signals(engine::thread()));
    if learned_events::knows(EventCause::ProcessSignals) {
        happens_before::acquire(object::PROCESS_SIGNALS);
    }
}

/// Refuses what is pending here for a thread and could be another's to take.
fn check(set: u64) {
    let me = engine::thread();
    // SAFETY: the entry in the world is the running thread's own; the caller is in the step of an
    // event that conflicts with everything.
    let open = unsafe { (*of(me)).pending.set() & !*signals::mask_of(me) };
    let given = others(|sent| sent.to_process && set & bit(sent.signal) != 0);
    if open & set != 0 || given {
        unblocked();
    }
}

/// Refuses a look by a set of `epoll` while a signal is pending for another thread: a set tells a
/// thread what is pending for itself, and forgets to ask for others.
pub fn check_for_epoll(set: u64) {
    if others(|sent| set & bit(sent.signal) != 0) {
        readers::for_another();
    }
}

/// Returns whether a signal for which `is_such` holds is pending for another thread.
fn others(is_such: impl Fn(&Sent) -> bool) -> bool {
    // SAFETY: the world is mapped; a plain read.
    let live = unsafe { (*world()).engine.live };
    live.iter()
        .filter(|&thread| thread != engine::thread())
        .any(|thread| {
            // SAFETY: the entry lies in the world; the caller is in the step of an event that
            // conflicts with everything, so no other fiber runs.
            let queue = unsafe { &(*of(thread)).pending };
            queue.sent[..queue.count].iter().any(&is_such)
        })
}

/// Refuses a signal that is sent to a thread that takes it at once, if a descriptor may read it. In
/// an event that conflicts with everything, if [`is_used`].
pub(super) fn taken_at_once(signal: i32) {
    if readers::is_read(signal) {
        unblocked();
    }
}

fn unblocked() -> ! {
    engine::unsupported(
        "a signal that a signalfd reads and that a thread does not block, or waits for",
    );
}
