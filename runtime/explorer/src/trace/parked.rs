//! Threads that do not go on, as their last turns were in vain ([`crate::parked`] says when that is so).

use super::event::Entry;
use crate::conflict::Object;
use crate::gate::Gate;
use crate::operation::OperationIndex;
use dpor_model::ThreadId;

/// A thread that does not go on, as its last turn was in vain.
#[derive(Clone, Debug)]
pub(crate) struct Parked {
    /// The thread that goes no further.
    pub thread: ThreadId,
    /// Number of events of the execution when the turn in vain began.
    pub began: u32,
    /// Number of events of the execution when it ended.
    pub ended: u32,
    /// The operation that the thread stands before: the first of the next turn.
    pub operation: OperationIndex,
    /// What the turn looked at, if it did nothing but look, and found the same wherever it looked twice: as long as none
    /// of these cells changes, the thread goes round.
    pub gate: Option<Gate>,
    /// The cells that the turn looked at, and of each the bits, if it did nothing but look.
    pub looked: Vec<(Object, u64)>,
    /// True if the turn may have read what others write without an event.
    pub reads: bool,
}

impl Parked {
    /// Number of events of the execution when the turn in vain began.
    pub fn began(&self) -> usize {
        self.began as usize
    }

    /// True if an access is part of the turn.
    pub fn contains(&self, entry: &Entry) -> bool {
        entry.thread == self.thread && (self.began..self.ended).contains(&entry.event)
    }
}
