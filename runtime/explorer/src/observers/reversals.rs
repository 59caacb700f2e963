//! Reversals of two stores whose order somebody observed.
//!
//! Let store `w` and then store `s` write the same bytes, the one unread, the other read by `o`, with
//! nothing between them in happens-before. `w` does nothing for `s` but to go first, so without that
//! edge (and those to the readers of `s`, which it implies) much of what happens after `w` stays
//! possible before it. Two plans lead to what the present execution cannot:
//! - `w` later than a read of `s`: everything that does not happen after `w` otherwise;
//! - `o` reads `w`: what happens neither after `w` otherwise nor after a read of `s`; then `w`; then
//!   what happens after `w` otherwise but not after a read of `s`; then `o`. One for each `o` that
//!   does not happen after another read of `s`.
//!
//! *Sleeping stores.* A store `q` that sleeps when another store to its bytes is executed is neither
//! awake nor asleep: if `q` goes on to be overwritten unread it might as well have gone first, and
//! that was explored; if it is read it must not be missing here. It sleeps on *unless it is read*, and
//! a plan that executes it is let through only if it contains a read of it. What was executed thus is
//! *owed* a read until it is read; plans that do not pay are covered elsewhere.
//!
//! Source: Aronis, Jonsson, Lång, Sagonas (TACAS 2018). Deviations: the tree is ordered (`crate::tree`);
//! the first of the two plans is ours, the published algorithm comes to it from the second.

use crate::mutation::Mutation;
use crate::object::{alternatives, effect, memory};
use crate::plan::{Plan, ReadStores, Taken, Unread};
use crate::positions::Positions;
use crate::race::{Query, Removed};
use crate::reversals::{Insert, Reversals};
use crate::state::After;
use crate::trace::{Observation, Reader, Row, Trace, Way};
use crate::tree::Step;
use dpor_model::{Kind, ThreadId};
use smallvec::{smallvec, SmallVec};

/// Stores that plain reads inside a plan read; `inside` contains what happens before its members.
/// `counts`: which of the reads, asked in order.
pub(crate) fn plain_reads(
    trace: &Trace,
    inside: impl Fn(usize) -> bool,
    mut counts: impl FnMut(&Observation) -> bool,
) -> ReadStores {
    let mut read = ReadStores::new();
    for observation in trace.observations.list() {
        if let Reader::Plain(_, row) = observation.reader {
            let inside = trace.is_row_left(row, &inside) && inside(observation.store as usize);
            if counts(observation) && inside {
                read.push(observation.store);
            }
        }
    }
    read
}

/// True if a race that was noted when its second event was executed is one by today's clocks:
/// observations since then may have ordered its events.
pub(crate) fn is_still_race(trace: &Trace, removed: &Removed, second: usize) -> bool {
    if removed
        .iter()
        .any(|&k| trace.is_in_base(k as usize, second))
    {
        return false;
    }
    // A store that is read happens after the unread ones before it; what comes before these is
    // no race of it.
    let mut all = trace.observations.list().iter();
    !all.any(|o| o.store as usize == second && o.run.is_some_and(|run| run < o.index))
}

/// True if the races of event `second` have to be looked for anew: it waits for several others that
/// commute, and which of them have to go together depends on the edges that observations added since.
pub(crate) fn stales(trace: &Trace, second: usize) -> bool {
    let waits = || trace.interned(second).facts.waits_for_commuting;
    trace.observations.add_edges()
        && waits()
        && !trace.table.mutation.is(Mutation::RacesStayAsNoted)
}

/// An unread store, and one after it that is read.
struct Pair<'a> {
    trace: &'a Trace,
    unread: usize,
    observation: Observation,
    /// The first events after the unread store by program order and edges alone.
    next: SmallVec<[usize; 2]>,
    /// Passive steps after the unread store with no event between.
    steps: SmallVec<[u32; 2]>,
    /// The readers, and of each the first event that happens after its read.
    readers: SmallVec<[(Reader, Option<usize>); 4]>,
}

