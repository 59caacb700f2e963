//! From the explorer's events to the steps of a report, and back to a schedule.
//!
//! A schedule is text: the thread numbers that were given (`creator.n` each, in order), a
//! semicolon, and the decisions (`THREAD` or `THREAD/ALTERNATIVE`); if calls were found to be events,
//! another semicolon and which ([`uses::encode`]); if a step kills the process, another semicolon,
//! `dies` and the step (deaths.rs). Numbers are dense in the order
//! in which a run first met a thread, so a replay is told the order of the run it repeats.

use super::findings::{severity, warning_severity, Pending};
use super::runtime::{Runtime, Stop};
use super::sites::place;
use super::uses::{self, Use};
use super::{deaths, journal, object, run};
use crate::libc::overlay::commit;
use crate::libc::{channel, timers};
use crate::pthread::{cancel, signal};
use dpor_abi::journal::Position;
use dpor_explorer::program::{Kind, ObjectId, Operation, ThreadId, NO_OBJECT, NO_WAITER, TIMEOUT};
use dpor_explorer::{End, Explorer, Fault, MisuseKind, Search, Trace, Waiting};
use dpor_report::{Access, Finding, FindingKind, Severity, Step};
use std::collections::BTreeMap;

/// Threads of a deadlock that would go on, to run a handler or to leave: it is no deadlock, and no
/// execution that is possible.
fn stuck(end: &End) -> Vec<ThreadId> {
    let End::Deadlock(deadlock) = end else {
        return Vec::new();
    };
    let threads = deadlock.waiting.iter().map(|waiting| waiting.thread);
    threads
        .filter(|&thread| cancel::is_stuck(thread) || signal::is_stuck(thread))
        .collect()
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
    threads.any(|thread| timers::watchers() >> thread.0 & 1 == 1 && signal::has_wasted(thread))
}

/// Whether there may be no other execution in which a thread that is stuck goes on. What can be done about
/// it is learnt.
fn is_missed(rt: &Runtime, thread: ThreadId) -> bool {
    if signal::has_wasted(thread) || !gave_up_since(rt.explorer.trace(), thread) {
        return false;
    }
    let looks = rt
        .explorer
        .trace()
        .pending(thread)
        .is_some_and(signal::interrupt::looks_late);
    cancel::is_stuck(thread) || !looks || uses::learn(Use::LateSignals) || rt.is_replay()
}

/// An execution ended: classifies it and keeps what it found.
pub fn execution_ended(rt: &mut Runtime, end: &End) {
    let stuck = stuck(end);
    if { stuck.iter() }.any(|&thread| is_missed(rt, thread)) {
        let what =
            "a signal, or a request to end, for a thread that blocks, where only a time-out let \
                    anything go on (--timeouts may help)";
        rt.stop = Some(Stop::Unsupported(what.to_owned()));
        return;
    }
    let end = match stuck.is_empty() && !is_timer_wasted(end) {
        true => end,
        false => &End::Blocked,
    };
    let depth = rt.explorer.trace().len();
    if let Some(pending) = finding_of(rt, end, depth) {
        rt.findings.note(pending);
    }
    for pending in lost_wakeups(rt, end, depth) {
        rt.findings.note(pending);
    }
    held_at_end(rt, end, depth);
    let ended_by_finding =
        matches!(end, End::Misuse(_)) || (*end == End::Exited && rt.exit_code != 0);
    let executions = &mut rt.findings.executions;
    *match end {
        End::Complete => &mut executions.complete,
        End::Exited if rt.exit_code == 0 => &mut executions.complete,
        End::Exited | End::Misuse(_) => &mut executions.failed,
        End::Blocked => &mut executions.blocked,
        End::Redundant => &mut executions.redundant,
        End::Deadlock(_) => &mut executions.deadlocked,
        End::EventBound => &mut executions.bound_exceeded,
    } += 1;
    let number = executions.total();
    if run::is_whole(end) && !ended_by_finding {
        rt.findings.count_outcome();
        rt.output.count();
    }
    journal::execution_ended(number);
    #[cfg(feature = "mutations")]
    super::mutations::execution_ended();
    let bug = keep_findings(rt);
    if rt.options.commit_files && (number == 1 || bug) {
        commit::keep();
    }
    rt.output.keep(rt.options.output, number, bug);
}

/// Moves what the running execution found to the distinct findings; true if it found a bug.
pub fn keep_findings(rt: &mut Runtime) -> bool {
    let mut findings = core::mem::take(&mut rt.findings);
    let bug = findings.execution_ended(rt.options.keep_going, &|pending| finish(rt, pending));
    rt.findings = findings;
    bug
}

