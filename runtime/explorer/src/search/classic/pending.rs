//! What a thread stands before: what it races with, and what it would be before that.
//!
//! Only the classic search (`crate::search::classic`) asks this of operations that have not been executed;
//! the races of the optimal search are in `crate::race`.

use crate::conflict::{conflict, is_global, Access, Class, Footprint, GLOBAL};
use crate::enabled::{is_enabled, succeeds_now, waits_for_signal};
use crate::object::memory::{self, CELLS_MAX};
use crate::object::{
    alternatives, blocked_footprint, effect, gate_object, gate_objects, passes, View,
};
use crate::operation::OperationIndex;
use crate::state::{After, Now};
use crate::threads::Standing;
use crate::trace::{Passive, Trace};
use crate::Program;
use dpor_model::{Kind, ThreadId};

/// An operation, with what one of its alternatives would touch.
pub(crate) struct Pending {
    thread: ThreadId,
    operation: OperationIndex,
    footprint: Footprint,
    /// What happens before it by program order and edges; of an executed event, all that does.
    base: Vec<u32>,
}

impl Pending {
    /// What `thread` stands before at the end of the trace, for each of its alternatives. What is
    /// blocked by a lock or semaphore is taken to touch that. Nothing while it waits for others.
    pub fn of<P: Program>(trace: &mut Trace, program: &mut P, thread: ThreadId) -> Vec<Pending> {
        let Standing::Before(operation) = trace.threads.get(thread) else {
            return Vec::new();
        };
        let Some(footprints) = footprints(trace, program, thread, operation) else {
            return Vec::new();
        };
        trace.find_base(thread, operation);
        let base = trace.base();
        let with = |footprint| Pending {
            thread,
            operation,
            footprint,
            base: base.to_vec(),
        };
        footprints.into_iter().map(with).collect()
    }

    /// Event `position`, as it was executed.
    pub fn at(trace: &Trace, position: usize) -> Pending {
        let event = trace.event(position);
        Pending {
            thread: event.thread,
            operation: event.operation,
            footprint: trace.footprint(position).into(),
            base: trace.clock(position).to_vec(),
        }
    }

    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    pub fn footprint(&self) -> &[Access] {
        &self.footprint
    }

    pub fn base(&self) -> &[u32] {
        &self.base
    }

    /// True if the last event changed what happens before it, or is its thread's.
    pub fn is_new(&self, trace: &Trace) -> bool {
        let last = trace.len() - 1;
        let interned = trace.table.get(self.operation);
        let woken =
            interned.operation.kind == Kind::CondReacquire && { trace.footprint(last).iter() }
                .any(|a| a.object == interned.object());
        let passed = |step: &Passive| step.thread == self.thread;
        let went_on = trace.passives_after(trace.len()).iter().any(passed);
        woken || went_on || trace.event(last).thread == self.thread
    }

    /// True for events of other threads that are not in base.
    fn is_concurrent(&self, trace: &Trace, event: usize) -> bool {
        let other = trace.event(event).thread;
        other != self.thread && self.base[usize::from(other.0)] as usize <= event
    }

    /// True if it conflicts with an event, is not ordered after it by anything else, and may be
    /// enabled together with it.
    pub fn races_with(&self, trace: &Trace, event: usize) -> bool {
        conflict(trace.footprint(event), &self.footprint)
            && self.is_concurrent(trace, event)
            && self.may_be_co_enabled(trace, event)
    }

    /// All events that it races with.
    pub fn races(&self, trace: &Trace) -> Vec<usize> {
        let races = |&k: &usize| self.is_concurrent(trace, k) && self.may_be_co_enabled(trace, k);
        if is_global(&self.footprint) {
            return (0..trace.len()).filter(races).collect();
        }
        let of_access = |access: &Access| {
            let log = trace.log(access.object).iter().rev();
            // What is older than a write in base is in base.
            let recent = log.take_while(|entry| {
                entry.class != Class::WRITE || self.is_concurrent(trace, entry.event as usize)
            });
            let class = access.class;
            let conflicting = recent.filter(move |entry| !entry.class.commutes(class));
            conflicting.map(|entry| entry.event as usize)
        };
        let globals = trace.log(GLOBAL).iter().map(|entry| entry.event as usize);
        let all = self.footprint.iter().flat_map(of_access).chain(globals);
        all.filter(races).collect()
    }