impl<'a> Pair<'a> {
    fn new(trace: &'a Trace, unread: usize, observation: Observation) -> Self {
        let thread = trace.event(unread).thread;
        let own_next = next_event(trace, thread, unread + 1);
        let mut next: SmallVec<[usize; 2]> = own_next.into_iter().collect();
        let mut steps: SmallVec<[u32; 2]> = smallvec![];
        for step in trace.passive.first_after(unread + 1)..trace.passive.len() {
            let step = step as u32;
            let passive = trace.passive.get(step);
            let end = passive.after as usize;
            let follows = |t: ThreadId| {
                (t == thread && own_next.is_none_or(|event| event >= end))
                    || last_step(trace, t, step).is_some_and(|last| steps.contains(&last))
            };
            let operation = &trace.table.get(passive.operation).operation;
            let joins = match operation.kind {
                _ if passive.way == Way::Again => false,
                Kind::Join => follows(operation.thread()),
                kind => kind == Kind::JoinAll,
            };
            if joins || follows(passive.thread) {
                steps.push(step);
                next.extend(next_event(trace, passive.thread, end));
            }
        }
        let all = trace.observations.list().iter();
        let mut readers: SmallVec<[(Reader, Option<usize>); 4]> = smallvec![];
        for o in all.filter(|o| o.store == observation.store && o.cell == observation.cell) {
            if readers.iter().all(|r| r.0 != o.reader) {
                let after = match o.reader {
                    Reader::Event(event) => Some(event as usize),
                    Reader::Plain(thread, _) => next_event(trace, thread, o.at as usize + 1),
                };
                readers.push((o.reader, after));
            }
        }
        Pair {
            trace,
            unread,
            observation,
            next,
            steps,
            readers,
        }
    }

    /// True if event `k` happens after the unread store, but not because of the cell.
    fn is_after(&self, k: usize) -> bool {
        let mut next = self.next.iter();
        next.any(|&n| self.trace.happens_before(n, k))
    }

    fn is_row_after(&self, row: Row) -> bool {
        let soon = matches!(row, Row::Passive(step) if self.steps.contains(&step));
        let mut next = self.next.iter();
        soon || next.any(|&n| self.trace.happens_before_row(n, row))
    }

    /// True if event `k` happens after a read of the read store, or is one.
    fn is_after_reader(&self, k: usize) -> bool {
        let mut after = self.readers.iter().filter_map(|r| r.1);
        after.any(|event| self.trace.happens_before(event, k))
    }

    fn is_minimal(&self, reader: Reader) -> bool {
        let others = self.readers.iter().filter(|other| other.0 != reader);
        let mut after = others.filter_map(|other| other.1);
        !after.any(|event| match reader {
            Reader::Event(o) => self.trace.happens_before(event, o as usize),
            Reader::Plain(_, row) => self.trace.happens_before_row(event, row),
        })
    }

    /// The unread store after a read of the other, if such a read does not need it: what does not
    /// happen after the unread store otherwise.
    fn without(&self, events: &mut Positions) -> bool {
        let mut readers = self.readers.iter();
        let is_free = |reader: &Reader| match *reader {
            Reader::Event(o) => !self.is_after(o as usize),
            Reader::Plain(_, row) => !self.is_row_after(row),
        };
        if !readers.any(|reader| is_free(&reader.0)) {
            return false;
        }
        events.fill(self.unread + 1, self.trace.len(), |k| !self.is_after(k));
        true
    }

    /// What plain reads read in the plan in which `reader` reads the unread store.
    fn reads_before(&self, reader: Reader) -> ReadStores {
        // What a thread reads after its read of the cell it may not read now.
        let mut changed: SmallVec<[Reader; 2]> = smallvec![];
        let counts = |o: &Observation| {
            if o.store == self.observation.store {
                changed.push(o.reader);
            }
            !changed.contains(&o.reader)
        };
        let mut read = plain_reads(self.trace, |k| self.is_inside(k), counts);
        if matches!(reader, Reader::Plain(..)) {
            read.push(self.unread as u32);
        }
        read
    }

    fn is_inside(&self, k: usize) -> bool {
        k <= self.unread || !self.is_after_reader(k)
    }

    /// Event `o` once the cell has the value of the unread store.
    fn moved(&self, o: usize) -> Step {
        let trace = self.trace;
        let interned = trace.interned(o);
        let view = After(trace, |k| self.is_inside(k));
        let succeeds = !interned.compared().is_empty() && {
            let mut cells = [0; memory::CELLS_MAX];
            for (cell, &object) in cells.iter_mut().zip(interned.compared()) {
                *cell = match object == self.observation.cell {
                    true => self.value(),
                    false => trace.value_after(object, view.1).unwrap_or(0),
                };
            }
            memory::succeeds(&interned.operation, cells)
        };
        let (thread, taken) = (trace.event(o).thread, trace.event(o).decision.alternative);
        // A comparison that fails leaves no choice.
        let all = alternatives(interned, thread, succeeds, &view);
        let alternative = match all.contains(taken) {
            true => taken,
            false => all.first(),
        };
        let footprint = match interned.counter {
            Some(_) => memory::counted(interned, self.value()),
            None => effect(interned, thread, alternative, succeeds, &view).footprint,
        };
        Step {
            thread,
            alternative,
            footprint,
        }
    }

    /// The cell after the unread store.
    fn value(&self) -> u64 {
        let log = self.trace.log(self.observation.cell);
        let entry = log.iter().find(|e| e.event as usize == self.unread);
        entry.expect("it is in its log").after
    }
}

