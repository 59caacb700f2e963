//! Probabilistic concurrency testing: the thread with the highest priority goes on.
//!
//! Priorities are drawn at the beginning, and lowered at `depth - 1` places drawn among the first
//! `length` events: there the thread that made the event gets a priority below those drawn, another
//! one at each of the places. In a program of n threads and at most `length` events, a bug of this
//! depth is met with a chance of at least 1 / (n * length^(depth - 1)).
//!
//! **Deviations**
//! 1. `length` is that of the longest of the first samples; a longer execution has no change of
//!    priority in its last part.
//! 2. A thread that asks to be set aside (`sched_yield`) gets the lowest priority of all: it waits for
//!    the others, and would never let them run.
//! 3. An execution that is much longer than any before goes on as a random walk: a loop that waits
//!    without telling would never let others run either.

use super::draw::{Draw, Purpose};
use super::{random, Candidate};
use crate::trace::Trace;
use dpor_model::{Iteration, Kind, ThreadId, THREADS_MAX};

/// An execution is much longer than expected after `PATIENCE * length + PATIENCE_LEAST` events (chosen).
const PATIENCE: u64 = 10;
const PATIENCE_LEAST: u64 = 1_000;

/// The priorities of one sample. A larger one goes first.
pub(super) struct Pct {
    /// `changes[i]`: after so many events, the priority of the thread that made the last one becomes
    /// `-1 - i`.
    changes: Vec<u64>,
    /// 0: as drawn. Below: lowered.
    lowered: [i64; THREADS_MAX],
    /// Which thread it is that has this number.
    owners: [u32; THREADS_MAX],
    /// The lowest priority so far.
    lowest: i64,
    /// After so many events it is a random walk.
    fair_after: u64,
}

impl Pct {
    pub fn new(depth: u32, length: u64, draw: &Draw) -> Self {
        let count = depth.saturating_sub(1);
        // Without a length nothing is known: the first sample of all.
        let places = (0..count).filter(|_| length > 0);
        let place = |i: u32| 1 + draw.below(Purpose::ChangePoint, i.into(), 0, length);
        Pct {
            changes: places.map(place).collect(),
            lowered: [0; THREADS_MAX],
            owners: [0; THREADS_MAX],
            lowest: -i64::from(count),
            fair_after: PATIENCE * length + PATIENCE_LEAST,
        }
    }

    pub fn choose(&self, candidates: &[Candidate], step: u64, draw: &Draw) -> Candidate {
        if step >= self.fair_after {
            return random::choose(candidates, step, draw);
        }
        let priority = |candidate: &Candidate| {
            let number = usize::from(candidate.thread.0);
            let owner = self.owners[number].into();
            let drawn = draw.of_thread(Purpose::Priority, owner, candidate.thread);
            (self.lowered[number], drawn)
        };
        let highest = candidates.iter().copied().max_by_key(priority);
        highest.expect("asked only if there are some")
    }

    pub fn executed(&mut self, trace: &Trace) {
        let last = trace.len() - 1;
        let (thread, operation) = (trace.event(last).thread, trace.operation(last));
        let next = trace.pending(thread);
        if next.is_some_and(|next| next.iteration != Iteration::None) {
            self.lower(thread);
        }
        match operation.kind {
            Kind::Create => self.admit(operation.thread()),
            Kind::Pause => self.lower(thread),
            _ => {}
        }
        for (place, i) in self.changes.iter().zip(0..) {
            if *place == trace.len() as u64 {
                self.lowered[usize::from(thread.0)] = -1 - i;
            }
        }
    }

    fn lower(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.lowered[usize::from(thread.0)] = self.lowest;
    }

    /// A new thread has this number, perhaps after another.
    fn admit(&mut self, thread: ThreadId) {
        if let Some(owner) = self.owners.get_mut(usize::from(thread.0)) {
            *owner += 1;
            self.lowered[usize::from(thread.0)] = 0;
        }
    }
}
