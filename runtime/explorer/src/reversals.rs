//! The races of an execution, and the plans they become.
//!
//! Each race of the present execution is noted where its second event is about to be executed, and
//! reversed at the end, when all that a plan may contain has happened.
//!
//! All races of an execution are analysed, not only those with a new second event: plans contain
//! events *after* the race, so that the verdict "covered" can change with the end of the execution
//! alone. A verdict that cannot, because it was reached on events before the second one, is final
//! as long as these events stay, and the race is forgotten ([`Verdict::Final`]).
//!
//! Source: Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas; J. ACM 2017).

mod chosen;
mod forestalled;

use crate::conflict::{conflict, turns, Access, GLOBAL};
use crate::increments::{is_turned, turns_moved};
use crate::mutation::{Mutation, Seeded};
use crate::object::{alternatives, blocked_footprint, effect, gate_objects};
use crate::observers::reversals::{is_still_race, plain_reads, stales};
use crate::operation::OperationIndex;
use crate::plan::{Plan, Taken};
use crate::positions::Positions;
use crate::quick_check::{QuickCheck, SimpleReversal};
use crate::race::{is_removed, Query, Removed};
use crate::state::After;
use crate::trace::Trace;
use crate::tree::Step;
use dpor_model::{ThreadId, TIMEOUT};

pub(crate) use forestalled::Found;

/// The races of the present execution, and how they become plans. What happens to a plan is the
/// tree's business ([`Insert`]).
#[derive(Default)]
pub(crate) struct Reversals {
    /// Races that are not settled, in order of their second events.
    races: Vec<Race>,
    pub mutation: Seeded,
    /// Scratch: the events of a plan, and those left of it.
    events: Positions,
    /// Positions of the events that are left (`events` has those of the plan).
    rest: Positions,
    /// Races reversed so far.
    pub count: u64,
    /// A plan would move a look at a count behind a drop, and the search should begin anew without such looks.
    pub miscounted: bool,
}

/// A tree of plans.
pub(crate) trait Insert {
    /// Inserts a plan before event `first` of the execution, unless it is covered.
    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict;

    /// Number of nodes.
    fn size(&self) -> usize;

    /// Whether the event is a choice whose other alternatives were planned for good ([`Verdict::ForGood`]).
    fn has_other_choices(&self, _event: usize) -> bool {
        false
    }

    /// What is known of a reversal without a plan.
    fn quick_check(&self, reversal: &SimpleReversal<'_>) -> QuickCheck<Verdict>;

    /// Inserts as [`Insert::insert`] does, of a plan of which [`Insert::quick_check`] said that it is new with this verdict.
    fn insert_new(&mut self, first: usize, plan: &mut Plan<'_>, _verdict: Verdict) -> Verdict {
        self.insert(first, plan)
    }
}

struct Race {
    second: u32,
    what: What,
}

enum What {
    /// The second event before the removed ones.
    Reverse(Removed),
    /// The event, with another alternative.
    Choose(u32),
    /// The event, a look at a count that was told "no" ([`crate::conflict::Class::look`]), behind all that need not come
    /// after it.
    LookLater,
    /// Instead of the second event, with which a thread gives up waiting, that of another thread.
    TimeOut(ThreadId, OperationIndex),
    /// An operation that was blocked when a thread gave up, the second event, before the removed
    /// ones.
    Blocked(ThreadId, OperationIndex, Removed),
}

/// What became of a reversal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Covered or planned, and will be as long as the events up to the second one stay.
    Final,
    /// Covered or planned, also if later events observe other stores.
    ForGood,
    /// Covered or planned in this execution.
    Open,
}

impl Verdict {
    /// The verdict on a reversal that is covered or planned, which is `settled` or not.
    #[inline]
    pub fn settled(settled: bool) -> Verdict {
        match settled {
            true => Verdict::Final,
            false => Verdict::Open,
        }
    }
}

impl Reversals {
    pub fn new(mutation: Seeded) -> Self {
        Reversals {
            mutation,
            ..Reversals::default()
        }
    }

    /// Forgets the races of the events from `depth` on.
    pub fn truncate(&mut self, depth: usize) {
        let kept = self
            .races
            .partition_point(|race| (race.second as usize) < depth);
        self.races.truncate(kept);
    }

    /// Notes the races of the operation that is about to be appended to `trace`; its base is known.
    pub fn note_races(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        footprint: &[Access],
    ) {
        let query = Query {
            trace,
            base: trace.base(),
            end: trace.len(),
            thread,
            operation,
            footprint,
            mutation: self.mutation,
        };
        let second = trace.len() as u32;
        let again = trace.began_again(thread);
        query.races(|removed| {
            if again.is_none_or(|began| removed.iter().any(|&k| k < began)) {
                self.races.push(Race {
                    second,
                    what: What::Reverse(removed),
                });
            }
        });
    }

