//! What is left of a plan during a walk, of this worker's execution or of another's.

use crate::conflict::conflict;
use crate::plan::{Match, Plan};
use crate::tree::Step;

pub(super) trait Rest {
    /// True if one element is left.
    fn is_single(&self) -> bool;
    /// Relates a step to it; true if the answer cannot change with later events of the execution.
    fn relate(&self, step: &Step) -> (Match, bool);
    fn remove(&mut self, element: usize);
    /// True if what it begins with cannot change with later events of the execution.
    fn begins_early(&self) -> bool;
    /// True if it contains the reversed event, and so goes on where that no longer sleeps.
    fn is_deep(&self) -> bool;
    fn steps(&self) -> impl Iterator<Item = Step> + '_;
    /// The steps, with what another worker has to know of them.
    fn planned(&self) -> impl Iterator<Item = Planned> + '_;
}

/// An element of a plan from elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub step: Step,
    /// It is a store that is read in the plan.
    pub is_read: bool,
}

/// A plan from elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    pub steps: Vec<Planned>,
    pub is_deep: bool,
}

/// A plan of this worker's present execution.
impl Rest for &mut Plan<'_> {
    #[inline]
    fn is_single(&self) -> bool {
        Plan::is_single(self)
    }

    #[inline]
    fn relate(&self, step: &Step) -> (Match, bool) {
        Plan::relate(self, step, false)
    }

    #[inline]
    fn remove(&mut self, element: usize) {
        Plan::remove(self, element);
    }

    #[inline]
    fn begins_early(&self) -> bool {
        Plan::begins_early(self)
    }

    #[inline]
    fn is_deep(&self) -> bool {
        self.unread.is_some()
    }

    #[inline]
    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        Plan::steps(self)
    }

    fn planned(&self) -> impl Iterator<Item = Planned> + '_ {
        let all = Plan::steps(self).zip(self.positions());
        all.map(|(step, at)| Planned {
            is_read: at.is_some_and(|k| self.trace.is_store(k) && self.reads(k)),
            step,
        })
    }
}

impl Remote {
    /// As [`Plan::relate`]: a store that is read is not what a step is that comes before another
    /// store to its bytes.
    fn is_read_late(&self, element: usize) -> bool {
        let Planned { step, is_read } = &self.steps[element];
        let mut before = self.steps[..element].iter();
        *is_read && before.any(|other| other.step.footprint == step.footprint)
    }
}

impl Rest for Remote {
    fn is_single(&self) -> bool {
        self.steps.len() == 1
    }

    fn relate(&self, step: &Step) -> (Match, bool) {
        for (i, Planned { step: planned, .. }) in self.steps.iter().enumerate() {
            if planned.thread == step.thread {
                let same = planned.alternative == step.alternative && !self.is_read_late(i);
                let found = if same {
                    Match::Element(i)
                } else {
                    Match::Conflicts
                };
                return (found, false);
            }
            if conflict(&step.footprint, &planned.footprint) {
                return (Match::Conflicts, false);
            }
        }
        (Match::Independent, false)
    }

    fn remove(&mut self, element: usize) {
        self.steps.remove(element);
    }

    fn begins_early(&self) -> bool {
        false
    }

    fn is_deep(&self) -> bool {
        self.is_deep
    }

    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.steps.iter().map(|p| p.step.clone())
    }

    fn planned(&self) -> impl Iterator<Item = Planned> + '_ {
        self.steps.iter().cloned()
    }
}