/// The finding that the way an execution ended is, if it is one.
fn finding_of(rt: &Runtime, end: &End, depth: usize) -> Option<Pending> {
    let trace = rt.explorer.trace();
    let (kind, message, accesses, details) = match end {
        End::Deadlock(deadlock) => {
            let waiting: Vec<Access> = deadlock.waiting.iter().map(|w| waiting(trace, w)).collect();
            let waits = deadlock.waiting.iter().map(|w| describe_wait(trace, w));
            let holds = deadlock
                .waiting
                .iter()
                .flat_map(|w| describe_holds(trace, w.thread));
            let details = waits.chain(holds).collect();
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
                None => (
                    FindingKind::Deadlock,
                    deadlock_message(&deadlock.cycle, waiting.len()),
                    waiting,
                    details,
                ),
            }
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
fn held_at_end(rt: &mut Runtime, end: &End, depth: usize) {
    let is_normal = match end {
        End::Complete | End::Deadlock(_) => true,
        End::Exited => rt.exit_code == 0,
        _ => false,
    };
    if !is_normal {
        return;
    }
    for thread in (1..=rt.names.len() as u16).map(ThreadId) {
        let trace = rt.explorer.trace();
        let held = trace.held(thread);
        if held == 0 || trace.pending(thread).is_some() {
            continue;
        }
        let locks: Vec<ObjectId> = trace
            .lockset(held)
            .filter(|&o| object::is_mutex(o))
            .collect();
        for lock in locks {
            let trace = rt.explorer.trace();
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

/// The event in which a thread took a mutex last.
fn taken_by(trace: &Trace, thread: ThreadId, mutex: ObjectId) -> Option<usize> {
    (0..trace.len()).rev().find(|&k| {
        let operation = trace.operation(k);
        let taken = match operation.kind {
            Kind::MutexLock | Kind::MutexTrylock => operation.object,
            Kind::CondReacquire => operation.other,
            _ => NO_OBJECT,
        };
        trace.event(k).thread == thread && taken == mutex
    })
}

/// What a thread holds, and where it took it.
fn describe_holds(trace: &Trace, thread: ThreadId) -> impl Iterator<Item = String> + '_ {
    let locks = trace.lockset(trace.held(thread));
    locks.filter_map(move |lock| {
        let address = object::address(lock)?;
        let place = place(trace.operation(taken_by(trace, thread, lock)?).site);
        (place.line != 0).then(|| {
            let (file, line) = (place.file, place.line);
            format!(
                "thread {} holds {address:#x}, locked at {file}:{line}",
                thread.0
            )
        })
    })
}

/// Signals that found nobody, although a thread came later and waits for one: a warning each.
fn lost_wakeups(rt: &Runtime, end: &End, depth: usize) -> Vec<Pending> {
    let End::Deadlock(deadlock) = end else {
        return Vec::new();
    };
    let trace = rt.explorer.trace();
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

fn deadlock_message(cycle: &[ThreadId], waiting: usize) -> String {
    if cycle.is_empty() {
        return format!(
            "{waiting} thread{} wait for what nobody will do",
            if waiting == 1 { "" } else { "s" }
        );
    }
    let names: Vec<String> = cycle.iter().map(|thread| thread.0.to_string()).collect();
    format!("threads {} wait for each other", names.join(", "))
}

fn access(thread: ThreadId, what: &str, operation: &Operation) -> Access {
    Access {
        thread: u32::from(thread.0),
        access: what.to_owned(),
        place: place(operation.site),
        locks: Vec::new(),
        instruction: 0,
        lock_addresses: Vec::new(),
    }
}

fn waiting(trace: &Trace, waiting: &Waiting) -> Access {
    let mut access = access(waiting.thread, name(&waiting.operation), &waiting.operation);
    let held = trace.held(waiting.thread);
    access.lock_addresses = trace.lockset(held).filter_map(object::address).collect();
    access
}

fn describe_wait(trace: &Trace, waiting: &Waiting) -> String {
    let what = match waiting.operation.kind {
        Kind::Join => format!("for the end of thread {}", waiting.operation.argument),
        Kind::JoinAll => "for the end of the other threads".to_owned(),
        Kind::SemWait => match object::thread_of_end(waiting.operation.object) {
            Some(thread) => format!("for the end of thread {thread}"),
            None if object::is_signal(waiting.operation.object) => "for a signal".to_owned(),
            None => "for a semaphore that counts 0".to_owned(),
        },
        Kind::FutexWoken => "for a wake-up".to_owned(),
        Kind::CondReacquire => match waiting.waits_for {
            Some(owner) => format!("to lock again the mutex that thread {} holds", owner.0),
            None => "for a signal".to_owned(),
        },
        Kind::Channel => channel::describe_wait(&waiting.operation).to_owned(),
        Kind::BarrierLeave => match trace.arrived(waiting.operation.object) {
            Some((arrived, width)) => {
                format!("at a barrier at which {arrived} of {width} threads have arrived")
            }
            None => "at a barrier for more threads".to_owned(),
        },
        _ => {
            let noun = object::noun(waiting.operation.object);
            match waiting.waits_for {
                Some(owner) if waiting.acquired_by.is_none() => {
                    format!("for {noun} that thread {} waits to write", owner.0)
                }
                Some(owner) => format!("for {noun} that thread {} holds", owner.0),
                None => format!("for {noun}"),
            }
        }
    };
    let since = waiting.acquired_by.map_or(String::new(), |event| {
        let place = place(trace.operation(event).site);
        if place.line == 0 {
            String::new()
        } else {
            format!(", locked at {}:{}", place.file, place.line)
        }
    });
    format!("thread {} waits {what}{since}", waiting.thread.0)
}

/// Completes a finding of the ended execution.
fn finish(rt: &Runtime, pending: &Pending) -> Finding {
    let trace = rt.explorer.trace();
    // An execution that was stopped in the middle of a step lacks its last event.
    let depth = pending.depth.min(trace.len());
    let preemptions = (0..depth).filter(|&k| trace.event(k).preemptive).count() as u64;
    Finding {
        kind: pending.kind,
        message: pending.message.clone(),
        object: pending.object.clone(),
        accesses: pending.accesses.clone(),
        trace: steps(trace, depth),
        executions: 1,
        preemptions,
        replay: String::new(),
        schedule: schedule(rt, depth) + &death(rt, pending, depth),
        details: pending.details.clone(),
        warning: pending.severity == Severity::Warning
            && pending.kind.severity() == Severity::Error,
    }
}

/// The first `depth` events, and the beginnings and joins of threads between them.
fn steps(trace: &Trace, depth: usize) -> Vec<Step> {
    let passive = |events| {
        let steps = trace.passive_steps(events);
        steps.map(|(thread, operation)| Step {
            thread: u32::from(thread.0),
            operation: name(operation).to_owned(),
            object: object_text(operation),
            value: None,
            place: place(operation.site),
            address: 0,
        })
    };
    let events = (0..depth).flat_map(|k| std::iter::once(step(trace, k)).chain(passive(k + 1)));
    passive(0).chain(events).collect()
}

fn step(trace: &Trace, position: usize) -> Step {
    let event = trace.event(position);
    let operation = trace.operation(position);
    let value = match operation.kind {
        Kind::Choose | Kind::CondSignal if event.decision.alternative != NO_WAITER => {
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
        place: place(operation.site),
        address: object_address(operation).unwrap_or(0),
    }
}

/// The address an operation is about. Memory: of its first byte, which may lie inside its object.
fn object_address(operation: &Operation) -> Option<u64> {
    let address = object::address(operation.object)?;
    Some(if operation.bytes == 0 {
        address
    } else {
        address & !7 | u64::from(operation.offset)
    })
}

/// The value of a memory event (after it), if it lies in one cell.
fn value(trace: &Trace, position: usize, operation: &Operation) -> Option<u64> {
    let bits = operation.bytes * 8;
    if u32::from(operation.offset) * 8 + bits > 64 {
        return None;
    }
    let (_, after) = trace.values(position, operation.object)?;
    let shifted = after >> (operation.offset * 8);
    Some(if bits == 64 {
        shifted
    } else {
        shifted & ((1 << bits) - 1)
    })
}

fn object_text(operation: &Operation) -> String {
    match operation.kind {
        Kind::Create | Kind::Join => format!("T{}", operation.argument),
        _ if operation.object == NO_OBJECT => String::new(),
        _ => match object_address(operation) {
            Some(address) => format!("{address:#x}"),
            None => object::words(operation.object),
        },
    }
}

/// The word for an operation in reports.
fn name(operation: &Operation) -> &'static str {
    let writes = matches!(operation.kind, Kind::SharedWrite | Kind::SemPost);
    if let Some(word) = object::event(operation.object, writes) {
        return match operation.kind {
            Kind::SemWait if object::thread_of_end(operation.object).is_some() => "thread-join",
            _ => word,
        };
    }
    match operation.kind {
        Kind::Start => "thread-start",
        Kind::Load => "atomic-load",
        Kind::Store => "atomic-store",
        Kind::ReadModifyWrite => "atomic-rmw",
        Kind::CompareExchange => "compare-exchange",
        Kind::MutexInit => "mutex-init",
        Kind::MutexDestroy => "mutex-destroy",
        Kind::MutexLock => "lock",
        Kind::MutexTrylock => "trylock",
        Kind::MutexUnlock => "unlock",
        Kind::CondInit => "cond-init",
        Kind::CondDestroy => "cond-destroy",
        Kind::CondEnqueue => "cond-wait",
        Kind::CondReacquire => "cond-wake",
        Kind::CondSignal => "cond-signal",
        Kind::CondBroadcast => "cond-broadcast",
        Kind::FutexWait => "futex-wait",
        Kind::FutexWoken => "futex-woken",
        Kind::FutexWake => "futex-wake",
        Kind::FutexRequeue => "futex-requeue",
        Kind::Create => "thread-create",
        Kind::Join => "thread-join",
        Kind::JoinAll => "main-return",
        Kind::Choose => "choose",
        Kind::SharedRead => "libc-read",
        Kind::SharedWrite => "libc-write",
        Kind::Opaque => "opaque",
        Kind::Exit => "exit",
        Kind::Pause => "yield",
        Kind::MutexAbandon => "mutex-abandon",
        Kind::MutexConsistent => "mutex-consistent",
        Kind::RwlockRead => "read-lock",
        Kind::RwlockAnnounce => "write-wait",
        Kind::RwlockWrite => "write-lock",
        Kind::RwlockTryread => "read-trylock",
        Kind::RwlockTrywrite => "write-trylock",
        Kind::RwlockUnlock => "rwlock-unlock",
        Kind::RwlockInit => "rwlock-init",
        Kind::RwlockDestroy => "rwlock-destroy",
        Kind::SemInit => "sem-init",
        Kind::SemDestroy => "sem-destroy",
        Kind::SemWait => "sem-wait",
        Kind::SemTrywait => "sem-trywait",
        Kind::SemPost => "sem-post",
        Kind::SemGetvalue => "sem-getvalue",
        Kind::BarrierInit => "barrier-init",
        Kind::BarrierDestroy => "barrier-destroy",
        Kind::BarrierArrive => "barrier-wait",
        Kind::BarrierLeave => "barrier-leave",
        Kind::Channel => "channel",
        Kind::ChannelInit => "channel-init",
    }
}

/// The first `depth` decisions as text.
fn schedule(rt: &Runtime, depth: usize) -> String {
    let names: Vec<String> = rt
        .names
        .iter()
        .map(|(creator, nth)| format!("{creator}.{nth}"))
        .collect();
    let decisions: Vec<String> = rt.explorer.schedule()[..depth]
        .iter()
        .map(|&(thread, alternative)| match alternative {
            0 => thread.0.to_string(),
            _ => format!("{}/{alternative}", thread.0),
        })
        .collect();
    let schedule = format!("{}; {}", names.join(" "), decisions.join(" "));
    match uses::encode() {
        events if events.is_empty() => schedule,
        events => format!("{schedule}; {events}"),
    }
}

/// For a thread that would have killed the process: in which step, `EVENTS.PASSIVE.THREAD`.
fn death(rt: &Runtime, pending: &Pending, depth: usize) -> String {
    if pending.kind != FindingKind::ProcessDeath {
        return String::new();
    }
    let thread = pending.accesses.first().map_or(0, |access| access.thread);
    let decisions = rt.explorer.schedule();
    match deaths::position_in(rt, &decisions[..depth], thread) {
        Some(at) => format!("; dies {}.{}.{}", at.events, at.passives, at.thread),
        None => String::new(),
    }
}

/// If a replay is asked for: reads the finding and sets the search up to repeat it.
///
/// # Errors
/// One sentence.
pub fn prepare_replay(rt: &mut Runtime) -> Result<(), String> {
    if rt.options.replay.is_empty() {
        return Ok(());
    }
    let path = &rt.options.replay;
    let text = std::fs::read_to_string(path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let finding: Finding =
        serde_json::from_str(&text).map_err(|why| format!("{path} is no schedule: {why}"))?;
    let schedule =
        parse(&finding.schedule).ok_or_else(|| format!("{path} holds no readable schedule"))?;
    uses::decode(&schedule.events).ok_or_else(|| format!("{path} is of another program"))?;
    // The child whose creation made the root was named already, perhaps with another number.
    rt.names.clear();
    for (creator, nth) in schedule.names {
        journal::name(rt.names.len(), creator, nth);
        rt.names.push((creator, nth));
        let slot = rt
            .numbers
            .get_mut(creator as usize)
            .and_then(|row| row.get_mut(nth as usize));
        *slot.ok_or_else(|| format!("{path} names a thread that cannot be"))? =
            rt.names.len() as u16;
    }
    rt.expected = Some(finding);
    if schedule.death.is_some() {
        deaths::expect(rt);
    }
    journal::calls(&schedule.events);
    let search = Search::Replay(schedule.decisions);
    rt.explorer = Explorer::new(super::root::config(search, &rt.options));
    Ok(())
}

/// A schedule's text, read.
pub struct Schedule {
    /// Creator and number of each thread but the first.
    names: Vec<(u16, u16)>,
    /// Thread and alternative of each event.
    pub decisions: Vec<(ThreadId, u32)>,
    /// Calls that are events ([`uses::encode`]).
    pub events: String,
    /// The step that kills the process.
    pub death: Option<Position>,
}

/// Reads a schedule.
pub fn parse(schedule: &str) -> Option<Schedule> {
    let mut parts = schedule.split(';').map(str::trim);
    let (names, decisions) = (parts.next()?, parts.next()?);
    let (mut events, mut death) = (String::new(), None);
    for part in parts {
        match part.strip_prefix("dies ") {
            Some(step) => death = Some(parse_position(step)?),
            None => part.clone_into(&mut events),
        }
    }
    let names = names.split_ascii_whitespace().map(|name| {
        let (creator, nth) = name.split_once('.')?;
        Some((creator.parse().ok()?, nth.parse().ok()?))
    });
    let decisions = decisions.split_ascii_whitespace().map(|decision| {
        let (thread, alternative) = decision.split_once('/').unwrap_or((decision, "0"));
        Some((ThreadId(thread.parse().ok()?), alternative.parse().ok()?))
    });
    Some(Schedule {
        names: names.collect::<Option<_>>()?,
        decisions: decisions.collect::<Option<_>>()?,
        events,
        death,
    })
}

fn parse_position(text: &str) -> Option<Position> {
    let mut numbers = text.split('.');
    let position = Position {
        events: numbers.next()?.parse().ok()?,
        passives: numbers.next()?.parse().ok()?,
        thread: numbers.next()?.parse().ok()?,
    };
    numbers.next().is_none().then_some(position)
}

/// Where a replay left the recorded trace: `None` if it followed it.
pub fn divergence(rt: &Runtime) -> Option<String> {
    let expected = rt.expected.as_ref()?;
    let trace = rt.explorer.trace();
    let mut objects = Renaming::default();
    let made = steps(trace, trace.len());
    for (k, want) in expected.trace.iter().enumerate() {
        let Some(got) = made.get(k) else {
            return Some(format!(
                "the schedule has {} events, the program made {k}",
                expected.trace.len()
            ));
        };
        if (got.thread, &got.operation, &got.place) != (want.thread, &want.operation, &want.place) {
            return Some(format!(
                "event {k} is thread {} {} at {}:{}, the schedule has thread {} {} at {}:{}",
                got.thread,
                got.operation,
                got.place.file,
                got.place.line,
                want.thread,
                want.operation,
                want.place.file,
                want.place.line,
            ));
        }
        if !objects.agree(got, want) {
            return Some(format!(
                "event {k}, {} at {}:{}, is on {}, the schedule has it on {}",
                got.operation, got.place.file, got.place.line, got.object, want.object,
            ));
        }
    }
    None
}

/// Which object of the recorded run is which one now. Addresses may differ (main's stack lies
/// elsewhere with another environment), so an object is known by the events on it.
#[derive(Default)]
struct Renaming {
    now: BTreeMap<u64, u64>,
    then: BTreeMap<u64, u64>,
}

impl Renaming {
    /// Whether two events can be on the same object, after all events before.
    fn agree(&mut self, got: &Step, want: &Step) -> bool {
        if got.address == 0 || want.address == 0 {
            return got.address == want.address && got.object == want.object;
        }
        *self.now.entry(want.address).or_insert(got.address) == got.address
            && *self.then.entry(got.address).or_insert(want.address) == want.address
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
            Stop::Unsupported(format!(
                "nondeterminism: the outcome of {} depends on memory that changed without being seen",
                describe(&operation)
            ))
        }
        Fault::Unlike { .. } => {
            rt.options.reductions.symmetry = false;
            return None;
        }
        Fault::BadSchedule { step } => Stop::Unsupported(format!(
            "nondeterminism: the program cannot make step {step} of the schedule",
        )),
        Fault::ThreadLimit => Stop::Unsupported("more than 64 threads".to_owned()),
        other => Stop::Failure(format!("[dpor internal bug] {}", run::describe(&other))),
    })
}
