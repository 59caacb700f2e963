//! Deadlocks in words: who waits for what, who holds what, and since when.

use crate::given::concerns;
use crate::in_library::place_of_wait;
use crate::sites::{in_words, place};
use crate::steps::name;
use crate::{object, own_semaphore, steps};
use dpor_explorer::{Trace, Waiting};
use dpor_model::{Condition, Kind, ObjectId, Operation, Test, ThreadId, NO_OBJECT};
use dpor_report::Access;

/// The event in which a thread took a mutex last.
pub(crate) fn taken_by(trace: &Trace, thread: ThreadId, mutex: ObjectId) -> Option<usize> {
    (0..trace.len()).rev().find(|&k| {
        let operation = trace.operation(k);
        let taken = match operation.kind {
            Kind::MutexLock | Kind::MutexTrylock => operation.object,
            Kind::MutexLockAll if operation.all().any(|one| one == mutex) => mutex,
            Kind::CondReacquire => operation.other,
            _ => NO_OBJECT,
        };
        trace.event(k).thread == thread && taken == mutex
    })
}

/// What a thread holds, and where it took it.
pub(crate) fn describe_holds(trace: &Trace, thread: ThreadId) -> impl Iterator<Item = String> + '_ {
    let locks = trace.lockset(trace.held(thread));
    locks.filter_map(move |lock| {
        let address = object::address(lock)?;
        let site = trace.operation(taken_by(trace, thread, lock)?).site;
        (place(site).line != 0).then(|| {
            let place = in_words(site);
            format!("thread {} holds {address:#x}, locked at {place}", thread.0)
        })
    })
}

pub(crate) fn deadlock_message(cycle: &[ThreadId], waiting: usize) -> String {
    if cycle.is_empty() {
        return format!(
            "{waiting} thread{} wait for what nobody will do",
            if waiting == 1 { "" } else { "s" }
        );
    }
    let names: Vec<String> = cycle
        .iter()
        .map(|thread| format!("thread {}", thread.0))
        .collect();
    let (last, others) = names.split_last().expect("a cycle has threads");
    format!("{} and {last} wait for each other", others.join(", "))
}

/// The message of a livelock: `spinning` threads go round in loops that nobody ends.
pub(crate) fn livelock_message(spinning: usize) -> String {
    match spinning {
        1 => {
            "a thread goes round in a loop for ever: nobody will write what it waits for".to_owned()
        }
        n => {
            format!("{n} threads go round in loops for ever: nobody will write what they wait for")
        }
    }
}

pub(crate) fn cycle_message(spinning: usize) -> String {
    match spinning {
        1 => "a thread may go round in a loop for ever: it takes back what it did".to_owned(),
        n => format!("{n} threads may go round in loops for ever: they take back what they did"),
    }
}

pub(crate) fn access(thread: ThreadId, what: &str, operation: &Operation) -> Access {
    Access {
        thread: u32::from(thread.0),
        access: what.to_owned(),
        place: place(operation.site),
        object: steps::object_text(operation),
        address: steps::object_address(operation).unwrap_or(0),
        ..Access::default()
    }
}

pub(crate) fn waiting(trace: &Trace, waiting: &Waiting) -> Access {
    let mut access = access(waiting.thread, name(&waiting.operation), &waiting.operation);
    access.place = place_of_wait(waiting.operation.site);
    let held = trace.held(waiting.thread);
    access.lock_addresses = trace.lockset(held).filter_map(object::address).collect();
    access.step = Some(steps::count(trace, trace.len()));
    // A thread that was woken waits for the mutex.
    let awaited = match (waiting.operation.kind, waiting.waits_for) {
        (Kind::CondReacquire, Some(_)) => Operation {
            kind: Kind::MutexLock,
            object: waiting.operation.other,
            ..waiting.operation
        },
        _ => waiting.operation,
    };
    access.object = steps::object_text(&awaited);
    access.address = steps::object_address(&awaited).unwrap_or(0);
    let holder = waiting.waits_for.zip(waiting.acquired_by);
    if let Some((thread, event)) = holder {
        access.held_by = Some(u32::from(thread.0));
        access.held_since = steps::decisions(trace, trace.len()).get(event).copied();
    }
    access
}

