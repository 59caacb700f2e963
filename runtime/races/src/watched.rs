//! Plain accesses to places that loops look at, iteration after iteration in vain.
//!
//! The search leaves out loop iterations in vain, and judges those that run. Where a plain access meets a place that
//! such a loop looks at, the search has to know: an iteration that is left out may look where the one behind it does
//! not.

use crate::shadow::Cell;
use crate::Races;
use dpor_model::ThreadId;

/// Whether places are watched, and whether one was accessed plainly. Neither is taken back when marks are gone back to.
#[derive(Default)]
pub(crate) struct Watched {
    /// True if some granule is watched.
    pub(crate) any: bool,
    /// True if a watched granule was accessed plainly by a thread that did not know all that others did.
    is_met: bool,
}

impl Races {
    /// Notes from now on whether the eight bytes around `address` are accessed plainly.
    pub fn watch(&mut self, address: u64) {
        let cell = self.shadow.cell(address & !7, &self.blocks);
        self.messages.watch(&mut self.clocks, cell);
        self.watched.any = true;
    }

    /// Whether watched bytes were accessed plainly by a thread that did not know all that others did and will do.
    pub fn has_met(&self) -> bool {
        self.watched.is_met
    }

    /// The thread accesses the cell plainly.
    #[cold]
    pub(crate) fn meet(&mut self, thread: ThreadId, cell: Cell) {
        if self.messages.is_watched(cell) && !self.threads.is_last(&self.clocks, thread) {
            self.watched.is_met = true;
        }
    }
}
