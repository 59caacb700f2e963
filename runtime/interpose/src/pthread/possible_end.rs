//! Whether an execution may end as it did: threads that wait may be sent a signal, or a timer may expire.

use crate::engine::learned_events::{self, EventCause};
use crate::engine::left_threads;
use crate::engine::runtime::Runtime;
use crate::engine::searching::Searching;
use crate::libc::{channel, timers};
use crate::pthread::cancel;
use crate::pthread::signal;
use crate::pthread::signal::late::{self, Awaiting};
use crate::thread_mask::ThreadMask;
use crate::world::world;
use dpor_explorer::{End, Trace};
use dpor_model::{Kind, ThreadId, ThreadSet, TIMEOUT};

/// Threads of a deadlock that would go on, to run a handler or to leave: it is no deadlock, and no
/// execution that is possible. Nor is one in which the process ends and they wait.
pub fn stuck(search: &Searching, end: &End) -> Vec<ThreadId> {
    let left = match end {
        End::Deadlock(deadlock) => deadlock.waiting.clone(),
        End::Exited if left_threads::has_left_threads() => {
            search.trace().deadlock_of(&ThreadSet::EMPTY).waiting
        }
        _ => return Vec::new(),
    };
    let threads = left.iter().map(|waiting| waiting.thread);
    threads
        .filter(|&thread| !search.trace().can_go_on(thread))
        .filter(|&thread| cancel::is_stuck(thread) || signal::is_stuck(thread))
        .collect()
}

/// An end, with the threads that await signals where they wait.
pub fn with_waits(search: &Searching, end: &End) -> End {
    if !matches!(end, End::Deadlock(_)) {
        return end.clone();
    }
    match late::in_deadlock() {
        Awaiting::Impossible => End::Blocked,
        Awaiting::Waits(threads) if threads.is_empty() => end.clone(),
        Awaiting::Waits(threads) => End::Deadlock(search.trace().deadlock_of(&threads)),
    }
}

/// Whether a thread gave up waiting because no other could go on, after the last event of `thread`. All
/// that came after that is ordered after it: what `thread` was sent then it cannot have had before it
/// blocked, in any execution.
fn gave_up_since(trace: &Trace, thread: ThreadId) -> bool {
    let events = (0..trace.len()).rev().map(|k| trace.event(k));
    let later = events.take_while(|event| event.thread != thread);
    let mut alternatives = later.map(|event| event.decision.alternative);
    alternatives.any(|alternative| alternative == TIMEOUT)
}

/// Whether a timer will not expire any more, although in another execution it does.
pub fn is_timer_wasted(end: &End) -> bool {
    let End::Deadlock(deadlock) = end else {
        return false;
    };
    let mut threads = deadlock.waiting.iter().map(|waiting| waiting.thread);
    threads.any(|thread| watchers().contains(thread) && signal::has_wasted(thread))
}

/// Whether there may be no other execution in which a thread that is stuck goes on. What can be done about
/// it is learnt.
fn is_missed(rt: &Runtime, search: &Searching, thread: ThreadId) -> bool {
    if signal::late::awaits(thread) || !gave_up_since(search.trace(), thread) {
        return false;
    }
    if cancel::is_stuck(thread) {
        // Otherwise that was learnt, and the search begins anew.
        return !cancel::is_late(thread);
    }
    // The first thread may have returned; all others are said to await the signal, in another execution.
    let standing = search.trace().pending(thread);
    standing.is_some_and(|operation| matches!(operation.kind, Kind::JoinAll | Kind::ProcessEnd))
        || (!learned_events::learn(EventCause::LateSignals) && rt.is_replay())
}

/// Whether a thread of a deadlock waits for a descriptor that was closed. It called before that, or
/// after it, and then it does not wait: no event tells the two apart.
fn is_for_closed(end: &End) -> bool {
    let End::Deadlock(deadlock) = end else {
        return false;
    };
    let mut waiting = deadlock.waiting.iter();
    waiting.any(|w| w.operation.kind == Kind::Channel && channel::is_closed(&w.operation))
}

/// Why nothing can be said of an end, in words for the verdict `unsupported`; `None`: it is decided. `stuck` are the
/// threads that [`stuck`] names.
pub fn undecided(
    rt: &Runtime,
    search: &Searching,
    end: &End,
    stuck: &[ThreadId],
) -> Option<&'static str> {
    if { stuck.iter() }.any(|&thread| is_missed(rt, search, thread)) {
        return Some(
            "a signal, or a request to end, for a thread that blocks, where only a time-out let \
             anything go on (--timeouts may help)",
        );
    }
    if stuck.is_empty() && matches!(end, End::Deadlock(_)) && timers::processor::may_still_expire()
    {
        return Some(
            "a deadlock while a timer of processor time is armed, which may have expired before",
        );
    }
    if matches!(end, End::Livelock(_))
        && (!watchers().is_empty() || timers::processor::may_still_expire())
    {
        return Some("threads that go round in loops while a timer is armed, which may end them");
    }
    (stuck.is_empty() && is_for_closed(end)).then_some(
        "a wait for a descriptor that another thread closed: the call may also have failed",
    )
}

/// Threads of the runtime's own, which wait for timers.
fn watchers() -> ThreadMask {
    // SAFETY: the world is mapped from the root on; the engine asks when an execution has ended, so no fiber runs.
    unsafe { (*world()).engine.watchers }
}
