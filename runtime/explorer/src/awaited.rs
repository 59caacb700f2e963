//! Accesses to memory that block until a [`dpor_model::Condition`] holds: when they can go on, and what they
//! race with.
//!
//! What changes a cell and does not commute with its like makes a sequence, so that one event is
//! removed: the latest without which the condition holds. Updates commute, and several of them may have to go
//! together. Which ones is not determined: of the additions 1, 1 and 2, a wait for 2 can lack the first two
//! or the last one. So every largest rest of a run of updates for which the condition holds is a race of
//! its own, and each of them is another trace.
//!
//! Source: the treatment of sets is ours and was tested against brute force.

use crate::conflict::{Class, Object, GLOBAL};
use crate::loop_iteration::touched;
use crate::mutation::Mutation;
use crate::object::memory::updated;
use crate::operation::Interned;
use crate::race::{Query, Removed};
use crate::trace::{Entry, Trace};
use crate::Program;
use dpor_model::{Condition, Iteration, Kind, ThreadId};
use smallvec::{smallvec, SmallVec};

/// So many different values of a cell are followed before any is taken to be possible.
const VALUES_MAX: usize = 256;

impl Trace {
    /// True if events were taken to commute that do not.
    pub(crate) fn was_wrong(&self) -> bool {
        self.commuting.was_wrong()
            || self.table.was_wrong()
            || self.table.references.is_miscounted()
    }

    /// Like [`Trace::was_wrong`]; forgets it.
    pub(crate) fn take_wrong(&mut self) -> bool {
        let cell = self.table.take_wrong();
        let miscounted = self.table.take_miscounted();
        self.commuting.take_wrong().is_some() || cell.is_some() || miscounted
    }

    /// True if `thread`, which stands before a waiting access, would find what it waits for.
    #[inline]
    pub(crate) fn finds_awaited(&self, thread: ThreadId) -> bool {
        self.awaited.found.contains(thread)
    }

    /// What was in a cell that no event touched, if somebody waits for it.
    pub(crate) fn first_found(&self, object: Object) -> Option<u64> {
        let mut all = self.awaited.first.iter();
        all.find(|f| f.1 == object).map(|f| f.2)
    }

    /// Finds out what [`Trace::finds_awaited`] tells, from memory: only where the program stands at the
    /// end of the trace.
    #[inline]
    pub(crate) fn look_for_awaited<P: Program>(&mut self, program: &mut P) {
        if self.table.waits {
            self.look(program);
        }
    }

    /// What is in a cell, where the program stands at the end of the trace.
    pub(crate) fn present<P: Program>(&self, program: &mut P, cell: Object) -> u64 {
        let value = program.peek(self.table.object_id(cell));
        let value = value.or_else(|| self.value_after(cell, |_| true));
        value.unwrap_or(0)
    }

    fn look<P: Program>(&mut self, program: &mut P) {
        let is_new = self.len() > self.awaited.turns && !self.table.by_states;
        if is_new {
            self.awaited.turns = self.len();
            self.look_for_turn(program);
        }
        program.judge_looks(&|thread, event| self.may_come_first(thread, event));
        self.look_for_cells(program);
        if is_new {
            self.look_for_cycle(program);
        }
    }

    /// True if `thread` can stand where it stands before event number `event`: nothing that it did happens after that.
    fn may_come_first(&self, thread: ThreadId, event: usize) -> bool {
        let by = usize::from(self.event(event).thread.0);
        let row = self.row(self.rows[usize::from(thread.0)]);
        row.is_none_or(|clock| clock[by] as usize <= event)
    }

    /// True if some of these bits of a cell that a thread looked at are not what the events made of them.
    fn differs_unseen(&self, cell: Object, bits: u64, present: u64) -> bool {
        // The thread's own look is in the log.
        let by_events = self.log(cell).last().map_or(0, |entry| entry.after);
        (present ^ by_events) & bits != 0
    }

