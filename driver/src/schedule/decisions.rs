//! Which steps of a trace were decisions: the others (a thread begins, a join of a thread that has ended)
//! come by themselves, and the schedule has no word about them.

use dpor_report::{Decision, Finding, Schedule};

/// Operations that may come by themselves, or may have to be decided.
const MAYBE: [&str; 8] = [
    "thread-start",
    "thread-join",
    "main-return",
    "join-all",
    "exit-call",
    "process-end",
    "barrier-leave",
    "futex-woken",
];

/// The alternative of each step that was a decision, none for the others; `None` if the schedule does not
/// tell, or if the trace lacks steps.
pub fn alternatives(finding: &Finding) -> Option<Vec<Option<u32>>> {
    if !finding.is_whole() {
        return None;
    }
    let schedule: Schedule = finding.schedule.parse().ok()?;
    // Nearly always the first: all that may come by themselves do.
    let all = (0..1u32 << MAYBE.len()).rev();
    let mut fitting = all.filter_map(|passive| fit(finding, &schedule.decisions, passive));
    fitting.next()
}

/// If the operations of these bits come by themselves.
fn fit(finding: &Finding, decisions: &[Decision], passive: u32) -> Option<Vec<Option<u32>>> {
    let mut left = decisions.iter();
    let mut steps = Vec::with_capacity(finding.trace.len());
    for step in &finding.trace {
        let kind = MAYBE.iter().position(|name| *name == step.operation);
        if kind.is_some_and(|kind| passive >> kind & 1 == 1) {
            steps.push(None);
            continue;
        }
        let decision = left.next()?;
        if u32::from(decision.thread) != step.thread {
            return None;
        }
        steps.push(Some(decision.alternative));
    }
    left.next().is_none().then_some(steps)
}