    /// Notes that the event about to be appended, with which a thread gives up waiting, could be that
    /// of `thread`.
    pub fn note_other_timeout(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
    ) {
        self.races.push(Race {
            second: trace.len() as u32,
            what: What::TimeOut(thread, operation),
        });
    }

    /// Notes the races of an operation that is blocked while a thread gives up waiting. Its base has
    /// been computed.
    pub fn note_blocked(&mut self, trace: &Trace, thread: ThreadId, operation: OperationIndex) {
        let second = trace.len() as u32;
        let races = &mut self.races;
        if self.mutation.is(Mutation::BlockedForgotten) {
            return;
        }
        with_blocked(trace, thread, operation, self.mutation, |query| {
            query.races(|removed| {
                races.push(Race {
                    second,
                    what: What::Blocked(thread, operation, removed),
                });
            });
        });
    }

    /// Reverses every race of the execution that just ended. `new_from`: its first new event. `until`: races with later
    /// events wait.
    pub fn analyse(
        &mut self,
        trace: &Trace,
        new_from: usize,
        until: usize,
        tree: &mut impl Insert,
    ) {
        let mut races = std::mem::take(&mut self.races);
        let stores = trace.table.stores;
        races.retain(|race| {
            let incremental = self.mutation.is(Mutation::IncrementalAnalysis);
            if incremental && (race.second as usize) < new_from {
                return true;
            }
            let j = race.second as usize;
            if j >= until {
                return true;
            }
            if let (true, What::Reverse(removed)) = (stores, &race.what) {
                if stales(trace, j) || !is_still_race(trace, removed, j) {
                    return true;
                }
            }
            self.count += 1;
            let verdict = match &race.what {
                What::Reverse(removed) => {
                    let thread = trace.event(j).thread;
                    let operation = trace.event(j).operation;
                    self.reverse(trace, removed, thread, operation, Some(j), tree)
                }
                What::Choose(alternative) => {
                    let event = trace.event(j);
                    let step = (event.thread, event.operation, *alternative);
                    self.choose_other(trace, j, step, tree)
                }
                What::LookLater => {
                    let event = trace.event(j);
                    let step = (event.thread, event.operation, event.decision.alternative);
                    self.choose_other(trace, j, step, tree)
                }
                What::TimeOut(thread, operation) => {
                    self.choose_other(trace, j, (*thread, *operation, TIMEOUT), tree)
                }
                What::Blocked(thread, operation, removed) => {
                    self.reverse(trace, removed, *thread, *operation, None, tree)
                }
            };
            match verdict {
                // Observations by later events can change it; before the first store was met there was nothing to
                // observe.
                Verdict::Final => stores,
                Verdict::ForGood => false,
                Verdict::Open => true,
            }
        });
        self.races = races;
        if stores && until >= trace.len() {
            self.reverse_stale(trace, tree);
            self.reverse_observed(trace, tree);
        }
    }

    /// Reverses the races of an operation that never ran. Its base has been computed.
    pub fn analyse_blocked(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        tree: &mut impl Insert,
    ) {
        with_blocked(trace, thread, operation, self.mutation, |query| {
            self.reverse_all(query, None, tree);
        });
    }

    /// Reverses the races of an operation. `second`: where it was executed.
    pub(crate) fn reverse_all(
        &mut self,
        query: &Query<'_>,
        second: Option<usize>,
        tree: &mut impl Insert,
    ) {
        let mut found = Vec::new();
        query.races(|removed| found.push(removed));
        for removed in found {
            self.count += 1;
            let (thread, operation) = (query.thread, query.operation);
            self.reverse(query.trace, &removed, thread, operation, second, tree);
        }
    }

    /// Makes `events` the events after the removed ones that do not happen after any of them, without event `second`.
    #[inline]
    fn keep_after_removal(&mut self, trace: &Trace, removed: &Removed, second: Option<usize>) {
        let first = removed[0] as usize;
        let second_or_end = second.unwrap_or(trace.len());
        match removed[..] {
            [_] => {
                self.events.fill_with(first + 1, trace.not_after(first));
                if second.is_some() {
                    self.events.leave_out(second_or_end);
                }
            }
            _ => {
                let stays = |k| k != second_or_end && !is_removed(trace, removed, k);
                self.events.fill(first + 1, trace.len(), stays);
            }
        }
    }

