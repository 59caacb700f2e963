//! A graph that is not finished is shown to the program whenever it has doubled, so that a run that is asked for is found
//! although the graph may have no end.
//!
//! What is found there is a run all the same: an edge is a step that was executed; which threads are enabled at a state, and
//! which propositions hold there, is known since it was met, whether it was expanded or not; and where somebody is enabled
//! nobody stands still for ever ([`super::run_that_repeats`]). What is missing (states that wait, threads that are not
//! expanded yet so that nobody is put off, sets that turn out to be too small) only keeps other runs from being found.
//!
//! The search goes on from the state that it met last, and where something only grows it never comes back to what it left on
//! the way. So a part of the states that are nearest to the root is expanded before the graph is shown. The order decides
//! nothing else.

use super::graph::StateId;
use super::program::Program;
use super::search::Search;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Of so many states one is expanded because it is near. A compromise: to go there takes all steps of the way.
const PART: usize = 16;

impl<P: Program> Search<'_, P> {
    /// Shows the graph to the program if it has doubled.
    pub(super) fn show_early(&mut self) -> Result<(), P::Stop> {
        if (self.graph.states() as u64) < self.shown_from {
            return Ok(());
        }
        self.expand_near(self.graph.states() / PART)?;
        self.shown_from = 2 * self.graph.states() as u64;
        self.at = None;
        let found = self.found();
        let outcome = self.program.is_shown(&found);
        (self.graph, self.standings) = (found.graph, found.standings);
        outcome
    }

    /// Expands so many of the states that wait, the nearest to the root first.
    fn expand_near(&mut self, count: usize) -> Result<(), P::Stop> {
        let waiting = std::mem::take(&mut self.waiting);
        let near = |state: StateId, this: &Self| Reverse((this.graph.depth(state), state));
        let all = waiting.iter().map(|&state| near(state, self));
        let mut nearest: BinaryHeap<_> = all.collect();
        let mut expanded = HashSet::new();
        while expanded.len() < count && !self.is_enough() {
            let Some(Reverse((_, state))) = nearest.pop() else {
                break;
            };
            expanded.insert(state);
            self.expand_chosen(state)?;
            for met in std::mem::take(&mut self.waiting) {
                nearest.push(near(met, self));
            }
        }
        // The search goes on where it was.
        let was_waiting: HashSet<StateId> = waiting.iter().copied().collect();
        let mut left: Vec<StateId> = nearest
            .into_iter()
            .map(|Reverse((_, state))| state)
            .collect();
        left.retain(|state| !was_waiting.contains(state));
        left.sort_unstable();
        left.extend(waiting.iter().filter(|state| !expanded.contains(state)));
        self.waiting = left;
        Ok(())
    }
}
