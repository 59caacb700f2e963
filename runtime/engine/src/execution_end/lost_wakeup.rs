//! Signals that found nobody.

use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::steps::{self, name};
use crate::waits::access;
use dpor_explorer::{End, Waiting};
use dpor_model::Kind;
use dpor_report::FindingKind;

/// Signals that found nobody, although a thread came later and waits for one: a warning each.
pub fn all(rt: &Runtime, search: &Searching, end: &End, depth: usize) -> Vec<Pending> {
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
                Kind::CondSignal => operation.only().is_none(),
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
        accesses.push(dpor_report::Access {
            step: Some(steps::count(trace, trace.len())),
            ..access(waiting.thread, name(&waiting.operation), &waiting.operation)
        });
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
