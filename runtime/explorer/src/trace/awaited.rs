//! What waiting accesses found in memory, as far as the trace has to take it back.

use crate::conflict::Object;
use dpor_model::ThreadSet;

/// What waiting accesses find in memory.
#[derive(Default)]
pub(crate) struct Awaited {
    /// Threads that wait and would find what they wait for.
    pub found: ThreadSet,
    /// Cells in which threads looked before any event touched them, with the number of events before
    /// and what was there.
    pub first: Vec<(u32, Object, u64)>,
    /// The number of events of which it is known whether they ended turns in vain.
    pub turns: usize,
}

impl Awaited {
    /// Forgets what was seen after event `length`.
    pub fn truncate(&mut self, length: usize) {
        let kept = self.first.partition_point(|f| f.0 as usize <= length);
        self.first.truncate(kept);
        self.turns = self.turns.min(length);
    }
}