    /// The latest of these races: those that happen before no other whose absence would let it pass.
    pub fn latest_races(&self, trace: &Trace) -> Vec<usize> {
        let mut races = self.races(trace);
        races.sort_unstable();
        races.dedup();
        let passing = races.iter().copied();
        let passing: Vec<usize> = passing.filter(|&k| self.passes_without(trace, k)).collect();
        let covers = |i: usize, k: usize| k > i && trace.happens_before(i, k);
        races.retain(|&i| !passing.iter().any(|&k| covers(i, k)));
        races
    }

    /// True if nothing would block it if event `first`, and what happens after that, had not
    /// happened.
    fn passes_without(&self, trace: &Trace, first: usize) -> bool {
        let interned = trace.table.get(self.operation);
        let view = After(trace, |k| !trace.happens_before(first, k));
        passes(interned, self.thread, |object| view.value(object))
    }

    /// False if there is no state in which it and event `first` are both enabled: the threads hold
    /// the same mutex there, or that of `first` gives up the lock that this one needs.
    fn may_be_co_enabled(&self, trace: &Trace, first: usize) -> bool {
        let event = trace.event(first);
        if event.misuse.is_some() {
            return true;
        }
        if event.lockset & trace.held(self.thread) != 0 {
            return false;
        }
        let interned = trace.table.get(self.operation);
        let gives_up = trace.operation(first).kind == Kind::RwlockUnlock;
        gate_objects(interned).iter().all(|lock| {
            let needed = trace.table.object_id(*lock);
            let gives_up = gives_up && trace.interned(first).objects.contains(lock);
            !gives_up && !trace.lockset(event.lockset).any(|held| held == needed)
        })
    }

    /// What it would touch if event `first`, and what happens after that, had not happened, for
    /// each of its alternatives: a compare-exchange that failed may succeed.
    pub fn moved_before<P: Program>(
        &self,
        trace: &Trace,
        program: &mut P,
        first: usize,
    ) -> Vec<Footprint> {
        let stays = |k: usize| !trace.happens_before(first, k);
        let interned = trace.table.get(self.operation);
        let succeeds = self.succeeds_before(trace, program, first);
        let view = After(trace, stays);
        match gate_object(interned) {
            Some(_) if !self.passes_without(trace, first) => vec![blocked_footprint(interned)],
            _ => {
                let all = alternatives(interned, self.thread, succeeds, &view).iter();
                all.map(|a| effect(interned, self.thread, a, succeeds, &view).footprint)
                    .collect()
            }
        }
    }

    /// True if it compares and would find what it expects then.
    fn succeeds_before<P: Program>(&self, trace: &Trace, program: &mut P, first: usize) -> bool {
        let interned = trace.table.get(self.operation);
        if interned.compared().is_empty() {
            return false;
        }
        let mut cells = [0; CELLS_MAX];
        for (cell, &object) in cells.iter_mut().zip(interned.compared()) {
            let value = trace.value_after(object, |k| !trace.happens_before(first, k));
            // A cell that no event touched has the value it always had.
            let value = value.or_else(|| program.peek(trace.table.object_id(object)));
            *cell = value.unwrap_or(0);
        }
        memory::succeeds(&interned.operation, cells)
    }

    /// What would happen before it then, if it touched `moved`.
    pub fn clock_when_moved(&self, trace: &Trace, first: usize, moved: &[Access]) -> Vec<u32> {
        let stays = |&k: &usize| !trace.happens_before(first, k);
        let mut clock = self.base.clone();
        for k in (first + 1..trace.len()).filter(stays) {
            if conflict(trace.footprint(k), moved) {
                for (mine, &theirs) in clock.iter_mut().zip(trace.clock(k)) {
                    *mine = (*mine).max(theirs);
                }
            }
        }
        clock
    }
}

/// What the operation that `thread` stands before would touch, for each of its alternatives. What
/// is blocked is taken to touch what blocks it. `None` if others have to do something first that no
/// order of events can spare it: signal, come to their end, arrive at a barrier.
fn footprints<P: Program>(
    trace: &Trace,
    program: &mut P,
    thread: ThreadId,
    operation: OperationIndex,
) -> Option<Vec<Footprint>> {
    let interned = trace.table.get(operation);
    if !is_enabled(trace, thread, operation) {
        let gate = gate_object(interned).filter(|_| !waits_for_signal(trace, thread, operation));
        return gate.map(|_| vec![blocked_footprint(interned)]);
    }
    let succeeds = succeeds_now(trace, program, operation);
    let view = Now(trace);
    let all = alternatives(interned, thread, succeeds, &view).iter();
    let footprints = all.map(|a| effect(interned, thread, a, succeeds, &view).footprint);
    Some(footprints.collect())
}
