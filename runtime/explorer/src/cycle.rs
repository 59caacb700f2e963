//! Fair cycles: threads that go round in loops and take back what they did, so that they may do so for ever.
//!
//! If between two moments of an execution memory and all threads come back to what they were, and each thread that
//! could go on did, then the same can happen again and again, though the scheduler forgets nobody. What is compared is
//! exact: a thread in a loop is where it was if it went once or several times round ([`Iteration::MayRepeat`]) and made the same events
//! with the same values since the head of its loop; memory is what it was if each cell is.
//!
//! A thread that could have gone on, or might time out, or waits for a cell that changed meanwhile, keeps this
//! from being a cycle: a correct program must not be accused.
//!
//! Where threads make progress in a cycle ([`Program::makes_progress`]) the program is one that never ends by design.
//! Its execution goes on until the cycle has come twice: then each thread has made another whole turn from the state
//! in which the cycle begins, so that the races of whatever it may do from there are known, and nothing is lost by the
//! end (docs/decisions/0076).
//!
//! Source: fair cycles as in Musuvathi and Qadeer, Fair Stateless Model Checking (PLDI 2008), who find them by the
//! length of an execution; here states are compared.

use crate::conflict::{Object, GLOBAL};
use crate::deadlock;
use crate::enabled::is_enabled;
use crate::end::Deadlock;
use crate::gate::Gate;
use crate::loop_iteration::touched;
use crate::object::gate_objects;
use crate::operation::OperationIndex;
use crate::trace::{Entry, Parked, Starving, Trace, Turn};
use crate::Program;
use dpor_model::{Condition, Iteration, Kind, Operation, ThreadId, ThreadSet};
use smallvec::SmallVec;

/// Largest number of turns of one thread in a cycle.
const TURNS_MAX: usize = 16;

impl Trace {
    /// Notes that the last event ended a turn of `thread` that began after `began` events.
    pub(crate) fn note_turn(&mut self, thread: ThreadId, began: usize, progresses: bool) {
        let turn = Turn {
            thread,
            began: began as u32,
            ended: self.len() as u32,
            takes_back: self.takes_back(began),
            progresses,
        };
        self.turns.marked |= progresses;
        if turn.began < turn.ended && self.turns.all.last() != Some(&turn) {
            self.turns.all.push(turn);
        }
    }

    /// True if all events since the first `began` only changed cells that are what they were, and no other thread
    /// looked at one meanwhile: all that may come now could come then.
    fn takes_back(&self, began: usize) -> bool {
        let own = self.events().last().map(|event| event.thread);
        let is_own = |entry: &Entry| Some(self.event(entry.event as usize).thread) == own;
        let all = self.events_of(own.unwrap_or_default()).iter().rev();
        let mut all = all.map(|&k| k as usize).take_while(|&k| k >= began);
        let writes = self.plain_writes().last();
        let mut changed = false;
        let is_back = writes.is_none_or(|write| write.after as usize <= began)
            && all.all(|k| {
                self.is_access(k)
                    && self.footprint(k).iter().all(|access| {
                        let entries = self.since(access.object, began);
                        changed |= entries.iter().any(|entry| entry.before != entry.after);
                        let ends = (entries.first(), entries.last());
                        access.object != GLOBAL
                            && entries.iter().all(is_own)
                            && ends.0.map(|e| e.before) == ends.1.map(|e| e.after)
                    })
            });
        is_back && changed
    }

    /// The number of events when `thread` began the turn in which it is, if that is as the one before
    /// ([`Trace::takes_back`]). What other threads do from then on they could do in the one before, with the same
    /// states after it: no event of this turn need come before it.
    ///
    /// Otherwise there would be no end of executions in which a server goes round while another thread stands.
    /// Asked only where the last step of the process waits for such a server, or where the turn is marked as progress:
    /// elsewhere turns are told apart.
    pub(crate) fn began_again(&self, thread: ThreadId) -> Option<u32> {
        if self.threads.leaving.is_empty() && !self.turns.marked {
            return None;
        }
        let mut all = self.turns.all.iter().rev();
        let last = all.find(|turn| turn.thread == thread)?;
        let is_asked = !self.threads.leaving.is_empty() || last.progresses;
        (is_asked && last.takes_back).then_some(last.ended)
    }

