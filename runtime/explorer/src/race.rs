//! Races: which events would have to go for an operation to happen earlier.
//!
//! For an operation `e` of thread `q`, executed or still blocked at the end, let *base* be what
//! happens before it by program order and edges, and `P` the events of other threads outside base
//! that conflict with it. Removing a set `R` of them leaves `U(R)`: the events that are not in `R`
//! and do not happen after a member of it.
//! - If `e` does not block: one race for each member of `P` that happens before no other.
//! - If `e` blocks on an object: the races are the sets whose `U(R)` contains base, lets `e` pass,
//!   and is largest. Readers commute, so a writer may have to remove several at once: every
//!   remaining hold's first event is added until it passes or nothing is left to add. So may a lock of
//!   several mutexes, of which each may be held. Everything
//!   else that can block an operation is a write, and there one event is enough.
//!
//! Source: race detection of Optimal-DPOR (Abdulla et al., J. ACM 2017), whose blocking operations
//! are failed attempts; the treatment of disabled operations and of sets is ours and was tested
//! against brute force.

use crate::conflict::{is_global, Access, Class, Object, GLOBAL};
use crate::mutation::{Mutation, Seeded};
use crate::object::{gate, gate_object, mutex, passes};
use crate::operation::{Interned, OperationIndex};
use crate::trace::{Entry, Trace};
use dpor_model::{Kind, ThreadId};
use smallvec::{smallvec, SmallVec};

/// Positions of the events to remove, in ascending order. None happens before another.
pub(crate) type Removed = SmallVec<[u32; 4]>;

/// An operation whose races are looked for.
pub(crate) struct Query<'a> {
    pub trace: &'a Trace,
    /// The base of the plan, as a clock.
    pub base: &'a [u32],
    /// Number of events before it. Fewer than all only for an operation that can block.
    pub end: usize,
    pub thread: ThreadId,
    pub operation: OperationIndex,
    pub footprint: &'a [Access],
    pub mutation: Seeded,
}

