//! What the end of an execution says: what was found, and whether it counts.

use super::findings::{self, severity, warning_severity, Pending};
use super::learned_events::{self, EventCause};
use super::runtime::{Runtime, Searching, Stop};
use super::schedule::{not_as_recorded, reordered, schedule};
use super::sites::place;
use super::starts::threads;
use super::steps::{decisions, name, preemptions_at, steps};
use super::waits::{
    access, cycle_message, deadlock_message, describe_cycle, describe_holds, describe_wait,
    describe_writers, livelock_message, taken_by, waiting,
};
use super::{forever, in_library, journal, left_threads, object, rounds, run};
use crate::engine;
use crate::libc::overlay::commit;
use crate::libc::{channel, timers};
use crate::pthread::signal::late::{self, Awaiting};
use crate::pthread::{cancel, signal};
use dpor_explorer::program::{Kind, ObjectId, Operation, ThreadId, ThreadSet, TIMEOUT};
use dpor_explorer::{End, Execution, Fault, MisuseKind, Trace, Waiting};
use dpor_machine::thread_limit;
use dpor_report::{Access, Ending, Finding, FindingKind, Mark, Severity};

/// Threads of a deadlock that would go on, to run a handler or to leave: it is no deadlock, and no
/// execution that is possible. Nor is one in which the process ends and they wait.
fn stuck(search: &Searching, end: &End) -> Vec<ThreadId> {
    let left = match end {
        End::Deadlock(deadlock) => deadlock.waiting.clone(),
        End::Exited if left_threads::has_left_threads() => {
            search.trace().deadlock_of(&ThreadSet::EMPTY).waiting
        }
        _ => return Vec::new(),
    };
    let threads = left.iter().map(|waiting| waiting.thread);
    threads
        .filter(|&thread| !search.trace().can_go_on(thread))
        .filter(|&thread| cancel::is_stuck(thread) || signal::is_stuck(thread))
        .collect()
}

/// An end, with the threads that await signals where they wait.
fn with_waits(search: &Searching, end: &End) -> End {
    if !matches!(end, End::Deadlock(_)) {
        return end.clone();
    }
    match late::in_deadlock() {
        Awaiting::Impossible => End::Blocked,
        Awaiting::Waits(threads) if threads.is_empty() => end.clone(),
        Awaiting::Waits(threads) => End::Deadlock(search.trace().deadlock_of(&threads)),
    }
}

/// Whether a thread gave up waiting because no other could go on, after the last event of `thread`. All
/// that came after that is ordered after it: what `thread` was sent then it cannot have had before it
/// blocked, in any execution.
fn gave_up_since(trace: &Trace, thread: ThreadId) -> bool {
    let events = (0..trace.len()).rev().map(|k| trace.event(k));
    let later = events.take_while(|event| event.thread != thread);
    let mut alternatives = later.map(|event| event.decision.alternative);
    alternatives.any(|alternative| alternative == TIMEOUT)
}

/// Whether a timer will not expire any more, although in another execution it does.
fn is_timer_wasted(end: &End) -> bool {
    let End::Deadlock(deadlock) = end else {
        return false;
    };
    let mut threads = deadlock.waiting.iter().map(|waiting| waiting.thread);
    threads.any(|thread| timers::watchers().contains(thread) && signal::has_wasted(thread))
}

/// Whether there may be no other execution in which a thread that is stuck goes on. What can be done about
/// it is learnt.
fn is_missed(rt: &Runtime, search: &Searching, thread: ThreadId) -> bool {
    if signal::late::awaits(thread) || !gave_up_since(search.trace(), thread) {
        return false;
    }
    if cancel::is_stuck(thread) {
        // Otherwise that was learnt, and the search begins anew.
        return !cancel::is_late(thread);
    }
    // The first thread may have returned; all others are said to await the signal, in another execution.
    let standing = search.trace().pending(thread);
    standing.is_some_and(|operation| matches!(operation.kind, Kind::JoinAll | Kind::ProcessEnd))
        || (!learned_events::learn(EventCause::LateSignals) && rt.is_replay())
}

/// Whether a thread of a deadlock waits for a descriptor that was closed. It called before that, or
/// after it, and then it does not wait: no event tells the two apart.
fn is_for_closed(end: &End) -> bool {
    let End::Deadlock(deadlock) = end else {
        return false;
    };
    let mut waiting = deadlock.waiting.iter();
    waiting.any(|w| w.operation.kind == Kind::Channel && channel::is_closed(&w.operation))
}

