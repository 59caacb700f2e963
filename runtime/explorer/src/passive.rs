//! Passive steps: a created thread begins, a thread goes on after a join, a barrier or a futex.
//!
//! The start of a thread, a join that found its thread finished, leaving a barrier whose generation is complete
//! (unless the serial thread is chosen with it), and the end of a wait on a futex (unless it may time out) touch no
//! object: they conflict with nothing, stay possible once they are, and order only what their threads do later. So
//! they need no place in an interleaving. They are taken at once, right after the event that made them possible, and
//! are no events: a trace with them in other places would be the same trace.
//!
//! A further passive step tells a thread that waits with a time limit to decide again, because another thread has given
//! up ([`dpor_model::AGAIN`]): all later events happen after that anyway. The thread's operation is not performed.
//!
//! The effect of a passive step is an edge of happens-before: each has a clock of its own, from which the next event of
//! its thread starts.

use crate::enabled::waits_timed;
use crate::mutation::Mutation;
use crate::object::is_enabled;
use crate::operation::OperationIndex;
use crate::state::Now;
use crate::threads::Standing;
use crate::trace::{join_rows, Passive, Row, Trace, Way};
use dpor_model::{Kind, Operation, ThreadId};

impl Trace {
    /// The operation of the passive step that `row` is, and the thread's event or step before it; `None` if `row` is no
    /// passive step.
    pub(crate) fn passive_of(&self, row: Row) -> Option<(OperationIndex, Row)> {
        let Row::Passive(step) = row else { return None };
        let step = &self.passive.steps[step as usize];
        Some((step.operation, step.row))
    }

    /// The passive steps taken after the first `events` events and before the next event whose operation was performed,
    /// each as its thread and its operation, without marks ([`crate::marks`]).
    pub fn passive_steps(&self, events: usize) -> impl Iterator<Item = (ThreadId, &Operation)> {
        let steps = self.passives_after(events).iter();
        let performed = steps.filter(|step| step.way != Way::Again);
        let performed =
            performed.map(|step| (step.thread, &self.table.get(step.operation).operation));
        performed.filter(|(_, operation)| operation.kind != Kind::Mark)
    }

    /// The passive steps between event `events - 1` and event `events`.
    #[inline]
    pub(crate) fn passives_after(&self, events: usize) -> &[Passive] {
        let before = |event: usize| self.events().get(event).map(|e| e.passives as usize);
        let begin = events.checked_sub(1).and_then(before).unwrap_or(0);
        let end = before(events).unwrap_or(self.passive.len());
        &self.passive.steps[begin..end]
    }

    /// A passive step that can be taken now; `None` if there is none.
    #[inline]
    pub(crate) fn next_passive(&self) -> Option<(ThreadId, OperationIndex, Way)> {
        let performed = self.next_performed();
        let performed = performed.map(|(thread, operation)| (thread, operation, Way::Performed));
        performed.or_else(|| match self.timeouts.last() {
            Some(&last) if last as usize + 1 == self.len() => self.next_to_decide(last as usize),
            _ => None,
        })
    }

    /// A thread that is to decide again whether it gives up early, where the trace's last event, `last`, is another
    /// thread giving up.
    #[cold]
    fn next_to_decide(&self, last: usize) -> Option<(ThreadId, OperationIndex, Way)> {
        if self.commuting.mutation.is(Mutation::DecidesOnce) {
            return None;
        }
        let waits = |&(thread, operation): &(ThreadId, OperationIndex)| {
            self.table.get(operation).operation.again
                && self.stands_since(thread) <= last
                && waits_timed(self, thread, operation)
        };
        let waiting = self.pending_threads().find(waits);
        waiting.map(|(thread, operation)| (thread, operation, Way::Again))
    }

    #[inline]
    fn next_performed(&self) -> Option<(ThreadId, OperationIndex)> {
        self.threads.passive.iter().find_map(|thread| {
            let Standing::Before(operation) = self.threads.get(thread) else {
                unreachable!("thread {thread:?} is said to be before a passive step")
            };
            let ready = is_enabled(self.table.get(operation), thread, &Now(self));
            ready.then_some((thread, operation))
        })
    }

