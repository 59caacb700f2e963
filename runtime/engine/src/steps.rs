//! Events as the steps of a report.

use crate::knowledge::findings::Map;
use crate::sites::place;
use crate::{call_stacks, object, own_semaphore};
use dpor_explorer::{kinds, Trace};
use dpor_model::{Kind, Operation, ThreadId, NO_OBJECT, NO_WAITER};
use dpor_report::outline::Outline;
use dpor_report::{Finding, Step};

/// The first `depth` events, and the beginnings and joins of threads between them.
pub(crate) fn steps(trace: &Trace, depth: usize) -> Vec<Step> {
    let passive = |events| {
        let steps = trace.passive_steps(events);
        steps.map(|(thread, operation)| pending(thread, operation))
    };
    let events = (0..depth).flat_map(|k| std::iter::once(step(trace, k)).chain(passive(k + 1)));
    passive(0).chain(events).collect()
}

/// The [`steps`] without values, those of one operation of one thread only once.
pub(crate) fn outline(trace: &Trace, depth: usize) -> Outline<'static> {
    let mut known: Map<(ThreadId, *const Operation), u32> = Map::default();
    let mut distinct = Vec::new();
    let mut order = Vec::with_capacity(depth);
    let mut note = |thread: ThreadId, operation: &Operation| {
        // The trace has each operation once.
        let index = *known.entry((thread, operation)).or_insert_with(|| {
            distinct.push(pending(thread, operation));
            distinct.len() as u32 - 1
        });
        order.push(index);
    };
    for events in 0..=depth {
        if let Some(event) = events.checked_sub(1) {
            note(trace.event(event).thread, trace.operation(event));
        }
        for (thread, operation) in trace.passive_steps(events) {
            note(thread, operation);
        }
    }
    Outline::new(distinct, order)
}

/// Adds the values to the steps of an [`outline`] that are still there. `events`: the numbers of all [`decisions`].
pub(crate) fn add_values(trace: &Trace, events: &[u64], finding: &mut Finding) {
    for (number, kept) in finding.numbers().iter().zip(&mut finding.trace) {
        if let Ok(event) = events.binary_search(number) {
            *kept = Step {
                left_out: kept.left_out,
                ..step(trace, event)
            };
        }
    }
}

/// The positions of the events among [`steps`].
pub(crate) fn decisions(trace: &Trace, depth: usize) -> Vec<u64> {
    let mut passive = 0;
    let place = |event| {
        passive += trace.passive_steps(event).count();
        (event + passive) as u64
    };
    (0..depth).map(place).collect()
}

/// The positions of those [`steps`] that come to run although the thread before could have gone on. `events`: the numbers
/// of all [`decisions`].
pub(crate) fn preemptions_at(trace: &Trace, events: &[u64]) -> Vec<u64> {
    let events = trace.events().iter().zip(events);
    let preemptive = events.filter(|(event, _)| event.preemptive);
    preemptive.map(|(_, &number)| number).collect()
}

/// The number of [`steps`].
pub(crate) fn count(trace: &Trace, depth: usize) -> u64 {
    let passive = (0..=depth).map(|events| trace.passive_steps(events).count());
    (depth + passive.sum::<usize>()) as u64
}

/// What a thread stands before.
pub(crate) fn pending(thread: ThreadId, operation: &Operation) -> Step {
    Step {
        thread: u32::from(thread.0),
        operation: name(operation).to_owned(),
        object: object_text(operation),
        value: None,
        value_text: String::new(),
        fails: false,
        place: place(operation.site),
        address: object_address(operation).unwrap_or(0),
        order: call_stacks::memory_order(operation.site),
        left_out: 0,
    }
}

fn step(trace: &Trace, position: usize) -> Step {
    let event = trace.event(position);
    let operation = trace.operation(position);
    let value = match operation.kind {
        Kind::Choose | Kind::Early | Kind::CondSignal
            if event.decision.alternative != NO_WAITER =>
        {
            Some(u64::from(event.decision.alternative))
        }
        Kind::Load
        | Kind::Store
        | Kind::ReadModifyWrite
        | Kind::CompareExchange
        | Kind::FutexWait => value(trace, position, operation),
        _ => None,
    };
    Step {
        thread: u32::from(event.thread.0),
        operation: name(operation).to_owned(),
        object: object_text(operation),
        value,
        value_text: String::new(),
        fails: fails(trace, position, operation),
        place: place(operation.site),
        address: object_address(operation).unwrap_or(0),
        order: call_stacks::memory_order(operation.site),
        left_out: 0,
    }
}

/// The address that an operation is about. For an access to memory it is that of its first byte, which may lie inside
/// its object.
pub(crate) fn object_address(operation: &Operation) -> Option<u64> {
    let address = object::address(operation.object)?;
    let is_futex = matches!(operation.kind, Kind::FutexRequeue | Kind::FutexWakeOp);
    Some(if operation.bytes == 0 || is_futex {
        address
    } else {
        address & !7 | u64::from(operation.offset)
    })
}

/// Whether an event is a compare-exchange that found another value than it expects; those of more than one cell are not
/// looked at.
fn fails(trace: &Trace, position: usize, operation: &Operation) -> bool {
    // To find a value takes a walk through the trace.
    if operation.kind != Kind::CompareExchange {
        return false;
    }
    let found = values(trace, position, operation).map(|(before, _)| u128::from(before));
    found.is_some_and(|found| found != operation.detail.expected())
}

/// The value of a memory event (after it), if it lies in one cell.
fn value(trace: &Trace, position: usize, operation: &Operation) -> Option<u64> {
    values(trace, position, operation).map(|(_, after)| after)
}

/// The values of a memory event before and after it, if they lie in one cell.
fn values(trace: &Trace, position: usize, operation: &Operation) -> Option<(u64, u64)> {
    let bits = operation.bytes * 8;
    if u32::from(operation.offset) * 8 + bits > 64 {
        return None;
    }
    let of_bytes = |cell: u64| {
        let shifted = cell >> (operation.offset * 8);
        match bits {
            64 => shifted,
            _ => shifted & ((1 << bits) - 1),
        }
    };
    let (before, after) = trace.values(position, operation.object)?;
    Some((of_bytes(before), of_bytes(after)))
}

pub(crate) fn object_text(operation: &Operation) -> String {
    match operation.kind {
        Kind::Create | Kind::Join => format!("T{}", operation.thread().0),
        _ if operation.object == NO_OBJECT => String::new(),
        _ => match object_address(operation) {
            Some(address) => format!("{address:#x}"),
            None => object::words(operation.object),
        },
    }
}

/// The word for an operation in reports.
pub(crate) fn name(operation: &Operation) -> &'static str {
    let writes = operation.kind == Kind::SharedWrite || own_semaphore::is_post(operation);
    if let Some(word) = object::event(operation.object, writes) {
        let is_join =
            own_semaphore::is_wait(operation) && object::thread_of_end(operation.object).is_some();
        return if is_join { "thread-join" } else { word };
    }
    match operation.kind {
        Kind::MainReturn if operation.argument.as_program_says() == crate::exit_state::CALL => {
            "exit-call"
        }
        kind => kinds::name(kind),
    }
}
