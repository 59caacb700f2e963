//! What a search that reverses races plans when an execution has ended.

use crate::enabled::{is_blocked_by_lock, is_enabled, succeeds_now};
use crate::end::End;
use crate::mutation::Mutation;
use crate::reversals::{Found, Insert, Reversals};
use crate::trace::Trace;
use crate::Program;

/// Number of events from which on only the first races of an execution that is cut are reversed: each takes a pass over
/// all events, and it is not explored whole in any case.
const LONG: usize = 1 << 16;

/// The races of so many events.
const REVERSED_OF_LONG: usize = 1 << 14;

/// An execution that just ended.
pub(crate) struct Ended<'a> {
    /// The events of the execution.
    pub trace: &'a mut Trace,
    /// How it ended.
    pub end: &'a End,
    /// Position of its first event that the execution before did not have.
    pub new_from: usize,
}

impl Ended<'_> {
    /// Reverses the races of the execution, those of operations that never ran included: `tree` takes the plans.
    pub fn reverse<P: Program>(
        self,
        program: &mut P,
        reversals: &mut Reversals,
        tree: &mut impl Insert,
    ) {
        let trace = self.trace;
        let is_too_long = *self.end == End::EventBound && trace.len() > LONG;
        let until = if is_too_long {
            REVERSED_OF_LONG
        } else {
            usize::MAX
        };
        reversals.analyse(trace, self.new_from, until, tree);
        if is_too_long || reversals.mutation.is(Mutation::NoVirtualEvents) {
            return;
        }
        let forestalled = matches!(self.end, End::Exited | End::Misuse(_));
        let ender = trace.events().last().map(|event| event.thread);
        let pending: Vec<_> = trace.pending_threads().collect();
        for (thread, operation) in pending {
            if trace.is_held_back(thread) {
                continue; // Its elder stands before the same.
            }
            if !is_enabled(trace, thread, operation) {
                if is_blocked_by_lock(trace, thread, operation) {
                    trace.find_base(thread, operation);
                    reversals.analyse_blocked(trace, thread, operation, tree);
                }
            } else if forestalled
                && Some(thread) != ender
                && !reversals.mutation.is(Mutation::ExitForestallsNothing)
            {
                let interned = trace.table.get(operation);
                let cell = interned.counter.map(|_| interned.object());
                let found = Found {
                    succeeds: succeeds_now(trace, program, operation),
                    cell: cell.map(|cell| trace.present(program, cell)),
                };
                reversals.analyse_forestalled(trace, thread, operation, found, tree);
            }
        }
    }
}