    /// Appends a passive step of `thread`, after which the thread stands at `next`, and its clock.
    pub(crate) fn append_passive(
        &mut self,
        thread: ThreadId,
        operation: OperationIndex,
        next: Standing,
        way: Way,
    ) {
        let t = usize::from(thread.0);
        let row = self.rows[t];
        let mut clock = std::mem::take(&mut self.base);
        match self.row(row) {
            None => clock.fill(0),
            Some(row) => clock.copy_from_slice(row),
        }
        let interned = self.table.get(operation);
        let kind = interned.operation.kind;
        let joined = match kind {
            _ if way == Way::Again => 0..0,
            Kind::Join => {
                let one = usize::from(interned.operation.thread().0);
                one..one + 1
            }
            Kind::JoinAll => 0..self.stride,
            _ => 0..0,
        };
        match kind {
            // Who gave up lets it go on.
            _ if way == Way::Again => {
                if let Some(&timeout) = self.timeouts.last() {
                    self.join_clock_of(&mut clock, Row::Event(timeout));
                }
            }
            Kind::Join | Kind::JoinAll => {
                joined.clone().for_each(|u| self.join_end(&mut clock, u));
            }
            Kind::BarrierLeave => {
                for end in self.leaves_after(interned, thread) {
                    self.join_clock_of(&mut clock, Row::Event(end - 1));
                }
            }
            Kind::FutexWoken => {
                let wrong = self.commuting.mutation.is(Mutation::WokenWithoutEdge);
                let waker = self.futex_waker(interned.object(), thread);
                if let Some(waker) = waker.filter(|_| !wrong) {
                    self.join_clock_of(&mut clock, Row::Event(waker as u32));
                }
            }
            Kind::MainReturn | Kind::ProcessEnd | Kind::Mark => {}
            _ => self.join_creation(&mut clock, t),
        }
        self.rows[t] = Row::Passive(self.passive.steps.len() as u32);
        self.passive.clocks.extend_from_slice(&clock);
        self.base = clock;
        self.passive.steps.push(Passive {
            thread,
            after: self.len() as u32,
            operation,
            next,
            way,
            row,
        });
        for u in { joined }.filter(|&u| u != t) {
            self.inherit_marks(thread, ThreadId(u as u16));
        }
        self.stand(thread, next);
    }

    /// Joins the clock of the last event or step of `thread`, which has finished, into `clock`.
    #[inline]
    fn join_end(&self, clock: &mut [u32], thread: usize) {
        match self.rows[thread] {
            // Joined before.
            Row::Event(last) if clock[thread] > last => {}
            Row::Zero => self.join_creation(clock, thread),
            row => self.join_clock_of(clock, row),
        }
    }

    /// Joins the clock of the event that created `thread` into `clock`.
    #[inline]
    fn join_creation(&self, clock: &mut [u32], thread: usize) {
        if let Some(create) = self.creator[thread].checked_sub(1) {
            self.join_clock_of(clock, Row::Event(create));
        }
    }

    #[inline]
    fn join_clock_of(&self, clock: &mut [u32], row: Row) {
        if let Some(other) = self.row(row) {
            join_rows(clock, other);
        }
    }

    /// Number of events of the execution when `thread` published the operation that it stands before.
    pub(crate) fn stands_since(&self, thread: ThreadId) -> usize {
        match self.rows[usize::from(thread.0)] {
            Row::Zero => 0,
            Row::Event(event) => event as usize + 1,
            Row::Passive(step) => self.passive.steps[step as usize].after as usize,
        }
    }

    /// Removes the passive steps that were taken after the first `events` events.
    pub(crate) fn take_back_passive(&mut self, events: usize) {
        while let Some(step) = self.passive.steps.pop_if(|p| p.after as usize >= events) {
            self.rows[usize::from(step.thread.0)] = step.row;
            self.stand(step.thread, Standing::Before(step.operation));
        }
        let kept = self.passive.steps.len() * self.stride;
        self.passive.clocks.truncate(kept);
    }
}
