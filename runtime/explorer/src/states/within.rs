//! The search within a bound of preemptions.
//!
//! A *preemption* is a switch away from a thread that is enabled and does not pause, as in the bounded search by traces.
//! All enabled threads are expanded. A state is matched together with the thread that moved last, since what the next
//! preemption is depends on it; it is expanded with the fewest preemptions with which it can be met, for there is a queue
//! for each number, and those with fewer come first. So what can be reached within the bound is reached.
//!
//! Source of the order: Dijkstra, 1959, with the queues of Dial, 1969. Of the bound: Musuvathi, Qadeer, PLDI 2007.

use super::graph::{Run, StateId, ROOT};
use super::program::Program;
use super::search::Search;
use super::standing::Wait;
use crate::mutation::Mutation;
use dpor_model::{ThreadId, ThreadSet};

/// What is known of preemptions.
pub(super) struct Within {
    most: u32,
    /// By state: the fewest preemptions with which it was met.
    spent: Vec<u32>,
    /// By a number of preemptions: states that were met with so many.
    queues: Vec<Vec<StateId>>,
    /// Some step would have been a preemption too many.
    pub leaves_some: bool,
}

impl Within {
    pub fn new(most: u32) -> Self {
        Within {
            most,
            spent: Vec::new(),
            queues: Vec::new(),
            leaves_some: false,
        }
    }

    /// A state was met with so many preemptions. True if those are fewer than before.
    fn meet(&mut self, state: StateId, spent: u32, mistake: bool) -> bool {
        let at = state.0 as usize;
        let is_new = at == self.spent.len();
        if is_new {
            self.spent.push(spent);
        } else if spent < self.spent[at] && !mistake {
            self.spent[at] = spent;
        } else {
            return false;
        }
        let queue = spent as usize;
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, Vec::new);
        }
        self.queues[queue].push(state);
        !is_new
    }
}

impl<P: Program> Search<'_, P> {
    /// What tells states apart: the fingerprint, and the thread that moved last. Numbers that are told for fingerprints
    /// where states are compared exactly are below 2^32, so that their keys are different.
    pub(super) fn key_within(&self, fingerprint: u128, mover: Option<ThreadId>) -> u128 {
        let mover = mover.filter(|_| !self.config.mutation.is(Mutation::MoverForgotten));
        let mover = mover.map_or(0, |thread| u128::from(thread.0) + 1);
        fingerprint.wrapping_add(mover << 96)
    }

    /// Expands all that can be reached with so many preemptions.
    pub(super) fn expand_within(&mut self) -> Result<(), P::Stop> {
        self.within().meet(ROOT, 0, false);
        let mut spent = 0;
        while spent < self.within().queues.len() {
            let Some(state) = self.within().queues[spent].pop() else {
                spent += 1;
                continue;
            };
            if self.is_enough() {
                self.waiting.push(state);
                return Ok(());
            }
            let was_expanded = (self.within().spent[state.0 as usize] as usize) < spent;
            if !was_expanded {
                self.expand_all_within(state, spent as u32)?;
            }
        }
        Ok(())
    }

    fn expand_all_within(&mut self, state: StateId, spent: u32) -> Result<(), P::Stop> {
        let enabled = self.here(state).enabled();
        if self.is_far(state) {
            if !enabled.is_empty() {
                self.far.insert(state);
            }
            return Ok(());
        }
        for thread in enabled.iter() {
            let costs = spent + u32::from(self.preempts(state, &enabled, thread));
            match costs > self.within().most {
                true => self.within().leaves_some = true,
                false => self.expand(state, thread, true)?,
            }
        }
        Ok(())
    }

    /// Whether a step of a thread at a state is a preemption.
    fn preempts(&self, state: StateId, enabled: &ThreadSet, thread: ThreadId) -> bool {
        let Some(Run { thread: last, .. }) = self.graph.parent(state) else {
            return false;
        };
        last != thread && enabled.contains(last) && {
            let number = self.graph.standings(state)[last.index()];
            let standing = &self.standings.get(number).standing;
            standing.wait == Wait::Enabled && !standing.pauses
        }
    }

    /// A step was executed within the bound, if there is one: its target was met with so many preemptions.
    pub(super) fn spend(&mut self, step: Run, target: StateId) {
        if self.within.is_none() {
            return;
        }
        let enabled = self.here(step.from).enabled();
        let preempts = self.preempts(step.from, &enabled, step.thread);
        let mistake = self.config.mutation.is(Mutation::FewestForgotten);
        let within = self.within();
        let spent = within.spent[step.from.0 as usize] + u32::from(preempts);
        if within.meet(target, spent, mistake) {
            self.graph.move_to(target, step);
        }
    }

    fn within(&mut self) -> &mut Within {
        self.within.as_mut().expect("there is a bound")
    }
}
