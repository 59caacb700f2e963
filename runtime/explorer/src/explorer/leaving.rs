//! The last step of the process ([`Kind::ProcessEnd`](dpor_model::Kind::ProcessEnd)).
//!
//! It conflicts with nothing, and nothing comes after it: wherever it stood in an execution, all that other
//! threads do could come before it. So it is taken last, when no other thread can go on, and is no event. Who
//! waits then does so until the process is gone, which is no deadlock. Threads that hold locks in a cycle are
//! one, and end the execution as they do anywhere.

use super::Explorer;
use crate::deadlock;
use crate::end::Fault;
use crate::search::steps::default_step;
use crate::search::Search;
use crate::trace::Way;
use crate::Program;
use dpor_model::{Decision, Next, ThreadSet};

impl Explorer {
    /// True if a thread is before the last step of the process, and all others have ended, wait, or go round in
    /// a cycle.
    pub(super) fn may_leave(&self) -> bool {
        let threads = &self.trace.threads;
        if threads.leaving.is_empty() {
            return false;
        }
        let parked = self.trace.parked_threads();
        if !threads.dead.is_within(&parked) {
            return false;
        }
        // A thread that goes round in vain for ever is left as one that waits.
        if !parked.is_empty() && !self.trace.is_settled() {
            return false;
        }
        let is_over = threads.is_over() || self.trace.was_wrong();
        let has_cycle = || deadlock::describe(&self.trace, &ThreadSet::EMPTY).is_cycle();
        !is_over && (self.goes_round() || default_step(&self.trace).is_none()) && !has_cycle()
    }

    /// True if the last event ended a cycle, and it is not said how the execution goes on.
    pub(super) fn goes_round(&self) -> bool {
        self.trace.is_cyclic() && !self.search.is_led(&self.trace)
    }

    /// Takes the last step of the process.
    ///
    /// # Errors
    /// [`Fault::Stopped`].
    pub(super) fn leave<P: Program>(&mut self, program: &mut P) -> Result<(), Fault> {
        let Some(thread) = self.trace.threads.leaving.first() else {
            return Ok(());
        };
        let Some(operation) = self.trace.pending_operation(thread) else {
            return Ok(());
        };
        let executed = program.step(thread, Decision::default());
        if matches!(executed.next, Next::Stopped) {
            return Err(Fault::Stopped);
        }
        let kind = self.trace.table.get(operation).operation.kind;
        let next = self.standing(operation, kind, executed);
        self.trace
            .append_passive(thread, operation, next, Way::Performed);
        Ok(())
    }
}