impl Query<'_> {
    /// Calls `found` with each race.
    pub fn races(&self, found: impl FnMut(Removed)) {
        let interned = self.trace.table.get(self.operation);
        match gate_object(interned) {
            Some(_) if is_global(self.footprint) => {
                let all = 0..self.end as u32;
                self.with_sets(interned, all, found);
            }
            None if is_global(self.footprint) => self.with_everything(found),
            None => self.without_blocking(found),
            Some(object) if interned.awaits => match &interned.gate {
                Some(gate) => self.with_gate(gate, found),
                None => self.with_condition(interned, object, found),
            },
            Some(object) => match interned.operation.kind {
                Kind::RwlockRead | Kind::RwlockWrite | Kind::MutexLockAll => {
                    self.with_holders(interned, found);
                }
                _ => self.with_blocking(interned, object, found),
            },
        }
    }

    /// The accesses to an object before the operation.
    #[inline]
    pub(crate) fn log(&self, object: Object) -> &[Entry] {
        let log = self.trace.log(object);
        match self.end == self.trace.len() {
            true => log,
            false => &log[..log.partition_point(|entry| (entry.event as usize) < self.end)],
        }
    }

    /// True if the event can be removed: another thread's, and not in base.
    #[inline]
    pub(crate) fn removable(&self, event: u32, thread: ThreadId) -> bool {
        if thread == self.thread || self.base[usize::from(thread.0)] > event {
            return false;
        }
        // A mutex that both hold orders them, so that the clocks have already said so.
        debug_assert!(
            self.end < self.trace.len()
                || self.trace.event(event as usize).lockset & self.trace.held(self.thread) == 0,
            "the lockset filter would drop a race"
        );
        true
    }

    /// The last event that conflicts with everything, if it can be removed.
    fn last_global(&self) -> Option<u32> {
        let last = self.log(GLOBAL).last()?;
        self.removable(last.event, last.thread)
            .then_some(last.event)
    }

    fn without_blocking(&self, mut found: impl FnMut(Removed)) {
        let mut candidates: SmallVec<[u32; 8]> = smallvec![];
        let global = self.last_global();
        for &access in self.footprint {
            self.trace.last_conflicting(access, |entry| {
                // What is older than a global event happens before it.
                if global.is_none_or(|g| g < entry.event)
                    && self.removable(entry.event, entry.thread)
                {
                    candidates.push(entry.event);
                }
            });
        }
        if candidates.is_empty() {
            candidates.extend(global);
        }
        self.maximal(&candidates, &mut found);
    }

    fn with_everything(&self, mut found: impl FnMut(Removed)) {
        let ends = self.trace.frontier().iter().enumerate();
        let last = ends.filter(|&(t, &end)| end > 0 && self.removable(end - 1, ThreadId(t as u16)));
        let candidates: SmallVec<[u32; 8]> = last.map(|(_, &end)| end - 1).collect();
        self.maximal(&candidates, &mut found);
    }

    /// Reports the candidates that happen before no other.
    fn maximal(&self, candidates: &[u32], found: &mut impl FnMut(Removed)) {
        for (i, &k) in candidates.iter().enumerate() {
            let covered = candidates.iter().enumerate().any(|(j, &other)| {
                (other != k && self.trace.happens_before(k as usize, other as usize))
                    || (other == k && j < i)
            });
            if !covered {
                found(smallvec![k]);
            }
        }
    }

    /// An operation that only writes can block: the latest removals that let it pass.
    fn with_blocking(&self, interned: &Interned, object: Object, mut found: impl FnMut(Removed)) {
        let class = self.footprint[0].class;
        let passes = |value| gate(interned, self.thread, value);
        let mut accepted: SmallVec<[u32; 4]> = smallvec![];
        let mut globals = self.log(GLOBAL).iter().rev().peekable();
        for entry in self.log(object).iter().rev() {
            while let Some(global) = globals.next_if(|g| g.event > entry.event) {
                if !self.removable(global.event, global.thread) || !accepted.is_empty() {
                    return; // All that is older happens before it.
                }
                if passes(entry.after) {
                    return found(smallvec![global.event]);
                }
            }
            if !entry.class.commutes(class) && self.removable(entry.event, entry.thread) {
                let k = entry.event as usize;
                let below = accepted
                    .iter()
                    .any(|&a| self.trace.happens_before(k, a as usize));
                if !below && passes(self.without(entry, object)) {
                    accepted.push(entry.event);
                    found(smallvec![entry.event]);
                }
                let one = self.mutation.is(Mutation::LatestPostOnly);
                if one && interned.facts.waits_for_commuting {
                    return;
                }
            }
            let settled = !accepted.is_empty() || !self.removable(entry.event, entry.thread);
            if entry.class == Class::WRITE && settled {
                return;
            }
        }
        for global in globals {
            if !self.removable(global.event, global.thread) || !accepted.is_empty() {
                return;
            }
            if passes(self.trace.initial(object).unwrap_or(0)) {
                return found(smallvec![global.event]);
            }
        }
    }

    /// State of an object after the events that do not happen after that of `entry`.
    fn without(&self, entry: &Entry, object: Object) -> u64 {
        let commutes = entry.class.commutes(entry.class) && entry.class != Class::READ;
        if !commutes || self.mutation.is(Mutation::LaterPostsForgotten) {
            // What came later and is not a read happens after it.
            return entry.before;
        }
        let k = entry.event as usize;
        let left = |other: usize| other < self.end && !self.trace.happens_before(k, other);
        self.trace.value_after(object, left).unwrap_or(0)
    }

    /// An operation on a read-write lock, where those that block it may commute, or on several mutexes, of
    /// which each may be held by another thread.
    fn with_holders(&self, interned: &Interned, found: impl FnMut(Removed)) {
        let conflicting = |access: &Access| {
            let class = access.class;
            let log = self.log(access.object).iter();
            log.filter(move |entry| !entry.class.commutes(class))
        };
        let pool = self.footprint.iter().flat_map(conflicting);
        let pool = pool.chain(self.log(GLOBAL)).map(|entry| entry.event);
        self.with_sets(interned, pool, found);
    }

    /// An operation that blocks and conflicts with the events of `pool`.
    fn with_sets(
        &self,
        interned: &Interned,
        pool: impl Iterator<Item = u32>,
        mut found: impl FnMut(Removed),
    ) {
        let removable = |&k: &u32| self.removable(k, self.trace.event(k as usize).thread);
        let mut pool: Vec<u32> = pool.filter(removable).collect();
        pool.sort_unstable_by(|a, b| b.cmp(a));
        pool.dedup();
        let mut accepted: Vec<Removed> = Vec::new();
        for k in pool {
            if let Some(removed) = self.remove_from(interned, k, &accepted) {
                accepted.retain(|other| !self.leaves_less(other, &removed));
                accepted.push(removed);
            }
        }
        accepted.into_iter().for_each(&mut found);
    }

    /// Grows `{first}` until the operation passes.
    fn remove_from(
        &self,
        interned: &Interned,
        first: u32,
        accepted: &[Removed],
    ) -> Option<Removed> {
        let mut removed: Removed = smallvec![first];
        loop {
            if accepted
                .iter()
                .any(|other| self.leaves_less(&removed, other))
            {
                return None;
            }
            let left = |k: usize| k < self.end && !is_removed(self.trace, &removed, k);
            let value = |object| self.trace.value_after(object, left).unwrap_or(0);
            if passes(interned, self.thread, value) {
                return Some(removed);
            }
            if self.mutation.is(Mutation::SingleRemoval) {
                return None;
            }
            let holds = match interned.operation.kind {
                Kind::RwlockWrite => {
                    let log = self.log(interned.object());
                    open_holds(log, left, |k| self.trace.change_of_hold(k))
                }
                Kind::MutexLockAll => {
                    let mutex = mutex::first_held(interned, self.thread, value)?;
                    vec![begin_of_hold(self.log(mutex), left)?]
                }
                _ => return None,
            };
            if holds.iter().any(|&(k, thread)| !self.removable(k, thread)) {
                return None;
            }
            removed.extend(holds.into_iter().map(|(k, _)| k));
            self.keep_minimal(&mut removed);
        }
    }

    /// True if removing `a` leaves nothing that removing `b` does not leave too.
    pub(crate) fn leaves_less(&self, a: &[u32], b: &[u32]) -> bool {
        b.iter().all(|&k| is_removed(self.trace, a, k as usize))
    }

    fn keep_minimal(&self, removed: &mut Removed) {
        removed.sort_unstable();
        removed.dedup();
        let all = removed.clone();
        let before = |i: u32, k: u32| self.trace.happens_before(i as usize, k as usize);
        removed.retain(|k| !all.iter().any(|&i| i != *k && before(i, *k)));
    }
}

