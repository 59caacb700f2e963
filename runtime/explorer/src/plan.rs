//! A reversal before it is inserted into the tree, and how a step of the tree relates to it.
//!
//! A step is a *weak initial* of a plan if some equivalent order of the plan begins with it, or if
//! it commutes with all of it. What sleeps and is a weak initial covers the plan; a branch that is
//! one is where the plan goes on.
//!
//! Source: weak initials in Optimal-DPOR (Abdulla et al., J. ACM 2017).

use crate::conflict::{conflict, is_global, Access, Class};
use crate::observer::same_store;
use crate::trace::Trace;
use crate::tree::Step;
use smallvec::SmallVec;

/// Stores that are read by plain reads.
pub(crate) type ReadStores = SmallVec<[u32; 2]>;

#[derive(Default)]
/// A plan: events of the trace in order, and then a moved operation.
pub(crate) struct Plan<'a> {
    pub events: Vec<u32>,
    /// How many of `events` were executed before the race's second event.
    pub early: usize,
    /// `None` once a step of the tree matched it.
    pub moved: Option<&'a Step>,
    /// The accesses of the moved operation where it was; empty if it was never executed.
    pub original: &'a [Access],
    /// Those of its stores, and of those before it, that plain reads inside it read.
    pub read: ReadStores,
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
    ///
    /// `unless_read`: the step is a store that is looked for only as one that nobody reads. So is one
    /// that commutes with a store before it in the plan.
    pub fn relate(&self, trace: &Trace, step: &Step, mut unless_read: bool) -> (Match, bool) {
        for (i, &k) in self.events.iter().enumerate() {
            let event = trace.event(k as usize);
            if event.thread == step.thread {
                let same = event.decision.alternative == step.alternative
                    && !(unless_read && self.is_read(trace, i));
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
            unless_read |= same_store(&step.footprint, trace.footprint(k as usize));
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

    /// True if the plan contains a read of its element `i`, a store.
    fn is_read(&self, trace: &Trace, i: usize) -> bool {
        self.contains_read(trace, self.events[i], i + 1)
    }

    /// True if a store before the plan is read in it.
    pub fn reads(&self, trace: &Trace, store: u32) -> bool {
        self.contains_read(trace, store, 0)
    }

    fn contains_read(&self, trace: &Trace, store: u32, from: usize) -> bool {
        if self.read.contains(&store) {
            return true;
        }
        let [access] = trace.footprint(store as usize) else {
            return false;
        };
        let events = self.events[from..].iter();
        let footprints = events.map(|&k| trace.footprint(k as usize));
        let footprints = footprints.chain(self.moved.map(|step| &step.footprint[..]));
        for footprint in footprints {
            if is_global(footprint) {
                return true;
            }
            if let Some(next) = footprint.iter().find(|next| next.object == access.object) {
                return next.class != access.class;
            }
        }
        false
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
