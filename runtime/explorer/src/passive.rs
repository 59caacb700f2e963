//! Passive steps: a created thread begins, a thread goes on after a join, a barrier or a futex.
//!
//! The start of a thread, a join that found its thread finished, leaving a barrier whose generation
//! is complete (unless the serial thread is chosen with it), and the end of a wait on a futex (unless
//! it may time out) touch no object: they conflict with nothing, stay possible once they are, and order only what their threads do later. So they
//! need no place in an interleaving. They are taken at once, right after the event that made them
//! possible, and are no events: a trace with them in other places would be the same trace.
//!
//! So is that a thread which waits with a time limit is to decide again, because another has given up
//! ([`crate::program::AGAIN`]): all that comes after that happens after it anyway. Its operation is not performed.
//!
//! What they do is an edge of happens-before: each has a clock of its own, from which the next
//! event of its thread starts.

use crate::enabled::waits_timed;
use crate::mutation::Mutation;
use crate::object::thread::Standing;
use crate::object::EAGAIN;
use crate::operation::OperationIndex;
use crate::program::{Decision, Kind, Operation, ThreadId, AGAIN};
use crate::trace::{join_rows, widen, Row, Trace};

/// One passive step.
#[derive(Clone, Debug)]
pub(crate) struct Passive {
    pub thread: ThreadId,
    /// Number of events before it.
    pub after: u32,
    pub operation: OperationIndex,
    /// Where the thread stood afterwards.
    pub next: Standing,
    pub way: Way,
    /// What the thread did before it.
    pub row: Row,
}

/// How a passive step is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The thread performs its operation.
    Performed,
    /// The program took it in the step before ([`crate::program::Program::passed`]).
    Passed,
    /// The thread does not perform its operation ([`crate::program::AGAIN`]).
    Again,
}

impl Way {
    /// What the program is told that takes it in a step of its own.
    pub fn decision(self) -> Decision {
        match self {
            Way::Again => Decision {
                alternative: AGAIN,
                result: EAGAIN,
            },
            Way::Performed | Way::Passed => Decision::default(),
        }
    }
}

/// The passive steps of an execution, in order.
#[derive(Default)]
pub(crate) struct Passives {
    steps: Vec<Passive>,
    clocks: Vec<u32>,
}

impl Passives {
    #[inline]
    pub fn clock(&self, step: u32, stride: usize) -> &[u32] {
        &self.clocks[step as usize * stride..][..stride]
    }

    #[inline]
    pub fn clock_mut(&mut self, step: u32, stride: usize) -> &mut [u32] {
        &mut self.clocks[step as usize * stride..][..stride]
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn get(&self, step: u32) -> &Passive {
        &self.steps[step as usize]
    }

    /// The first step that was taken after `events` events or more.
    pub fn first_after(&self, events: usize) -> usize {
        self.steps.partition_point(|p| (p.after as usize) < events)
    }

    pub fn widen(&mut self, from: usize, to: usize) {
        self.clocks = widen(&self.clocks, from, to);
    }
}

impl Trace {
    /// If what a thread did last is a passive step: its operation, and what the thread did before it.
    pub(crate) fn passive_of(&self, row: Row) -> Option<(OperationIndex, Row)> {
        let Row::Passive(step) = row else { return None };
        let step = &self.passive.steps[step as usize];
        Some((step.operation, step.row))
    }

    /// Passive steps taken after the first `events` events and before the next one: who did what, if it did.
    pub fn passive_steps(&self, events: usize) -> impl Iterator<Item = (ThreadId, &Operation)> {
        let steps = self.passives_after(events).iter();
        let performed = steps.filter(|step| step.way != Way::Again);
        performed.map(|step| (step.thread, &self.table.get(step.operation).operation))
    }

    /// The passive steps between event `events - 1` and event `events`.
    #[inline]
    pub(crate) fn passives_after(&self, events: usize) -> &[Passive] {
        let before = |event: usize| self.events().get(event).map(|e| e.passives as usize);
        let begin = events.checked_sub(1).and_then(before).unwrap_or(0);
        let end = before(events).unwrap_or(self.passive.len());
        &self.passive.steps[begin..end]
    }

    /// A passive step that can be taken now.
    #[inline]
    pub(crate) fn next_passive(&self) -> Option<(ThreadId, OperationIndex, Way)> {
        let performed = self.next_performed();
        let performed = performed.map(|(thread, operation)| (thread, operation, Way::Performed));
        performed.or_else(|| match self.timeouts.last() {
            Some(&last) if last as usize + 1 == self.len() => self.next_to_decide(last as usize),
            _ => None,
        })
    }

    /// A thread that is to decide again whether it gives up early, after the last event, with which another gave up.
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
            let argument = self.table.get(operation).operation.argument;
            let ready = match self.table.get(operation).operation.kind {
                Kind::Join => self.threads.is_finished(argument),
                Kind::JoinAll | Kind::ProcessEnd => self.threads.is_alone(thread),
                Kind::BarrierLeave => self.may_leave(self.table.get(operation), thread),
                Kind::FutexWoken => self.is_woken(self.table.get(operation).object(), thread),
                _ => true,
            };
            ready.then_some((thread, operation))
        })
    }

    /// Appends a passive step and its clock.
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
        let (kind, argument) = (
            interned.operation.kind,
            interned.operation.argument as usize,
        );
        match kind {
            // Who gave up lets it go on.
            _ if way == Way::Again => {
                if let Some(&timeout) = self.timeouts.last() {
                    self.join_clock_of(&mut clock, Row::Event(timeout));
                }
            }
            Kind::Join => self.join_end(&mut clock, argument),
            Kind::JoinAll => (0..self.stride).for_each(|u| self.join_end(&mut clock, u)),
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
            Kind::MainReturn | Kind::ProcessEnd => {}
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
        let joined = match kind {
            _ if way == Way::Again => 0..0,
            Kind::Join => argument..argument + 1,
            Kind::JoinAll => 0..self.stride,
            _ => 0..0,
        };
        for u in { joined }.filter(|&u| u != t) {
            self.inherit_marks(thread, ThreadId(u as u16));
        }
        self.stand(thread, next);
    }

    /// Joins what a finished thread did to `clock`.
    #[inline]
    fn join_end(&self, clock: &mut [u32], thread: usize) {
        match self.rows[thread] {
            // Joined before.
            Row::Event(last) if clock[thread] > last => {}
            Row::Zero => self.join_creation(clock, thread),
            row => self.join_clock_of(clock, row),
        }
    }

    /// Joins the creation of a thread, which happens before all it does.
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

    /// How many events the execution had when `thread` came to where it stands.
    pub(crate) fn stands_since(&self, thread: ThreadId) -> usize {
        match self.rows[usize::from(thread.0)] {
            Row::Zero => 0,
            Row::Event(event) => event as usize + 1,
            Row::Passive(step) => self.passive.steps[step as usize].after as usize,
        }
    }

    /// Takes back the passive steps after the first `events` events.
    pub(crate) fn take_back_passive(&mut self, events: usize) {
        while let Some(step) = self.passive.steps.pop_if(|p| p.after as usize >= events) {
            self.rows[usize::from(step.thread.0)] = step.row;
            self.stand(step.thread, Standing::Before(step.operation));
        }
        let kept = self.passive.steps.len() * self.stride;
        self.passive.clocks.truncate(kept);
    }
}
