//! Who knows that memory was freed, for who decides by that whether it is given out again.

use crate::Races;
use dpor_model::ThreadId;

/// 2^64 divided by the golden ratio, made odd: spreads small numbers over all bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Races {
    /// Whether the byte at `address` was freed, and that happened before what the thread does next.
    pub fn knows_free(&self, thread: ThreadId, address: u64) -> bool {
        self.free_of(address).is_some() && self.is_free_ordered(thread, address)
    }

    /// A number for the set of threads, objects and messages that know of the free of the byte at `address`: who learns
    /// of it by what happens next, and who does not, follows from the set alone. The numbers are comparable within a
    /// process.
    ///
    /// *Cost:* proportional to the clocks that there are.
    pub fn knowers_of_free(&self, address: u64) -> u64 {
        let parts = self.blocks.freed_in(address, address + 1);
        let frees = parts.iter().flat_map(|part| &part.by);
        let knowers = frees.flat_map(|free| {
            let epoch = free.epoch();
            self.clocks.knowers(epoch.slot(), epoch.clock())
        });
        knowers.fold(0, |sum, row| {
            let number = u64::from(row + 1).wrapping_mul(SPREAD);
            sum.wrapping_add((number ^ number >> 32).wrapping_mul(SPREAD))
        })
    }
}
