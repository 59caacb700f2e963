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

/// What is said of the operation before which a thread stands: the fields of [`Threads`] of these names.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    pub passive: bool,
    pub timed: bool,
    pub leaving: bool,
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
    /// Those of them that are about to end the process (`Kind::ProcessEnd`).
    pub leaving: u64,
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
            leaving: 0,
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
    pub fn set(&mut self, thread: ThreadId, standing: Standing, marks: Marks) {
        let number = usize::from(thread.0);
        let before = std::mem::replace(&mut self.standing[number], standing);
        let bit = 1 << thread.0;
        self.passive = self.passive & !bit | u64::from(marks.passive) << thread.0;
        self.timed = self.timed & !bit | u64::from(marks.timed) << thread.0;
        self.leaving = self.leaving & !bit | u64::from(marks.leaving) << thread.0;
        if let (Standing::Before(_), Standing::Before(_)) = (before, standing) {
            return;
        }
        if let Some(mask) = self.mask(before) {
            *mask &= !bit;
        }
        if let Some(mask) = self.mask(standing) {
            *mask |= bit;
        }
    }

    /// The threads that stand like this.
    fn mask(&mut self, standing: Standing) -> Option<&mut u64> {
        match standing {
            Standing::Absent => None,
            Standing::Before(_) => Some(&mut self.pending),
            Standing::Finished => Some(&mut self.finished),
            Standing::Dead => Some(&mut self.dead),
            Standing::Ended => Some(&mut self.ended),
        }
    }

    /// True if a thread ended the process.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ended != 0
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
