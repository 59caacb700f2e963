//! Loops that look at several places: after a turn in vain the thread waits until one of the places is not what
//! the turn found there.
//!
//! A turn is in vain if it ends where it began ([`Iteration::MayRepeat`]) and each of its events left memory
//! as it was. Such a turn can be left out of any execution: nobody can tell. So a turn after it need not begin as long
//! as all it looked at is as it was then, and its first access is an operation that blocks until then: it has a
//! *gate*. A gate reads its cells.
//!
//! The looks stay events, also those of a turn in vain: a turn whose looks are of different moments may leave the loop.
//! If the first access waits by itself, it does not: it looks once, and if that is in vain, the loop around it alone goes
//! round. A turn that found different values in one place needs no gate: it cannot come again as it was.
//!
//! What disables a gate is an event that makes the last of its cells what it was. Removing one event is enough, but
//! where updates commute (`crate::awaited`). The argument is in docs/proof.md, 5.14.

use crate::conflict::{Class, Object, GLOBAL};
use crate::gate::{Gate, Look};
use crate::mutation::Mutation;
use crate::operation::{Interned, OperationIndex};
use crate::race::{Query, Removed};
use crate::threads::Standing;
use crate::trace::{Parked, Trace};
use crate::Program;
use core::ops::Range;
use dpor_model::{Iteration, Kind, ObjectId, Operation, ThreadId};
use smallvec::{smallvec, SmallVec};

/// Turns with more looks are not waited for.
const LOOKS_MAX: usize = 256;

/// The bits of a cell that an access of these bytes touches; `nth`: the first cell, or one behind it.
pub(crate) fn touched(operation: &Operation, nth: u32) -> u64 {
    let first = u32::from(operation.offset);
    let (begin, end) = (8 * nth, 8 * nth + 8);
    let (from, to) = (first.max(begin), (first + operation.bytes).min(end));
    match to.saturating_sub(from) {
        0 => 0,
        bytes => (u64::MAX >> (64 - 8 * bytes)) << (8 * (from - begin)),
    }
}

impl Trace {
    /// What `thread` saw in its events with these numbers; `None` if they changed something, or looked at nothing, or did
    /// not find the same in one place.
    fn seen_in_vain(&self, thread: ThreadId, events: Range<usize>) -> Option<Vec<Look>> {
        let own = self.events_of(thread);
        let place = |number| own.partition_point(|&k| (k as usize) < number);
        let mut looks: Vec<Look> = Vec::new();
        for &position in &own[place(events.start)..place(events.end)] {
            let position = position as usize;
            match self.operation(position).kind {
                Kind::Pause => continue,
                Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange => {}
                _ => return None,
            }
            self.add_looks(position, &mut looks)?;
        }
        looks.sort_unstable_by_key(|look| look.cell);
        (!looks.is_empty()).then_some(looks)
    }

    fn add_looks(&self, position: usize, looks: &mut Vec<Look>) -> Option<()> {
        let interned = self.interned(position);
        let (operation, own) = (&interned.operation, interned.own());
        let is_wide = interned.peeks && interned.gate.is_none();
        if is_wide || looks.len() > LOOKS_MAX || self.event(position).misuse.is_some() {
            return None;
        }
        for access in self.footprint(position) {
            let Some(nth) = own.iter().position(|&o| o == access.object) else {
                continue;
            };
            let log = self.log(access.object);
            let at = log.binary_search_by_key(&(position as u32), |entry| entry.event);
            let entry = &log[at.ok()?];
            // What commutes finds different things in equivalent executions.
            let known =
                [Class::READ, Class::WRITE].contains(&entry.class) || entry.class.is_store();
            if !known || entry.before != entry.after {
                return None;
            }
            let mask = touched(operation, nth as u32);
            let value = entry.before & mask;
            let cell = access.object;
            match looks.iter_mut().find(|look| look.cell == cell) {
                Some(look) if (look.value ^ value) & look.mask & mask != 0 => return None,
                Some(look) => (look.mask, look.value) = (look.mask | mask, look.value | value),
                None => looks.push(Look { cell, mask, value }),
            }
        }
        Some(())
    }

