//! What is counted of a thread's progress.

/// Progress of one thread; rolled back with it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Progress {
    /// Number of marks so far.
    pub(super) marks: u32,
    /// One more than the number of events when the thread last began a turn of a loop that it
    /// cannot leave; 0: it did not. No count, so that a loop without events stays in the same
    /// state.
    pub(super) turns: u32,
    /// Number of sections that the thread is in.
    pub(super) sections: u32,
    /// Number of events when the thread's last turn with a mark ended; 0: there is none.
    pub(super) marked: u32,
    /// Number of events when the thread's last turn of a loop that it cannot leave ended; 0: there
    /// is none.
    pub(super) endless: u32,
}

impl Progress {
    /// Progress of a thread that did nothing yet.
    pub const NONE: Progress = Progress {
        marks: 0,
        turns: 0,
        sections: 0,
        marked: 0,
        endless: 0,
    };

    /// Returns what is kept of the thread at the head of a loop, after so many events.
    pub fn at_head(&self, events: usize) -> u64 {
        let [marks, turns] = [self.marks, self.turns].map(|count| u64::from(count & 0xffff));
        marks << 48 | turns << 32 | events as u64 & 0xffff_ffff
    }

    /// Ends a turn after so many events, of a loop that kept `before`.
    pub fn turn_ends(&mut self, before: u64, events: usize) {
        let changed = before ^ self.at_head(events);
        if changed >> 48 != 0 {
            self.marked = events as u32;
        }
        if changed >> 32 & 0xffff != 0 {
            self.endless = events as u32;
        }
    }
}
