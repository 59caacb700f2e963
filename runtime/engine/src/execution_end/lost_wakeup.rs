//! Signals that found nobody.

use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::steps::{self, name};
use crate::waits::{access, taken_by};
use dpor_explorer::{End, Trace, Waiting};
use dpor_model::Kind;
use dpor_report::FindingKind;

/// Signals that came before a thread waited that waits for one: a warning each.
pub fn all(rt: &Runtime, search: &Searching, end: &End, depth: usize) -> Vec<Pending> {
    let End::Deadlock(deadlock) = end else {
        return Vec::new();
    };
    let trace = search.trace();
    let lost = |waiting: &Waiting| {
        let (signal, message) = signal_before(trace, waiting, depth)?;
        let of_signal = trace.operation(signal);
        let mut accesses = vec![access(
            trace.event(signal).thread,
            name(of_signal),
            of_signal,
        )];
        accesses.push(dpor_report::Access {
            step: Some(steps::count(trace, trace.len())),
            ..access(waiting.thread, name(&waiting.operation), &waiting.operation)
        });
        Some(Pending {
            kind: FindingKind::LostWakeup,
            severity: severity(rt, FindingKind::LostWakeup),
            message: message.to_owned(),
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

/// The last signal that a waiting thread missed, and what is said of it: one that found nobody, or one to all that came
/// between the thread's last look at what it waits for, after it took the mutex, and its wait.
fn signal_before(trace: &Trace, waiting: &Waiting, depth: usize) -> Option<(usize, &'static str)> {
    let condvar = waiting.operation.object;
    let waited = (0..depth).rev().find(|&k| {
        trace.event(k).thread == waiting.thread && trace.operation(k).kind == Kind::CondEnqueue
    });
    let taken = taken_by(trace, waiting.thread, waiting.operation.other);
    let since_look = taken.unwrap_or(depth)..waited.unwrap_or(0);
    let missed = |k: usize| {
        let operation = trace.operation(k);
        let is_to_all = operation.kind == Kind::CondBroadcast;
        // With an argument it is no call of the program's.
        let is_signal =
            is_to_all || operation.kind == Kind::CondSignal && operation.only().is_none();
        if !is_signal || operation.object != condvar {
            return None;
        }
        let waiters = trace.values(k, condvar).map_or(1, |(before, _)| before);
        match waiters {
            0 => Some((k, "a signal found nobody, and a thread that came later waits for one")),
            _ if is_to_all && since_look.contains(&k) => Some((
                k,
                "a signal to all came when a thread was about to wait, and it waits for another one",
            )),
            _ => None,
        }
    };
    (0..depth).rev().find_map(missed)
}
