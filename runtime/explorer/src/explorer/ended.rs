//! What is planned when an execution has ended.

use super::{Explorer, State};
use crate::enabled::{is_blocked_by_lock, is_enabled, succeeds_now};
use crate::end::End;
use crate::mutation::{Mutation, Seeded};
use crate::program::Program;
use crate::reversals::{Insert, Reversals};
use crate::trace::Trace;

impl Explorer {
    /// Turns the execution that just ended into plans.
    pub(super) fn analyse<P: Program>(&mut self, program: &mut P, end: &End, new_from: usize) {
        if let State::Classic(classic) = &mut self.state {
            return classic.analyse(&mut self.trace, program);
        }
        if let State::Sample(sampler) = &mut self.state {
            return sampler.ended(&self.trace);
        }
        let Some(reversals) = self.state.reversals() else {
            return;
        };
        let mut reversals = std::mem::take(reversals);
        let ended = Ended {
            trace: &mut self.trace,
            end,
            new_from,
            mutation: self.config.mutation,
        };
        match &mut self.state {
            State::Optimal(optimal) => {
                ended.analyse(program, &mut reversals, &mut **optimal);
                optimal.reversals = reversals;
                optimal.note_size();
            }
            State::Worker(partition) => {
                ended.analyse(program, &mut reversals, &mut **partition);
                partition.reversals = reversals;
            }
            State::Classic(_)
            | State::Dfs(_)
            | State::Icb(_)
            | State::Sample(_)
            | State::Replay => {}
        }
    }
}

/// Of an execution that is cut after more events only the first races are reversed: each takes a pass over all events,
/// and it is not explored whole in any case.
const LONG: usize = 1 << 16;

/// The races of so many events.
const REVERSED_OF_LONG: usize = 1 << 14;

/// An execution that just ended.
struct Ended<'a> {
    trace: &'a mut Trace,
    end: &'a End,
    new_from: usize,
    mutation: Seeded,
}

impl Ended<'_> {
    /// Reverses its races, those of operations that never ran included.
    fn analyse<P: Program>(
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
        if is_too_long {
            return;
        }
        if self.mutation.is(Mutation::NoVirtualEvents) {
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
                && !self.mutation.is(Mutation::ExitForestallsNothing)
            {
                let succeeds = succeeds_now(trace, program, operation);
                reversals.analyse_forestalled(trace, thread, operation, succeeds, tree);
            }
        }
    }
}