    /// The cells that a thread waits for after a turn in vain, as it saw them.
    pub(crate) fn looks(&self, thread: ThreadId) -> Vec<(ObjectId, u64, u64)> {
        let pending = self.pending_operation(thread);
        let gate = pending.and_then(|operation| self.table.get(operation).gate.as_ref());
        gate.map_or(Vec::new(), |gate| self.looks_at(gate))
    }

    /// The cells of a gate, the bits that were seen, and what they were.
    pub(crate) fn looks_at(&self, gate: &Gate) -> Vec<(ObjectId, u64, u64)> {
        let named = |look: &Look| (self.table.object_id(look.cell), look.mask, look.value);
        gate.looks.iter().map(named).collect()
    }

    /// If the last event, which the program has just executed, was the last of a turn in vain, its thread waits.
    pub(crate) fn look_for_turn<P: Program>(&mut self, program: &mut P) {
        let Some(thread) = self.events().last().map(|event| event.thread) else {
            return;
        };
        let Standing::Before(operation) = self.threads.get(thread) else {
            return;
        };
        if self.table.get(operation).operation.iteration != Iteration::MayRepeat {
            return;
        }
        let since = program.turn_began() as usize;
        let progresses = program.makes_progress(thread, since);
        self.note_turn(thread, since, progresses);
        if !self.may_wait(operation, thread, since) {
            return;
        }
        if self.table.turns {
            self.await_stored(thread, since);
        }
        let parks = self.len() >= self.table.parks_from;
        let reads = program.turn_reads();
        if parks && self.table.turns || self.needs_parking(thread, since, reads) {
            let is_in_vain = parks && self.restores(thread, since..self.len());
            if is_in_vain && (!self.table.turns_again || self.restored_before(thread, since)) {
                // What is parked without the reduction may have read plainly what it goes by.
                let is_looking = self.table.turns;
                let looks = is_looking.then(|| self.seen_in_vain(thread, since..self.len()));
                let turn = Parked {
                    thread,
                    began: since as u32,
                    ended: self.len() as u32,
                    operation,
                    gate: looks.flatten().map(|looks| Gate::new(&looks, 0)),
                    looked: match is_looking {
                        true => self.looked(thread, since),
                        false => Vec::new(),
                    },
                    reads,
                };
                self.park_after_turn(program, turn);
            }
            return;
        }
        let Some(looks) = self.seen_in_vain(thread, since..self.len()) else {
            return;
        };
        if self.table.turns_again && !self.is_again(thread, since, &looks) {
            return;
        }
        let (gated, is_new) = self.table.gated(operation, looks);
        if is_new {
            let gate = self.table.get(gated).gate.as_ref();
            let cells = gate.map_or(&[][..], |gate| &gate.cells).to_vec();
            self.watch(program, &cells);
        }
        self.stand_again(thread, Standing::Before(gated));
    }

    /// Whether a turn that began after `since` events was in vain depends on what its stores found: they do not commute
    /// with others.
    fn await_stored(&mut self, thread: ThreadId, since: usize) {
        let own = self.events_of(thread);
        let begin = own.partition_point(|&k| (k as usize) < since);
        let turn = own[begin..].iter();
        let stored = turn.flat_map(|&k| self.footprint(k as usize));
        let stored = stored.filter(|access| access.class.is_store());
        let stored: SmallVec<[Object; 4]> = stored.map(|access| access.object).collect();
        stored
            .into_iter()
            .for_each(|cell| self.table.await_in(cell));
    }

    /// Parks a thread behind a turn in vain.
    fn park_after_turn<P: Program>(&mut self, program: &mut P, turn: Parked) {
        let cells: Vec<Object> = turn.looked.iter().map(|looked| looked.0).collect();
        self.watch(program, &cells);
        // Whether the thread goes round for ever depends on what is there at the end.
        let awaited = cells.iter().filter(|_| turn.gate.is_some());
        awaited.for_each(|&cell| self.table.await_in(cell));
        let thread = turn.thread;
        self.park(turn);
        self.stand_again(thread, Standing::Dead);
    }

