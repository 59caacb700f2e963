//! Events that could have been others: choices, and looks at a count that may be told something else later.

use super::{Insert, Race, Reversals, Verdict, What};
use crate::mutation::Mutation;
use crate::object::{effect, Alternatives};
use crate::observers::reversals::plain_reads;
use crate::operation::OperationIndex;
use crate::plan::{Plan, Taken};
use crate::state::After;
use crate::trace::Trace;
use crate::tree::Step;
use dpor_model::{Kind, ThreadId};

impl Reversals {
    /// Notes that the event about to be appended could have had other alternatives.
    pub fn note_choice(&mut self, trace: &Trace, alternatives: Alternatives, taken: u32) {
        if self.mutation.is(Mutation::AlternativesAtFreeNodes) {
            return;
        }
        let second = trace.len() as u32;
        for other in alternatives.iter().filter(|&a| a != taken) {
            self.races.push(Race {
                second,
                what: What::Choose(other),
            });
        }
    }

    /// Notes that the event about to be appended, a look at a count, may be told something else later.
    pub fn note_look(&mut self, trace: &Trace) {
        if self.mutation.is(Mutation::LooksNotRepeated) {
            return;
        }
        self.races.push(Race {
            second: trace.len() as u32,
            what: What::LookLater,
        });
    }

    /// Plans another step instead of event `j`: its other alternative, or that of another thread.
    pub(super) fn choose_other(
        &mut self,
        trace: &Trace,
        j: usize,
        (thread, operation, alternative): (ThreadId, OperationIndex, u32),
        tree: &mut impl Insert,
    ) -> Verdict {
        // One choice may be of thousands, of which each would look for all others.
        if tree.has_other_choices(j) {
            return Verdict::ForGood;
        }
        let interned = trace.table.get(operation);
        self.events
            .fill(j + 1, trace.len(), |k| !trace.happens_before(j, k));
        // The plan ends with it. Alternatives may differ in their objects, so that other events of the
        // plan can change what it does: whether a wait that did not end by itself is a misuse.
        let footprint = {
            let events = &self.events;
            let in_place = self.mutation.is(Mutation::AlternativesInPlace);
            let view = After(trace, |k| k < j || (!in_place && events.contains(k)));
            // What has a choice found what it expected, but for a wake-up that changes a word.
            let succeeds = interned.operation.kind != Kind::FutexWakeOp
                || self.predict(trace, operation, &view.1);
            effect(interned, thread, alternative, succeeds, &view).footprint
        };
        let is_look = trace
            .footprint(j)
            .iter()
            .any(|access| access.class.is_look());
        if is_look && footprint.iter().any(|access| access.class.is_look()) {
            // It is told the same, in this execution.
            return Verdict::Open;
        }
        let moved = Step {
            thread,
            alternative,
            footprint,
        };
        let mut plan = Plan {
            trace,
            first: j,
            second: j,
            events: &mut self.events,
            moved: Some(&moved),
            kind: Some(interned.operation.kind),
            original: trace.footprint(j),
            read: plain_reads(trace, |k| k < j || !trace.happens_before(j, k), |_| true),
            is_before: true,
            unread: None,
            taken: Taken::default(),
        };
        let is_independent = plan.is_independent();
        match tree.insert(j, &mut plan) {
            // What later events do decides what it is told.
            _ if is_look => Verdict::Open,
            // As a branch by itself it covers any plan with it: an equivalent order of that begins with it.
            Verdict::Final if is_independent => Verdict::ForGood,
            _ if self.mutation.is(Mutation::ChoicesAreForGood) => Verdict::ForGood,
            verdict => verdict,
        }
    }
}
