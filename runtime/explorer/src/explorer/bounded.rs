//! Executions of a bounded search: cut where they leave the bound, told apart from those within it.

use super::{Explorer, State};
use crate::bound::Bound;
use crate::config::Config;
use crate::end::{End, Fault};
use crate::program::Program;

impl Config {
    /// The same without the reductions that a bound does not go with (`crate::bound`).
    pub(super) fn into_bounded(mut self) -> Config {
        if self.bound.is_some() {
            self.reductions.observers = false;
            self.reductions.symmetry = false;
        }
        self
    }

    pub(super) fn new_bound(&self) -> Option<Box<Bound>> {
        let bound = |limit| Box::new(Bound::new(limit, self.slack));
        self.bound.map(bound)
    }
}

impl Explorer {
    /// As `extend`, of an execution whose first `depth` events are there, and no farther than the bound.
    pub(super) fn extend_bounded<P: Program>(
        &mut self,
        program: &mut P,
        depth: usize,
    ) -> Result<End, Fault> {
        if let Some(bound) = &mut self.bound {
            bound.truncate(depth);
        }
        loop {
            self.trace.look_for_awaited(program);
            if let Some(end) = self.ended() {
                return Ok(end);
            }
            if self.leaves_bound() {
                return Ok(self.cut());
            }
            self.trace.note_comparisons(program);
            if !self.step_optimal(program)? {
                return Ok(self.stuck());
            }
        }
    }

    fn leaves_bound(&mut self) -> bool {
        let threads = self.counters.threads_max;
        let bound = self.bound.as_mut();
        bound.is_some_and(|bound| bound.is_exceeded(&mut self.trace, threads))
    }

    /// Gives up what is planned from here on.
    fn cut(&mut self) -> End {
        if let State::Optimal(optimal) = &mut self.state {
            optimal.cut();
        }
        End::PreemptionBound
    }

    /// True if the execution that ended so has more preemptions than the bound, in each of its linearizations.
    pub(super) fn is_beyond(&mut self, end: &End) -> bool {
        let Some(bound) = &self.bound else {
            return false;
        };
        let limit = bound.limit;
        *end == End::PreemptionBound || self.preemptions_least() > limit as usize
    }

    /// The smallest number of preemptions in an execution that is equivalent to the last one, as far as that
    /// went. If they are too many to look through: that of the last one.
    pub fn preemptions_least(&mut self) -> usize {
        let known = self.preemptions() as u32;
        self.trace.preemptions_least(known) as usize
    }
}
