//! Threads that the end of the process leaves: those that may still run, and those that nobody joins.
//!
//! A thread may still run unless all it does happens before main returns or calls `exit`. That is asked of the trace
//! ([`Trace::beside_main`]), so that it does not depend on the order in which the execution ran. A thread that was
//! joined is over.

use crate::findings::{access, severity, warning_severity};
use crate::given::posix;
use crate::knowledge::findings::Pending;
use crate::runtime::Runtime;
use crate::sites::{in_function, in_words, place};
use crate::state::State;
use crate::waits::describe_wait;
use crate::world::world;
use dpor_abi::options::MainReturn;
use dpor_explorer::{Beside, End, Trace};
use dpor_model::{Kind, SiteId, ThreadId, ThreadSet};
use dpor_report::FindingKind;

/// An execution ended: notes what is to be said of the threads that it left.
pub fn execution_ended(rt: &mut Runtime, trace: &Trace, end: &End, depth: usize) {
    if matches!(end, End::Redundant) {
        return;
    }
    // SAFETY: the world is mapped from the root on; the engine looks between two steps, when no fiber runs.
    let state = unsafe { &(*world()).engine };
    let (mut early, mut abandoned) = (Vec::new(), Vec::new());
    for thread in (1..=rt.names.len() as u16).map(ThreadId) {
        let Some(created) = posix().created_at(thread) else {
            continue;
        };
        if is_asked(rt, state) {
            if let Some(where_it_is) = beside(state, trace, thread, created) {
                early.extend(where_it_is);
                continue;
            }
        }
        if state.abandoned.contains(thread) {
            abandoned.push((thread, created));
        }
    }
    if !early.is_empty() {
        let exit = &state.exit;
        let message = match exit.by_call {
            true => "main calls exit while other threads run",
            false => "main returns while other threads run",
        };
        rt.findings.note(Pending {
            kind: FindingKind::MainExitsEarly,
            severity: severity(rt, FindingKind::MainExitsEarly),
            message: message.to_owned(),
            object: None,
            accesses: vec![access(ThreadId::MAIN, "call", place(exit.site), 0)],
            details: early,
            depth: exit.depth.min(depth),
        });
    }
    for (thread, created) in abandoned {
        rt.findings.note(Pending {
            kind: FindingKind::ThreadMisuse,
            severity: warning_severity(rt),
            message: "a thread is neither joined nor detached".to_owned(),
            object: None,
            accesses: vec![access(thread, "create", place(created), 0)],
            details: Vec::new(),
            depth,
        });
    }
}

/// Whether the process ended by a last step that did not wait for the end of all threads.
pub fn has_left_threads() -> bool {
    // SAFETY: the world is mapped from the root on; the engine looks between two steps, when no fiber runs.
    let state = unsafe { &(*world()).engine };
    state.exit.is_last_step && crate::exit_state::waits() && state.live.len() > 1
}

/// Whether main's thread came to its last step, and was not made to end the process by an event.
fn is_asked(rt: &Runtime, state: &State) -> bool {
    match rt.options.main_return {
        MainReturn::ExitHandlers => state.exit.is_by_main(),
        MainReturn::Run => state.exit.by_main,
        MainReturn::Exit => false,
    }
}

/// Where a thread may be when the process ends; `None`: it is over.
fn beside(state: &State, trace: &Trace, thread: ThreadId, created: SiteId) -> Option<Vec<String>> {
    let pending = trace.pending(thread);
    let at = |site, what: &str| match place(site).line {
        0 => format!("thread {} {what} at an unknown place", thread.0),
        _ => format!("thread {} {what} at {}", thread.0, in_function(site)),
    };
    let begins = |kind| kind == Kind::Start;
    let first = match trace.beside_main(thread) {
        Beside::Event(event) => at(trace.operation(event).site, "is"),
        Beside::Nothing => match pending {
            Some(operation) => at(operation.site, "is"),
            None if state.wrote_last.contains(thread) => {
                let last = trace.last_event(thread);
                let site = last.map_or(created, |event| trace.operation(event).site);
                at(site, "goes on after its last operation")
            }
            None => return None,
        },
        Beside::Unknown => match pending {
            Some(operation) if !begins(operation.kind) => at(operation.site, "is"),
            _ => at(created, "was created"),
        },
    };
    let waits = pending.and_then(|_| waits_at_end(trace, thread));
    Some(std::iter::once(first).chain(waits).collect())
}

/// What a thread waits for when the process is gone.
fn waits_at_end(trace: &Trace, thread: ThreadId) -> Option<String> {
    let all = trace.deadlock_of(&ThreadSet::EMPTY).waiting;
    let waiting = all.iter().find(|waiting| waiting.thread == thread)?;
    if trace.can_go_on(thread) {
        return Some(format!(
            "thread {} still runs when the process ends",
            thread.0
        ));
    }
    let wait = describe_wait(trace, waiting);
    let place = in_words(waiting.operation.site);
    Some(format!("{wait} when the process ends, at {place}"))
}
