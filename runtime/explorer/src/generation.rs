//! Generations of barriers: the threads that a barrier lets go together, and the happens-before edges from their
//! arrivals to their leaving.
//!
//! A thread leaves after all arrivals of its generation; if it looks whether it is the serial thread, also
//! after the lowest member that does, which decides it when it leaves. No reversal can turn these edges
//! round: leaving needs the events at their other end, and removing events brings none.

use crate::conflict::{Access, Object};
use crate::mutation::Mutation;
use crate::object::barrier::{self, Generation};
use crate::object::View;
use crate::operation::Interned;
use crate::state::Now;
use crate::trace::{Entry, Trace};
use dpor_model::{Kind, ObjectId, ThreadId, ThreadSet};
use smallvec::SmallVec;

type Arrivals = SmallVec<[Entry; 8]>;

impl Trace {
    /// The arrivals at `barrier`, latest first, of the generation in which `thread` arrived last. Only events for which
    /// `inside` holds count.
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

    /// The number of threads that have arrived at a barrier since it last let threads pass, and the number at which it
    /// does. `None` if no event of the trace knows the barrier.
    pub fn arrived(&self, barrier: ObjectId) -> Option<(u64, u64)> {
        let value = Now(self).value(self.table.find_object(barrier)?);
        Some((barrier::arrived(value), barrier::width(value)))
    }

    /// The generation of `barrier` in which `thread` arrived last. Only events for which `inside` holds count.
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

    /// True if the thread of this arrival uses the result of `pthread_barrier_wait`, which tells the serial thread.
    fn is_looker(&self, arrival: &Entry) -> bool {
        barrier::tells(self.operation(arrival.event as usize))
    }

    /// The arrival of the thread that decides, when it leaves, which thread is the serial one: the lowest that uses the
    /// result.
    fn decider<'a>(&self, arrivals: &'a Arrivals) -> Option<&'a Entry> {
        let lookers = arrivals.iter().filter(|entry| self.is_looker(entry));
        lookers.min_by_key(|entry| entry.thread)
    }

    /// The events of a thread after its arrival, each as its alternative and its position in the trace. The first one
    /// is the thread's leaving, if it uses the result.
    fn after_arrival(&self, arrival: &Entry) -> impl Iterator<Item = (u32, usize)> + '_ {
        let (thread, after) = (arrival.thread, arrival.event as usize + 1);
        let later = self.events()[after..].iter().zip(after..);
        let own = later.filter(move |(event, _)| event.thread == thread);
        own.map(|(event, position)| (event.decision.alternative, position))
    }

    /// True if `thread`, which has arrived, can leave: its generation is complete, and who decides on the serial
    /// thread has left if `thread` uses the result.
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

    /// Adds the thread of the trace's last event, an arrival, to the users of its barrier.
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

    /// The events that happen before `thread`'s leaving, each as 1 + its position in the trace.
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
