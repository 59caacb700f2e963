//! The critical switch: the last one without which no continuation fails.

use super::fewest::is_whole;
use super::probe::{same, Prober};
use dpor_report::Finding;

/// The step of the trace, if it is known. From the last switch back: the first one without which the finding does
/// not come any more.
pub fn find(finding: &Finding, prober: &Prober<'_>) -> Option<u64> {
    let steps = finding.mark.as_ref()?.decisions.clone();
    let thread = |decision: usize| {
        let step = finding.trace.get(steps[decision] as usize);
        step.map(|step| step.thread)
    };
    let switches = (1..steps.len()).rev();
    let mut switches = switches.filter(|&decision| thread(decision) != thread(decision - 1));
    loop {
        let decision = switches.next()?;
        let report = prober.without(finding, decision)?;
        if same(&report, finding).is_some() {
            continue;
        }
        // Nothing else could go on there.
        if report.executions.redundant > 0 && report.executions.total() == 1 {
            continue;
        }
        return is_whole(&report).then_some(steps[decision]);
    }
}