/// True if event `k` is in `removed` or happens after a member of it.
#[inline]
pub(crate) fn is_removed(trace: &Trace, removed: &[u32], k: usize) -> bool {
    removed.iter().any(|&i| trace.happens_before(i as usize, k))
}

/// The events with which holds of a read-write lock began, for each thread that still holds it.
pub(crate) fn open_holds(
    log: &[Entry],
    left: impl Fn(usize) -> bool,
    change: impl Fn(usize) -> i64,
) -> Vec<(u32, ThreadId)> {
    // Holder, depth of its hold, first event of it.
    let mut holds: Vec<(ThreadId, u64, u32)> = Vec::new();
    for entry in log
        .iter()
        .filter(|e| left(e.event as usize) && e.class != Class::READ)
    {
        let at = holds.iter().position(|hold| hold.0 == entry.thread);
        let acquires = match change(entry.event as usize) {
            0 => continue,
            change => change > 0,
        };
        match at {
            Some(at) if acquires => holds[at].1 += 1,
            Some(at) if holds[at].1 > 1 => holds[at].1 -= 1,
            Some(at) => {
                holds.remove(at);
            }
            None if acquires => holds.push((entry.thread, 1, entry.event)),
            None => {}
        }
    }
    holds
        .into_iter()
        .map(|(thread, _, event)| (event, thread))
        .collect()
}

/// The event with which the hold of a mutex began that lasts after the events that are left, and its
/// thread. `None`: it was held at the root.
fn begin_of_hold(log: &[Entry], left: impl Fn(usize) -> bool) -> Option<(u32, ThreadId)> {
    let kept = log.iter().rev().filter(|e| left(e.event as usize));
    let mut begin = kept.filter(|entry| mutex::owner(entry.before) != mutex::owner(entry.after));
    begin.next().map(|entry| (entry.event, entry.thread))
}