/// The last passive step of `thread` before passive step `before`, if no event came after it.
fn last_step(trace: &Trace, thread: ThreadId, before: u32) -> Option<u32> {
    let last = (0..before)
        .rev()
        .find(|&s| trace.passive.get(s).thread == thread)?;
    let end = trace.passive.get(before).after as usize;
    let next = next_event(trace, thread, trace.passive.get(last).after as usize);
    next.is_none_or(|event| event >= end).then_some(last)
}

/// The first event of `thread` at position `from` or later.
fn next_event(trace: &Trace, thread: ThreadId, from: usize) -> Option<usize> {
    (from..trace.len()).find(|&k| trace.event(k).thread == thread)
}

impl Reversals {
    /// Looks for the races that [`stales`] says have to be looked for anew, and reverses them.
    pub(crate) fn reverse_stale(&mut self, trace: &Trace, tree: &mut impl Insert) {
        if !trace.observations.add_edges() {
            return;
        }
        let nothing = vec![0; trace.stride];
        for second in (0..trace.len()).filter(|&second| stales(trace, second)) {
            let event = trace.event(second);
            let query = Query {
                trace,
                base: trace.row(trace.row_before(second)).unwrap_or(&nothing),
                end: second,
                thread: event.thread,
                operation: event.operation,
                footprint: trace.footprint(second),
                mutation: self.mutation,
            };
            self.reverse_all(&query, Some(second), tree);
        }
    }

    /// Plans what the observed orders of two stores exclude.
    pub(crate) fn reverse_observed(&mut self, trace: &Trace, tree: &mut impl Insert) {
        for i in 0..trace.observations.list().len() {
            let observation = trace.observations.list()[i];
            let Some(run) = observation.run else { continue };
            let store = observation.store as usize;
            let log = trace.log(observation.cell);
            let run = &log[run as usize..observation.index as usize];
            for entry in run {
                let unread = entry.event as usize;
                let before = |other: usize| other != unread && trace.happens_before(unread, other);
                let own = entry.thread == trace.event(store).thread;
                if own
                    || trace.is_in_base(unread, store)
                    || run.iter().any(|other| before(other.event as usize))
                {
                    continue;
                }
                self.reverse_pair(&Pair::new(trace, unread, observation), tree);
            }
        }
    }

    fn reverse_pair(&mut self, pair: &Pair<'_>, tree: &mut impl Insert) {
        let (trace, first) = (pair.trace, pair.unread);
        let mut events = Positions::default();
        if pair.without(&mut events) {
            self.count += 1;
            let read = plain_reads(trace, |k| k < first || events.contains(k), |_| true);
            let mut plan = Plan {
                trace,
                first,
                second: trace.len(),
                events: &mut events,
                moved: None,
                kind: None,
                original: &[],
                read,
                is_before: false,
                unread: None,
                taken: Taken::default(),
            };
            tree.insert(first, &mut plan);
        }
        if self.mutation.is(Mutation::UnreadStaysFirst) {
            return;
        }
        let mut late = Positions::default();
        late.fill(first + 1, trace.len(), |k| pair.is_after(k));
        let readers = pair.readers.iter().map(|reader| reader.0);
        for reader in readers.filter(|&reader| pair.is_minimal(reader)) {
            self.count += 1;
            events.fill(first + 1, trace.len(), |k| !pair.is_after_reader(k));
            if trace.table.looks && moves_look(trace, &events, &late) {
                self.miscounted = true;
                return;
            }
            let moved = match reader {
                Reader::Plain(..) => None,
                Reader::Event(o) => Some(pair.moved(o as usize)),
            };
            let mut plan = Plan {
                trace,
                first,
                second: trace.len(),
                events: &mut events,
                moved: moved.as_ref(),
                kind: match reader {
                    Reader::Event(o) => Some(trace.operation(o as usize).kind),
                    Reader::Plain(..) => None,
                },
                original: &[],
                read: pair.reads_before(reader),
                is_before: false,
                unread: Some(Unread {
                    late: &late,
                    left: true,
                }),
                taken: Taken::default(),
            };
            tree.insert(first, &mut plan);
        }
    }
}

/// Whether a plan of the `events`, of which those that are `late` come last, has a look at a count behind a drop that it
/// came before. What it is told there is not known.
#[cold]
fn moves_look(trace: &Trace, events: &Positions, late: &Positions) -> bool {
    let accesses = |k: usize| trace.footprint(k).iter().map(move |access| (k, access));
    let looks = events
        .iter()
        .filter(|&k| late.contains(k))
        .flat_map(accesses);
    let mut looks = looks.filter(|(_, access)| access.class.is_look());
    looks.any(|(look, access)| {
        let behind = trace.log(access.object).iter().rev();
        let mut behind = behind.take_while(|entry| entry.event as usize > look);
        behind.any(|entry| {
            let k = entry.event as usize;
            let is_like = entry.class.commutes(access.class) && !entry.class.is_look();
            is_like && events.contains(k) && !late.contains(k)
        })
    })
}
