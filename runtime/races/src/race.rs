//! A race, as it is reported.

use dpor_model::{SiteId, ThreadId};

/// Either of the two accesses of a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Number of the thread that made the access.
    pub thread: ThreadId,
    /// True if the access writes; freeing a block does.
    pub write: bool,
    /// True if the access is atomic.
    pub atomic: bool,
    /// The site of the access, as the caller named it; 0 if unknown.
    pub site: SiteId,
    /// Names of the locks held, sorted; a lock held n times is there n times.
    pub locks: Vec<u64>,
}

/// Two accesses to the same bytes, at least one a write and at least one not atomic, neither of which
/// happens before the other; or a use of freed memory ([`Race::after_free`]), or of what is next to
/// a block ([`Race::outside`]).
///
/// If the earlier access was repeated before its thread's next release operation, `earlier` is the
/// first of the repetitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// First of the bytes that both accessed.
    pub address: u64,
    /// Number of bytes from `address` on that both accessed, within one aligned group of eight.
    pub bytes: u64,
    /// The access that came first in this execution.
    pub earlier: Access,
    /// The access that was judged.
    pub later: Access,
    /// True if this is no race: the bytes are next to a block, and no one's. There is no earlier access.
    pub outside: bool,
    /// True if this is no race: the earlier access freed the bytes, and happens before the later one.
    pub after_free: bool,
    /// True if the earlier access is none, but ended the life of the bytes (a free, the end of a thread).
    pub freed: bool,
    /// True if the later access is none, but freed the bytes.
    pub frees: bool,
    /// True if the later access is none, but its thread ended, and with it the life of the bytes.
    pub ends: bool,
    /// True if the earlier access is none, but the function returned in whose frame the bytes were. Without a place:
    /// they lie below all frames of that thread.
    pub returned: bool,
    /// True if the later access is none, but the function returns, or the variable's life ends. Without a place:
    /// another function begins there, or another variable.
    pub returns: bool,
    /// True if the life of the bytes ended before exploration began.
    pub freed_before: bool,
    /// True if the later thread lacks what this order of commuting updates would have told it
    /// ([`crate::Races::atomic_update`]). Then the two may be ordered in this execution; in another order of the
    /// updates they most likely are not, but it is for an exploration of the orders to say.
    pub doubtful: bool,
}
