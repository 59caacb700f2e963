//! Executions that begin alike: the search of what can come after a beginning.
//!
//! What comes after a beginning is what a program does whose root is where the beginning ends. So the events of the
//! beginning are executed once, nothing sleeps after them, and no reversal goes before its end: which of two events
//! of the rest happens before the other does not depend on the beginning, nor do the largest sets of them whose
//! removal lets an operation pass (a set with an event of the beginning never leaves more than one without).
//!
//! Off are the reductions `observers` and `symmetry`: with them, what the rest does can make executions equivalent
//! that differ in the beginning.

use crate::program::ThreadId;

/// How every execution of a search begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Thread and alternative of each event, as [`crate::Explorer::schedule`] has them.
    pub decisions: Vec<(ThreadId, u32)>,
    /// What comes next.
    pub continuation: Continuation,
}

/// What may come after the decisions of a [`Prefix`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Anything.
    Any,
    /// The next event is not one of this thread. If the thread of the last decision could go on (leaving it would be
    /// a preemption), it does; otherwise any other thread that can. Each first event is searched by itself, so that
    /// a trace in which several can come first is run for each of them.
    ///
    /// If nothing else can go on: a single execution that ends there, as [`crate::End::Redundant`].
    Without(ThreadId),
}

/// How far a search with a beginning is.
pub(crate) struct PrefixProgress {
    /// The events that are given. The last one of [`Continuation::Without`] included, once it is known.
    decisions: Vec<(ThreadId, u32)>,
    /// Whether the last decision is one of `others`.
    has_other: bool,
    /// Not this thread next.
    without: Option<ThreadId>,
    /// What else can come first, and was not searched yet.
    others: Vec<(ThreadId, u32)>,
}

impl PrefixProgress {
    /// Before the first execution.
    pub fn new(prefix: &Prefix) -> Self {
        PrefixProgress {
            decisions: prefix.decisions.clone(),
            has_other: false,
            without: match prefix.continuation {
                Continuation::Any => None,
                Continuation::Without(thread) => Some(thread),
            },
            others: Vec::new(),
        }
    }

    /// Events that all executions of the present search share.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// The decision after `depth` events, if it is given.
    pub fn decision(&self, depth: usize) -> Option<(ThreadId, u32)> {
        self.decisions.get(depth).copied()
    }

    /// The thread that may not come next, after the last of the decisions.
    pub fn unwanted(&self, depth: usize) -> Option<ThreadId> {
        let is_here = !self.has_other && depth == self.decisions.len();
        self.without.filter(|_| is_here)
    }

    /// What can come after the decisions, in order. Not empty.
    pub fn set_others(&mut self, mut others: Vec<(ThreadId, u32)>) {
        others.reverse();
        self.others = others;
        self.decisions.extend(self.others.pop());
        self.has_other = true;
    }

    /// Goes over to what else can come first; false if all was searched.
    pub fn advance(&mut self) -> bool {
        let Some(other) = self.others.pop() else {
            return false;
        };
        self.decisions.pop();
        self.decisions.push(other);
        true
    }

    /// True if [`PrefixProgress::advance`] will find something.
    pub fn has_more(&self) -> bool {
        !self.others.is_empty()
    }
}
