//! What the end of the process forestalled.

use super::{Insert, Reversals};
use crate::object::memory::counted;
use crate::object::{alternatives, effect};
use crate::operation::OperationIndex;
use crate::plan::{Plan, ReadStores, Taken};
use crate::state::After;
use crate::trace::Trace;
use crate::tree::Step;
use dpor_model::ThreadId;

/// What an operation would find in memory where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// Whether one that compares finds what it expects.
    pub succeeds: bool,
    /// The cell of a counter, if the program shows it.
    pub cell: Option<u64>,
}

impl Reversals {
    /// Reverses the last event, which ended the process, with an operation that was enabled then.
    pub fn analyse_forestalled(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        operation: OperationIndex,
        found: Found,
        tree: &mut impl Insert,
    ) {
        let last = trace.len() - 1;
        let interned = trace.table.get(operation);
        let view = After(trace, |k| k < last);
        self.count += 1;
        for alternative in alternatives(interned, thread, found.succeeds, &view).iter() {
            let footprint = match (interned.counter, found.cell) {
                (Some(_), Some(cell)) => counted(interned, cell),
                _ => effect(interned, thread, alternative, found.succeeds, &view).footprint,
            };
            let step = Step {
                thread,
                alternative,
                footprint,
            };
            self.events.fill(0, 0, |_| false);
            let mut plan = Plan {
                trace,
                first: last,
                second: last,
                events: &mut self.events,
                moved: Some(&step),
                kind: Some(interned.operation.kind),
                original: &[],
                read: ReadStores::new(),
                is_before: true,
                unread: None,
                taken: Taken::default(),
            };
            tree.insert(last, &mut plan);
        }
    }
}
