//! A reversal before it is inserted into the tree.
//!
//! Most reversals turn out to be covered, so no steps are built before a plan is inserted: it is a
//! set of positions in the trace, and a step is related to it ([`crate::relation`]) through the log of the step's
//! objects and the list of its thread's events.

use crate::conflict::{conflict, is_global, Access, Class, Footprint, Object, GLOBAL};
use crate::memory_class;
use crate::mutation::Mutation;
use crate::observers::same_store;
use crate::positions::Positions;
use crate::relation::{answers_alike, Elements, Obstacle, Role};
use crate::sorted::{first_after, LONG};
use crate::trace::{Entry, Trace};
use crate::tree::Step;
use dpor_model::{Kind, ThreadId};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// Stores that are read by plain reads.
pub(crate) type ReadStores = SmallVec<[u32; 2]>;

/// A plan: events of the trace in order, and then a moved operation.
pub(crate) struct Plan<'a> {
    pub trace: &'a Trace,
    /// Position of the event before which the plan is inserted, and after which it has events.
    pub first: usize,
    /// Where the moved operation was executed; the length of the trace if it never was.
    pub second: usize,
    /// Positions of the plan's events.
    pub events: &'a mut Positions,
    /// `None` once a step of the tree matched it.
    pub moved: Option<&'a Step>,
    /// What the moved operation is.
    pub kind: Option<Kind>,
    /// The accesses of the moved operation where it was; empty if it was never executed.
    pub original: &'a [Access],
    /// The stores, of the plan and before it, that plain reads inside it read.
    pub read: ReadStores,
    /// Whether no event of the plan happens after `first`: true but for the orders of two stores (`crate::observers`).
    pub is_before: bool,
    /// If event `first` itself is moved, to be read (`crate::observers`).
    pub unread: Option<Unread<'a>>,
    /// What steps of the tree matched so far, if there are counters.
    pub taken: Taken<'a>,
}

/// Elements that a plan had.
#[derive(Default)]
pub(crate) struct Taken<'a> {
    events: SmallVec<[u32; 4]>,
    moved: Option<&'a Step>,
}

/// The event before which a plan is inserted, a store, as an element of the plan.
pub(crate) struct Unread<'a> {
    /// The events of the plan that come after it; all others come before it.
    pub late: &'a Positions,
    /// Whether no step of the tree matched the element so far.
    pub left: bool,
}

