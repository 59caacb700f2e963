//! Loop iterations (turns) in vain behind which their thread goes no further in the execution: those that take back
//! what they did to locks, or that read plainly what others may write. (A lock is a mutex, a read-write lock, or a
//! semaphore that somebody waits for and posts again.)
//!
//! Such a turn ended in the state in which it began, and left memory and every lock as they were; nobody used in
//! between what it had locked or let go, but in a way that commutes with that. So it can be left out of any execution,
//! and one in which its thread goes on is explored where the turn did not happen. (A turn that only accesses memory
//! has a gate instead: [`crate::loop_iteration`]. What a mutex protects is no event, so that no condition says whether
//! the next turn would find the same.)
//!
//! A thread that stands so goes round for ever if nobody did anything since to what its turn touched
//! ([`Trace::is_settled`]). That is a livelock; otherwise there is an execution in which the turn comes later.
//! The argument is in docs/decisions/0067.

use crate::conflict::{Class, Object, GLOBAL};
use crate::enabled::waits_for_signal;
use crate::loop_iteration::touched;
use crate::object::{gate_objects, mutex};
use crate::trace::{Entry, Parked, Trace};
use dpor_model::{Iteration, Kind, ThreadId, ThreadSet};
use smallvec::SmallVec;
use std::ops::Range;

/// True if an access is one by which `thread` changed the object.
fn is_change_of(entry: &Entry, thread: ThreadId) -> bool {
    entry.thread == thread && entry.before != entry.after
}

impl Trace {
    /// Parks a thread, which ended a turn in vain with the last event: it goes no further in this execution.
    pub(crate) fn park(&mut self, parked: Parked) {
        self.parked.push(parked);
    }

    /// The cells that `thread` looked at in its events from number `began` on, and of each the bits; none if it did more.
    pub(crate) fn looked(&self, thread: ThreadId, began: usize) -> Vec<(Object, u64)> {
        let own = self.events_of(thread);
        let begin = own.partition_point(|&k| (k as usize) < began);
        let mut looked: Vec<(Object, u64)> = Vec::new();
        for &position in &own[begin..] {
            let interned = self.interned(position as usize);
            if interned.facts.is_of_lock {
                return Vec::new();
            }
            for (nth, &cell) in interned.own().iter().enumerate() {
                let bits = touched(&interned.operation, nth as u32);
                match looked.iter_mut().find(|(other, _)| *other == cell) {
                    Some(known) => known.1 |= bits,
                    None => looked.push((cell, bits)),
                }
            }
        }
        looked
    }

    /// Lets the threads go on that were parked after the first `length` events, which are being removed.
    pub(crate) fn unpark(&mut self, length: usize) {
        let is_later = |parked: &mut Parked| parked.ended as usize > length;
        while self.parked.pop_if(is_later).is_some() {}
    }

    /// The set of parked threads.
    #[inline]
    pub(crate) fn parked_threads(&self) -> ThreadSet {
        self.parked.iter().map(|parked| parked.thread).collect()
    }

    /// True if some thread is parked: it goes no further because its last turn was in vain.
    pub fn has_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// The parked threads whose last turn did more than look at cells: it used locks, or may have read what others write
    /// without an event.
    pub fn parked_beyond_looks(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let parked = self.parked.iter();
        let all = parked.filter(|parked| parked.reads || parked.gate.is_none());
        all.map(|parked| parked.thread)
    }

    /// True if an event may have told another thread of what one `of` these did before, and orders nothing behind
    /// that: a try that failed, a look at a semaphore's count, a signal to who waits with a mutex that the signaller
    /// does not hold. Not in a turn in vain behind which its thread does not go on: nothing follows from it there.
    pub fn tells_without_order(&self, of: impl Fn(ThreadId) -> bool) -> bool {
        let of: SmallVec<[ThreadId; 8]> = self.threads_with_events().filter(|&t| of(t)).collect();
        let is_of_last = |k: usize| {
            let is_in = |parked: &Parked| {
                parked.thread == self.event(k).thread
                    && (parked.began..parked.ended).contains(&(k as u32))
            };
            self.parked.iter().any(is_in)
        };
        // What one of them did before it created who is told is ordered; what else is, is not asked.
        let tells = |event: usize, told: ThreadId| {
            let created = self.creator[usize::from(told.0)];
            of.iter().any(|&thread| {
                let known = match created {
                    0 => 0,
                    created => self.clock(created as usize - 1)[usize::from(thread.0)],
                };
                thread != told && self.clock(event)[usize::from(thread.0)] > known
            })
        };
        (0..self.len()).any(|k| {
            let interned = self.interned(k);
            let thread = self.event(k).thread;
            match interned.operation.kind {
                Kind::CondSignal | Kind::CondBroadcast => {
                    self.waiters_unlocked(k).any(|waiter| tells(k, waiter))
                }
                _ if interned.facts.is_of_lock
                    && (interned.facts.only_reads || self.event(k).decision.result != 0) =>
                {
                    let log = self.log(interned.object());
                    let count = log.partition_point(|entry| (entry.event as usize) < k);
                    let mut others = log[..count].iter().filter(|entry| entry.thread != thread);
                    !is_of_last(k) && others.any(|entry| tells(entry.event as usize, thread))
                }
                _ => false,
            }
        })
    }

