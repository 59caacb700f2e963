//! What an operation says besides its object and its argument: one thing, which its kind determines.

use crate::{Counter, ObjectId, ThreadId};

/// What an operation says besides its object and its argument; which kinds say it is said for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// The operation says nothing besides its argument.
    None,
    /// `MutexInit`, `CondInit`, `RwlockInit`: the initialization stands for an assignment, made by whoever uses the object
    /// next. It makes a destroyed object anew, and is nothing (EBUSY) if somebody else did that already.
    Remade,
    /// `Early`: the call gives up also where nobody else can go on.
    Alone,
    /// `MutexTrylock`: it stands for a lock with a time limit: who holds a mutex that checks is told `EDEADLK`.
    Locks,
    /// `CondReacquire`, or `RwlockWrite` after an `RwlockAnnounce`, that is [`crate::Operation::timed`]: a thread that gives
    /// up stays among those that wait, and waits again later. It may give up waiting for the mutex, too.
    Stays,
    /// `CondEnqueue`: the wait ends by itself in any case: alternative 1 is all there is.
    Leaves,
    /// `CondEnqueue`: in so many ways, one at least, the wait may end by itself.
    WaysToEnd(u32),
    /// `CompareExchange`, `FutexWait`: the value that lets it succeed, little-endian in the low bytes of the access (at
    /// most 16); the low half first, because a `u128` would make every operation longer.
    Expects([u64; 2]),
    /// An access that waits: mask and value of its [`crate::Condition`].
    Condition {
        /// The bits of what is found that count.
        mask: u64,
        /// What they are compared with.
        value: u64,
    },
    /// `ReadModifyWrite` that does not wait: all that anybody sees of what it found. `Load`: with "no" where
    /// [`Counter::LAST`] would be told that, of the first bytes ([`crate::Argument::counting`]).
    Counter(Counter),
    /// `Create`: the thread that the caller created just before, if it did nothing between and the two do the same.
    Elder(ThreadId),
    /// `Join`, `JoinAll`: what may tell threads apart that are alike.
    Joining {
        /// The caller wrote to memory since its last operation.
        wrote: bool,
        /// The caller looks at what the thread returned.
        looks: bool,
    },
    /// `FutexRequeue`: it happens only if a word of memory, the four bytes at [`crate::Operation::offset`] of the group
    /// that `cell` lies in, is `value`. `FutexWakeOp`: the word that it changes, and the test as futex(2) encodes it
    /// (`val3`).
    Comparison {
        /// The cell of the word.
        cell: ObjectId,
        /// The word, or the test.
        value: u32,
    },
}

impl Detail {
    /// [`Detail::WaysToEnd`], if there is one.
    #[inline]
    pub const fn ways_to_end(count: u32) -> Detail {
        match count {
            0 => Detail::None,
            _ => Detail::WaysToEnd(count),
        }
    }

    /// [`Detail::Expects`].
    #[inline]
    pub const fn expects(value: u128) -> Detail {
        Detail::Expects([value as u64, (value >> 64) as u64])
    }

    /// [`Detail::Elder`], if there is one.
    pub fn elder(thread: Option<ThreadId>) -> Detail {
        thread.map_or(Detail::None, Detail::Elder)
    }

    /// Returns what an operation that compares bytes of memory expects there, little-endian in the low bytes.
    pub const fn expected(self) -> u128 {
        match self {
            Detail::Expects([low, high]) => (high as u128) << 64 | low as u128,
            Detail::Comparison { value, .. } => value as u128,
            _ => 0,
        }
    }

    /// Returns a number that is the same for equal details.
    pub fn hashed(self) -> u64 {
        match self {
            Detail::None => 0,
            Detail::Remade => 1,
            Detail::Alone => 2,
            Detail::Locks => 3,
            Detail::Stays => 4,
            Detail::Leaves => 5,
            Detail::WaysToEnd(count) => count.into(),
            Detail::Expects([low, high]) => low ^ high,
            Detail::Condition { mask, value } => mask ^ value,
            Detail::Counter(counter) => 1 << 32 | u64::from(counter.number()),
            Detail::Elder(thread) => thread.0.into(),
            Detail::Joining { wrote, looks } => u64::from(wrote) | u64::from(looks) << 1,
            Detail::Comparison { cell, value } => cell.0 ^ u64::from(value) << 32,
        }
    }
}

/// How an operation stands in a loop that its thread goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Iteration {
    /// The operation begins no iteration of which anything is known.
    None,
    /// A turn of a loop begins with it, the thread is where it was when the turn before began, and that turn did nothing
    /// but events: it will do the same again if it finds the same.
    MayRepeat,
    /// A compare-exchange waits until it succeeds, since a failure would be like a later look of its thread: where it
    /// waits for ever, the thread goes on in another execution, in which the look comes later.
    Retries,
    /// The thread goes round a loop once more, after many turns: it is set aside while others can go on. Nothing else
    /// depends on it.
    Late,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_comes_back() {
        for value in [0, 1, u128::from(u64::MAX), 1 << 64, u128::MAX] {
            assert_eq!(Detail::expects(value).expected(), value);
        }
        let (cell, value) = (ObjectId(u64::MAX), u32::MAX);
        let detail = Detail::Comparison { cell, value };
        assert_eq!(detail.expected(), u128::from(u32::MAX), "the word alone");
        assert_eq!(Detail::ways_to_end(0), Detail::None);
    }

    #[test]
    fn operations_are_not_longer_than_with_a_number() {
        assert_eq!(size_of::<Detail>(), 24);
        assert_eq!(size_of::<crate::Operation>(), 80);
    }
}
