//! Selectively uniform random walk: all interleavings of the events of interest have the same chance.
//!
//! Of two threads with a and b events left, the next event is the first one's in a of a + b of the
//! interleavings. So the thread whose event of interest comes next, the *intended* one, is drawn in
//! proportion to how many each has left. Until it made that event, no other thread makes one of
//! interest; what else they do goes on as a random walk.
//!
//! What a thread that is yet to be created will do counts as its creator's; when it is created, it is
//! drawn which of the two is the intended one.
//!
//! Of interest are, in each sample anew, the events on one of the shared objects, or all events. How
//! many each thread has comes from the first samples ([`super::profile`]).
//!
//! **Deviations**
//! 1. All events are one of the sets that are drawn: on small programs the walk over all is the best.
//! 2. If all that can go on stand before events of interest and the intended thread is not among them
//!    (it is blocked, or did less than expected), another is drawn from those.
//! 3. A thread that did more than expected counts as one event while it stands before one of interest: the
//!    first samples may not have seen all that it does.

use super::draw::{Draw, Purpose};
use super::profile::{Counts, Profile};
use super::{random, Candidate};
use crate::conflict::Object;
use crate::trace::Trace;
use dpor_model::{Kind, ThreadId, ThreadSet, THREADS_MAX};
use smallvec::SmallVec;

/// The state of one sample.
pub(super) struct Surw {
    /// The object whose events are of interest; `None`: all.
    object: Option<Object>,
    /// Events of interest that each thread has left.
    left: Counts,
    /// Who creates each thread, and how often it may still do so.
    creators: [(ThreadId, u32); THREADS_MAX],
    intended: Option<ThreadId>,
    /// Numbers drawn for intentions so far.
    drawn: u64,
}

impl Surw {
    pub fn new(profile: &Profile, draw: &Draw) -> Self {
        let shared: SmallVec<[Object; 16]> = profile.shared().collect();
        let which = draw.below(Purpose::Interest, 0, 0, shared.len() as u64 + 1);
        let object = shared.get(which as usize).copied();
        let mut creators = [(ThreadId::MAIN, 0); THREADS_MAX];
        for (thread, known) in creators.iter_mut().enumerate() {
            if let Some(created) = profile.creator(ThreadId(thread as u16)) {
                *known = created;
            }
        }
        Surw {
            object,
            left: profile.counts(object),
            creators,
            intended: None,
            drawn: 0,
        }
    }

    pub fn choose(&mut self, candidates: &[Candidate], trace: &Trace, draw: &Draw) -> Candidate {
        if self.intended.is_none() {
            self.intend(trace, draw, &trace.threads.pending);
        }
        let step = trace.len() as u64;
        let goes_on = |candidate: &Candidate, intended: Option<ThreadId>| {
            Some(candidate.thread) == intended || !self.is_of_interest(trace, candidate.thread)
        };
        let mut free: SmallVec<[Candidate; 8]> = { candidates.iter().copied() }
            .filter(|candidate| goes_on(candidate, self.intended))
            .collect();
        if free.is_empty() {
            let waiting: ThreadSet = candidates.iter().map(|c| c.thread).collect();
            self.intend(trace, draw, &waiting);
            let is_it = |c: &Candidate| Some(c.thread) == self.intended;
            free.extend(candidates.iter().copied().filter(is_it));
        }
        match &free[..] {
            [] => random::choose(candidates, step, draw),
            free => random::choose(free, step, draw),
        }
    }

    pub fn executed(&mut self, trace: &Trace, draw: &Draw) {
        let last = trace.len() - 1;
        let (thread, operation) = (trace.event(last).thread, trace.operation(last));
        let touches = |object| { trace.footprint(last).iter() }.any(|a| a.object == object);
        if self.object.is_none_or(touches) {
            let left = &mut self.left[usize::from(thread.0)];
            *left = left.saturating_sub(1);
            if self.intended == Some(thread) {
                self.intended = None;
            }
        }
        if operation.kind == Kind::Create && trace.event(last).misuse.is_none() {
            let child = operation.thread();
            let creations = &mut self.creators[usize::from(child.0)].1;
            *creations = creations.saturating_sub(1);
            if self.intended == Some(thread) {
                self.intend(trace, draw, &ThreadSet::of(thread).with(child));
            }
        }
    }

    /// True if `thread` stands before an event of interest.
    fn is_of_interest(&self, trace: &Trace, thread: ThreadId) -> bool {
        let Some(operation) = trace.pending_operation(thread) else {
            return false;
        };
        let interned = trace.table.get(operation);
        let Some(object) = self.object else {
            return !interned.passive;
        };
        interned.objects.contains(&object) || interned.other == Some(object)
    }

    /// Draws the intended thread among those of a set, in proportion to what they have left.
    fn intend(&mut self, trace: &Trace, draw: &Draw, among: &ThreadSet) {
        let mut weights: SmallVec<[u64; 64]> = SmallVec::from_elem(0, trace.stride);
        for (thread, &left) in self.left[..trace.stride].iter().enumerate() {
            let holder = self.holder(trace, ThreadId(thread as u16));
            if let Some(holder) = holder.filter(|_| left > 0) {
                weights[holder.index()] += u64::from(left);
            }
        }
        for thread in among.iter() {
            let weight = &mut weights[usize::from(thread.0)];
            *weight = (*weight).max(u64::from(self.is_of_interest(trace, thread)));
        }
        let weights = |thread: ThreadId| weights[usize::from(thread.0)];
        let total: u64 = among.iter().map(weights).sum();
        self.drawn += 1;
        let (number, count) = (self.drawn, u64::from(among.len()));
        self.intended = match total {
            // They did more than expected: any.
            0 => {
                let which = draw.below(Purpose::Intent, number, 1, count.max(1));
                among.iter().nth(which as usize)
            }
            _ => {
                let mut at = draw.below(Purpose::Intent, number, 0, total);
                among
                    .iter()
                    .find(|&thread| match at.checked_sub(weights(thread)) {
                        Some(rest) => {
                            at = rest;
                            false
                        }
                        None => true,
                    })
            }
        };
    }

    /// The thread as whose what `thread` has left counts: itself, or who is yet to create it.
    fn holder(&self, trace: &Trace, thread: ThreadId) -> Option<ThreadId> {
        let mut thread = thread;
        for _ in 0..THREADS_MAX {
            if trace.threads.pending.contains(thread) {
                return Some(thread);
            }
            let (creator, creations) = self.creators[thread.index()];
            if creations == 0 {
                return None;
            }
            thread = creator;
        }
        None
    }
}
