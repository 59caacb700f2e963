//! The steps that can come next in an execution.

use crate::enabled::{alternatives_with, can_run, could_go_on, enabled_steps};
use crate::end::Fault;
use crate::object::Alternatives;
use crate::threads::Standing;
use crate::trace::Trace;
use dpor_model::ThreadId;

/// A thread, and which of its alternatives.
pub(crate) type Choice = (ThreadId, u32);

/// What the default scheduler does: the running thread goes on if it can, otherwise the lowest.
pub(crate) fn default_step(trace: &Trace) -> Option<(ThreadId, Alternatives)> {
    enabled_steps(trace).next()
}

/// All steps that can be executed, in the order of the default scheduler.
pub(crate) fn all_steps(trace: &Trace) -> impl Iterator<Item = Choice> + '_ {
    let all = enabled_steps(trace);
    all.flat_map(|(thread, alternatives)| alternatives.iter().map(move |a| (thread, a)))
}

/// The thread of the last event, if to leave it would be a preemption.
pub(crate) fn running(trace: &Trace) -> Option<ThreadId> {
    let running = trace.events().last().map(|event| event.thread);
    running.filter(|&running| could_go_on(trace, running))
}

/// True if the thread can execute its next operation with this alternative.
pub(crate) fn can_execute(trace: &Trace, thread: ThreadId, alternative: u32) -> bool {
    let Standing::Before(operation) = trace.threads.get(thread) else {
        return false;
    };
    let succeeds = trace.compares_equal(thread);
    can_run(trace, thread, operation, alternative)
        && alternatives_with(trace, thread, operation, alternative, succeeds).contains(alternative)
}

/// The last event did not have the outcome that was derived for it.
#[cold]
pub(super) fn mispredicted(trace: &Trace) -> Fault {
    let event = trace.len() - 1;
    Fault::Misprediction {
        event,
        thread: trace.event(event).thread,
        operation: Some(Box::new(*trace.operation(event))),
    }
}