impl Plan<'_> {
    /// True if the plan has exactly one element.
    pub fn is_single(&self) -> bool {
        let moved = usize::from(self.moved.is_some()) + usize::from(self.has_unread());
        moved + self.events.iter().take(2).count() == 1
    }

    /// True if the plan is nothing but a step that conflicts with nothing.
    pub fn is_independent(&self) -> bool {
        let moved = self.moved.filter(|moved| moved.footprint.is_empty());
        moved.is_some() && self.is_single()
    }

    /// True if what it begins with cannot change with events executed after the race's second one.
    pub fn begins_early(&self) -> bool {
        let first = self.events.iter().next();
        first.is_some_and(|k| self.is_early(k))
            || (self.is_single() && self.moved.is_some_and(|moved| self.shields(moved)))
    }

    /// The elements, as steps of the tree.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let events = self.events_in_order().map(|k| Step {
            thread: self.trace.event(k).thread,
            alternative: self.trace.event(k).decision.alternative,
            footprint: self.footprint(k),
        });
        events.chain(self.moved.cloned())
    }

    /// The positions of the events that [`Plan::steps`] are, in their order.
    pub fn positions(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let moved = self.moved.map(|_| None);
        self.events_in_order().map(Some).chain(moved)
    }

    fn events_in_order(&self) -> impl Iterator<Item = usize> + '_ {
        let is_late = |k: &usize| self.unread.as_ref().is_some_and(|u| u.late.contains(*k));
        let unread = self.has_unread().then_some(self.first);
        let events = self
            .events
            .iter()
            .filter(move |k| !is_late(k))
            .chain(unread);
        events.chain(self.events.iter().filter(is_late))
    }

    /// Takes out an element that a step matched.
    pub fn remove(&mut self, element: usize) {
        if self.trace.table.counts && element != self.first {
            match element == self.trace.len() {
                true => self.taken.moved = self.moved,
                false => self.taken.events.push(element as u32),
            }
        }
        if element == self.trace.len() {
            self.moved = None;
        } else if element == self.first {
            self.unread.as_mut().expect("it is an element").left = false;
        } else {
            self.events.remove(element);
        }
    }

    /// True if `k` comes before the race's second event, and that was executed.
    #[inline]
    fn is_early(&self, k: usize) -> bool {
        k < self.second && self.second < self.trace.len()
    }

    fn has_unread(&self) -> bool {
        self.unread.as_ref().is_some_and(|unread| unread.left)
    }

    /// True if element `own` is read in the plan although `step`, which is it, is looked for
    /// only as a store that nobody reads.
    fn is_read_late(&self, step: &Step, own: usize, unless_read: bool) -> bool {
        let [access] = step.footprint[..] else {
            return false;
        };
        access.class.is_store()
            && (unless_read || self.has_store_before(access, own))
            && self.reads(own)
    }

    /// True if the plan has another store to the same bytes before element `own`.
    fn has_store_before(&self, access: Access, own: usize) -> bool {
        let log = self.trace.log(access.object).iter().rev();
        let mut after = log.take_while(|entry| entry.event as usize > self.first);
        after.any(|entry| {
            let k = entry.event as usize;
            let before = own == self.first || k < own;
            before && self.trace.first_class(entry) == access.class && self.events.contains(k)
        })
    }

    /// True if a store, of the plan or before it, is read in the plan.
    pub fn reads(&self, store: usize) -> bool {
        let footprint = self.trace.footprint(store);
        let [access] = *footprint else { return false };
        if self.read.contains(&(store as u32)) {
            return true;
        }
        if let Some(unread) = &self.unread {
            // Who reads the cell reads this store.
            if store == self.first {
                return true;
            } else if same_store(footprint, self.trace.footprint(self.first)) && unread.left {
                return false;
            }
        }
        let next = self.next_in_log(access, store);
        let global = Access {
            object: GLOBAL,
            class: Class::WRITE,
        };
        let opaque = self.next_in_log(global, store);
        let opaque = opaque.filter(|e| self.trace.operation(e.event as usize).kind == Kind::Opaque);
        match (next, opaque) {
            (None, None) => self.moved.is_some_and(|moved| {
                let mut accesses = moved.footprint.iter();
                self.kind == Some(Kind::Opaque)
                    || accesses.any(|a| a.object == access.object && a.class != access.class)
            }),
            (Some(next), global) if global.is_none_or(|g| g.event > next.event) => {
                self.trace.first_class(next) != access.class
            }
            _ => true,
        }
    }

    /// The first access of the plan after event `from` to the object of `access`.
    fn next_in_log(&self, access: Access, from: usize) -> Option<&Entry> {
        let log = self.trace.log(access.object).iter().rev();
        let after = log.take_while(|entry| entry.event as usize > from.max(self.first));
        let inside = after.filter(|entry| self.events.contains(entry.event as usize));
        inside.last()
    }

    /// All events of the plan come after this one.
    #[inline]
    fn before(&self) -> usize {
        self.first.max(self.events.low().saturating_sub(1))
    }

    /// The first event of a thread in the plan.
    fn first_event_of(&self, thread: ThreadId) -> Option<usize> {
        if self.has_unread() && thread == self.trace.event(self.first).thread {
            return Some(self.first);
        }
        let all = self.trace.events_of(thread);
        let before = match all.len() > LONG {
            true => self.before(),
            false => self.first,
        };
        let begin = first_after(all, before, |&k| k);
        // Not in the plan are events that were matched, the race's second one, and those that have
        // to go, which take all later ones of their thread with them.
        let left = match !self.trace.table.stores {
            true => self.events.removed() + 2,
            false => all.len(),
        };
        let mut candidates = all[begin..].iter().take(left).map(|&k| k as usize);
        candidates.find(|&k| self.events.contains(k))
    }

    /// The first event of the plan before `end` with which `step` conflicts, if its thread has none
    /// there. (Not always the first if the step has several objects: one before the race's second
    /// event if there is one.)
    fn first_conflict(&self, step: &Step, end: usize) -> Option<usize> {
        if is_global(&step.footprint) {
            return self.events.iter().next().filter(|&k| k < end);
        }
        let on_objects = step
            .footprint
            .iter()
            .filter_map(|&access| self.first_in_log(access, end));
        let first = match &step.footprint[..] {
            [access] => self.first_in_log(*access, end),
            _ => { on_objects }.min(),
        };
        if self.trace.log(GLOBAL).is_empty() {
            return first;
        }
        let everything = Access {
            object: GLOBAL,
            class: Class::WRITE,
        };
        let global = self.first_in_log(everything, end);
        first.into_iter().chain(global).min()
    }

    fn first_in_log(&self, access: Access, end: usize) -> Option<usize> {
        let log = self.trace.log(access.object);
        if log.last()?.event as usize <= self.first {
            return None;
        }
        if log.len() > LONG && self.is_before {
            let is_in = |k| self.events.contains(k);
            return self
                .trace
                .first_conflict(access, (self.first, self.before()), end, is_in);
        }
        let begin = first_after(log, self.first, |entry| entry.event);
        let before = log[begin..]
            .iter()
            .take_while(|entry| (entry.event as usize) < end);
        let mut conflicting = before.filter(|entry| {
            self.events.contains(entry.event as usize)
                && !self.trace.first_class(entry).commutes(access.class)
        });
        conflicting.next().map(|entry| entry.event as usize)
    }

    /// The accesses of event `k` in its place among the elements that are left: whether a counter turns the answer
    /// depends on how many come before it.
    fn footprint(&self, k: usize) -> Footprint {
        let mut footprint = Footprint::from(self.trace.footprint(k));
        if !self.trace.table.counts {
            return footprint;
        }
        for access in footprint.iter_mut().filter(|a| a.class.is_counter()) {
            if let Some(cell) = self.cell(access.object, Some(k)) {
                access.class = memory_class::at_cell(access.class, cell);
            }
        }
        footprint
    }

    /// The cell that a counter among the plan's steps finds; 0 for other steps. `at`: the event that the step is.
    pub fn counted_cell(&self, step: &Step, at: Option<usize>) -> u64 {
        let counter = step.footprint.iter().find(|a| a.class.is_counter());
        let cell = counter.and_then(|counter| self.cell(counter.object, at));
        cell.unwrap_or(0)
    }

    /// A cell after the events that come before the plan, those that were taken out of it, and those of its elements that
    /// come before the event `at` of it, or all but the moved one if that is `None`.
    fn cell(&self, object: Object, at: Option<usize>) -> Option<u64> {
        let is_late = |k: usize| self.unread.as_ref().is_some_and(|u| u.late.contains(k));
        let is_behind_unread = self.unread.is_some() && at.is_none_or(is_late);
        // Stores of the plan that come before the unread one are behind it in the trace.
        let is_stored_late = is_behind_unread && self.is_touched_first(object);
        let comes_before = |k: usize| match at {
            None => true,
            Some(at) if is_late(k) == is_late(at) => k < at,
            Some(_) => is_behind_unread,
        };
        let is_there = |k: usize| {
            let is_in = self.events.contains(k) && comes_before(k);
            match k.cmp(&self.first) {
                Ordering::Less => true,
                Ordering::Equal => is_behind_unread,
                Ordering::Greater if is_stored_late && !is_late(k) => false,
                Ordering::Greater => is_in || self.taken.events.contains(&(k as u32)),
            }
        };
        let cell = self.trace.value_after(object, is_there)?;
        // It commutes with all counters that are left, or there are none.
        let moved = self.taken.moved.iter();
        let mut moved = moved.flat_map(|moved| &moved.footprint);
        let counter = moved.find(|a| a.object == object && a.class.is_counter());
        Some(counter.map_or(cell, |access| memory_class::cell_behind(access.class, cell)))
    }

    /// Whether event `first` touches the object.
    fn is_touched_first(&self, object: Object) -> bool {
        let mut first = self.trace.footprint(self.first).iter();
        first.any(|access| access.object == object)
    }

    /// True if the plan has counters like the step, and the step has another answer behind them.
    fn turns(&self, step: &Step) -> bool {
        self.trace.table.counts
            && !self.trace.table.mutation.is(Mutation::TurnedCover)
            && step
                .footprint
                .iter()
                .any(|access| self.turns_access(access))
    }

    fn turns_access(&self, access: &Access) -> bool {
        if !access.class.is_counter() || access.class.is_increment() {
            return false;
        }
        let is_like = |a: &&Access| a.object == access.object && a.class.commutes(access.class);
        let moved = self
            .moved
            .and_then(|moved| moved.footprint.iter().find(is_like));
        let log = self.trace.log(access.object).iter().rev();
        let mut after = log.take_while(|entry| entry.event as usize > self.first);
        let is_in = |entry: &Entry| self.events.contains(entry.event as usize);
        let is_event_like = |entry: &Entry| is_in(entry) && entry.class.commutes(access.class);
        if moved.is_none() && !after.any(is_event_like) {
            return false;
        }
        let cell = self.cell(access.object, None);
        let cell =
            cell.map(|cell| moved.map_or(cell, |a| memory_class::cell_behind(a.class, cell)));
        cell.is_some_and(|cell| memory_class::is_answered_otherwise(access.class, cell))
    }

    /// True if the step drops a count that is looked at in the plan, and behind the step the look would be told something
    /// else, as early as it may come in the plan. `own`: the element that the step is, if there is one.
    #[cold]
    fn turns_look(&self, step: &Step, own: Option<usize>) -> bool {
        if self.trace.table.mutation.is(Mutation::LooksCovered) {
            return false;
        }
        let drops = step.footprint.iter();
        let mut drops = drops.filter(|access| access.class.is_drop());
        drops.any(|drop| self.turns_looks(*drop, own))
    }

    fn turns_looks(&self, drop: Access, own: Option<usize>) -> bool {
        let is_executed = |k: usize| k < self.first || self.taken.events.contains(&(k as u32));
        let is_in = |k: usize| self.events.contains(k);
        let moved = self.moved.filter(|_| own.is_none());
        let moved = moved.and_then(|moved| moved.footprint.iter().find(|a| a.is_look_of(drop)));
        if let Some(&look) = moved {
            let turns =
                { self.trace }.turns_moved_look(drop, look, self.second, is_executed, is_in);
            if turns {
                return true;
            }
        }
        let log = self.trace.log(drop.object).iter().rev();
        let mut after = log.take_while(|entry| entry.event as usize > self.first);
        after.any(|entry| {
            let k = entry.event as usize;
            let is_look = entry.class.is_look() && entry.class.commutes(drop.class) && is_in(k);
            let is_behind = |own| own < self.trace.len() && self.trace.happens_before(own, k);
            is_look
                && !own.is_some_and(is_behind)
                && self.trace.turns_look(drop, k, is_executed, is_in)
        })
    }

    fn shields(&self, step: &Step) -> bool {
        shields(self.trace, self.original, step)
    }
}

