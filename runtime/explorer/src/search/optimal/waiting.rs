//! Work in the order of rising bounds: nothing is freed, and what is beyond the present bound waits.
//!
//! What sleeps depends on the order of the tree alone, so that a branch can be explored at any later time. A branch
//! that waits is a plan again: whatever is inserted there meanwhile will be run with it.

use super::Optimal;
use crate::tree::{NodeId, Status};

/// Branches that are to be explored.
#[derive(Default)]
pub(super) struct Branches {
    /// Plans whose parents were executed, the next one last.
    ready: Vec<NodeId>,
    /// Nodes that were executed and wait, each with the bound from which on it is explored.
    waiting: Vec<(u32, NodeId)>,
}

impl Branches {
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }
}

impl Optimal {
    /// The plan to go to next.
    pub(super) fn advance_ready(&mut self) -> Option<usize> {
        let node = self.waiting.ready.pop()?;
        Some(self.go_to(node))
    }

    /// The siblings of `first`, which is followed now, are for later.
    #[cold]
    pub(super) fn keep_siblings(&mut self, first: NodeId) {
        let begin = self.waiting.ready.len();
        let mut sibling = self.tree.next(first);
        while let Some(node) = sibling.some() {
            self.waiting.ready.push(node);
            sibling = self.tree.next(node);
        }
        // The leftmost next.
        self.waiting.ready[begin..].reverse();
    }

    /// A plan was inserted, which begins with `head`.
    #[cold]
    pub(super) fn keep_head(&mut self, head: NodeId) {
        let parent = self.tree.get(head).parent;
        if self.tree.get(parent).status == Status::Started {
            self.waiting.ready.push(head);
        }
    }

    /// The execution that was run last waits for a bound, with what is planned below its last node.
    pub fn wait_for(&mut self, bound: u32) {
        let last = self.here();
        self.tree.get_mut(last).status = Status::Planned;
        self.waiting.waiting.push((bound, last));
    }

    /// Executions that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.waiting.len()
    }

    /// What waits for a bound of at most this is ready.
    pub fn wake(&mut self, bound: u32) {
        let ready = &mut self.waiting.ready;
        let begin = ready.len();
        self.waiting.waiting.retain(|&(needed, node)| {
            if needed <= bound {
                ready.push(node);
            }
            needed > bound
        });
        ready[begin..].reverse();
    }
}