/// An execution ended: classifies it and keeps what it found.
pub fn execution_ended(rt: &mut Runtime, search: &Searching, execution: &Execution) {
    let end = &with_waits(search, &execution.end);
    if execution.beyond && rt.options.iterative {
        return; // It is run again when its turn has come.
    }
    let stuck = stuck(search, end);
    if { stuck.iter() }.any(|&thread| is_missed(rt, search, thread)) {
        let what =
            "a signal, or a request to end, for a thread that blocks, where only a time-out let \
                    anything go on (--timeouts may help)";
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    if stuck.is_empty() && matches!(end, End::Deadlock(_)) && timers::processor::may_still_expire()
    {
        let what =
            "a deadlock while a timer of processor time is armed, which may have expired before";
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    if matches!(end, End::Livelock(_))
        && (!timers::watchers().is_empty() || timers::processor::may_still_expire())
    {
        let what = "threads that go round in loops while a timer is armed, which may end them";
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    if stuck.is_empty() && is_for_closed(end) {
        let what =
            "a wait for a descriptor that another thread closed: the call may also have failed";
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    let end = match stuck.is_empty() && !is_timer_wasted(end) {
        true => end,
        false => &End::Blocked,
    };
    let depth = search.trace().len();
    let is_forever = forever::execution_ended(rt, search.trace(), end);
    let finding = match is_forever {
        true => None,
        false => finding_of(rt, search, end, depth),
    };
    if let Some(pending) = finding {
        rt.findings.note(pending);
    }
    for pending in lost_wakeups(rt, search, end, depth) {
        rt.findings.note(pending);
    }
    held_at_end(rt, search, end, depth);
    left_threads::execution_ended(rt, search.trace(), end, depth);
    let end = if is_forever { &End::Complete } else { end };
    let ended_by_finding = matches!(end, End::Misuse(_)) || (*end == End::Exited && rt.failed);
    if !execution.beyond {
        count(rt, end);
        if *end == End::EventBound {
            rounds::too_long(rt, search.trace());
        }
    }
    let number = rt.findings.executions.total() + search.counters().beyond;
    if run::is_whole(end) && !ended_by_finding && !execution.beyond {
        rt.findings.count_outcome();
        rt.output.count();
        if rt.options.endings || rt.options.first > 0 {
            let pending = ending(rt, depth, number);
            rt.findings.note(pending);
        }
    }
    journal::execution_ended(number);
    #[cfg(feature = "mutations")]
    super::mutations::execution_ended();
    let bug = keep_findings(rt, search);
    if rt.options.commit_files && (number == 1 || bug) {
        commit::keep();
    }
    rt.output.keep(rt.options.output, number, bug);
}

/// Number of different endings that get a trace each (chosen: a program that ends in more ways prints numbers that
/// nobody compares one by one).
const TRACES_MAX: usize = 1000;

/// What the execution observed and wrote, and its number where executions are told apart.
fn ending(rt: &Runtime, depth: usize, number: u64) -> Pending {
    let (stdout, stderr) = rt.output.bytes();
    let has_trace = rt.findings.distinct.len() < TRACES_MAX;
    let ending = Ending {
        execution: (rt.options.first > 0).then_some(number),
        ..Ending::new(rt.findings.values(), stdout, stderr)
    };
    Pending {
        kind: FindingKind::OutcomeDifference,
        severity: Severity::Warning,
        message: ending.to_message(),
        object: None,
        accesses: Vec::new(),
        details: Vec::new(),
        depth: if has_trace { depth } else { 0 },
    }
}

/// Counts an execution by its end.
fn count(rt: &mut Runtime, end: &End) {
    let is_good = match end {
        End::Complete | End::Blocked => true,
        End::Exited => !rt.failed,
        _ => false,
    };
    let mut cut = engine::cut_loops().peekable();
    if is_good && cut.peek().is_some() {
        rt.findings.executions.bound_exceeded += 1;
        rt.findings.cut.count(cut.map(|site| {
            let place = place(site);
            format!("{}:{}", place.file, place.line)
        }));
        return;
    }
    rt.findings.cut.cycles += u64::from(matches!(end, End::Livelock(_)));
    let executions = &mut rt.findings.executions;
    *match end {
        End::Complete => &mut executions.complete,
        End::Exited if !rt.failed => &mut executions.complete,
        End::Exited | End::Misuse(_) => &mut executions.failed,
        End::Blocked => &mut executions.blocked,
        End::Redundant => &mut executions.redundant,
        End::Deadlock(_) | End::Livelock(_) => &mut executions.deadlocked,
        // Those beyond a bound of preemptions are counted by the search.
        End::EventBound | End::PreemptionBound => &mut executions.bound_exceeded,
    } += 1;
}

/// Moves what the running execution found to the distinct findings; true if it found a bug.
pub fn keep_findings(rt: &mut Runtime, search: &Searching) -> bool {
    let mut findings = core::mem::take(&mut rt.findings);
    let bug = findings.execution_ended(rt.options.keep_going, &|pending| {
        finish(rt, search, pending)
    });
    rt.findings = findings;
    bug
}

/// The finding that the way an execution ended is, if it is one.
fn finding_of(rt: &Runtime, search: &Searching, end: &End, depth: usize) -> Option<Pending> {
    let trace = search.trace();
    let (kind, message, accesses, details) = match end {
        End::Deadlock(deadlock) => {
            let waiting: Vec<Access> = deadlock.waiting.iter().map(|w| waiting(trace, w)).collect();
            let waits = deadlock.waiting.iter().map(|w| describe_wait(trace, w));
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
        End::Livelock(livelock) => {
            let all = livelock.waiting.iter();
            let spinning = all.clone().filter(|w| w.spins()).count();
            (
                FindingKind::Livelock,
                cycle_message(spinning),
                all.clone().map(|w| waiting(trace, w)).collect(),
                all.map(|w| describe_cycle(trace, w)).collect(),
            )
        }
        End::Misuse(misuse) => {
            let operation = trace.operation(misuse.event);
            let thread = trace.event(misuse.event).thread;
            let noun = object::noun(misused(trace, thread, operation));
            let (kind, message) = match misuse.kind {
                MisuseKind::UnlockNotOwner if operation.kind == Kind::CondEnqueue => (
                    FindingKind::UnlockNotOwner,
                    "a thread waits on a condition variable with a mutex that it does not hold"
                        .to_owned(),
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

/// The object that is misused: of a wait that is not the condition variable, unless the thread holds the
/// mutex.
fn misused(trace: &Trace, thread: ThreadId, operation: &Operation) -> ObjectId {
    let holds = |mutex| trace.lockset(trace.held(thread)).any(|held| held == mutex);
    match operation.kind {
        Kind::CondEnqueue if !holds(operation.other) => operation.other,
        _ => operation.object,
    }
}

/// Threads that ended while they held a mutex. The first one may: with it ends the process.
fn held_at_end(rt: &mut Runtime, search: &Searching, end: &End, depth: usize) {
    let is_normal = match end {
        End::Complete | End::Deadlock(_) => true,
        End::Exited => !rt.failed,
        _ => false,
    };
    if !is_normal {
        return;
    }
    for thread in (1..=rt.names.len() as u16).map(ThreadId) {
        let trace = search.trace();
        let held = trace.held(thread);
        if held == 0 || trace.pending(thread).is_some() || trace.is_parked(thread) {
            continue;
        }
        let locks: Vec<ObjectId> = trace
            .lockset(held)
            .filter(|&o| object::is_mutex(o))
            .collect();
        for lock in locks {
            let trace = search.trace();
            let Some(event) = taken_by(trace, thread, lock) else {
                continue;
            };
            let access = access(thread, "lock", trace.operation(event));
            rt.findings.note(Pending {
                kind: FindingKind::ThreadMisuse,
                severity: warning_severity(rt),
                message: "a thread ends while it holds a mutex".to_owned(),
                object: None,
                accesses: vec![access],
                details: vec![format!("thread {} took it last where this says", thread.0)],
                depth,
            });
        }
    }
}

/// Signals that found nobody, although a thread came later and waits for one: a warning each.
fn lost_wakeups(rt: &Runtime, search: &Searching, end: &End, depth: usize) -> Vec<Pending> {
    let End::Deadlock(deadlock) = end else {
        return Vec::new();
    };
    let trace = search.trace();
    let lost = |waiting: &Waiting| {
        let condvar = waiting.operation.object;
        let found_nobody = |&k: &usize| {
            let operation = trace.operation(k);
            let signals = match operation.kind {
                // With an argument it is no call of the program's.
                Kind::CondSignal => operation.argument == 0,
                kind => kind == Kind::CondBroadcast,
            };
            let waiters = || trace.values(k, condvar).map_or(1, |(before, _)| before);
            signals && operation.object == condvar && waiters() == 0
        };
        let signal = (0..depth).rev().find(found_nobody)?;
        let mut accesses = vec![access(
            trace.event(signal).thread,
            name(trace.operation(signal)),
            trace.operation(signal),
        )];
        accesses.push(access(
            waiting.thread,
            name(&waiting.operation),
            &waiting.operation,
        ));
        Some(Pending {
            kind: FindingKind::LostWakeup,
            severity: severity(rt, FindingKind::LostWakeup),
            message: "a signal found nobody, and a thread that came later waits for one".to_owned(),
            object: None,
            accesses,
            details: Vec::new(),
            depth,
        })
    };
    let waits = |w: &&Waiting| w.operation.kind == Kind::CondReacquire && w.waits_for.is_none();
    deadlock
        .waiting
        .iter()
        .filter(waits)
        .filter_map(lost)
        .collect()
}

/// Completes a finding of the ended execution.
fn finish(rt: &Runtime, search: &Searching, pending: &Pending) -> Finding {
    let trace = search.trace();
    // An execution that was stopped in the middle of a step lacks its last event.
    let depth = pending.depth.min(trace.len());
    let first = trace.events().iter().take(depth);
    let taken = first.filter(|event| event.preemptive).count() as u64;
    let preemptions = match taken {
        0 => 0,
        _ => trace.preemptions_least(depth) as u64,
    };
    let order = (preemptions < taken)
        .then(|| trace.least_order(depth))
        .flatten();
    Finding {
        kind: pending.kind,
        message: pending.message.clone(),
        object: pending.object.clone(),
        accesses: pending.accesses.clone(),
        trace: steps(trace, depth),
        executions: 1,
        preemptions,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        mark: Some(Mark {
            key: findings::key(pending),
            fewest: order.map_or(String::new(), |order| reordered(rt, search, &order)),
            decisions: decisions(trace, depth),
        }),
        replay: String::new(),
        schedule: schedule(rt, search, pending, depth),
        details: pending.details.clone(),
        warning: pending.severity == Severity::Warning
            && pending.kind.severity() == Severity::Error,
        threads: threads(trace, depth),
        preemptions_at: preemptions_at(trace, depth),
    }
}

/// What a fault of the search means for the check; `None`: begin the search again.
pub fn fault(rt: &mut Runtime, fault: Fault) -> Option<Stop> {
    let describe = |operation: &Option<Box<Operation>>| match operation {
        Some(operation) => {
            let place = place(operation.site);
            format!("{} at {}:{}", name(operation), place.file, place.line)
        }
        None => "the end of the thread".to_owned(),
    };
    Some(match fault {
        Fault::Divergence { event, expected, got } => Stop::Unsupported(format!(
            "nondeterminism: when the same events ran again, a thread stood before {} instead of {} after event {event}",
            describe(&got),
            describe(&expected),
        )),
        Fault::Misprediction { operation, .. } => {
            // A plain write to the cell of a compare-exchange that was not known as one yet.
            if rt.exchange_cells.len() > rt.exchange_cells_known {
                rt.exchange_cells_known = rt.exchange_cells.len();
                return None;
            }
            let of = describe(&operation);
            let mut findings = rt.findings.distinct.iter();
            match findings.any(|finding| finding.kind == FindingKind::DataRace) {
                // Its own order is not among those that the search knows.
                true => Stop::Incomplete(format!(
                    "races: the outcome of {of} depends on the order of plain accesses (--plain=explore)"
                )),
                false => Stop::Unsupported(format!(
                    "nondeterminism: the outcome of {of} depends on memory that changed without being seen"
                )),
            }
        }
        Fault::CrowdedBarrier { barrier, width } => {
            rt.learn_crowded((barrier, width));
            return None;
        }
        Fault::AwaitedCell { cell } => {
            rt.learn_awaited(cell);
            return None;
        }
        Fault::Disordered => {
            rt.options.reductions.observers = false;
            return None;
        }
        Fault::Unlike { .. } => {
            rt.options.reductions.symmetry = false;
            return None;
        }
        Fault::Unreadable => Stop::Failure(
            "a part of the search that was written to disk cannot be read again".to_owned(),
        ),
        Fault::BadSchedule { step } => Stop::Unsupported(not_as_recorded(&format!(
            "the thread of step {step} of the schedule, or its way to go on, is none that there is"
        ))),
        Fault::ThreadLimit => {
            Stop::Unsupported(thread_limit::sentence().to_owned())
        },
        other => Stop::Failure(format!("[dpor internal bug] {}", run::describe(&other))),
    })
}
