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

use crate::conflict::{Class, Object};
use crate::mutation::Mutation;
use crate::trace::{Entry, Trace};
use smallvec::SmallVec;

/// Pairs of a drop and another event that are looked at in one run at most; with more, increments are taken to conflict.
const PAIRS_MAX: usize = 4_096;

impl Trace {
    /// Whether all increments commuted with the drops as they were taken to. Of a whole execution.
    pub(crate) fn are_increments_right(&self) -> bool {
        if self.table.mutation.is(Mutation::IncrementsUnasked) {
            return true;
        }
        let counters = self.table.last_counters().iter();
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
        let is_one = |entry: &Entry| self.operand(entry.event as usize) == 1;
        let mut increments = run.iter().filter(|entry| entry.class.is_increment());
        // Something that is no event wrote in between, or more than one was added.
        let is_broken = run.windows(2).any(|two| two[0].after != two[1].before);
        if is_broken || !increments.all(is_one) {
            return false;
        }
        let unused = 64 - 8 * bytes;
        let found = run[0].before >> (8 * u32::from(offset)) << unused;
        let count = found as i64 >> unused;
        let drops = run.iter().filter(|entry| !entry.class.is_increment());
        let drops: SmallVec<[usize; 16]> = drops.map(|entry| entry.event as usize).collect();
        if drops.is_empty() || count > drops.len() as i64 {
            return true;
        }
        let increments = run.iter().filter(|entry| entry.class.is_increment());
        let increments: SmallVec<[usize; 16]> =
            increments.map(|entry| entry.event as usize).collect();
        drops.len() * run.len() <= PAIRS_MAX
            && drops
                .iter()
                .all(|&drop| count + self.least_before(drop, &drops, &increments) > 1)
    }

    /// How much less or more than before the run the count is before `drop` at least, in any order of the run's `drops` and
    /// `increments`.
    fn least_before(&self, drop: usize, drops: &[usize], increments: &[usize]) -> i64 {
        let is_before = |&&k: &&usize| self.happens_before(k, drop);
        let known = increments.iter().filter(is_before).count();
        let mut free: SmallVec<[usize; 16]> = { increments.iter() }
            .copied()
            .filter(|k| !is_before(&k))
            .collect();
        let mut lost = 0;
        for &other in drops {
            let is_later = other == drop || self.happens_before(drop, other);
            if is_later {
                continue;
            }
            // The last one that happens before it: those before are for drops that know fewer.
            let own = match self.happens_before(other, drop) {
                true => None,
                false if self.table.mutation.is(Mutation::IncrementsOfOthers) => {
                    free.len().checked_sub(1)
                }
                false => free.iter().rposition(|&k| self.happens_before(k, other)),
            };
            match own {
                Some(at) => {
                    free.remove(at);
                }
                None => lost += 1,
            }
        }
        known as i64 - lost
    }
}
