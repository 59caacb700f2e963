//! A trace as one number: that of another execution is the same if and only if the executions are
//! equivalent (Mazurkiewicz), but for collisions of 64 bits.
//!
//! Two executions are equivalent if they have the same events, and the same order of those that
//! conflict. An event is the n-th of its thread, what it does (to which object: where data races, that may
//! depend on more than the order of events) and what was decided for it; the clocks say which events
//! happen before it. Each event gives a hash of that, with its predecessors in no order; the sum of all
//! is the hash. Positions in the execution are no part of it.

use super::draw::mix;
use crate::trace::Trace;

/// The hash of the trace.
pub(super) fn of(trace: &Trace) -> u64 {
    let mut counts = [0u64; dpor_model::THREADS_MAX];
    let mut names = Vec::with_capacity(trace.len());
    let mut sum = 0u64;
    for (position, event) in trace.events().iter().enumerate() {
        let thread = usize::from(event.thread.0);
        counts[thread] += 1;
        // The number of a thread is the same in all executions; its successive owners are ordered.
        let name = mix(thread as u64, counts[thread]);
        names.push(name);
        let ends = trace.clock(position).iter().filter(|&&end| end > 0);
        let before = ends.fold(0u64, |sum, &end| {
            sum.wrapping_add(mix(1, names[end as usize - 1]))
        });
        let operation = trace.operation(position);
        let place = u64::from(operation.offset) | u64::from(operation.bytes) << 8;
        let what = mix(mix(operation.kind as u64, operation.object.0), place);
        let decided = mix(
            event.decision.alternative.into(),
            event.misuse.is_some().into(),
        );
        let event = mix(mix(mix(name, what), decided), before);
        sum = sum.wrapping_add(mix(2, event));
    }
    sum
}
