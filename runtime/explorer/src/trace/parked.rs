//! Threads that do not go on, as their last turns were in vain ([`crate::parked`] says when that is so).

use super::event::Entry;
use dpor_model::ThreadId;

/// A thread that does not go on, as its last turn was in vain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parked {
    /// The thread that goes no further.
    pub thread: ThreadId,
    /// Number of events of the execution when the turn in vain began.
    pub began: u32,
    /// Number of events of the execution when it ended.
    pub ended: u32,
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
