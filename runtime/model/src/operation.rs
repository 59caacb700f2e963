//! An operation before which a thread stands.

use crate::{several, Argument, Detail, Iteration, Kind, ObjectId, SiteId, NO_OBJECT};
#[cfg(doc)]
use crate::{AGAIN, TIMEOUT};

/// A pending operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What.
    pub kind: Kind,
    /// Memory: position of the first byte in its cell, 0..8.
    pub offset: u8,
    /// Memory: width, at least 1.
    pub bytes: u32,
    /// The object, or [`NO_OBJECT`].
    pub object: ObjectId,
    /// The mutex of a condition variable's wait, also of an [`Kind::Early`]; the futex of a [`Kind::FutexWait`], the second one of
    /// a [`Kind::FutexRequeue`] or [`Kind::FutexWakeOp`]; otherwise [`NO_OBJECT`].
    pub other: ObjectId,
    /// Thread, number of choices, mutex kind, update: see [`Kind`].
    pub argument: Argument,
    /// `MutexLockAll`: the other mutexes.
    pub also: Option<&'static several::Several>,
    /// What else there is to say of an operation of this kind.
    pub detail: Detail,
    /// Where in the program; compared when a prefix is replayed.
    pub site: SiteId,
    /// An operation that can block, and that the program gives up after some time: it may end with
    /// [`TIMEOUT`], but only where no thread can go on. Of a `CondReacquire`: the wait for a signal,
    /// not that for the mutex; after a time-out the thread stands before another, without this. See [`Detail::Stays`].
    pub timed: bool,
    /// Whether a timed operation goes on with others: when another thread has given up waiting where no thread could go on, this one
    /// goes on, too, with alternative [`AGAIN`], which is no event, and decides (`Early`) whether it gives up early.
    pub again: bool,
    /// A `Load`, `ReadModifyWrite` or `CompareExchange` of at most 8 bytes in one cell that blocks until a
    /// [`crate::Condition`] holds for what it finds: `argument` and `detail` say which
    /// ([`crate::Condition::of`]); a `CompareExchange` waits for what it expects. Whether it holds is asked of memory
    /// (`dpor_explorer::Program::peek`).
    pub waits: bool,
    /// How it stands in a loop that its thread goes round.
    pub iteration: Iteration,
}

impl Operation {
    /// An operation without object or parameters.
    pub const fn new(kind: Kind, site: SiteId) -> Self {
        Operation {
            kind,
            offset: 0,
            bytes: 0,
            object: NO_OBJECT,
            other: NO_OBJECT,
            argument: Argument::NONE,
            also: None,
            detail: Detail::None,
            site,
            timed: false,
            again: false,
            waits: false,
            iteration: Iteration::None,
        }
    }

    /// The object, and those in [`Operation::also`].
    pub fn all(&self) -> impl Iterator<Item = ObjectId> {
        let others = self.also.map_or(&[][..], |several| &several.0);
        std::iter::once(self.object).chain(others.iter().copied())
    }
}
