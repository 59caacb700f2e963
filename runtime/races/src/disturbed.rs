//! Memory to which something else was done than plain accesses, for who keeps repeated ones back.
//!
//! Of a plain access that the same thread made before in its epoch, the detector need not be told again: it finds it
//! redundant (`check.rs`). That holds as long as it remembers the first one as it was. What else takes an access from a
//! cell, or makes repeating it matter, is noted here: memory that is allocated, freed, replaced, or a frame's that begins or
//! ends; and atomic writes, behind which a plain write ends what they published. Not so an access that takes the place of
//! another by happens-before: whoever made it learnt of the other's epoch, so that this has ended.

use crate::Races;
use dpor_model::ThreadId;

/// The range that all disturbed bytes lie in; empty if there are none.
#[derive(Default)]
pub(crate) struct Disturbed {
    from: u64,
    end: u64,
}

impl Disturbed {
    #[inline]
    pub(crate) fn add(&mut self, from: u64, end: u64) {
        match self.from < self.end {
            true => (self.from, self.end) = (self.from.min(from), self.end.max(end)),
            false => (self.from, self.end) = (from, end),
        }
    }
}

impl Races {
    /// The bytes `[from, end)` in which all lie to which something else was done than plain accesses, since this was asked
    /// last; empty if there are none. It counts what was rolled back, too.
    #[inline]
    pub fn take_disturbed(&mut self) -> (u64, u64) {
        let Disturbed { from, end } = std::mem::take(&mut self.disturbed);
        (from, end)
    }

    /// The epoch that the thread is in, as a number: none that it was in before is the same, nor one of another thread. It
    /// ends when the thread publishes what it did.
    #[inline]
    pub fn epoch(&self, thread: ThreadId) -> u32 {
        self.threads.epoch(thread).word()
    }
}
