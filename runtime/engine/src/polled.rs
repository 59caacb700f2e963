//! Places that loops look at, turn after turn in vain.
//!
//! A turn in vain is left out of other executions (decision 0047). It may look at a place that the turn behind it does
//! not look at, and a plain access to that place may come only in executions without the first. So where plain accesses
//! meet such places, which the race detector notes from the beginning of a search, turns in vain come twice.
//!
//! What a turn reads plainly, where it locks (decision 0067), is not noted. There they come twice if something tells
//! without an order, without which whoever knows of a later turn is ordered behind all earlier ones: atomic accesses in
//! relaxed order, or what the trace shows when an execution has ended ([`Trace::tells_without_order`]).
//!
//! [`Trace::tells_without_order`]: dpor_explorer::Trace::tells_without_order

use crate::learned_events::{self, EventCause};
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::Runtime;
use crate::search_config;
use crate::searching::Engine;
use dpor_abi::options::Races;
use dpor_explorer::SearchKind;
use dpor_model::ObjectId;

/// A loop was found to look at these. If one is new, an execution before may have had a plain access to it that nobody
/// noted: the search begins anew.
pub fn watch(rt: &mut Runtime, cells: &[ObjectId]) {
    let is_one = matches!(
        search_config::search(&rt.options),
        SearchKind::Sample(_) | SearchKind::Guided | SearchKind::Replay(_)
    );
    if is_one || rt.is_replay() || rt.options.races == Races::Off {
        return;
    }
    let mut new = false;
    for &cell in cells {
        // A place that the loop looks at plainly (`--plain=explore`) races with whatever writes it.
        if rt.races.has_atomics(cell.0 & !7, 8) {
            new |= rt.learn_polled(cell);
        }
    }
    if new {
        learned_events::note_other();
    }
}

/// An execution has ended.
pub fn execution_ended(engine: &mut Engine) {
    if engine.rt().races.has_met() {
        learned_events::learn(EventCause::TurnsAgain);
    }
    if engine.rt().options.races == Races::Off || learned_events::knows(EventCause::TurnsAgain) {
        return;
    }
    let trace = engine.search.trace();
    let beyond = trace.parked_beyond_looks();
    beyond.for_each(learned_events::learn_parked);
    if learned_events::knows(EventCause::Parks)
        && trace.tells_without_order(learned_events::is_parked)
        && !is_broken()
    {
        learned_events::learn(EventCause::TurnsAgain);
    }
}

/// An atomic access in relaxed order is made, or a call on a futex, which orders nothing either. What it tells of a thread that goes no further in some execution comes
/// without an order: an access that depends on it may race with one in the turn that was left out.
#[inline(always)]
pub fn relaxed() {
    if learned_events::knows(EventCause::Parks) && !is_broken() {
        learned_events::learn(EventCause::TurnsAgain);
    }
}

/// Whether the mutation `turns-once` is asked for.
#[inline(always)]
fn is_broken() -> bool {
    #[cfg(feature = "mutations")]
    return mutations::does(Mutation::TurnsOnce);
    #[cfg(not(feature = "mutations"))]
    false
}
