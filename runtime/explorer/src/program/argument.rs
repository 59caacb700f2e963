//! What the numbers in an [`super::Operation`] mean.

/// Arguments of futex operations.
pub mod futex {
    /// As part of a wait's argument: the program gave it a time-out.
    pub const TIMED: u64 = 1 << 32;

    /// The argument of a wait that answers to wake-ups with one of these bits.
    pub const fn waiting(bits: u32, timed: bool) -> u64 {
        bits as u64 | if timed { TIMED } else { 0 }
    }

    /// The argument of a wake-up of at most `count` waiters that answer to one of these bits.
    pub const fn waking(count: u32, bits: u32) -> u64 {
        (count as u64) << 32 | bits as u64
    }

    /// The argument of a requeue, or of a wake-up that changes a word.
    pub const fn requeueing(wake: u32, moved: u32) -> u64 {
        (wake as u64) << 32 | moved as u64
    }
}

/// Mutex kinds, as [`super::Operation::argument`] of mutex operations.
pub mod mutex_kind {
    /// Relocking by the owner never succeeds; unlock by another thread is undefined (reported).
    pub const NORMAL: u64 = 0;
    /// Counts.
    pub const RECURSIVE: u64 = 1;
    /// Reports errors by return value.
    pub const ERRORCHECK: u64 = 2;
}

/// The mutexes of a `MutexLockAll` besides [`super::Operation::object`].
pub mod several {
    use super::super::ObjectId;

    /// One at least, and fewer than [`MAX`]. Whoever publishes it keeps it for ever.
    #[derive(PartialEq, Eq, Hash, Debug)]
    pub struct Several(pub Box<[ObjectId]>);

    /// So many mutexes, the first one included.
    pub const MAX: usize = 32;

    /// [`super::super::Operation::argument`]: their [`super::mutex_kind`]s, in order.
    pub fn kinds(of: impl IntoIterator<Item = u64>) -> u64 {
        let all = of.into_iter().enumerate();
        all.fold(0, |kinds, (i, kind)| kinds | kind << (2 * i))
    }

    /// The kind of the mutex in this place.
    pub const fn kind(kinds: u64, place: usize) -> u64 {
        kinds >> (2 * place) & 3
    }
}

/// Which semaphore, as [`super::Operation::argument`] of all its operations but `SemInit`.
pub mod semaphore {
    /// One that has to be initialized.
    pub const MADE: u64 = 0;
    /// One that is there from the start, with count 0.
    pub const THERE: u64 = 1;
}

/// Who stores, as [`super::Operation::argument`] of `Store`.
pub mod store {
    /// Perhaps several threads to these bytes.
    pub const SHARED: u64 = 0;
    /// This thread alone, in every execution: there is nothing to take apart.
    pub const OWN: u64 = 1;
}

/// What a read-modify-write does, if that is all there is to it: nobody looks at its result. Then two
/// with the same of these can be swapped. As [`super::Operation::argument`] of `ReadModifyWrite`.
pub mod update {
    /// The result is looked at, or the order of two matters.
    pub const OTHER: u64 = 0;
    /// Adds; also subtracts, as the addition of the negated operand.
    pub const ADD: u64 = 1;
    /// Bitwise and.
    pub const AND: u64 = 2;
    /// Bitwise or.
    pub const OR: u64 = 3;
    /// Bitwise exclusive or.
    pub const XOR: u64 = 4;
    /// Signed maximum.
    pub const MAX: u64 = 5;
    /// Signed minimum.
    pub const MIN: u64 = 6;
    /// Unsigned maximum.
    pub const UMAX: u64 = 7;
    /// Unsigned minimum.
    pub const UMIN: u64 = 8;
}
