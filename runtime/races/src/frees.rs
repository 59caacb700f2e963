//! Who knows that memory was freed, for who decides by that whether it is given out again.

use crate::Races;
use dpor_model::ThreadId;

impl Races {
    /// Whether the byte at `address` was freed, and that happened before what the thread does next.
    pub fn knows_free(&self, thread: ThreadId, address: u64) -> bool {
        self.free_of(address).is_some() && self.is_free_ordered(thread, address)
    }
}
