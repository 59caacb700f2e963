//! The replay of a run that goes on for ever: it is made some times round, and has to come back to a state, bit by bit.
//!
//! The first time round need not do: what is called for the first time in a process leaves other bytes in dead parts of
//! frames (a symbol is looked up, say) than it does later.

use super::matched;
use crate::findings::severity;
use crate::knowledge::findings::Pending;
use crate::knowledge::states::RepeatedLoop;
use crate::runtime::Runtime;
use dpor_report::{Decision, Finding};

/// How often the loop is gone round.
const ROUNDS: usize = 4;

/// The decisions of the schedule, with those of its loop as often as the replay goes round.
pub fn decisions(finding: &Finding, decisions: &[Decision]) -> Vec<Decision> {
    let begins = finding.loop_decisions.map(|begins| begins as usize);
    let around = begins.and_then(|begins| decisions.get(begins..));
    let more = around.map_or(Vec::new(), |around| around.repeat(ROUNDS - 1));
    [decisions, &more].concat()
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
        last: None,
        at: None,
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
    let is_back = match awaited.begins {
        None => rt.depth == awaited.ends,
        Some(begins) => {
            let around = awaited.ends - begins;
            let is_at_beginning = rt.depth >= begins && (rt.depth - begins).is_multiple_of(around);
            if is_at_beginning && awaited.at != Some(rt.depth) {
                awaited.last = awaited.before.filter(|_| rt.depth > begins);
            }
            if is_at_beginning {
                // Also behind the steps that follow of their own accord.
                awaited.at = Some(rt.depth);
                awaited.before = matched::fingerprint(rt);
            }
            is_at_beginning && awaited.last.is_some() && awaited.last == awaited.before
        }
    };
    if let Some(finding) = awaited.finding.take_if(|_| is_back) {
        let pending = Pending {
            kind: finding.kind,
            severity: severity(rt, finding.kind),
            message: finding.message,
            object: None,
            accesses: Vec::new(),
            details: finding.details,
            depth: awaited.ends,
        };
        rt.findings.note(pending);
    }
    rt.repeated_loop = Some(awaited);
}
