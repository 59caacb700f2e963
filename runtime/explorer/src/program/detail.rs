//! What an operation says besides its object and its argument: one thing, which its kind determines.
//!
//! It is packed into 16 bytes that are compared as a whole, because operations are compared on each step
//! (docs/decisions/0078-details-of-operations.md). The constructors and accessors here are the only way in and out.

use super::{ObjectId, ThreadId};

/// What an operation says besides its object and its argument. Each constructor names the kinds that it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail(u128);

/// Set where a futex operation compares a word. The word is in the bits below it, the cell in the high half.
const COMPARES: u128 = 1 << 32;

impl Detail {
    /// Nothing.
    pub const NONE: Detail = Detail(0);

    /// `MutexInit`, `CondInit`, `RwlockInit`: the initialization stands for an assignment, made by whoever uses the object
    /// next. It makes a destroyed object anew, and is nothing (EBUSY) if somebody else did that already.
    pub const REMADE: Detail = Detail(1);

    /// `Early`: the call gives up also where nobody else can go on.
    pub const ALONE: Detail = Detail(1);

    /// `MutexTrylock`: it stands for a lock with a time limit: who holds a mutex that checks is told `EDEADLK`.
    pub const LOCKS: Detail = Detail(1);

    /// `CondReacquire`, or `RwlockWrite` after an `RwlockAnnounce`, that is [`super::Operation::timed`]: a thread that gives
    /// up stays among those that wait, and waits again later. It may give up waiting for the mutex, too.
    pub const STAYS: Detail = Detail(1);

    /// `CondEnqueue`: the wait ends by itself in any case: alternative 1 is all there is.
    pub const LEAVES: Detail = Detail(1 << 32);

    /// `CondEnqueue`: in so many ways the wait may end by itself.
    #[inline]
    pub const fn ways_to_end(count: u32) -> Detail {
        Detail(count as u128)
    }

    /// Returns what [`Detail::ways_to_end`] was told.
    pub(crate) const fn count_of_ways(self) -> u32 {
        self.0 as u32
    }

    /// `CompareExchange`, `FutexWait`: the value that lets it succeed, little-endian in the low bytes of the access (at
    /// most 16).
    #[inline]
    pub const fn expects(value: u128) -> Detail {
        Detail(value)
    }

    /// Returns the value of [`Detail::expects`].
    pub(crate) const fn expected(self) -> u128 {
        self.0
    }

    /// An access that waits: the mask and the value of its [`crate::Condition`].
    #[inline]
    pub(crate) const fn condition(mask: u64, value: u64) -> Detail {
        Detail((mask as u128) << 64 | value as u128)
    }

    /// Returns the mask and the value of [`Detail::condition`].
    pub(crate) const fn mask_and_value(self) -> (u64, u64) {
        ((self.0 >> 64) as u64, self.0 as u64)
    }

    /// `Create`: the thread that the caller created just before, if it did nothing between and the two do the same.
    pub fn elder(thread: Option<ThreadId>) -> Detail {
        Detail(thread.map_or(0, |elder| u128::from(elder.0) + 1))
    }

    /// Returns the thread of [`Detail::elder`].
    pub(crate) fn elder_thread(self) -> Option<ThreadId> {
        let number = self.0.checked_sub(1)?;
        Some(ThreadId(number as u16))
    }

    /// `Join`, `JoinAll`: what may tell threads apart that are alike. `wrote`: the caller wrote to memory since its last
    /// operation. `looks`: it looks at what the thread returned.
    pub fn joining(wrote: bool, looks: bool) -> Detail {
        Detail(u128::from(wrote) | u128::from(looks) << 1)
    }

    /// Says whether the caller of a join wrote to memory before it ([`Detail::joining`]).
    pub(crate) const fn wrote(self) -> bool {
        self.0 & 1 != 0
    }

    /// Says whether the caller of a join looks at the result ([`Detail::joining`]).
    pub(crate) const fn looks(self) -> bool {
        self.0 & 2 != 0
    }

    /// `FutexRequeue`: it happens only if a word of memory, the four bytes at [`super::Operation::offset`] of the group
    /// that `cell` lies in, is `value`. `FutexWakeOp`: the word that it changes, and the test as futex(2) encodes it
    /// (`val3`).
    pub const fn comparison(cell: ObjectId, value: u32) -> Detail {
        Detail((cell.0 as u128) << 64 | COMPARES | value as u128)
    }

    /// Returns the cell of [`Detail::comparison`]; `None`: the operation compares nothing.
    pub const fn compared_cell(self) -> Option<ObjectId> {
        match self.0 & COMPARES {
            0 => None,
            _ => Some(ObjectId((self.0 >> 64) as u64)),
        }
    }

    /// Returns the value of [`Detail::comparison`].
    pub(crate) const fn compared_value(self) -> u32 {
        self.0 as u32
    }

    /// Returns a number of 64 bits that depends on all bits.
    pub(crate) const fn folded(self) -> u64 {
        self.0 as u64 ^ (self.0 >> 64) as u64
    }
}

/// How an operation stands in a loop that its thread goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Iteration {
    /// Nothing is known of a loop.
    None,
    /// A turn of a loop begins with it, the thread is where it was when the turn before began, and that turn did nothing
    /// but events: it will do the same again if it finds the same.
    MayRepeat,
    /// The thread goes round a loop once more, after many turns: it is set aside while others can go on. Nothing else
    /// depends on it.
    Late,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for thread in [None, Some(ThreadId(0)), Some(ThreadId(1024))] {
            assert_eq!(Detail::elder(thread).elder_thread(), thread);
        }
        for (wrote, looks) in [(false, false), (false, true), (true, false), (true, true)] {
            let detail = Detail::joining(wrote, looks);
            assert_eq!((detail.wrote(), detail.looks()), (wrote, looks));
        }
        for cell in [0, u64::MAX] {
            let detail = Detail::comparison(ObjectId(cell), u32::MAX);
            assert_eq!(detail.compared_cell(), Some(ObjectId(cell)));
            assert_eq!(detail.compared_value(), u32::MAX);
        }
        assert_eq!(Detail::NONE.compared_cell(), None);
        assert_eq!(Detail::condition(3, 5).mask_and_value(), (3, 5));
        assert_ne!(Detail::LEAVES, Detail::ways_to_end(u32::MAX));
    }
}
