//! The finding that the way an execution ended is.

use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::steps::name;
use crate::waits::{
    access, cycle_message, deadlock_message, describe_cycle, describe_holds, describe_wait,
    describe_writers, livelock_message, waiting,
};
use crate::{in_library, object};
use dpor_explorer::{Deadlock, End, Misuse, MisuseKind, Trace, Waiting};
use dpor_model::{Kind, ObjectId, Operation, ThreadId};
use dpor_report::{Access, FindingKind};

/// Kind, message, accesses and details of a finding.
type Told = (FindingKind, String, Vec<Access>, Vec<String>);

/// The finding that the way an execution of `depth` events ended is, if it is one.
pub fn finding(rt: &Runtime, search: &Searching, end: &End, depth: usize) -> Option<Pending> {
    let trace = search.trace();
    let (kind, message, accesses, details) = match end {
        End::Deadlock(deadlock) => of_deadlock(trace, deadlock),
        End::Livelock(livelock) => of_livelock(trace, livelock),
        End::Misuse(misuse) => of_misuse(trace, misuse),
        _ => return None,
    };
    Some(Pending {
        kind,
        severity: severity(rt, kind),
        message,
        object: None,
        accesses,
        details,
        depth,
    })
}

/// Threads wait, and none can go on.
fn of_deadlock(trace: &Trace, deadlock: &Deadlock) -> Told {
    // Who waits for the end of a thread is a consequence, and comes last.
    let mut all: Vec<&Waiting> = deadlock.waiting.iter().collect();
    all.sort_by_key(|w| name(&w.operation) == "thread-join");
    let waiting: Vec<Access> = all.iter().map(|w| waiting(trace, w)).collect();
    let waits = all.iter().map(|w| describe_wait(trace, w));
    let spinning = deadlock.waiting.iter().filter(|w| w.spins()).count();
    let holds = deadlock
        .waiting
        .iter()
        .flat_map(|w| describe_holds(trace, w.thread));
    let spins = deadlock.waiting.iter().filter(|w| w.spins());
    let mut writers: Vec<String> = Vec::new();
    for writer in spins.flat_map(|w| describe_writers(trace, w)) {
        if !writers.contains(&writer) {
            writers.push(writer);
        }
    }
    let mut details: Vec<String> = waits.chain(holds).chain(writers).collect();
    match deadlock.self_deadlock() {
        Some(thread) => (
            FindingKind::SelfDeadlock,
            {
                let mine = deadlock.waiting.iter().find(|w| w.thread == thread);
                let noun = mine.map_or("a mutex", |w| object::noun(w.operation.object));
                format!("thread {} locks {noun} that it holds already", thread.0)
            },
            waiting,
            details,
        ),
        None if spinning > 0 => (
            FindingKind::Livelock,
            livelock_message(spinning),
            waiting,
            details,
        ),
        None => {
            let mut message = deadlock_message(&deadlock.cycle, waiting.len());
            in_library::mark_deadlock(&mut message, &mut details, &deadlock.waiting);
            (FindingKind::Deadlock, message, waiting, details)
        }
    }
}

/// Threads go round in loops for ever.
fn of_livelock(trace: &Trace, livelock: &Deadlock) -> Told {
    let all = livelock.waiting.iter();
    let spinning = all.clone().filter(|w| w.spins()).count();
    (
        FindingKind::Livelock,
        cycle_message(spinning),
        all.clone().map(|w| waiting(trace, w)).collect(),
        all.map(|w| describe_cycle(trace, w)).collect(),
    )
}

/// A call that POSIX leaves undefined.
fn of_misuse(trace: &Trace, misuse: &Misuse) -> Told {
    let operation = trace.operation(misuse.event);
    let thread = trace.event(misuse.event).thread;
    let noun = object::noun(misused(trace, thread, operation));
    let (kind, message) = match misuse.kind {
        MisuseKind::UnlockNotOwner if operation.kind == Kind::CondEnqueue => (
            FindingKind::UnlockNotOwner,
            "a thread waits on a condition variable with a mutex that it does not hold".to_owned(),
        ),
        MisuseKind::UnlockNotOwner => (
            FindingKind::UnlockNotOwner,
            format!("a thread unlocks {noun} that it does not hold"),
        ),
        MisuseKind::CondvarMutexMismatch => (
            FindingKind::CondvarMutexMismatch,
            "a thread waits on a condition variable with another mutex than its other \
                     waiters"
                .to_owned(),
        ),
        MisuseKind::DestroyedInUse => (
            FindingKind::DestroyedInUse,
            format!("{noun} is destroyed or initialized while it is in use"),
        ),
        MisuseKind::UseBeforeInit => (
            FindingKind::UninitializedObject,
            format!("{noun} is used before it was initialized"),
        ),
        _ => (
            FindingKind::UninitializedObject,
            format!("{noun} is used after it was destroyed"),
        ),
    };
    let access = access(thread, name(operation), operation);
    (kind, message, vec![access], Vec::new())
}

/// The object that is misused: of a wait that is not the condition variable, unless the thread holds the
/// mutex.
fn misused(trace: &Trace, thread: ThreadId, operation: &Operation) -> ObjectId {
    let holds = |mutex| trace.lockset(trace.held(thread)).any(|held| held == mutex);
    match operation.kind {
        Kind::CondEnqueue if !holds(operation.other) => operation.other,
        _ => operation.object,
    }
}