/// An element is the position of an event, or the length of the trace, which means the moved operation.
impl Elements for Plan<'_> {
    #[inline]
    fn first_of(&self, thread: ThreadId) -> Option<usize> {
        let moved = self.moved.is_some_and(|moved| moved.thread == thread);
        let event = self.first_event_of(thread);
        event.or_else(|| moved.then_some(self.trace.len()))
    }

    #[inline]
    fn obstacle(&self, step: &Step, own: Option<usize>, _: Role) -> Obstacle {
        let end = own.unwrap_or(self.trace.len());
        if let Some(k) = self.first_conflict(step, end) {
            return Obstacle::Element(k);
        }
        let unread = self.has_unread() && own.is_none_or(|k| k > self.first);
        if unread && conflict(&step.footprint, self.trace.footprint(self.first)) {
            return Obstacle::Open;
        }
        match self.moved {
            Some(moved) if own.is_none() && conflict(&step.footprint, &moved.footprint) => {
                Obstacle::Open
            }
            _ if own.is_none() && self.turns(step) => Obstacle::Open,
            _ if self.trace.table.looks && self.turns_look(step, own) => Obstacle::Open,
            _ => Obstacle::None,
        }
    }

    #[inline]
    fn is(&self, own: usize, step: &Step, role: Role) -> bool {
        if own == self.trace.len() {
            return self.moved.is_some_and(|moved| {
                moved.alternative == step.alternative
                    && (!self.trace.table.counts || answers_alike(&moved.footprint, step))
            });
        }
        self.trace.event(own).decision.alternative == step.alternative
            && (!self.trace.table.counts
                || answers_alike(self.trace.footprint(own), step)
                || self.trace.table.mutation.is(Mutation::AnswersAlike))
            && !self.is_read_late(step, own, role == Role::UnlessRead)
    }

    #[inline]
    fn is_settled(&self, element: usize, step: &Step) -> bool {
        if element == self.trace.len() {
            let moved = self.moved.is_some_and(|moved| moved.thread == step.thread);
            return moved && self.shields(step);
        }
        self.is_early(element)
    }
}

/// True if no event after a race's second one, which had the accesses `original`, can both be in a plan
/// of this race and conflict with `step`, a step of the same thread: what conflicts with it would
/// conflict with the second event, too, and so happen after it. For each object of the step, that wrote
/// it or touched it in the same way.
pub(crate) fn shields(trace: &Trace, original: &[Access], step: &Step) -> bool {
    if trace.table.mutation.is(Mutation::AnyShields) {
        return true;
    }
    step.footprint.iter().all(|access| {
        let wrote = Access {
            object: access.object,
            class: Class::WRITE,
        };
        original.contains(&wrote) || original.contains(access)
    })
}
