//! Every interleaving of the visible events, without any reduction: the baseline, and a second
//! opinion on what a program can do.

use super::steps::{all_steps, Choice};
use super::Search;
use crate::config::{Config, SearchKind};
use crate::end::Fault;
use crate::trace::Trace;
use crate::Program;
use dpor_model::ThreadId;

/// A depth-first search, between and during executions.
#[derive(Default)]
pub(crate) struct Dfs {
    /// `others[k]`: what else could be done instead of event `k` of the execution; the next one last.
    others: Vec<Vec<Choice>>,
}

impl Search for Dfs {
    fn new(config: &mut Config) -> Option<Self> {
        (config.search == SearchKind::Dfs).then(Dfs::default)
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        while self.others.last()?.is_empty() {
            self.others.pop();
        }
        Some(self.others.len() - 1)
    }

    fn has_more(&self) -> bool {
        self.others.iter().any(|others| !others.is_empty())
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        let depth = trace.len();
        if depth == self.others.len() {
            let mut all: Vec<Choice> = all_steps(trace).collect();
            all.reverse();
            self.others.push(all);
        }
        let step = self.others[depth].pop();
        if step.is_none() {
            self.others.truncate(depth);
        }
        Ok(step)
    }
}