    /// Plans the operation of `thread` before the removed events. `second`: where it was executed.
    fn reverse(
        &mut self,
        trace: &Trace,
        removed: &Removed,
        thread: ThreadId,
        operation: OperationIndex,
        second: Option<usize>,
        tree: &mut impl Insert,
    ) -> Verdict {
        let first = removed[0] as usize;
        let second_or_end = second.unwrap_or(trace.len());
        let original = second.map_or(&[][..], |j| trace.footprint(j));
        let interned = trace.table.get(operation);
        let mut known = QuickCheck::Unknown;
        let is_simple = !trace.table.stores && trace.log(GLOBAL).is_empty();
        if is_simple && removed.len() == 1 && !interned.facts.chooses {
            known = tree.quick_check(&SimpleReversal {
                trace,
                first,
                second: second_or_end,
                thread,
                original,
                kind: interned.operation.kind,
                is_counter: interned.counter.is_some(),
            });
            if let (QuickCheck::Covered(verdict), false) = (known, cfg!(debug_assertions)) {
                return verdict;
            }
        }
        // With debug assertions the plan is made and asked all the same.
        let size = tree.size();
        self.keep_after_removal(trace, removed, second);
        let events = std::mem::take(&mut self.events);
        let view = After(trace, |k| k < first || events.contains(k));
        let succeeds = match second {
            Some(j) if self.mutation.is(Mutation::WaitsFindTheSame) => trace.footprint(j).len() > 1,
            _ => self.predict(trace, operation, &view.1),
        };
        let mut verdict = Verdict::Final;
        let choices = alternatives(interned, thread, succeeds, &view);
        for alternative in choices.iter() {
            let footprint = match second {
                Some(j) if self.mutation.is(Mutation::StaleOutcome) => trace.footprint(j).into(),
                _ => effect(interned, thread, alternative, succeeds, &view).footprint,
            };
            // Alternatives may differ in their objects: one of them need not conflict. A counter may have the answer of
            // the removed one, in the place of which it stands.
            let removed = trace.footprint(first);
            let turns = turns(&footprint, removed) && !self.mutation.is(Mutation::LikeNotReversed);
            let is_turned = is_turned(&footprint, removed, &view)
                && !self.mutation.is(Mutation::IncrementsTurnNothing);
            let is_turned = is_turned
                || (trace.table.looks
                    && turns_moved(trace, &footprint, (first, second_or_end), &events));
            if !conflict(removed, &footprint) && !turns && !is_turned {
                continue;
            }
            let moved = Step {
                thread,
                alternative,
                footprint,
            };
            self.rest.copy_from(&events);
            let mut plan = Plan {
                trace,
                first,
                second: second_or_end,
                events: &mut self.rest,
                moved: Some(&moved),
                kind: Some(interned.operation.kind),
                original,
                read: plain_reads(trace, |k| k < first || events.contains(k), |_| true),
                is_before: true,
                unread: None,
                taken: Taken::default(),
            };
            let inserted = match known {
                QuickCheck::New(verdict) => tree.insert_new(first, &mut plan, verdict),
                _ => tree.insert(first, &mut plan),
            };
            if inserted == Verdict::Open {
                verdict = Verdict::Open;
            }
        }
        self.events = events;
        if let QuickCheck::Covered(known) = known {
            debug_assert_eq!(size, tree.size(), "a reversal that is not covered");
            return known;
        }
        verdict
    }

    /// Derives whether an operation that compares finds what it expects after the events for which `inside` holds.
    fn predict(
        &self,
        trace: &Trace,
        operation: OperationIndex,
        inside: &impl Fn(usize) -> bool,
    ) -> bool {
        let interned = trace.table.get(operation);
        if interned.compared().is_empty() {
            return false;
        }
        let mut cells = [0; crate::object::memory::CELLS_MAX];
        for (cell, &object) in cells.iter_mut().zip(interned.compared()) {
            *cell = trace.value_after(object, inside).unwrap_or(0);
        }
        crate::object::memory::succeeds(&interned.operation, cells)
    }
}

/// Asks something of the races of an operation that is blocked, whose base has been computed.
fn with_blocked(
    trace: &Trace,
    thread: ThreadId,
    operation: OperationIndex,
    mutation: Seeded,
    ask: impl FnOnce(&Query<'_>),
) {
    let interned = trace.table.get(operation);
    if gate_objects(interned).is_empty() {
        return;
    }
    let footprint = blocked_footprint(interned);
    ask(&Query {
        trace,
        base: trace.base(),
        end: trace.len(),
        thread,
        operation,
        footprint: &footprint,
        mutation,
    });
}
