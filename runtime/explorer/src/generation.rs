//! Who arrived at a barrier together, and how that orders their leaving.
//!
//! A thread leaves after all arrivals of its generation; if it looks whether it is the serial thread, also
//! after the lowest member that does, which decides it when it leaves. No reversal can turn these edges
//! round: leaving needs the events at their other end, and removing events brings none.

use crate::conflict::{Access, Object};
use crate::mutation::Mutation;
use crate::object::barrier::{self, Generation};
use crate::object::View;
use crate::operation::Interned;
use crate::program::{Kind, ObjectId, ThreadId, ThreadSet};
use crate::state::Now;
use crate::trace::{Entry, Trace};
use smallvec::SmallVec;

type Arrivals = SmallVec<[Entry; 8]>;

impl Trace {
    /// The arrivals, inside a set of events, of the generation in which `thread` arrived last.
    fn arrivals(
        &self,
        barrier: Object,
        thread: ThreadId,
        inside: impl Fn(usize) -> bool,
    ) -> Arrivals {
        let arrives = |entry: &&Entry| {
            let event = entry.event as usize;
            self.operation(event).kind == Kind::BarrierArrive && inside(event)
        };
        let latest_first = || self.log(barrier).iter().rev().filter(arrives);
        let Some(own) = latest_first().find(|entry| entry.thread == thread) else {
            return Arrivals::new();
        };
        let generation = |entry: &Entry| barrier::generation(entry.before);
        latest_first()
            .skip_while(|entry| generation(entry) > generation(own))
            .take_while(|entry| generation(entry) == generation(own))
            .copied()
            .collect()
    }

    /// How many threads have arrived at a barrier since it let threads pass, and how many make it do so.
    pub fn arrived(&self, barrier: ObjectId) -> Option<(u64, u64)> {
        let value = Now(self).value(self.table.find_object(barrier)?);
        Some((barrier::arrived(value), barrier::width(value)))
    }

    /// The generation, inside a set of events, in which `thread` arrived last.
    pub(crate) fn generation(
        &self,
        barrier: Object,
        thread: ThreadId,
        inside: impl Fn(usize) -> bool,
    ) -> Generation {
        let arrivals = self.arrivals(barrier, thread, &inside);
        let members = arrivals.iter().map(|e| e.thread).collect();
        let mut generation = Generation {
            members,
            lookers: ThreadSet::EMPTY,
            serial: None,
        };
        for entry in arrivals.iter().filter(|entry| self.is_looker(entry)) {
            generation.lookers.insert(entry.thread);
        }
        if let Some(arrival) = self.decider(&arrivals) {
            let mut later = self.after_arrival(arrival);
            let left = later.find(|&(_, position)| inside(position));
            generation.serial = left.map(|(alternative, _)| ThreadId(alternative as u16));
        }
        generation
    }

    /// True if a thread that arrived looks at what it is told when it leaves.
    fn is_looker(&self, arrival: &Entry) -> bool {
        barrier::tells(self.operation(arrival.event as usize))
    }

    /// The arrival of the one that decides who is the serial thread.
    fn decider<'a>(&self, arrivals: &'a Arrivals) -> Option<&'a Entry> {
        let lookers = arrivals.iter().filter(|entry| self.is_looker(entry));
        lookers.min_by_key(|entry| entry.thread)
    }

    /// The events of a thread after it arrived, as alternatives and positions. If it looks at what it is told, the
    /// first one is that it leaves.
    fn after_arrival(&self, arrival: &Entry) -> impl Iterator<Item = (u32, usize)> + '_ {
        let (thread, after) = (arrival.thread, arrival.event as usize + 1);
        let later = self.events()[after..].iter().zip(after..);
        let own = later.filter(move |(event, _)| event.thread == thread);
        own.map(|(event, position)| (event.decision.alternative, position))
    }

    /// True if `thread`, which arrived, can leave.
    pub(crate) fn may_leave(&self, leave: &Interned, thread: ThreadId) -> bool {
        let barrier = leave.object();
        let arrivals = self.arrivals(barrier, thread, |_| true);
        let present = barrier::generation(Now(self).value(barrier));
        let is_complete = arrivals
            .first()
            .is_some_and(|entry| barrier::generation(entry.before) < present);
        let has_left = |entry: &&Entry| self.last_event(entry.thread) > Some(entry.event as usize);
        let waits_for_decider = barrier::tells(&leave.operation)
            && self
                .decider(&arrivals)
                .filter(|entry| entry.thread != thread)
                .is_some_and(|e| !has_left(&e));
        is_complete && !waits_for_decider
    }

    /// Keeps track of who uses a barrier; the last event arrived there.
    pub(crate) fn note_arrival(&mut self) {
        let last = self.len() - 1;
        let thread = self.event(last).thread;
        let barrier = self.interned(last).object();
        let arrives = |access: &Access| access.object == barrier;
        // A misuse has no access to it.
        if self.footprint(last).iter().any(arrives) {
            let width = barrier::width(Now(self).value(barrier));
            self.commuting.note_arrival(barrier, width, thread);
        }
    }

    /// 1 + positions of the events after which `thread` leaves.
    pub(crate) fn leaves_after(&self, leave: &Interned, thread: ThreadId) -> SmallVec<[u32; 8]> {
        if self.commuting.mutation.is(Mutation::LeavesWithoutEdges) {
            return SmallVec::new();
        }
        let arrivals = self.arrivals(leave.object(), thread, |_| true);
        let mut ends: SmallVec<[u32; 8]> = arrivals.iter().map(|entry| entry.event + 1).collect();
        let decider = self.decider(&arrivals);
        let decider =
            decider.filter(|other| other.thread != thread && barrier::tells(&leave.operation));
        if let Some((_, position)) = decider.and_then(|other| self.after_arrival(other).next()) {
            ends.push(position as u32 + 1);
        }
        ends
    }
}
