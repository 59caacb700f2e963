//! Whether increments of counts and drops that are not the last one were rightly taken to commute.
//!
//! `refs += 1` beside `if (fetch_sub(&refs, 1) == 1) free(p)` by another thread: the order of the two does not matter as
//! long as the drop is told "no" in both. That depends on the value before them, so the order of `refs += 1` and a drop
//! would not be a relation of two events. But who copies a reference has one: where the count is of references, a drop
//! by another thread finds two at least. So the search takes each increment to commute with each drop that was told
//! "no" ([`Class::increment`]), and asks behind each execution whether that was right: whether in *every* order of the
//! events that has the order of those that conflict, each such drop is told "no" as well. If it is not, the search begins
//! anew, and increments conflict with drops (docs/proof.md, 5.16; docs/decisions/0114).
//!
//! **The bound.** Let d be a drop, told "no", in a run of increments and drops that commute. In an order in which d comes as
//! early as possible for the count, what is before it is closed under happens-before. It has all increments and drops that
//! happen before d. Of a drop x that is unordered with d it has x only together with the increments that happen before x;
//! so if each such x has an increment of its own that happens before it and is unordered with d, x does not lower the count.
//! Those x that have none may. This bounds the count from below; a count that is bounded by 2 is never 1.

use crate::conflict::{Access, Class, Object};
use crate::memory_class;
use crate::mutation::Mutation;
use crate::object::View;
use crate::positions::Positions as EventSet;
use crate::trace::{Entry, Trace};
use dpor_model::ThreadSet;
use smallvec::SmallVec;

/// Pairs of a drop and another event that are looked at in one run at most; with more, increments are taken to conflict.
const PAIRS_MAX: usize = 1 << 17;

impl Trace {
    /// Whether all increments commuted with the drops as they were taken to. Of a whole execution.
    pub(crate) fn are_increments_right(&self) -> bool {
        if self.table.mutation.is(Mutation::IncrementsUnasked) {
            return true;
        }
        let counters = self.table.references.counters().iter();
        { counters }.all(|&object| self.is_counted_right(object))
    }

    fn is_counted_right(&self, object: Object) -> bool {
        let mut log = self.log(object);
        while let Some(first) = log.first() {
            let commutes = |entry: &&Entry| entry.class.commutes(first.class);
            let length = match first.class.is_counter() {
                true => log.iter().take_while(commutes).count(),
                false => 1,
            };
            let (run, rest) = log.split_at(length);
            if !self.is_run_right(run) {
                return false;
            }
            log = rest;
        }
        true
    }

    /// Whether what is told "no" in a run, entries of one object that commute, is told so in each of its orders.
    fn is_run_right(&self, run: &[Entry]) -> bool {
        let class = run[0].class;
        let Some((_, offset, bytes)) = class.as_counter() else {
            return true;
        };
        if !class.commutes(Class::increment(offset, bytes)) {
            return true;
        }
        let of = |is: fn(Class) -> bool| -> Positions {
            let those = run.iter().filter(|entry| is(entry.class));
            those.map(|entry| entry.event as usize).collect()
        };
        let changes = Changes {
            trace: self,
            drops: of(|class| !class.is_increment() && !class.is_look()),
            increments: of(Class::is_increment),
        };
        let is_one = |&event: &usize| self.operand(event) == 1;
        // Something that is no event wrote in between, or more than one was added.
        let is_broken = run.windows(2).any(|two| two[0].after != two[1].before);
        if is_broken || !changes.increments.iter().all(is_one) {
            return false;
        }
        let unused = 64 - 8 * bytes;
        let found = run[0].before >> (8 * u32::from(offset)) << unused;
        let count = found as i64 >> unused;
        let looks = of(Class::is_look);
        let drops = changes.drops.len();
        if count > drops as i64 || (drops == 0 && looks.is_empty()) {
            return true;
        }
        let mut looking = ThreadSet::EMPTY;
        looks
            .iter()
            .for_each(|&look| looking.insert(self.event(look).thread));
        let threads = looking.iter().count();
        let asked = drops + looks.len() + threads * changes.increments.len();
        asked * run.len() <= PAIRS_MAX && changes.are_right(count, &looks)
    }
}

impl Trace {
    /// Whether the look at a count that event `look` is would be told something else behind a drop, if it came as early as it
    /// may: after the events that are `executed`, and what happens before it of those `inside`.
    pub(crate) fn turns_look(
        &self,
        drop: Access,
        look: usize,
        executed: impl Fn(usize) -> bool,
        inside: impl Fn(usize) -> bool,
    ) -> bool {
        let before =
            |k: usize| executed(k) || (inside(k) && k < look && self.happens_before(k, look));
        self.turns_in(drop, before)
    }

    /// The same for the look of a plan that comes behind all its events, `inside`; it was executed as event `second`.
    pub(crate) fn turns_moved_look(
        &self,
        drop: Access,
        look: Access,
        second: usize,
        executed: impl Fn(usize) -> bool,
        inside: impl Fn(usize) -> bool,
    ) -> bool {
        let known = match second < self.len() {
            true => self.row(self.row_before(second)).unwrap_or_default(),
            false => &[],
        };
        let is_known = |k: usize| {
            let thread = usize::from(self.event(k).thread.0);
            known.get(thread).is_some_and(|&end| end as usize > k)
        };
        let conflicts = |entry: &&Entry| {
            let k = entry.event as usize;
            inside(k) && !executed(k) && !self.first_class(entry).commutes(look.class)
        };
        let last = self.log(look.object).iter().rev().find(conflicts);
        let last = last.map(|entry| entry.event as usize);
        let comes_before = |k: usize| {
            let is_first = last.is_some_and(|last| k == last || self.happens_before(k, last));
            executed(k) || (inside(k) && (is_known(k) || is_first))
        };
        self.turns_in(drop, comes_before)
    }