    /// Looks whether the last event ended a fair cycle, if it ended a turn, and notes the cycle.
    pub(crate) fn look_for_cycle<P: Program>(&mut self, program: &mut P) {
        let length = self.len() as u32;
        // The first of two, or one that came while it was said how the execution goes on.
        let is_there = self.turns.cycle;
        if is_there.is_some_and(|begin| self.has_progress(program, begin)) {
            self.turns.cycle = None;
        }
        let Some(last) = self.turns.all.last().filter(|turn| turn.ended == length) else {
            return;
        };
        let thread = last.thread;
        let begins = std::iter::successors(Some(length), |&at| self.turns.before(thread, at));
        let begins = begins.skip(1).take(TURNS_MAX).map(|begin| begin as usize);
        let begins: SmallVec<[usize; TURNS_MAX]> = begins.collect();
        let mut again = begins
            .iter()
            .filter(|&&begin| self.comes_back(begin, false));
        let Some(&begin) = again.next() else {
            return self.look_for_starving(program, &begins);
        };
        let is_over = !self.has_progress(program, begin)
            || again.any(|&first| self.moved_in(first, begin) == self.moved_in(begin, self.len()));
        self.turns.cycle = is_over.then_some(begin);
    }

    /// Notes the threads that were passed over, if the last event ended a cycle in which others made progress.
    fn look_for_starving<P: Program>(&mut self, program: &mut P, begins: &[usize]) {
        // Where the thread's first turn is the cycle, others may have been created before that turn's first event.
        let Some(thread) = self.events().last().map(|event| event.thread) else {
            return;
        };
        let own = self.events_of(thread);
        let first = |begin: &usize| {
            let at = own.partition_point(|&k| (k as usize) < *begin);
            own.get(at).map(|&k| k as usize)
        };
        let mut begins = begins.iter().filter_map(first);
        let back = begins.find(|&begin| self.comes_back(begin, true));
        let Some(began) = back.filter(|&begin| self.has_progress(program, begin)) else {
            return;
        };
        let is_passed_over = |&(thread, operation): &(ThreadId, OperationIndex)| {
            !self.moved(thread, began) && self.is_passed_over(operation, began)
        };
        let is_parked_over = |parked: &&Parked| {
            let gate = parked.gate.as_ref();
            gate.is_some_and(|gate| self.is_passed_by(gate, began))
        };
        let parked = self.parked.iter().filter(is_parked_over);
        let parked = parked.map(|parked| (parked.thread, parked.operation));
        let all: Vec<Starving> = { self.pending_threads().filter(is_passed_over).chain(parked) }
            .map(|(thread, operation)| Starving {
                thread,
                operation: self.table.get(operation).operation,
                began,
                ended: self.len(),
            })
            .collect();
        for starving in all {
            let mut known = self.turns.starving.iter();
            let is_known = |other: &Starving| {
                (other.thread, other.operation) == (starving.thread, starving.operation)
            };
            if !known.any(is_known) {
                self.turns.starving.push(starving);
            }
        }
    }

    /// True if some thread made progress after the first `begin` events.
    fn has_progress<P: Program>(&self, program: &mut P, begin: usize) -> bool {
        let moved = self.moved_in(begin, self.len());
        let mut all = moved.iter();
        all.any(|thread| program.makes_progress(thread, begin))
    }

    /// The threads that cycles of others passed over so far.
    pub fn starving(&self) -> &[Starving] {
        &self.turns.starving
    }

    /// Number of events before the turn of `thread` that ended last; `None` if none ended.
    pub(crate) fn last_turn_began(&self, thread: ThreadId) -> Option<usize> {
        let mut all = self.turns.all.iter().rev();
        let turn = all.find(|turn| turn.thread == thread)?;
        Some(turn.began as usize)
    }

    /// The threads with events at positions from `from` up to, without, `to`.
    fn moved_in(&self, from: usize, to: usize) -> ThreadSet {
        let events = self.events()[from..to].iter();
        events.map(|event| event.thread).collect()
    }

