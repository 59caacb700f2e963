//! Executions that have a prefix in common: what can come after it ([`crate::search::prefixed`]).
//!
//! What comes after a prefix is what a program does whose root is where the prefix ends. So the events of the
//! prefix are executed once, nothing sleeps after them, and no reversal goes before its end: which of two events
//! of the rest happens before the other does not depend on the prefix, nor do the largest sets of them whose
//! removal lets an operation pass (a set with an event of the prefix never leaves more than one without).
//!
//! Off are the reductions `observers` and `symmetry`: with them, what the rest does can make executions equivalent
//! that differ in the prefix.

use dpor_model::ThreadId;

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
