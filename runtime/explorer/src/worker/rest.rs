//! What is left of a plan during a walk, of this worker's execution or of another's.

use crate::conflict::{conflict, turns, Access};
use crate::memory_class;
use crate::plan::Plan;
use crate::relation::{answers_alike, Elements, Obstacle, Role};
use crate::tree::Step;
use dpor_model::ThreadId;

pub(super) trait Rest: Elements {
    /// True if one element is left.
    fn is_single(&self) -> bool;
    /// True if it is nothing but a step that conflicts with nothing, of this worker's execution.
    fn is_independent(&self) -> bool;
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
    /// Whether the step is a store that is read in the plan.
    pub is_read: bool,
    /// The cell that a counter finds in its place in the plan; 0 for other steps.
    pub cell: u64,
}

/// A plan from elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    pub steps: Vec<Planned>,
    pub is_deep: bool,
}

/// A plan of this worker's present execution.
impl Rest for Plan<'_> {
    #[inline]
    fn is_single(&self) -> bool {
        Plan::is_single(self)
    }

    #[inline]
    fn is_independent(&self) -> bool {
        Plan::is_independent(self)
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
            cell: self.counted_cell(&step, at),
            step,
        })
    }
}

impl Remote {
    /// A store that is read is not what a step is that comes before another
    /// store to its bytes.
    fn is_read_late(&self, element: usize) -> bool {
        let Planned { step, is_read, .. } = &self.steps[element];
        let mut before = self.steps[..element].iter();
        *is_read && before.any(|other| other.step.footprint == step.footprint)
    }
}

/// An element is an index of [`Remote::steps`].
impl Elements for Remote {
    fn first_of(&self, thread: ThreadId) -> Option<usize> {
        self.steps.iter().position(|p| p.step.thread == thread)
    }

    fn obstacle(&self, step: &Step, own: Option<usize>, _: Role) -> Obstacle {
        let mut before = self.steps[..own.unwrap_or(self.steps.len())].iter();
        let found = before.position(|p| {
            let like_none = own.is_none() && turns(&p.step.footprint, &step.footprint);
            like_none || conflict(&step.footprint, &p.step.footprint)
        });
        found.map_or(Obstacle::None, Obstacle::Element)
    }

    fn is(&self, own: usize, step: &Step, _: Role) -> bool {
        let own_step = &self.steps[own].step;
        own_step.alternative == step.alternative
            && answers_alike(&own_step.footprint, step)
            && !self.is_read_late(own)
    }

    fn is_settled(&self, _element: usize, _step: &Step) -> bool {
        false
    }
}

impl Rest for Remote {
    fn is_single(&self) -> bool {
        self.steps.len() == 1
    }

    fn is_independent(&self) -> bool {
        false
    }

    fn remove(&mut self, element: usize) {
        let removed = self.steps.remove(element);
        // It goes before its like, which find another cell then.
        for access in removed
            .step
            .footprint
            .iter()
            .filter(|a| a.class.is_counter())
        {
            for planned in &mut self.steps[..element] {
                let is_like =
                    |a: &&mut Access| a.object == access.object && a.class.commutes(access.class);
                if let Some(like) = planned.step.footprint.iter_mut().find(is_like) {
                    planned.cell = memory_class::cell_behind(access.class, planned.cell);
                    like.class = memory_class::at_cell(like.class, planned.cell);
                }
            }
        }
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
