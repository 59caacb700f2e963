//! Which thread.

use serde::{Deserialize, Serialize};

/// A thread. Dense, stable over all executions of one run: the n-th thread a thread creates has
/// the same number in every execution. 0 is the first thread. At most [`THREADS_MAX`].
///
/// A number may be used again after its thread was joined (by the thread that joined it); events
/// of the successive owners are then ordered by the create and join edges.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The thread of main.
    pub const MAIN: ThreadId = ThreadId(0);

    /// Its place in a list of all threads.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Threads alive at once: the first, and 1,024 others.
pub const THREADS_MAX: usize = 1025;