    /// True if the last event ended a fair cycle.
    #[inline]
    pub(crate) fn is_cyclic(&self) -> bool {
        self.turns.cycle.is_some()
    }

    /// Describes which threads go round in the cycle, and which wait meanwhile and for what.
    pub(crate) fn describe_cycle(&self) -> Deadlock {
        let begin = self.turns.cycle.unwrap_or(self.len());
        let mut all = deadlock::describe(self, &ThreadSet::EMPTY);
        for waiting in &mut all.waiting {
            waiting.since = self.moved(waiting.thread, begin).then_some(begin);
            let own = self.events_of(waiting.thread);
            let first = own.partition_point(|&k| (k as usize) < begin);
            for &position in &own[first..] {
                self.add_cells(position as usize, &mut waiting.looks);
            }
        }
        all
    }

    /// Adds to `cells` the cells that an event touches, with their present values.
    pub(crate) fn add_cells(
        &self,
        position: usize,
        cells: &mut Vec<(dpor_model::ObjectId, u64, u64)>,
    ) {
        let interned = self.interned(position);
        for (nth, &object) in interned.own().iter().enumerate() {
            let Some(entry) = self.log(object).last() else {
                continue;
            };
            let (id, mask) = (
                self.table.object_id(object),
                touched(&interned.operation, nth as u32),
            );
            if cells.iter().all(|cell| cell.0 != id) {
                cells.push((id, mask, entry.after & mask));
            }
        }
    }

    /// True if memory and all threads are as they were after the first `begin` events, and each thread that could go on
    /// did; with `passes`, also if such a thread may have looked in vain each time.
    fn comes_back(&self, begin: usize, passes: bool) -> bool {
        let is_same_thread =
            |(thread, operation): (ThreadId, OperationIndex)| match self.moved(thread, begin) {
                true => self.is_where_it_was(thread, begin),
                false => {
                    self.stays_blocked(thread, operation, begin)
                        || passes && self.is_passed_over(operation, begin)
                }
            };
        self.parked_stay(begin, passes)
            && self.threads.timed.is_empty()
            && self.is_memory_alone(begin)
            && self.is_memory_back(begin)
            && self.pending_threads().all(is_same_thread)
            && !self.has_ended(begin)
    }

    /// True if each thread that goes no further is parked and would have looked in vain all the time after the first
    /// `begin` events; with `passes`, also if it may have looked in vain each time.
    fn parked_stay(&self, begin: usize, passes: bool) -> bool {
        let changes = |cell: &Object| {
            let entries = self.since(*cell, begin);
            entries.iter().any(|entry| entry.before != entry.after)
        };
        let stays = |parked: &Parked| {
            parked.gate.as_ref().is_some_and(|gate| {
                let is_same = !self.finds_awaited(parked.thread) && !gate.cells.iter().any(changes);
                parked.ended as usize <= begin
                    && (is_same || passes && self.is_passed_by(gate, begin))
            })
        };
        self.threads.dead.is_within(&self.parked_threads()) && self.parked.iter().all(stays)
    }

    /// True if a gate is of one cell, which changed after the first `begin` events and at some moment was what the gate
    /// does not let pass.
    fn is_passed_by(&self, gate: &Gate, begin: usize) -> bool {
        let [cell] = gate.cells[..] else {
            return false;
        };
        let mut entries = self.since(cell, begin).iter();
        entries.any(|entry| entry.before != entry.after && !gate.differs(|_| entry.after))
    }

    /// True if some thread has ended after the first `begin` events.
    fn has_ended(&self, begin: usize) -> bool {
        let mut threads = self.events()[begin..].iter().map(|event| event.thread);
        threads.any(|thread| self.pending_operation(thread).is_none())
    }

    fn moved(&self, thread: ThreadId, begin: usize) -> bool {
        let last = self.events_of(thread).last();
        last.is_some_and(|&k| k as usize >= begin)
    }

