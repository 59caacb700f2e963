//! The replay of a run that goes on for ever: it is made once round, and has to come back to the state where its loop
//! begins, bit by bit.

use super::matched;
use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::runtime::Runtime;
use dpor_report::Finding;

/// What a replay looks for.
pub struct RepeatedLoop {
    /// The number of events before the loop; `None`: the run ends, and goes on by standing still.
    begins: Option<usize>,
    /// The number of events once round.
    ends: usize,
    /// The number of the state where the loop begins.
    before: Option<u128>,
    /// The finding, once it is shown again.
    finding: Option<Box<Finding>>,
}

/// A finding with so many events is to be shown again, which is about a run that goes on for ever if this says so.
pub fn expect(rt: &mut Runtime, finding: &Finding, events: usize) {
    use dpor_report::FindingKind::{Ltl, NonProgress, Starvation};
    if !matches!(finding.kind, Ltl | NonProgress | Starvation) {
        return;
    }
    matched::begin(rt);
    rt.repeated_loop = Some(Box::new(RepeatedLoop {
        begins: finding.loop_decisions.map(|begins| begins as usize),
        ends: events,
        before: matched::fingerprint(rt),
        finding: Some(Box::new(finding.clone())),
    }));
}

/// A step was made.
#[inline(always)]
pub fn step_ended(rt: &mut Runtime) {
    if rt.repeated_loop.is_some() {
        look(rt);
    }
}

#[cold]
fn look(rt: &mut Runtime) {
    let Some(mut awaited) = rt.repeated_loop.take() else {
        return;
    };
    let now = || matched::fingerprint(rt);
    if awaited.begins == Some(rt.depth) {
        // Also behind the steps that follow of their own accord.
        awaited.before = now();
    }
    let is_back = rt.depth == awaited.ends && (awaited.begins.is_none() || awaited.before == now());
    if let Some(finding) = awaited.finding.take_if(|_| is_back) {
        let pending = Pending {
            kind: finding.kind,
            severity: severity(rt, finding.kind),
            message: finding.message,
            object: None,
            accesses: Vec::new(),
            details: finding.details,
            depth: rt.depth,
        };
        rt.findings.note(pending);
    }
    rt.repeated_loop = Some(awaited);
}