    fn threads_with_events(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let all = self.by_thread.iter().enumerate();
        all.filter_map(|(thread, own)| (!own.is_empty()).then_some(ThreadId(thread as u16)))
    }

    /// The threads that wait for the signal at position `signal` with a mutex that the signaller does not hold.
    fn waiters_unlocked(&self, signal: usize) -> impl Iterator<Item = ThreadId> + '_ {
        let condition = self.interned(signal).object();
        let waits_with = move |thread: &ThreadId| {
            let own = self.events_of(*thread);
            let count = own.partition_point(|&k| (k as usize) < signal);
            let last = self.interned(*own[..count].last()? as usize);
            let waits = last.operation.kind == Kind::CondEnqueue && last.object() == condition;
            waits.then(|| last.mutex())
        };
        let holds = move |mutex: Object| {
            let log = self.log(mutex);
            let count = log.partition_point(|entry| (entry.event as usize) < signal);
            let holder = log[..count]
                .last()
                .and_then(|entry| mutex::owner(entry.after));
            holder == Some(self.event(signal).thread)
        };
        let threads = self.threads_with_events();
        threads.filter(move |thread| waits_with(thread).is_some_and(|mutex| !holds(mutex)))
    }

    /// True if a thread waits that would go on if it had looked later ([`Iteration::Retries`]).
    pub(crate) fn retries(&self) -> bool {
        self.pending_threads().any(|(_, operation)| {
            self.table.get(operation).operation.iteration == Iteration::Retries
        })
    }

    /// True if a thread is parked: it has not ended, and goes no further because its last turn was in vain.
    pub fn is_parked(&self, thread: ThreadId) -> bool {
        self.parked_threads().contains(thread)
    }

    /// Positions of the events of a parked thread's last turn, ascending.
    pub(crate) fn turn_of(&self, parked: &Parked) -> &[u32] {
        let own = self.events_of(parked.thread);
        &own[own.partition_point(|&k| k < parked.began)..]
    }

    /// Whether a turn that began after `since` events may only be left out, not waited for: it did something to a
    /// lock, or released what it may have read plainly (`reads`), which another thread may then change.
    pub(crate) fn needs_parking(&self, thread: ThreadId, since: usize, reads: bool) -> bool {
        let own = self.events_of(thread);
        let begin = own.partition_point(|&k| (k as usize) < since);
        own[begin..].iter().any(|&k| {
            let interned = self.interned(k as usize);
            match interned.operation.kind {
                Kind::Pause | Kind::Load => false,
                _ if interned.facts.is_of_lock => true,
                // One that failed is a load.
                Kind::CompareExchange => {
                    reads && self.footprint(k as usize)[0].class != Class::READ
                }
                _ => reads,
            }
        })
    }

    /// True if the events of a thread with these numbers left memory and all locks as they were, and nobody can
    /// tell that they were there.
    pub(crate) fn restores(&self, thread: ThreadId, events: Range<usize>) -> bool {
        let own = self.events_of(thread);
        let [begin, end] =
            [events.start, events.end].map(|event| own.partition_point(|&k| (k as usize) < event));
        let mut locks: SmallVec<[(Kind, Object); 4]> = SmallVec::new();
        own[begin..end].iter().all(|&k| {
            let interned = self.interned(k as usize);
            let is_wide = interned.peeks && interned.gate.is_none();
            let is_done = match interned.operation.kind {
                Kind::Pause => true,
                Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange => {
                    !is_wide && self.leaves_memory(k as usize)
                }
                kind if interned.facts.is_of_lock => {
                    locks.push((kind, interned.object()));
                    true
                }
                _ => false,
            };
            is_done && self.event(k as usize).misuse.is_none()
        }) && locks.iter().all(|&(kind, lock)| match kind {
            Kind::MutexLock | Kind::MutexTrylock | Kind::MutexUnlock => {
                self.is_mutex_back(lock, thread, &events)
            }
            _ => self.is_count_back(lock, thread, &events),
        })
    }

    /// True if each cell that an access touched is what it was.
    fn leaves_memory(&self, position: usize) -> bool {
        self.footprint(position).iter().all(|access| {
            let log = self.log(access.object);
            let at = log.binary_search_by_key(&(position as u32), |entry| entry.event);
            // What commutes finds different things in equivalent executions.
            at.is_ok_and(|at| {
                let entry = &log[at];
                let is_known =
                    [Class::READ, Class::WRITE].contains(&entry.class) || entry.class.is_store();
                is_known && entry.before == entry.after
            })
        })
    }

    /// What happened to a lock from the first change on that `thread` made in these events to its last one; nothing if
    /// it made none.
    fn between_changes(&self, lock: Object, thread: ThreadId, events: &Range<usize>) -> &[Entry] {
        let log = self.log(lock);
        let [begin, end] = [events.start, events.end]
            .map(|event| log.partition_point(|entry| (entry.event as usize) < event));
        let log = &log[begin..end];
        let changes = |entry: &Entry| is_change_of(entry, thread);
        match (log.iter().position(changes), log.iter().rposition(changes)) {
            (Some(first), Some(last)) => &log[first..=last],
            _ => &[],
        }
    }

    /// True if a mutex is held behind these events as it was before, as far as `thread` changed that, and no other
    /// thread used it in between.
    fn is_mutex_back(&self, mutex: Object, thread: ThreadId, events: &Range<usize>) -> bool {
        match self.between_changes(mutex, thread, events) {
            [] => true,
            all @ [first, ..] => {
                let last = all.last().unwrap_or(first);
                let is_alone = all.iter().all(|entry| entry.thread == thread);
                is_alone && mutex::is_held_alike(first.before, last.after)
            }
        }
    }

    /// True if `thread` gave back behind these events what it took of a read-write lock or a semaphore, or the other
    /// way round. Others may have done meanwhile what commutes with all that it did and would find the same without
    /// it: readers beside readers, and posts.
    fn is_count_back(&self, lock: Object, thread: ThreadId, events: &Range<usize>) -> bool {
        let all = self.between_changes(lock, thread, events);
        let own = || all.iter().filter(|entry| is_change_of(entry, thread));
        let reads = own().all(|entry| entry.class == Class::READER);
        let fits = |entry: &Entry| {
            entry.thread == thread
                || entry.class == Class::POST
                || (entry.class == Class::READER && reads)
        };
        let sum = own().fold(0, |sum: u64, entry| {
            sum.wrapping_add(entry.after).wrapping_sub(entry.before)
        });
        all.iter().all(fits) && sum == 0
    }

    /// True if the parked threads would find the same in each turn from now on, and no other thread could go on while
    /// one of them has let a mutex go: then they go round for ever.
    pub(crate) fn is_settled(&self) -> bool {
        let is_waiting = self.pending_threads().all(|(thread, operation)| {
            let locks = gate_objects(self.table.get(operation));
            waits_for_signal(self, thread, operation)
                || locks.iter().all(|&lock| {
                    let mut all = self.parked.iter();
                    !all.any(|parked| self.changes(parked, lock))
                })
        });
        is_waiting
            && self
                .parked
                .iter()
                .all(|parked| self.would_find_the_same(parked))
    }

    /// True if a parked thread would find in each object what its last turn found.
    fn would_find_the_same(&self, parked: &Parked) -> bool {
        if parked.gate.is_some() {
            return !self.finds_awaited(parked.thread);
        }
        let all = self.turn_of(parked).iter();
        let mut touched = all.flat_map(|&k| self.footprint(k as usize));
        touched.all(|access| access.object != GLOBAL && self.is_untouched(parked, access.object))
    }

    /// True if nobody did anything to an object behind the turn's first event on it, but in turns that are in vain
    /// as well, or what commutes with the turn, which would come at no other time then. If the turn only looks at the
    /// object, no such turn may change it either: the look might then come at another time.
    fn is_untouched(&self, parked: &Parked, object: Object) -> bool {
        let log = self.log(object);
        let first = log.iter().position(|entry| parked.contains(entry));
        let behind = log[first.unwrap_or(log.len())..].iter();
        let mut behind = behind.filter(|entry| entry.thread != parked.thread);
        let mut others = self.parked.iter();
        let others_change =
            others.any(|other| other.thread != parked.thread && self.changes(other, object));
        let commutes = |entry: &Entry| {
            let mut own = log.iter().filter(|own| parked.contains(own));
            own.all(|own| own.class.commutes(entry.class))
        };
        (!others_change || self.changes(parked, object))
            && behind.all(|entry| {
                commutes(entry) || self.parked.iter().any(|other| other.contains(entry))
            })
    }

    /// True if a turn changed an object, and changed it back.
    fn changes(&self, parked: &Parked, object: Object) -> bool {
        let log = self.log(object).iter();
        let mut own = log.filter(|entry| parked.contains(entry));
        own.any(|entry| entry.before != entry.after)
    }
}
