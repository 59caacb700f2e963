//! The search that the options ask for, as the explorer is told.

use crate::learned_events::{self, EventCause};
use crate::sampling;
use dpor_abi::options::{Checkpoint, Options, Plain, Reductions, Search};
use dpor_explorer::Config;

/// The search of the explorer that the options name.
pub fn search(options: &Options) -> dpor_explorer::SearchKind {
    if options.is_by_states() {
        return dpor_explorer::SearchKind::States;
    }
    if let Some(sampling) = sampling::wanted(options) {
        return dpor_explorer::SearchKind::Sample(sampling);
    }
    match options.search {
        Search::Classic => dpor_explorer::SearchKind::Classic,
        Search::Dfs => dpor_explorer::SearchKind::Dfs,
        Search::Icb => dpor_explorer::SearchKind::Icb,
        _ => dpor_explorer::SearchKind::Optimal,
    }
}

/// The reductions in force.
pub fn reductions(options: &Options) -> Reductions {
    match options.search {
        // What commutes makes states that others may look at.
        _ if options.is_by_states() => Reductions::NOT_EVEN_TURNS,
        // See the explorer's module `bound`.
        Search::Optimal if options.is_bounded() || !options.seek.is_empty() => Reductions {
            commute: options.reductions.commute,
            ..Reductions::NOT_EVEN_TURNS
        },
        Search::Optimal => Reductions {
            // A plain access that is an event may read what it is said to write, and what threads
            // that are alike read was not thought through.
            observers: options.reductions.observers
                && !options.reductions.symmetry
                && options.plain != Plain::Explore,
            // A change that is no event, or of which no event says what it makes, lets a thread go on.
            turns: options.reductions.turns
                && options.plain != Plain::Explore
                && !learned_events::knows(EventCause::WaitsAgain),
            // Nor what a thread does with the number that it found and does not use.
            counters: options.reductions.counters
                && !options.reductions.symmetry
                && options.plain != Plain::Explore,
            // Threads that are alike have no names, but calls have.
            calls: options.reductions.calls && !options.reductions.symmetry,
            ..options.reductions
        },
        _ => Reductions::NOT_EVEN_TURNS,
    }
}

/// Whether increments commute with counts that are dropped.
pub fn increments(options: &Options) -> bool {
    let reductions = reductions(options);
    reductions.commute && reductions.counters && reductions.increments
}

/// Whether a compare-exchange that is tried again with what it found waits until it succeeds. A schedule that is run again
/// says itself what fails: it may come from a search in which exchanges do (a minimal one has bounds).
pub fn retries_wait(options: &Options) -> bool {
    reductions(options).turns && options.replay.is_empty()
}

/// Events of one execution, if nothing else is said: one this long never ends, as far as anyone who waits for it can
/// tell.
const EVENTS_MAX: u64 = 1_000_000;

/// An execution with more events is cut.
pub fn events_max(options: &Options) -> u64 {
    match options.max_events {
        0 => EVENTS_MAX,
        events => events,
    }
}

/// Settings of the search.
pub fn config(search: dpor_explorer::SearchKind, options: &Options) -> Config {
    let mut config = Config::default();
    config.search = search;
    config.reductions.commute = reductions(options).commute;
    config.reductions.observers = reductions(options).observers;
    config.reductions.counters = reductions(options).counters;
    config.reductions.increments = reductions(options).increments;
    config.reductions.symmetry = reductions(options).symmetry;
    config.reductions.turns = reductions(options).turns;
    config.checkpoints = options.checkpoint != Checkpoint::Restart;
    config.checkpoint_after = u32::try_from(options.checkpoint_after).unwrap_or(u32::MAX);
    // The search over states counts preemptions itself.
    config.bound = options.bound.filter(|_| !options.is_by_states());
    config.iterative = options.iterative;
    config.max_events = (!options.is_by_states()).then(|| events_max(options));
    config.turns_again = learned_events::knows(EventCause::TurnsAgain);
    config
}