    /// Has the program tell of plain accesses to these cells.
    fn watch<P: Program>(&self, program: &mut P, cells: &[Object]) {
        let all: Vec<ObjectId> = cells
            .iter()
            .map(|&cell| self.table.object_id(cell))
            .collect();
        program.watch(&all);
    }

    /// True if the thread's turn before that which began after `since` events was in vain, too, and saw the same.
    fn is_again(&self, thread: ThreadId, since: usize, looks: &[Look]) -> bool {
        let before = self.turns.before(thread, since as u32);
        let before = before.and_then(|began| self.seen_in_vain(thread, began as usize..since));
        before.is_some_and(|before| before == looks)
    }

    /// True if the thread's turn before that which began after `since` events left all as it was, too.
    fn restored_before(&self, thread: ThreadId, since: usize) -> bool {
        let before = self.turns.before(thread, since as u32);
        before.is_some_and(|began| self.restores(thread, began as usize..since))
    }

    /// True if the operation is the one with which the turn began.
    fn may_wait(&self, operation: OperationIndex, thread: ThreadId, since: usize) -> bool {
        let interned = self.table.get(operation);
        let own = self.events_of(thread);
        let begin = own.partition_point(|&k| (k as usize) < since);
        let accesses = own[begin..].iter().map(|&k| self.interned(k as usize));
        let mut accesses = accesses.filter(|i| i.operation.kind != Kind::Pause);
        let unmarked = |interned: &Interned| Operation {
            iteration: Iteration::None,
            ..interned.operation
        };
        let same = |first: &Interned| unmarked(first) == unmarked(interned);
        !interned.peeks && accesses.next().is_some_and(same)
    }
}

impl Query<'_> {
    /// The races of an operation with a gate.
    #[cold]
    pub(crate) fn with_gate(&self, gate: &Gate, found: impl FnMut(Removed)) {
        // Of each set, if nothing in it need conflict: a compare-exchange that never ran may find something else.
        let mut all: Vec<(Removed, bool)> = Vec::new();
        let one = self.mutation.is(Mutation::GateOfOneCell);
        for &cell in &gate.cells[..if one { 1 } else { gate.cells.len() }] {
            let holds = |value| gate.differs_at(cell, value);
            let mut add = |removed| all.push((removed, false));
            self.with_test(cell, Class::READ, &holds, &mut add);
        }
        for access in self.footprint.iter().filter(|_| !one) {
            for entry in self.log(access.object) {
                let clashes = !entry.class.commutes(access.class);
                if clashes && self.removable(entry.event, entry.thread) {
                    all.push((smallvec![entry.event], entry.class == Class::READ));
                }
            }
        }
        for entry in self.log(GLOBAL) {
            if self.removable(entry.event, entry.thread) {
                all.push((smallvec![entry.event], false));
            }
        }
        all.sort();
        all.dedup_by(|a, b| a.0 == b.0);
        all.retain(|(removed, _)| self.opens(gate, removed));
        let is_covered = |n: usize| {
            let others = all.iter().enumerate();
            let mut others = others.filter(|&(m, other)| m != n && !other.1);
            others.any(|(m, (other, _))| {
                let back = self.leaves_less(other, &all[n].0);
                self.leaves_less(&all[n].0, other) && (!back || m < n)
            })
        };
        let kept: SmallVec<[usize; 8]> = (0..all.len()).filter(|&n| !is_covered(n)).collect();
        kept.into_iter().map(|n| all[n].0.clone()).for_each(found);
    }

    /// True if some cell is not what it was without these events and what happens after them.
    fn opens(&self, gate: &Gate, removed: &[u32]) -> bool {
        gate.differs(|cell| {
            let gone = |k: usize| {
                removed
                    .iter()
                    .any(|&i| self.trace.happens_before(i as usize, k))
            };
            let value = self.trace.value_after(cell, |k| k < self.end && !gone(k));
            value.unwrap_or(0)
        })
    }
}
