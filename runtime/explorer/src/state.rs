//! The state of objects: now, or after some of the events only.
//!
//! Reversing a race asks what an operation would find if some events had not happened. Those left
//! keep their outcomes, so that the last write among them tells the state; only events that
//! commute with each other after it have to be done again.

use crate::commuting::Commuting;
use crate::conflict::{Class, Object};
use crate::object::barrier::Generation;
use crate::object::waiters::WaiterSets;
use crate::object::{effect, memory, mutex, with_one_more, Present, View};
use crate::operation::{Interned, OperationIndex};
use crate::trace::{Entry, Trace};
use dpor_model::{Kind, Operation, ThreadId, TIMEOUT};

impl Trace {
    /// State of an object after the events for which `inside` holds, a set that contains what
    /// happens before its members. `None`: a memory cell that no event touched.
    pub(crate) fn value_after(
        &self,
        object: Object,
        inside: impl Fn(usize) -> bool,
    ) -> Option<u64> {
        let log = self.log(object);
        let mut commuting = Vec::new();
        let mut value = match log.first() {
            Some(entry) => Some(entry.before),
            None => self.initial(object).or_else(|| self.first_found(object)),
        };
        let mut written = 0;
        for entry in log
            .iter()
            .rev()
            .filter(|entry| inside(entry.event as usize))
        {
            if entry.class == Class::WRITE || entry.class.is_store() {
                value = Some(entry.after);
                written = entry.event + 1;
                break;
            } else if entry.class != Class::READ {
                commuting.push(entry);
            }
        }
        let plain = self.plain_writes().iter().rev();
        let mut plain = plain.filter(|p| p.cell == object && self.is_left(p, &inside));
        if let Some(plain) = plain.next().filter(|p| p.after >= written) {
            value = Some(plain.value);
            commuting.retain(|entry| entry.event >= plain.after);
        }
        for entry in commuting.into_iter().rev() {
            let position = entry.event as usize;
            let interned = self.interned(position);
            let operation = &interned.operation;
            value = value.map(|v| match operation.kind {
                Kind::ReadModifyWrite => memory::updated(interned, self.operand(position), v),
                Kind::Load => v,
                _ => with_one_more(interned, entry.thread, v, &self.waiters),
            });
        }
        value
    }
}

impl Trace {
    /// Performs an initialization that happened before the root.
    pub(crate) fn initialize(&mut self, operation: &Operation) {
        let index = self.table.intern(operation);
        let effect = effect(self.table.get(index), ThreadId(0), 0, false, &Now(self));
        for (access, after) in effect.footprint.iter().zip(effect.after) {
            self.initial.retain(|(object, _)| *object != access.object);
            self.initial.push((access.object, after));
        }
    }

    /// Learns the kind of a mutex from the first operation on it. It was published without any
    /// initialization before it, so that it says what the mutex was at the root.
    #[inline]
    pub(crate) fn learn_kind(&mut self, operation: OperationIndex) {
        let interned = self.table.get(operation);
        let mutex = match interned.operation.kind {
            Kind::MutexLock | Kind::MutexTrylock | Kind::MutexUnlock | Kind::MutexDestroy => {
                interned.object()
            }
            Kind::CondEnqueue => interned.mutex(),
            Kind::MutexLockAll => {
                let (operation, mutexes) = (interned.operation, interned.objects.clone());
                for (place, mutex) in mutexes.into_iter().enumerate() {
                    self.learn_kind_of(mutex, operation.mutex_kind_of(place));
                }
                return;
            }
            _ => return,
        };
        let kind = interned.operation.mutex_kind();
        self.learn_kind_of(mutex, kind);
    }

    #[inline]
    fn learn_kind_of(&mut self, mutex: Object, kind: u64) {
        if self.log(mutex).is_empty() && self.initial(mutex).is_none() {
            self.initial.push((mutex, mutex::free(kind)));
        }
    }

    /// The state of an object before any event, if it was initialized before the root.
    #[inline]
    pub(crate) fn initial(&self, object: Object) -> Option<u64> {
        let found = self.initial.iter().find(|(o, _)| *o == object);
        found.map(|&(_, value)| value)
    }
}

impl Trace {
    /// How many more holds of a read-write lock a thread has after an event on it that did not fail.
    pub(crate) fn change_of_hold(&self, position: usize) -> i64 {
        match self.operation(position).kind {
            _ if self.event(position).decision.alternative == TIMEOUT => 0,
            Kind::RwlockUnlock => -1,
            Kind::RwlockInit | Kind::RwlockDestroy | Kind::RwlockAnnounce | Kind::RwlockRetract => {
                0
            }
            _ => 1,
        }
    }
}

