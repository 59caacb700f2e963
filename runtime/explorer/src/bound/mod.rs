//! Bounded search: the traces with at most so many preemptions.
//!
//! A *preemption* is a switch away from a thread that could go on: it stands before an operation that
//! is enabled and is no [`dpor_model::Kind::Pause`]. Who is blocked, waits for a value, or has ended is
//! left for nothing. A trace has as many preemptions as the one of its linearizations that has fewest
//! ([`minimum()`]).
//!
//! The search is the optimal one, cut: where a prefix cannot be part of a trace with at most `limit + slack`
//! preemptions, the execution ends, and is analysed as if it were complete. What is complete and has
//! more than `limit` was run for the sake of its reversals alone. The *slack* is necessary: a trace within the
//! bound may be found from a trace beyond it, and from none within. How much is enough for this search is
//! not proven; it is measured against brute force (`tests/bound.rs`, docs/decisions/0045).
//!
//! A prefix is judged by the preemptions that every trace with this prefix has: leaving a thread counts if it
//! could go on and does go on within the prefix. Restricting a linearization of a trace to a part that
//! contains what happens before its members adds no such switch: who is enabled there is enabled in the whole,
//! as whatever could disable it in between conflicts with its next event and would be in the part.
//!
//! What reductions are in force: operations that commute still do; the minimum is over the linearizations of
//! the coarser class. Not `observers`: what happens before what depends on reads that come later, so that a
//! prefix cannot be judged. Not `symmetry`: exchanging names changes who is switched away from, and a thread that
//! is held back behind another looks blocked.
//!
//! Source: Marmanis, Kokologiannakis, Vafeiadis: Reconciling Preemption Bounding with DPOR, TACAS 2023 (the
//! minimum over linearizations, slack); Musuvathi, Qadeer: Iterative Context Bounding, PLDI 2007 (preemptions).
//!
//! **Deviations**
//! 1. At the end of a trace, leaving a thread counts though it does not go on, if it could have: it was
//!    enabled, and is blocked later. So says the definition of 2007.
//! 2. Reversals are planned, so that the slack of the first paper, which is for execution graphs, was
//!    measured anew.

pub(crate) mod coverage;

mod minimum;

use minimum::least_order;
pub(crate) use minimum::{minimum, Counted};

use crate::trace::Trace;
use dpor_model::{ThreadId, ThreadSet};
use minimum::Found;

/// How far the present search goes, and how near its present execution is to that.
pub(crate) struct Bound {
    /// Preemptions of a trace within the bound.
    pub limit: u32,
    /// The limit at the end of an iterative search.
    pub most: u32,
    /// How many more a prefix may have; `None`: as many as there are threads that touch objects, but one.
    slack: Option<u32>,
    /// Bit t: thread t touched an object in some execution.
    touching: ThreadSet,
    /// The linearizations of the prefixes of the execution, by their length in events.
    prefixes: Vec<Prefix>,
}

/// What is known of a prefix: one of its linearizations.
#[derive(Clone, Copy)]
struct Prefix {
    /// The number of preemptions of the linearization, at most.
    preemptions: u32,
    /// The thread of the linearization's last event.
    last: Option<ThreadId>,
}

impl Bound {
    /// `first`: the first limit; `most`: the last.
    pub fn new(first: u32, most: u32, slack: Option<u32>) -> Self {
        let empty = Prefix {
            preemptions: 0,
            last: None,
        };
        Bound {
            limit: first,
            most,
            slack,
            touching: ThreadSet::EMPTY,
            prefixes: vec![empty],
        }
    }

    /// Preemptions that a prefix may have.
    fn tolerated(&self) -> u32 {
        let threads = self.touching.len();
        let slack = self.slack.unwrap_or(threads.saturating_sub(1));
        self.limit.saturating_add(slack)
    }

    /// The execution goes on after its first `depth` events.
    pub fn truncate(&mut self, depth: usize) {
        self.prefixes.truncate(depth + 1);
    }

    /// True if the events of the present execution have more preemptions than may be.
    pub fn is_exceeded(&mut self, trace: &Trace) -> bool {
        while self.prefixes.len() <= trace.len() {
            let before = self.prefixes[self.prefixes.len() - 1];
            let event = self.prefixes.len() - 1;
            let thread = trace.event(event).thread;
            // Who touches nothing is in no race.
            if !trace.footprint(event).is_empty() {
                self.touching.insert(thread);
            }
            let switches = before.last.is_some_and(|last| last != thread);
            self.prefixes.push(Prefix {
                preemptions: before.preemptions + u32::from(switches),
                last: Some(thread),
            });
        }
        let most = self.tolerated();
        let here = self.prefixes.last_mut().expect("one for no events");
        if here.preemptions <= most {
            return false;
        }
        match minimum(trace, trace.len(), Counted::Resumed, most) {
            Found::Least(preemptions, last) => *here = Prefix { preemptions, last },
            Found::Above => return true,
            Found::TooMany => {}
        }
        false
    }
}

impl Trace {
    /// The smallest number of preemptions in an execution that is equivalent to this one up to its first `events`
    /// events. If there are too many to look through: that of this one.
    pub fn preemptions_least(&self, events: usize) -> usize {
        let first = self.events().iter().take(events);
        let known = first.filter(|event| event.preemptive).count() as u32;
        match minimum(self, events, Counted::All, known) {
            Found::Least(preemptions, _) => preemptions as usize,
            Found::Above | Found::TooMany => known as usize,
        }
    }

    /// The first `events` events in an order, as positions, that is equivalent to theirs and has as few preemptions
    /// as [`Trace::preemptions_least`] says. `None`: theirs is such an order, or there are too many to look through.
    pub fn least_order(&self, events: usize) -> Option<Vec<usize>> {
        let first = self.events().iter().take(events);
        let known = first.filter(|event| event.preemptive).count() as u32;
        // One less, so that an order that is found is a better one.
        least_order(self, events, known.checked_sub(1)?)
    }
}
