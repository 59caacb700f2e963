//! Reads that are no events, as far as the trace has to take them back ([`crate::uninstrumented`] notes them).

use dpor_model::ThreadId;

/// The reads of an execution by code without instrumentation.
#[derive(Default)]
pub(crate) struct Unseen {
    /// By rising `after`.
    pub marks: Vec<Mark>,
    /// True once such a read and a store were not ordered in some execution. Never taken back.
    pub disordered: bool,
}

/// A read of thread `by`: all that happens after event `end - 1` of thread `at` happens after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub by: ThreadId,
    pub at: ThreadId,
    pub end: u32,
    /// Number of events of the execution when the mark was noted.
    pub after: u32,
}

impl Unseen {
    /// Forgets the marks that were noted after the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        let kept = self.marks.partition_point(|m| m.after as usize <= length);
        self.marks.truncate(kept);
    }
}