/// What a loop that only looks waits for.
fn describe_condition(operation: &Operation) -> String {
    let address = object::address(operation.object).unwrap_or(0) & !7;
    let address = address | u64::from(operation.offset);
    let Some(condition) = Condition::awaited(operation) else {
        return String::new();
    };
    let test = match condition.test {
        Test::Equal => "to be",
        Test::NotEqual => "not to be",
        Test::Below | Test::SignedBelow => "to be less than",
        Test::AtMost | Test::SignedAtMost => "to be at most",
        Test::Above | Test::SignedAbove => "to be more than",
        Test::AtLeast | Test::SignedAtLeast => "to be at least",
    };
    let unused = 64 - condition.bits;
    let value = match condition.test {
        Test::SignedBelow | Test::SignedAtMost | Test::SignedAbove | Test::SignedAtLeast => {
            ((condition.value << unused) as i64 >> unused).to_string()
        }
        _ => (condition.value << unused >> unused).to_string(),
    };
    let bits = u64::MAX >> (64 - 8 * operation.bytes);
    match condition.mask & bits == bits {
        true => format!("in a loop for {address:#x} {test} {value}"),
        false => format!(
            "in a loop for the bits {:#x} of {address:#x} {test} {value}",
            condition.mask & bits
        ),
    }
}

/// What a thread does in a cycle.
pub(crate) fn describe_cycle(trace: &Trace, waiting: &Waiting) -> String {
    if !waiting.spins() {
        return describe_wait(trace, waiting);
    }
    format!(
        "thread {} comes to {} again and again, with {}",
        waiting.thread.0,
        in_words(waiting.operation.site),
        describe_values(&waiting.looks)
    )
}

/// Who changed last what a thread looks at in a loop.
pub(crate) fn describe_writers(trace: &Trace, waiting: &Waiting) -> Vec<String> {
    let own = (
        waiting.operation.object,
        u64::from(waiting.operation.offset),
    );
    let alone = (waiting.looks.is_empty() && waiting.operation.waits).then_some(own);
    let looks = waiting.looks.iter();
    let cells = looks
        .map(|look| (look.0, u64::from(look.1.trailing_zeros() / 8)))
        .chain(alone);
    let writer = |(cell, first): (ObjectId, u64)| {
        let address = (object::address(cell).unwrap_or(0) & !7) + first;
        let writes = |&k: &usize| {
            let mut accesses = trace.accesses(k);
            accesses.any(|(object, changed)| object == cell && changed)
        };
        let Some(last) = (0..trace.len()).rev().find(writes) else {
            return format!("no thread has written {address:#x}");
        };
        let (thread, site) = (trace.event(last).thread, trace.operation(last).site);
        let place = in_words(site);
        format!(
            "thread {} was the last to write {address:#x}, at {place}",
            thread.0
        )
    };
    cells.map(writer).collect()
}

/// What a loop that looks at several places saw there in vain.
fn describe_looks(looks: &[(ObjectId, u64, u64)]) -> String {
    format!("in a loop that goes on with {}", describe_values(looks))
}

fn describe_values(looks: &[(ObjectId, u64, u64)]) -> String {
    let of_cell = |&(cell, mask, value): &(ObjectId, u64, u64)| {
        let first = mask.trailing_zeros() / 8;
        let address = (object::address(cell).unwrap_or(0) & !7) + u64::from(first);
        format!("{address:#x} = {}", value >> (8 * first))
    };
    let all: Vec<String> = looks.iter().map(of_cell).collect();
    all.join(" and ")
}

/// What a thread waits for on one of the runtime's own semaphores; `None`: on none.
fn own_wait(waiting: &Waiting) -> Option<String> {
    let object = waiting.operation.object;
    if !own_semaphore::is_wait(&waiting.operation) {
        return None;
    }
    Some(match object::thread_of_end(object) {
        Some(thread) if thread == u64::from(waiting.thread.0) => {
            "in a loop that it never leaves".to_owned()
        }
        Some(thread) => format!("for the end of thread {thread}"),
        None if object::is_signal(object) => "for a signal".to_owned(),
        None => return None,
    })
}

pub(crate) fn describe_wait(trace: &Trace, waiting: &Waiting) -> String {
    let what = match waiting.operation.kind {
        _ if !waiting.looks.is_empty() => describe_looks(&waiting.looks),
        _ if waiting.goes_round => "in a loop that takes back what it does".to_owned(),
        _ if waiting.operation.waits => describe_condition(&waiting.operation),
        Kind::Channel => (concerns().describe_wait)(&waiting.operation)
            .unwrap_or_default()
            .to_owned(),
        _ => own_wait(waiting)
            .unwrap_or_else(|| waiting.describe(object::noun(waiting.operation.object), trace)),
    };
    let since = waiting.acquired_by.map_or(String::new(), |event| {
        let site = trace.operation(event).site;
        match place(site).line {
            0 => String::new(),
            _ => format!(", locked at {}", in_words(site)),
        }
    });
    format!("thread {} waits {what}{since}", waiting.thread.0)
}
