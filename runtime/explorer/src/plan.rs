//! A reversal before it is inserted into the tree, and how a step of the tree relates to it.
//!
//! A step is a *weak initial* of a plan if some equivalent order of the plan begins with it, or if
//! it commutes with all of it. What sleeps and is a weak initial covers the plan; a branch that is
//! one is where the plan goes on.
//!
//! Source: weak initials in Optimal-DPOR (Abdulla et al., J. ACM 2017).

use crate::conflict::{conflict, Access, Class};
use crate::trace::Trace;
use crate::tree::Step;

/// A plan: events of the trace in order, and then a moved operation.
pub(crate) struct Plan<'a> {
    pub events: Vec<u32>,
    /// How many of `events` were executed before the race's second event.
    pub early: usize,
    /// `None` once a step of the tree matched it.
    pub moved: Option<&'a Step>,
    /// The accesses of the moved operation where it was; empty if it was never executed.
    pub original: &'a [Access],
}

/// How a step relates to a plan.
pub(crate) enum Match {
    /// The plan does not begin with it in any equivalent order.
    Conflicts,
    /// It commutes with the whole plan.
    Independent,
    /// It is this element, and commutes with those before.
    Element(usize),
}

impl Plan<'_> {
    pub fn len(&self) -> usize {
        self.events.len() + usize::from(self.moved.is_some())
    }

    pub fn remove(&mut self, element: usize) {
        if element == self.events.len() {
            self.moved = None;
        } else {
            self.events.remove(element);
            self.early -= usize::from(element < self.early);
        }
    }

    /// Relates a step to the plan; true if the answer cannot change with events executed after
    /// the race's second one.
    pub fn relate(&self, trace: &Trace, step: &Step) -> (Match, bool) {
        for (i, &k) in self.events.iter().enumerate() {
            let event = trace.event(k as usize);
            if event.thread == step.thread {
                let same = event.decision.alternative == step.alternative;
                let found = if same {
                    Match::Element(i)
                } else {
                    Match::Conflicts
                };
                return (found, i < self.early);
            }
            if conflict(&step.footprint, trace.footprint(k as usize)) {
                return (Match::Conflicts, i < self.early);
            }
        }
        match self.moved {
            Some(moved) if moved.thread == step.thread => {
                let same = moved.alternative == step.alternative;
                let last = self.events.len();
                let found = if same {
                    Match::Element(last)
                } else {
                    Match::Conflicts
                };
                (found, self.shields(step))
            }
            Some(moved) if conflict(&step.footprint, &moved.footprint) => (Match::Conflicts, false),
            _ => (Match::Independent, false),
        }
    }

    /// True if no event after the race's second one can both be in a plan of this race and
    /// conflict with `step`, a step of the same thread: the second event wrote all its objects,
    /// so that whatever touches them later happens after it.
    pub fn shields(&self, step: &Step) -> bool {
        step.footprint.iter().all(|access| {
            let wrote = Access {
                object: access.object,
                class: Class::WRITE,
            };
            self.original.contains(&wrote)
        })
    }
}