    /// True if all events after the first `begin` are accesses to memory, and calls that yield.
    fn is_memory_alone(&self, begin: usize) -> bool {
        let passives = self.event(begin).passives as usize;
        let writes = self.plain_writes().last();
        passives == self.passive.len()
            && writes.is_none_or(|write| write.after as usize <= begin)
            && (begin..self.len()).all(|k| self.is_access(k))
    }

    /// True if an event accesses memory of which all is known, or yields.
    fn is_access(&self, position: usize) -> bool {
        let interned = self.interned(position);
        let is_wide = interned.peeks && interned.gate.is_none();
        let is_access = matches!(
            interned.operation.kind,
            Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange | Kind::Pause
        );
        is_access && !is_wide && self.event(position).misuse.is_none()
    }

    /// The accesses to an object after the first `begin` events.
    fn since(&self, object: Object, begin: usize) -> &[Entry] {
        let log = self.log(object);
        let first = log.partition_point(|entry| (entry.event as usize) < begin);
        &log[first..]
    }

    /// True if memory changed after the first `begin` events, and is what it was then. If it did not change at all, the
    /// threads wait behind gates ([`crate::loop_iteration`]), and there is no cycle.
    fn is_memory_back(&self, begin: usize) -> bool {
        let mut changed = false;
        let all = (begin..self.len()).flat_map(|k| self.footprint(k));
        let is_back = { all }.all(|access| {
            let entries = self.since(access.object, begin);
            let (first, last) = (entries.first(), entries.last());
            changed |= entries.iter().any(|entry| entry.before != entry.after);
            access.object != GLOBAL && first.map(|e| e.before) == last.map(|e| e.after)
        });
        is_back && changed
    }

    /// True if `thread` could not go on at any time after the first `begin` events.
    fn stays_blocked(&self, thread: ThreadId, operation: OperationIndex, begin: usize) -> bool {
        let objects = gate_objects(self.table.get(operation));
        let changes = |&object: &Object| {
            let entries = self.since(object, begin);
            entries.iter().any(|entry| entry.before != entry.after)
        };
        !is_enabled(self, thread, operation) && !objects.iter().any(changes)
    }

    /// True if an operation waits for one cell, which changed after the first `begin` events and at some moment was
    /// not what the operation waits for.
    fn is_passed_over(&self, operation: OperationIndex, begin: usize) -> bool {
        let interned = self.table.get(operation);
        if let Some(gate) = &interned.gate {
            return self.is_passed_by(gate, begin);
        }
        let Some(condition) = Condition::awaited(&interned.operation) else {
            return false;
        };
        let passes = |value| condition.holds(Condition::found(&interned.operation, value));
        let mut entries = self.since(interned.object(), begin).iter();
        entries.any(|entry| entry.before != entry.after && !passes(entry.after))
    }

    /// True if `thread` stands where it stood after the first `begin` events: it went round its loop, and made the
    /// same events since the loop's head.
    fn is_where_it_was(&self, thread: ThreadId, begin: usize) -> bool {
        let length = self.len() as u32;
        let Some(now) = self.turns.last(thread, length) else {
            return false;
        };
        let heads = std::iter::successors(Some(now), |&at| self.turns.before(thread, at));
        let Some(then) = { heads }.find(|&at| at as usize <= begin) else {
            return false;
        };
        let own = self.events_of(thread);
        let between = |from: u32, to: usize| {
            let first = own.partition_point(|&k| k < from);
            let last = own.partition_point(|&k| (k as usize) < to);
            own[first..last].iter().map(|&k| self.done(k as usize))
        };
        between(then, begin).eq(between(now, self.len()))
    }

    /// The operation of an event, and the values that it found and left in each object.
    fn done(&self, position: usize) -> (Operation, SmallVec<[(u64, u64); 2]>) {
        let interned = self.interned(position);
        let operation = match interned.operation.iteration {
            Iteration::MayRepeat => Operation {
                iteration: Iteration::None,
                ..interned.operation
            },
            _ => interned.operation,
        };
        let entries = interned.own().iter().filter_map(|&object| {
            let log = self.log(object);
            let at = log.binary_search_by_key(&(position as u32), |entry| entry.event);
            at.ok().map(|at| (log[at].before, log[at].after))
        });
        (operation, entries.collect())
    }
}
