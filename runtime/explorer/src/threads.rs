//! Where each thread of an execution stands.

use crate::operation::OperationIndex;
use dpor_model::{ThreadId, ThreadSet, THREADS_MAX};

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// The thread is not created, or another owner of its number was joined and none created since.
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

/// All threads.
pub(crate) struct Threads {
    standing: [Standing; THREADS_MAX],
    /// The threads that stand before an operation.
    pub pending: ThreadSet,
    /// The pending threads whose operation is a passive step.
    pub passive: ThreadSet,
    /// The pending threads that may give up waiting.
    pub timed: ThreadSet,
    /// The pending threads that are about to end the process (`Kind::ProcessEnd`).
    pub leaving: ThreadSet,
    pub finished: ThreadSet,
    pub dead: ThreadSet,
    /// The threads that ended the process: none or one.
    ended: ThreadSet,
}

impl Threads {
    pub fn new() -> Self {
        Threads {
            standing: [Standing::Absent; THREADS_MAX],
            pending: ThreadSet::EMPTY,
            passive: ThreadSet::EMPTY,
            timed: ThreadSet::EMPTY,
            leaving: ThreadSet::EMPTY,
            finished: ThreadSet::EMPTY,
            dead: ThreadSet::EMPTY,
            ended: ThreadSet::EMPTY,
        }
    }

    #[inline]
    pub fn get(&self, thread: ThreadId) -> Standing {
        self.standing[usize::from(thread.0)]
    }

    #[inline(always)]
    pub fn set(&mut self, thread: ThreadId, standing: Standing, marks: Marks) {
        let number = usize::from(thread.0);
        let before = std::mem::replace(&mut self.standing[number], standing);
        if number >= 64 {
            return self.note_high(thread, (before, standing), marks);
        }
        let bit = 1 << number;
        // Most operations have no mark, and come after one that had none.
        let marked = self.passive.low() | self.timed.low() | self.leaving.low();
        if marked & bit != 0 || marks.passive | marks.timed | marks.leaving {
            self.mark_low(number, marks);
        }
        if let (Standing::Before(_), Standing::Before(_)) = (before, standing) {
            return;
        }
        if let Some(set) = self.like(before) {
            *set.low_mut() &= !bit;
        }
        if let Some(set) = self.like(standing) {
            *set.low_mut() |= bit;
        }
    }

    /// Marks one of the first 64 threads.
    fn mark_low(&mut self, number: usize, marks: Marks) {
        let mark = |set: &mut ThreadSet, is_member: bool| {
            let word = set.low_mut();
            *word = *word & !(1 << number) | u64::from(is_member) << number;
        };
        mark(&mut self.passive, marks.passive);
        mark(&mut self.timed, marks.timed);
        mark(&mut self.leaving, marks.leaving);
    }

    /// Notes that a thread above the first 64 stood and stands like this.
    #[cold]
    fn note_high(&mut self, thread: ThreadId, (before, now): (Standing, Standing), marks: Marks) {
        self.passive.put(thread, marks.passive);
        self.timed.put(thread, marks.timed);
        self.leaving.put(thread, marks.leaving);
        if let Some(set) = self.like(before) {
            set.remove(thread);
        }
        if let Some(set) = self.like(now) {
            set.insert(thread);
        }
    }

    /// The threads that stand like this.
    #[inline(always)]
    fn like(&mut self, standing: Standing) -> Option<&mut ThreadSet> {
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
        !self.ended.is_empty()
    }

    #[inline]
    pub fn is_finished(&self, thread: ThreadId) -> bool {
        usize::from(thread.0) < THREADS_MAX && self.finished.contains(thread)
    }

    /// True if no thread but `thread` is there any more.
    #[inline]
    pub fn is_alone(&self, thread: ThreadId) -> bool {
        let there = [&self.pending, &self.dead, &self.ended];
        there.iter().all(|set| set.is_at_most(thread))
    }
}