    fn look_for_cells<P: Program>(&mut self, program: &mut P) {
        let (mut found, mut first) = (std::mem::take(&mut self.awaited.found), Vec::new());
        found.clear();
        let mut differs_unseen = false;
        for (thread, operation) in self.pending_threads() {
            let interned = self.table.get(operation);
            if let Some(gate) = &interned.gate {
                let differs = gate.differs(|object| self.present(program, object));
                found.put(thread, differs);
                continue;
            }
            let Some(condition) = interned.condition else {
                continue;
            };
            let object = interned.object();
            let cell = self.present(program, object);
            let holds = condition.holds(Condition::found(&interned.operation, cell));
            found.put(thread, holds);
            // If nobody's event made an exchange fail, no other order of events has it succeed.
            let retries = interned.operation.iteration == Iteration::Retries;
            let bits = touched(&interned.operation, 0);
            differs_unseen |= retries && self.differs_unseen(object, bits, cell);
            if self.log(object).is_empty() && self.first_found(object).is_none() {
                first.push((self.len() as u32, object, cell));
            }
        }
        for parked in &self.parked {
            if let Some(gate) = &parked.gate {
                let differs = gate.differs(|cell| self.present(program, cell));
                found.put(parked.thread, differs);
            }
            differs_unseen |= parked.looked.iter().any(|&(cell, bits)| {
                let present = self.present(program, cell);
                self.differs_unseen(cell, bits, present)
            });
        }
        if differs_unseen {
            program.parked_unaware();
        }
        self.awaited.found = found;
        for (length, object, cell) in first {
            if self.first_found(object).is_none() {
                self.awaited.first.push((length, object, cell));
            }
        }
    }
}

