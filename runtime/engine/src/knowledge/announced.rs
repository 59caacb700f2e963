//! The access for which a loop waits, from its announcement to the access.

use dpor_model::{Condition, ThreadId};

/// What the next access may wait for.
#[derive(Clone, Copy, Debug)]
pub struct Announced {
    /// The access.
    pub access: Access,
    /// Thread whose access was announced. A store, which waits for nothing, may come before it, and
    /// another thread.
    pub thread: ThreadId,
}

/// An access that a loop makes again and again.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Address of its first byte.
    pub address: u64,
    /// `None`: a compare-exchange that succeeds.
    pub condition: Option<Condition>,
    /// True for a compare-exchange that is tried again with what it found.
    pub retries: bool,
}
