//! The turns of loops that ended in the state in which they began ([`crate::cycle`] finds them).

use dpor_model::{Operation, ThreadId};

/// A turn of a loop that began and ended in the same state of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub thread: ThreadId,
    /// Number of events of the execution when the turn began.
    pub began: u32,
    /// Number of events of the execution when the turn ended.
    pub ended: u32,
    /// True if the turn left the cells as they were, unseen by other threads (`Trace::takes_back`).
    pub takes_back: bool,
    /// True if the program marked the turn as progress.
    pub progresses: bool,
}

/// The turns of an execution, in the order in which they ended.
#[derive(Default)]
pub(crate) struct Turns {
    pub all: Vec<Turn>,
    /// Number of events before the cycle that ends with the last event, if one does.
    pub cycle: Option<usize>,
    /// The threads that cycles of others passed over.
    pub starving: Vec<Starving>,
    /// True once some turn was marked as progress, in whichever execution.
    pub marked: bool,
}

/// A thread that could not go on each time when it looked, though now and then it could have: others made progress, and
/// came back to where they were.
#[derive(Clone, Copy, Debug)]
pub struct Starving {
    /// The thread that is passed over.
    pub thread: ThreadId,
    /// The operation that it stands before.
    pub operation: Operation,
    /// Number of events of the execution when the cycle began.
    pub began: usize,
    /// Number of events of the execution when the cycle ended.
    pub(crate) ended: usize,
}

impl Turns {
    /// Forgets the turns and cycles that ended after the first `length` events.
    pub fn truncate(&mut self, length: usize) {
        while self
            .all
            .pop_if(|turn| turn.ended as usize > length)
            .is_some()
        {}
        let is_later = |starving: &mut Starving| starving.ended > length;
        while self.starving.pop_if(is_later).is_some() {}
        self.cycle = None;
    }

    /// Number of events before the turn that `thread` ended after `ended` events; `None` if it ended none then.
    pub fn before(&self, thread: ThreadId, ended: u32) -> Option<u32> {
        let mut all = self.all.iter().rev();
        let turn = all.find(|turn| turn.thread == thread && turn.ended == ended)?;
        Some(turn.began)
    }

    /// Number of events when `thread` last ended a turn within the first `length` events.
    pub fn last(&self, thread: ThreadId, length: u32) -> Option<u32> {
        let mut all = self.all.iter().rev();
        let turn = all.find(|turn| turn.thread == thread && turn.ended <= length)?;
        Some(turn.ended)
    }
}
