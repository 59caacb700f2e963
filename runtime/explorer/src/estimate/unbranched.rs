//! Events above all branches of a search that may still get one.
//!
//! A search from left to right branches at the end of the path first. What comes before the shallowest branch has one
//! order so far; a race that a later execution has there multiplies all that was counted below:
//!
//! ```text
//!   depth 4   ● store x        loaded below by a thread that is there: unbranched
//!         5   ● store mine     nobody else's: never a branch
//!         6   ●─┬─ …           the shallowest branch
//!               └─ planned
//! ```

use crate::conflict::is_global;
use crate::trace::Trace;

/// Largest number of events that are counted (measured: with more of them the truth is no further away).
const MOST: usize = 4;
/// Number of events above the shallowest branch that are looked at (chosen).
const WINDOW: usize = 256;
/// Number of later accesses of an object that are looked at (chosen).
const ACCESSES: usize = 64;

/// Number of events from `from` to the shallowest branch that conflict with a later event of a thread which was there
/// before them; at most [`MOST`].
#[cold]
pub(super) fn count(trace: &Trace, from: usize, branch: usize) -> usize {
    let from = from.max(branch.saturating_sub(WINDOW));
    let events = from..branch.min(trace.len());
    let all = events.filter(|&event| may_branch(trace, event));
    all.take(MOST).count()
}

fn may_branch(trace: &Trace, event: usize) -> bool {
    let thread = trace.events()[event].thread;
    let was_there = |other: usize| trace.creator[other] as usize <= event;
    let accesses = trace.footprint(event);
    if is_global(accesses) {
        return (event + 1..trace.len())
            .take(ACCESSES)
            .map(|later| trace.events()[later].thread)
            .any(|other| other != thread && was_there(usize::from(other.0)));
    }
    accesses.iter().any(|access| {
        let log = trace.log(access.object);
        let later = log.partition_point(|entry| entry.event as usize <= event);
        log[later..].iter().take(ACCESSES).any(|entry| {
            entry.thread != thread
                && was_there(usize::from(entry.thread.0))
                && !entry.class.commutes(access.class)
        })
    })
}
