//! Threads: where each stands, and what create and join wait for.
//!
//! Creation and end of a thread are edges of happens-before that no schedule can turn round, so
//! they are no accesses to objects and never race.

use crate::operation::OperationIndex;
use crate::program::{ThreadId, THREADS_MAX};

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// Not created, or another owner of its number was joined and none created since.
    Absent,
    Before(OperationIndex),
    Finished,
    Dead,
    /// The process ended.
    Ended,
}

/// All threads. Bit `t` of a mask is thread `t`.
pub(crate) struct Threads {
    standing: [Standing; THREADS_MAX],
    /// Those before an operation.
    pub pending: u64,
    /// Those of them whose operation is a passive step.
    pub passive: u64,
    /// Those of them that may give up waiting.
    pub timed: u64,
    pub finished: u64,
    pub dead: u64,
    /// Those that ended the process: 0 or one.
    ended: u64,
}

impl Threads {
    pub fn new() -> Self {
        Threads {
            standing: [Standing::Absent; THREADS_MAX],
            pending: 0,
            passive: 0,
            timed: 0,
            finished: 0,
            dead: 0,
            ended: 0,
        }
    }

    #[inline]
    pub fn get(&self, thread: ThreadId) -> Standing {
        self.standing[usize::from(thread.0)]
    }

    #[inline]
    pub fn set(&mut self, thread: ThreadId, standing: Standing, passive: bool, timed: bool) {
        let bit = 1 << thread.0;
        self.pending &= !bit;
        self.passive = self.passive & !bit | u64::from(passive) << thread.0;
        self.timed = self.timed & !bit | u64::from(timed) << thread.0;
        self.finished &= !bit;
        self.dead &= !bit;
        self.ended &= !bit;
        match standing {
            Standing::Absent => {}
            Standing::Ended => self.ended |= bit,
            Standing::Before(_) => self.pending |= bit,
            Standing::Finished => self.finished |= bit,
            Standing::Dead => self.dead |= bit,
        }
        self.standing[usize::from(thread.0)] = standing;
    }

    #[inline]
    pub fn is_finished(&self, thread: u64) -> bool {
        thread < THREADS_MAX as u64 && self.finished >> thread & 1 == 1
    }

    /// True if no thread but `thread` is there any more.
    #[inline]
    pub fn is_alone(&self, thread: ThreadId) -> bool {
        (self.pending | self.dead | self.ended) & !(1 << thread.0) == 0
    }
}

/// The members of a mask of threads, lowest first.
pub(crate) fn members(mut mask: u64) -> impl Iterator<Item = ThreadId> {
    std::iter::from_fn(move || {
        let lowest = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lowest < 64).then_some(ThreadId(lowest as u16))
    })
}
