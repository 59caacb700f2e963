//! Every interleaving of the visible events, without any reduction: the baseline, and a second
//! opinion on what a program can do.

use crate::program::ThreadId;

/// The state of a depth-first search between and during executions.
#[derive(Default)]
pub(crate) struct Dfs {
    /// For each event of the execution, what else could be done instead; the next one last.
    others: Vec<Vec<(ThreadId, u32)>>,
}

impl Dfs {
    /// The depth from which the next execution is new, if there is one.
    pub fn advance(&mut self) -> Option<usize> {
        while self.others.last()?.is_empty() {
            self.others.pop();
        }
        Some(self.others.len() - 1)
    }

    /// True if [`Dfs::advance`] will find something.
    pub fn has_more(&self) -> bool {
        self.others.iter().any(|others| !others.is_empty())
    }

    /// The step to take after `depth` events, given all there are in order.
    pub fn choose(
        &mut self,
        depth: usize,
        all: impl Iterator<Item = (ThreadId, u32)>,
    ) -> Option<(ThreadId, u32)> {
        if depth == self.others.len() {
            let mut all: Vec<_> = all.collect();
            all.reverse();
            self.others.push(all);
        }
        let step = self.others[depth].pop();
        if step.is_none() {
            self.others.truncate(depth);
        }
        step
    }
}
