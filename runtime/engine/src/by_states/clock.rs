//! Clocks where states are remembered.
//!
//! They stand still at first, and sleeping takes no time: a clock that advances is a state that never comes back. On a
//! machine time passes. So what is found while a clock was looked at may be no bug: it is dropped, and the search begins anew
//! with clocks that advance as they do in other searches (`libc/time.rs` of dpor-interpose). What threads slept, and what
//! they heard of others that did, is part of a state then; a program that looks at a clock again and again has states
//! without end, which is said, and is better than a finding that no machine shows.
//!
//! *Example:* `before = now(); sleep(1); assert(now() - before >= 1)` fails with clocks that stand still, and holds in the
//! search that begins anew. `for (;;) { until = now() + 1; wait_until(until); }` has some states, and no finding.

use crate::learned_events::{knows, learn, EventCause};
use crate::runtime::{runtime, Runtime};

/// What a thread finds that looks at a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looks {
    /// What the clock showed at the root.
    Still,
    /// What its own past says.
    Advancing,
}

/// The running thread looks at a clock: what it shows, and that it was looked at is remembered.
pub fn look() -> Looks {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    if let Some(counts) = &mut rt.states {
        counts.is_clock_read = true;
    }
    match is_still_in(rt) {
        true => Looks::Still,
        false => {
            // A search by executions learns it with the first look, and begins anew.
            learn(EventCause::Clocks);
            Looks::Advancing
        }
    }
}

/// Whether clocks stand still, so that sleeping takes no time.
pub fn is_still() -> bool {
    // SAFETY: the runtime is installed since the root; only an option is read.
    is_still_in(unsafe { &*runtime() })
}

fn is_still_in(rt: &Runtime) -> bool {
    rt.options.is_by_states() && !knows(EventCause::Clocks)
}

/// An error was found: whether it may be one only because a clock that was looked at stood still. If so, the search has learnt
/// to let them advance, and begins anew.
pub fn is_doubtful(rt: &Runtime) -> bool {
    let was_read = rt
        .states
        .as_ref()
        .is_some_and(|counts| counts.is_clock_read);
    let is_doubtful = was_read && is_still_in(rt) && !rt.is_replay();
    if is_doubtful {
        learn(EventCause::Clocks);
    }
    is_doubtful
}
