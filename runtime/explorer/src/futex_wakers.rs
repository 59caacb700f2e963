//! Who ended a wait on a futex, and what the threads before a comparison would find.
//!
//! A waiter may be moved from one futex to another before it is woken, so its way is followed
//! through their logs. That it goes on happens after the event at the end of that way; no reversal
//! can turn this edge round, as going on needs that event.

use crate::conflict::Object;
use crate::enabled::finds_expected;
use crate::operation::Interned;
use crate::trace::Trace;
use crate::Program;
use dpor_model::{Kind, ThreadId};

impl Trace {
    /// The event that took `thread` out of the waiters whom it joined with event `wait`, as
    /// waiter of `futex`; `None`: it still waits.
    fn remover(&self, mut futex: Object, thread: ThreadId, wait: usize) -> Option<usize> {
        let mut since = wait;
        loop {
            let log = self.log(futex);
            let later = log.partition_point(|entry| entry.event as usize <= since);
            let gone = log[later..].iter().find(|entry| {
                self.waiters.contains(entry.before, thread)
                    && !self.waiters.contains(entry.after, thread)
            })?;
            since = gone.event as usize;
            let interned = self.interned(since);
            let moved_to = interned
                .other
                .filter(|&to| interned.operation.kind == Kind::FutexRequeue && to != futex);
            let arrived = moved_to.filter(|&to| {
                let log = self.log(to);
                let at = log.binary_search_by_key(&gone.event, |entry| entry.event);
                at.is_ok_and(|at| self.waiters.contains(log[at].after, thread))
            });
            match arrived {
                Some(to) => futex = to,
                None => return Some(since),
            }
        }
    }

    /// The last event with which `thread` began a wait on a futex, of those for which `inside` holds. Between the halves
    /// of a wait it may make other events.
    pub(crate) fn futex_wait_of(
        &self,
        thread: ThreadId,
        inside: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut own = self.events_of(thread).iter().rev().map(|&k| k as usize);
        own.find(|&k| self.operation(k).kind == Kind::FutexWait && inside(k))
    }

    /// The futex on which `thread` still waits, or waited last, which joined the waiters of `futex` with the last wait
    /// that it began among the events for which `inside` holds.
    pub(crate) fn queue(
        &self,
        mut futex: Object,
        thread: ThreadId,
        inside: impl Fn(usize) -> bool,
    ) -> Object {
        let Some(wait) = self.futex_wait_of(thread, &inside) else {
            return futex;
        };
        let mut since = wait as u32;
        loop {
            let log = self.log(futex);
            let later = log.partition_point(|entry| entry.event <= since);
            let moved = log[later..].iter().find(|entry| {
                inside(entry.event as usize)
                    && self.waiters.contains(entry.before, thread)
                    && !self.waiters.contains(entry.after, thread)
            });
            let requeued =
                moved.filter(|gone| self.operation(gone.event as usize).kind == Kind::FutexRequeue);
            match requeued
                .and_then(|gone| Some((gone.event, self.interned(gone.event as usize).other?)))
            {
                Some((event, to)) => (since, futex) = (event, to),
                None => return futex,
            }
        }
    }

    /// True if `thread`, which joined the waiters of `futex` when it last began a wait, does not wait any more.
    pub(crate) fn is_woken(&self, futex: Object, thread: ThreadId) -> bool {
        self.futex_waker(futex, thread).is_some()
    }

    /// The event after which it goes on.
    pub(crate) fn futex_waker(&self, futex: Object, thread: ThreadId) -> Option<usize> {
        self.remover(futex, thread, self.futex_wait_of(thread, |_| true)?)
    }

    /// The position of the event that woke the thread of event `position`, the second half of a wait.
    pub(crate) fn futex_waker_of(&self, position: usize, woken: &Interned) -> Option<usize> {
        let thread = self.event(position).thread;
        let wait = self.futex_wait_of(thread, |k| k < position)?;
        self.remover(woken.object(), thread, wait)
    }

    /// True if `thread` stands before an operation that compares, and would find what it expects.
    /// Only for operations whose alternatives depend on it.
    pub(crate) fn compares_equal(&self, thread: ThreadId) -> bool {
        self.comparisons.contains(thread)
    }

    /// Finds out what [`Trace::compares_equal`] tells.
    #[inline]
    pub(crate) fn note_comparisons<P: Program>(&mut self, program: &mut P) {
        if self.table.comparisons {
            self.compare(program);
        }
    }

    fn compare<P: Program>(&mut self, program: &mut P) {
        let mut comparisons = std::mem::take(&mut self.comparisons);
        comparisons.clear();
        for (thread, operation) in self.pending_threads() {
            comparisons.put(thread, finds_expected(self, program, operation));
        }
        self.comparisons = comparisons;
    }
}
