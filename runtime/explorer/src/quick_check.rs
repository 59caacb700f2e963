//! A plan as far as the clocks tell it, before it is made.
//!
//! Most reversals are covered by what sleeps where the plan would go in, or planned there already. That can
//! be seen without the set of the plan's events and without what the moved operation would find: an event
//! is in a plan if it does not happen after the removed one, and a step of the moved operation's thread is
//! that operation if nothing in the plan conflicts with it. Where this does not tell, the plan is made and
//! asked ([`crate::plan`]).

use crate::conflict::{conflict, counts, is_global, Access};
use crate::plan::shields;
use crate::relation::{answers_alike, Elements, Obstacle, Role};
use crate::sorted::{first_after, LONG};
use crate::trace::Trace;
use crate::tree::Step;
use dpor_model::{Kind, ThreadId};

/// A reversal with one removed event, of an operation with one alternative. No store of the execution
/// commutes with its like, and no event conflicts with everything.
pub(crate) struct SimpleReversal<'a> {
    pub trace: &'a Trace,
    /// The removed event.
    pub first: usize,
    /// Where the moved operation was executed; the length of the trace if it never was.
    pub second: usize,
    /// Who executes it.
    pub thread: ThreadId,
    /// The accesses of the moved operation where it was executed; empty if it never was.
    pub original: &'a [Access],
    /// What it is.
    pub kind: Kind,
    /// Whether it is a counter, or a look at one: what it touches depends on what it finds.
    pub is_counter: bool,
}

/// What is known of a reversal without a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QuickCheck<V> {
    /// The reversal is covered, or planned, with this verdict.
    Covered(V),
    /// The reversal is neither covered nor planned; this would be its verdict.
    New(V),
    /// The plan has to be asked.
    Unknown,
}

/// An element is the position of an event, or the length of the trace, which means the moved operation.
impl Elements for SimpleReversal<'_> {
    #[inline(always)]
    fn first_of(&self, thread: ThreadId) -> Option<usize> {
        let moved = thread == self.thread;
        let event = self.first_event_of(thread);
        event.or_else(|| moved.then_some(self.trace.len()))
    }

    /// Many sleepers conflict with the moved operation itself, as it does with the removed event; then the plan's
    /// events are not looked at.
    #[inline(always)]
    fn obstacle(&self, step: &Step, own: Option<usize>, role: Role) -> Obstacle {
        if is_global(&step.footprint) {
            return Obstacle::Unknown;
        }
        // What other operations touch depends on what they find.
        let is_fixed = matches!(self.kind, Kind::Load | Kind::Store | Kind::ReadModifyWrite);
        let may_count = self.trace.table.counts;
        let is_known = is_fixed && !self.original.is_empty() && !self.is_counter;
        let with_moved = || conflict(&step.footprint, self.original);
        if role != Role::Branch && own.is_none() && is_known && with_moved() {
            return Obstacle::Open;
        }
        let end = own.unwrap_or(self.trace.len());
        let conflicts = step.footprint.iter();
        let conflicts = conflicts.filter_map(|&access| self.first_conflict(access, end));
        match conflicts.min() {
            Some(k) => Obstacle::Element(k),
            // The answer is known where the plan is.
            None if may_count
                && own.is_none_or(|k| k == self.trace.len())
                && (self.is_counter || counts(&step.footprint)) =>
            {
                Obstacle::Unknown
            }
            None if self.trace.table.looks && counts(&step.footprint) => Obstacle::Unknown,
            None if own.is_some() => Obstacle::None,
            None if !is_known => Obstacle::Unknown,
            None if with_moved() => Obstacle::Open,
            None => Obstacle::None,
        }
    }

    #[inline(always)]
    fn is(&self, own: usize, step: &Step, _: Role) -> bool {
        match own == self.trace.len() {
            true => step.alternative == 0,
            false => {
                self.trace.event(own).decision.alternative == step.alternative
                    && (!self.trace.table.counts || answers_alike(self.trace.footprint(own), step))
            }
        }
    }

    #[inline(always)]
    fn is_settled(&self, element: usize, step: &Step) -> bool {
        match element == self.trace.len() {
            true => step.thread == self.thread && shields(self.trace, self.original, step),
            false => self.is_early(element),
        }
    }
}

impl SimpleReversal<'_> {
    /// True if `k` comes before the race's second event, and that was executed.
    #[inline]
    fn is_early(&self, k: usize) -> bool {
        k < self.second && self.second < self.trace.len()
    }

    #[inline]
    fn contains(&self, k: usize) -> bool {
        k != self.second && !self.trace.happens_before(self.first, k)
    }

    /// The first event of a thread in the plan. What comes after an event that is not in it, in the same
    /// thread, is not either.
    fn first_event_of(&self, thread: ThreadId) -> Option<usize> {
        let all = self.trace.events_of(thread);
        if all.len() > LONG {
            let &first = all.get(first_after(all, self.first, |&k| k))?;
            return Some(first as usize).filter(|&k| self.contains(k));
        }
        let own = all.iter().rev();
        let after = own.map(|&k| k as usize).take_while(|&k| k > self.first);
        after.last().filter(|&k| self.contains(k))
    }

    /// The first event of the plan before `end` that conflicts with the access.
    fn first_conflict(&self, access: Access, end: usize) -> Option<usize> {
        let log = self.trace.log(access.object);
        if log.len() > LONG {
            let is_in = |k| self.contains(k);
            let first = (self.first, self.first);
            return self.trace.first_conflict(access, first, end, is_in);
        }
        let log = log.iter().rev();
        let after = log.take_while(|entry| entry.event as usize > self.first);
        let conflicting = after.filter(|entry| {
            let k = entry.event as usize;
            k < end && !entry.class.commutes(access.class) && self.contains(k)
        });
        conflicting.last().map(|entry| entry.event as usize)
    }
}