/// The state of objects after the events for which the predicate holds.
pub(crate) struct After<'a, F>(pub &'a Trace, pub F);

impl<F: Fn(usize) -> bool> View for After<'_, F> {
    fn value(&self, object: Object) -> u64 {
        self.0.value_after(object, &self.1).unwrap_or(0)
    }

    fn waiters_mutex(&self, condvar: Object, waiters: u64) -> Option<Object> {
        waiters_mutex(self.0, condvar, waiters, &self.1)
    }

    fn holds(&self, rwlock: Object, thread: ThreadId) -> bool {
        holds(self.0, rwlock, thread, &self.1)
    }

    fn generation(&self, barrier: Object, thread: ThreadId) -> Generation {
        self.0.generation(barrier, thread, &self.1)
    }

    fn queue(&self, futex: Object, thread: ThreadId) -> Object {
        self.0.queue(futex, thread, &self.1)
    }

    fn last_wait(&self, thread: ThreadId) -> Option<&Operation> {
        let wait = self.0.futex_wait_of(thread, &self.1);
        wait.map(|k| self.0.operation(k))
    }

    fn commuting(&self) -> &Commuting {
        &self.0.commuting
    }

    fn waiters(&self) -> &WaiterSets {
        &self.0.waiters
    }
}

/// The state of objects now.
pub(crate) struct Now<'a>(pub &'a Trace);

impl View for Now<'_> {
    #[inline]
    fn value(&self, object: Object) -> u64 {
        match self.0.log(object).last() {
            Some(entry) => entry.after,
            None => self.0.initial(object).unwrap_or(0),
        }
    }

    fn waiters_mutex(&self, condvar: Object, waiters: u64) -> Option<Object> {
        waiters_mutex(self.0, condvar, waiters, |_| true)
    }

    fn holds(&self, rwlock: Object, thread: ThreadId) -> bool {
        holds(self.0, rwlock, thread, |_| true)
    }

    fn generation(&self, barrier: Object, thread: ThreadId) -> Generation {
        self.0.generation(barrier, thread, |_| true)
    }

    fn queue(&self, futex: Object, thread: ThreadId) -> Object {
        self.0.queue(futex, thread, |_| true)
    }

    fn last_wait(&self, thread: ThreadId) -> Option<&Operation> {
        let wait = self.0.futex_wait_of(thread, |_| true);
        wait.map(|k| self.0.operation(k))
    }

    fn commuting(&self) -> &Commuting {
        &self.0.commuting
    }

    fn waiters(&self) -> &WaiterSets {
        &self.0.waiters
    }
}

impl Present for Now<'_> {
    #[inline]
    fn has_finished(&self, thread: ThreadId) -> bool {
        self.0.threads.is_finished(thread)
    }

    #[inline]
    fn is_alone(&self, thread: ThreadId) -> bool {
        self.0.threads.is_alone(thread)
    }

    fn may_leave(&self, leave: &Interned, thread: ThreadId) -> bool {
        self.0.may_leave(leave, thread)
    }

    fn is_woken(&self, futex: Object, thread: ThreadId) -> bool {
        self.0.is_woken(futex, thread)
    }

    #[inline]
    fn finds_awaited(&self, thread: ThreadId) -> bool {
        self.0.finds_awaited(thread)
    }
}

/// All waiters have one mutex, so that of the last one that joined them is it.
fn waiters_mutex(
    trace: &Trace,
    condvar: Object,
    waiters: u64,
    inside: impl Fn(usize) -> bool,
) -> Option<Object> {
    let joined = trace.log(condvar).iter().rev().find(|entry| {
        inside(entry.event as usize)
            && trace.waiters.contains(waiters, entry.thread)
            && trace.operation(entry.event as usize).kind == Kind::CondEnqueue
    });
    joined.map(|entry| trace.interned(entry.event as usize).mutex())
}

/// More locks than unlocks. The state counts readers without naming them.
fn holds(trace: &Trace, rwlock: Object, thread: ThreadId, inside: impl Fn(usize) -> bool) -> bool {
    let own = trace.log(rwlock).iter().filter(|entry| {
        entry.thread == thread && entry.class != Class::READ && inside(entry.event as usize)
    });
    let change = |entry: &Entry| trace.change_of_hold(entry.event as usize);
    own.map(change).sum::<i64>() > 0
}