impl Query<'_> {
    /// The races of a waiting access.
    pub(crate) fn with_condition(
        &self,
        interned: &Interned,
        object: Object,
        mut found: impl FnMut(Removed),
    ) {
        let holds = |cell| holds(interned, cell);
        self.with_test(object, self.footprint[0].class, &holds, &mut found);
    }

    /// The races of an access that blocks until what is in a cell passes a test, as far as they are with events on this
    /// cell. `class`: how the access touches it.
    pub(crate) fn with_test(
        &self,
        object: Object,
        class: Class,
        holds: &dyn Fn(u64) -> bool,
        found: &mut dyn FnMut(Removed),
    ) {
        if self.trace.table.references.is_miscounted() {
            // All is begun anew.
            return;
        }
        let log = self.log(object);
        let mut globals = self.log(GLOBAL).iter().rev().peekable();
        let mut accepted: SmallVec<[Removed; 4]> = smallvec![];
        let mut end = log.len();
        while end > 0 {
            let entry = &log[end - 1];
            while let Some(global) = globals.next_if(|g| g.event > entry.event) {
                // All that is older happens before it.
                if !accepted.is_empty() || !self.removable(global.event, global.thread) {
                    return accepted.into_iter().for_each(found);
                }
                if self.passes(holds, object, &[global.event]) {
                    return found(smallvec![global.event]);
                }
            }
            let mut begin = end - 1;
            let mut in_base = false;
            match is_update(self.trace, entry) {
                true => {
                    let after_global = globals.peek().map_or(0, |g| g.event);
                    begin = (entry.run as usize).min(begin);
                    begin += log[begin..end].partition_point(|e| e.event < after_global);
                    let run = &log[begin..end];
                    in_base = run.iter().any(|e| !self.removable(e.event, e.thread));
                    self.without_updates(holds, object, run, &mut accepted);
                }
                false if entry.class.commutes(class) => {}
                false if !self.removable(entry.event, entry.thread) => {
                    in_base = entry.class != Class::READ;
                }
                false => {
                    let covers = |a: &Removed| self.leaves_less(&[entry.event], a);
                    if !accepted.iter().any(covers) && self.passes(holds, object, &[entry.event]) {
                        accepted.push(smallvec![entry.event]);
                    }
                }
            }
            let ordered = entry.class != Class::READ;
            if ordered && (in_base || !accepted.is_empty()) {
                return accepted.into_iter().for_each(found);
            }
            end = begin;
        }
        for global in globals {
            if !accepted.is_empty() || !self.removable(global.event, global.thread) {
                break;
            }
            if self.passes(holds, object, &[global.event]) {
                accepted.push(smallvec![global.event]);
            }
        }
        accepted.into_iter().for_each(found);
    }

    /// True if the condition holds without these events and what happens after them.
    fn passes(&self, holds: &dyn Fn(u64) -> bool, object: Object, removed: &[u32]) -> bool {
        let left = |k: usize| {
            let gone = |&i: &u32| self.trace.happens_before(i as usize, k);
            k < self.end && !removed.iter().any(gone)
        };
        let value = self.trace.value_after(object, left).unwrap_or(0);
        holds(value)
    }

    /// The largest rests of a run of updates with which the condition holds.
    fn without_updates(
        &self,
        holds: &dyn Fn(u64) -> bool,
        object: Object,
        run: &[Entry],
        accepted: &mut SmallVec<[Removed; 4]>,
    ) {
        let members = run.iter().filter(|e| self.removable(e.event, e.thread));
        let members: SmallVec<[u32; 8]> = members.map(|e| e.event).collect();
        if !self.may_pass(holds, object, run) {
            return;
        }
        let single = self.mutation.is(Mutation::SingleRemoval);
        let ordered = |a: u32, b: u32| self.trace.happens_before(a as usize, b as usize);
        // Sets of events of which none happens before another, each with the place of its last member.
        let mut open: Vec<(Removed, usize)> = vec![(smallvec![], 0)];
        let mut all: Vec<Removed> = Vec::new();
        while let Some((removed, next)) = open.pop() {
            for (at, &event) in members.iter().enumerate().skip(next) {
                if removed.iter().any(|&other| ordered(other, event)) {
                    continue;
                }
                let mut more = removed.clone();
                more.push(event);
                if self.passes(holds, object, &more) {
                    all.push(more);
                } else if !single {
                    open.push((more, at + 1));
                }
            }
        }
        let kept = |a: &&Removed| {
            let mut others = all.iter().filter(|b| b != a);
            !others.any(|b| self.leaves_less(a, b))
        };
        let earlier = |a: &Removed| accepted.iter().any(|b| self.leaves_less(a, b));
        let kept: Vec<Removed> = all
            .iter()
            .filter(kept)
            .filter(|a| !earlier(a))
            .cloned()
            .collect();
        accepted.extend(kept);
    }

    /// False if the condition does not hold whichever members of a run of updates are removed.
    fn may_pass(&self, holds: &dyn Fn(u64) -> bool, object: Object, run: &[Entry]) -> bool {
        if self.trace.plain_writes().iter().any(|w| w.cell == object) {
            return true;
        }
        let mut values: SmallVec<[u64; 8]> = smallvec![run[0].before];
        for entry in run {
            let position = entry.event as usize;
            let interned = self.trace.interned(position);
            let operand = self.trace.operand(position);
            let after = |&value: &u64| updated(interned, operand, value);
            let changed: SmallVec<[u64; 8]> = values.iter().map(after).collect();
            match self.removable(entry.event, entry.thread) {
                true => values.extend(changed),
                false => values = changed,
            }
            values.sort_unstable();
            values.dedup();
            if values.len() > VALUES_MAX {
                return true;
            }
        }
        values.iter().any(|&value| holds(value))
    }
}

fn holds(interned: &Interned, cell: u64) -> bool {
    let condition = interned.condition.as_ref();
    condition.is_some_and(|c| c.holds(Condition::found(&interned.operation, cell)))
}

/// True if the entry is of an update that commutes with its like.
fn is_update(trace: &Trace, entry: &Entry) -> bool {
    let changes = entry.class != Class::READ && entry.class.commutes(entry.class);
    changes && trace.operation(entry.event as usize).kind == Kind::ReadModifyWrite
}
