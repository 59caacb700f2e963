//! The description of a deadlock: which thread waits for which when no thread can go on.

use crate::conflict::Object;
use crate::end::{Deadlock, Waiting};
use crate::object::{gate_object, holder, mutex, View};
use crate::operation::OperationIndex;
use crate::race::open_holds;
use crate::state::Now;
use crate::trace::{Parked, Trace};
use dpor_model::{Kind, ThreadId, ThreadSet, TIMEOUT};

impl Trace {
    /// Which thread waits for which at the end of an execution in which no thread can go on, with the threads of
    /// `gave_up` taken to stand at the operation that they gave up last ([`dpor_model::TIMEOUT`]).
    pub fn deadlock_of(&self, gave_up: &ThreadSet) -> Deadlock {
        describe(self, gave_up)
    }
}

/// Describes the end of an execution in which some threads wait and none can go on. A thread of `gave_up` is described
/// at the operation that it gave up last. A thread that is about to end the process is left out: it waits for nobody.
pub(crate) fn describe(trace: &Trace, gave_up: &ThreadSet) -> Deadlock {
    let leaves = |thread: ThreadId| trace.threads.leaving.contains(thread);
    let mut waiting: Vec<Waiting> = { trace.pending_threads() }
        .filter(|&(thread, _)| !leaves(thread))
        .map(|(thread, operation)| match gave_up.contains(thread) {
            true => waiting(trace, thread, given_up(trace, thread).unwrap_or(operation)),
            false => waiting(trace, thread, operation),
        })
        .chain(trace.parked.iter().map(|parked| goes_round(trace, parked)))
        .collect();
    waiting.sort_by_key(|waiting| waiting.thread);
    let cycle = cycle(&waiting);
    Deadlock { waiting, cycle }
}

/// The last operation of `thread` that timed out; `None` if none did.
fn given_up(trace: &Trace, thread: ThreadId) -> Option<OperationIndex> {
    let own = trace.events_of(thread).iter().rev();
    let mut events = own.map(|&k| trace.event(k as usize));
    let event = events.find(|event| event.decision.alternative == TIMEOUT)?;
    Some(event.operation)
}

/// Describes a thread whose loop iterations are in vain, with the present values of the cells that the last one read.
fn goes_round(trace: &Trace, parked: &Parked) -> Waiting {
    if let Some(gate) = &parked.gate {
        return Waiting {
            thread: parked.thread,
            operation: trace.table.get(parked.operation).operation,
            waits_for: None,
            acquired_by: None,
            looks: trace.looks_at(gate),
            goes_round: false,
            since: Some(parked.began()),
        };
    }
    let turn = trace.turn_of(parked);
    let first = turn.iter().map(|&k| trace.operation(k as usize));
    let first = first
        .clone()
        .find(|op| op.kind != Kind::Pause)
        .or(first.clone().next());
    let mut looks = Vec::new();
    for &position in turn {
        let is_access = is_access(trace.operation(position as usize).kind);
        if is_access {
            trace.add_cells(position as usize, &mut looks);
        }
    }
    Waiting {
        thread: parked.thread,
        operation: *first.expect("a turn has events"),
        waits_for: None,
        acquired_by: None,
        looks,
        goes_round: true,
        since: Some(parked.began()),
    }
}

fn is_access(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange
    )
}

/// Describes what `thread`, which stands before the operation `index`, waits for.
fn waiting(trace: &Trace, thread: ThreadId, index: OperationIndex) -> Waiting {
    let operation = trace.table.get(index).operation;
    let mut waiting = Waiting {
        thread,
        operation,
        waits_for: None,
        acquired_by: None,
        looks: trace.looks(thread),
        goes_round: false,
        since: trace.last_turn_began(thread),
    };
    match operation.kind {
        Kind::Join => waiting.waits_for = Some(operation.thread()),
        Kind::JoinAll => {
            waiting.waits_for = trace
                .pending_threads()
                .map(|(t, _)| t)
                .find(|&t| t != thread);
        }
        _ => find_holder(trace, index, &mut waiting),
    }
    waiting
}

/// Fills in which thread holds the lock that `waiting` waits for, and the event that took it.
fn find_holder(trace: &Trace, operation: OperationIndex, waiting: &mut Waiting) {
    let interned = trace.table.get(operation);
    let value = |object| Now(trace).value(object);
    let object = match interned.operation.kind {
        Kind::MutexLockAll => mutex::first_held(interned, waiting.thread, value),
        _ => gate_object(interned),
    };
    let Some(object) = object else { return };
    if matches!(
        interned.operation.kind,
        Kind::RwlockRead | Kind::RwlockWrite
    ) {
        return find_reader_or_writer(trace, object, waiting);
    }
    waiting.waits_for = holder(interned, value(object));
    let Some(owner) = waiting.waits_for else {
        return;
    };
    // The hold began with the event that found the lock not held by its owner.
    let log = trace.log(object).iter().rev();
    let held = log.take_while(|entry| holder(interned, entry.after) == Some(owner));
    let first = held
        .filter(|entry| holder(interned, entry.before) != Some(owner))
        .last();
    waiting.acquired_by = first.map(|entry| entry.event as usize);
}

/// Fills in which thread keeps `waiting` from a read-write lock: itself, if it holds the lock; another holder; or, for
/// a reader, a writer that waits.
fn find_reader_or_writer(trace: &Trace, object: Object, waiting: &mut Waiting) {
    let change = |position| trace.change_of_hold(position);
    let holds = open_holds(trace.log(object), |_| true, change);
    let own = holds.iter().find(|hold| hold.1 == waiting.thread);
    if let Some(&(event, thread)) = own.or(holds.first()) {
        let reads = |k: u32| {
            let kind = trace.operation(k as usize).kind;
            matches!(kind, Kind::RwlockRead | Kind::RwlockTryread)
        };
        let shared = waiting.operation.kind == Kind::RwlockRead && reads(event);
        if !shared {
            (waiting.waits_for, waiting.acquired_by) = (Some(thread), Some(event as usize));
            return;
        }
    }
    let waits = |&(_, operation): &(ThreadId, OperationIndex)| {
        let other = trace.table.get(operation);
        other.operation.kind == Kind::RwlockWrite && other.objects.contains(&object)
    };
    waiting.waits_for = trace
        .pending_threads()
        .find(waits)
        .map(|(thread, _)| thread);
}

/// The threads of a cycle in which each waits for the next; empty if there is none.
fn cycle(waiting: &[Waiting]) -> Vec<ThreadId> {
    let next = |thread: ThreadId| waiting.iter().find(|w| w.thread == thread)?.waits_for;
    for start in waiting {
        let mut path = vec![start.thread];
        while let Some(thread) = next(path[path.len() - 1]) {
            if let Some(at) = path.iter().position(|&t| t == thread) {
                return path.split_off(at);
            }
            path.push(thread);
        }
    }
    Vec::new()
}