    fn turns_in(&self, drop: Access, before: impl Fn(usize) -> bool) -> bool {
        let cell = self.value_after(drop.object, before);
        cell.is_some_and(|cell| memory_class::is_turned_by(drop.class, drop.class, cell))
    }
}

type Positions = SmallVec<[usize; 16]>;

/// The increments and drops of a run.
struct Changes<'a> {
    trace: &'a Trace,
    drops: Positions,
    increments: Positions,
}

impl Changes<'_> {
    /// Whether drops, and looks at the count in the run, find two at least. `count`: before the run.
    fn are_right(&self, count: i64, looks: &[usize]) -> bool {
        let believed = self.trace.table.mutation.is(Mutation::LooksBelieved);
        let mut drops = self.drops.iter();
        let finds_two = |&look: &usize| count + self.before(look) > 1;
        drops.all(|&drop| count + self.least(drop, None) > 1)
            && (believed || looks.iter().all(finds_two) && self.are_looks_last(count, looks))
    }

    /// Whether nothing is added while the count is one and a look at it still to come: nobody has any then but who looks.
    ///
    /// Where a look of a thread is still to come, so are its drops behind it. Of two looks of a thread fewer drops are behind the
    /// later one, and so the count is not more: of a thread's looks that are unordered with an increment the last one is asked.
    fn are_looks_last(&self, count: i64, looks: &[usize]) -> bool {
        self.increments.iter().all(|&increment| {
            let mut asked = ThreadSet::EMPTY;
            let mut unordered = { looks.iter().rev() }.filter(|&&look| {
                let thread = self.trace.event(look).thread;
                let is_asked = !asked.contains(thread) && !self.is_ordered(increment, look);
                if is_asked {
                    asked.insert(thread);
                }
                is_asked
            });
            unordered.all(|&look| count + self.least(increment, Some(look)) > 1)
        })
    }

    fn is_ordered(&self, a: usize, b: usize) -> bool {
        self.trace.happens_before(a, b) || self.trace.happens_before(b, a)
    }

    /// The increments that happen before an event, less the drops that do.
    fn before(&self, event: usize) -> i64 {
        let is_before = |&&k: &&usize| self.trace.happens_before(k, event);
        let [more, less] =
            [&self.increments, &self.drops].map(|all| all.iter().filter(is_before).count());
        more as i64 - less as i64
    }

    /// How much less or more than before the run the count is before `event` at least, in any order. `without`: where this
    /// look is still to come.
    fn least(&self, event: usize, without: Option<usize>) -> i64 {
        let is_before = |&&k: &&usize| self.trace.happens_before(k, event);
        let known = self.increments.iter().filter(is_before).count();
        let others = self.increments.iter().filter(|k| !is_before(k));
        let mut free: Vec<Free> = others.map(|&event| Free { event, of: None }).collect();
        let mut lost = 0;
        for &drop in &self.drops {
            let is_later = |k: usize| self.trace.happens_before(k, drop);
            if drop == event || is_later(event) || without.is_some_and(is_later) {
                continue;
            }
            let is_known = self.trace.happens_before(drop, event);
            lost += i64::from(is_known || !self.finds_own(drop, &mut free, &mut Vec::new()));
        }
        known as i64 - lost
    }

    /// Finds an increment that happens before the drop for it alone, others moving on to others of theirs (the augmenting
    /// paths of a matching). False if there is none.
    fn finds_own(&self, drop: usize, free: &mut [Free], seen: &mut Vec<usize>) -> bool {
        for at in (0..free.len()).rev() {
            let Free { event, of } = free[at];
            let fits = match self.trace.table.mutation.is(Mutation::IncrementsOfOthers) {
                true => of.is_none(),
                false => self.trace.happens_before(event, drop),
            };
            if !fits || seen.contains(&event) {
                continue;
            }
            seen.push(event);
            if of.is_none_or(|other| self.finds_own(other, free, seen)) {
                free[at].of = Some(drop);
                return true;
            }
        }
        false
    }
}

/// An increment, and the drop whose own it is.
#[derive(Clone, Copy)]
struct Free {
    event: usize,
    of: Option<usize>,
}

/// Whether an increment among the removed accesses, which commutes with a drop or a look among the moved ones where that
/// stands, would turn its answer. Then the two do not commute, and the execution that begins with the moved one shows it
/// (`crate::increments`).
pub(crate) fn is_turned(moved: &[Access], removed: &[Access], view: &impl View) -> bool {
    let increments = removed.iter().filter(|access| access.class.is_increment());
    { increments }.any(|increment| {
        moved.iter().any(|asked| {
            asked.object == increment.object
                && !asked.class.is_increment()
                && asked.class.commutes(increment.class)
                && memory_class::is_turned_by(
                    asked.class,
                    increment.class,
                    view.value(asked.object),
                )
        })
    })
}

/// Whether a drop among the removed accesses, event `first`, would turn the answer of a look among the moved ones, event
/// `second`, which comes as early as it may behind `events`.
pub(crate) fn turns_moved(
    trace: &Trace,
    moved: &[Access],
    (first, second): (usize, usize),
    events: &EventSet,
) -> bool {
    let mut drops = { trace.footprint(first).iter() }.filter(|access| access.class.is_drop());
    drops.any(|&drop| {
        let look = moved.iter().find(|a| a.is_look_of(drop));
        let is_in = |k: usize| events.contains(k);
        look.is_some_and(|&look| trace.turns_moved_look(drop, look, second, |k| k < first, is_in))
    })
}
