//! The fewest preemptions with which a finding is reached.

use super::probe::{same, Prober};
use dpor_report::{Captured, Finding, Report, Verdict};

/// Makes the trace of a finding one with as few preemptions as possible, as far as that is known. What its execution
/// wrote, if it is another now.
pub fn find(finding: &mut Finding, prober: &Prober<'_>) -> Option<Captured> {
    let search = match finding.preemptions {
        0 => Fewer::None,
        _ => fewer(finding, prober),
    };
    let (shown, output) = match &search {
        Fewer::Found(better) => reordered(better, prober)?,
        // The trace that it has is one already.
        _ if fewest(finding).is_empty() => (finding.clone(), None),
        _ => reordered(finding, prober)?,
    };
    *finding = Finding {
        minimal: matches!(search, Fewer::Found(_) | Fewer::None),
        preemptions_at_least: match search {
            Fewer::AtLeast(bound) => Some(bound),
            _ => None,
        },
        executions: finding.executions,
        ..shown
    };
    output
}

/// The finding's schedule in an order with as few preemptions as it is said to have; empty if it is in such an order.
fn fewest(finding: &Finding) -> &str {
    finding.mark.as_ref().map_or("", |mark| &mark.fewest)
}

/// The result of a search with fewer preemptions.
enum Fewer {
    /// The finding with the fewest preemptions.
    Found(Box<Finding>),
    /// No execution with fewer preemptions has the finding.
    None,
    /// The time was up; no execution with fewer preemptions than these has the finding.
    AtLeast(u64),
    /// Nothing is known of executions with fewer preemptions.
    Unknown,
}

fn fewer(finding: &Finding, prober: &Prober<'_>) -> Fewer {
    let Some(report) = prober.with_fewer(finding) else {
        return Fewer::Unknown;
    };
    if let Some(found) = same(&report, finding) {
        return Fewer::Found(Box::new(found.clone()));
    }
    if is_whole(&report) {
        return Fewer::None;
    }
    let reason = report.reason.as_deref().unwrap_or_default();
    match report.coverage.last() {
        // The present bound is the last.
        Some(row) if reason.starts_with("time-limit") => Fewer::AtLeast(row.bound),
        _ => Fewer::Unknown,
    }
}

/// Whether all was explored that was asked for.
pub fn is_whole(report: &Report) -> bool {
    matches!(report.verdict, Verdict::Verified | Verdict::Bug) && report.reason.is_none()
}

/// The finding at the end of a schedule that has as few preemptions as it needs, and what that execution wrote.
/// `None`: that does not show it.
fn reordered(finding: &Finding, prober: &Prober<'_>) -> Option<(Finding, Option<Captured>)> {
    let followed = match fewest(finding) {
        "" => finding.clone(),
        // Its trace is not known yet.
        fewest => Finding {
            schedule: fewest.to_owned(),
            trace: Vec::new(),
            ..finding.clone()
        },
    };
    let mut report = prober.replay(&followed)?;
    let shown =
        same(&report, finding).filter(|_| report.verdict == Verdict::Bug || is_warned(&report));
    let shown = shown?.clone();
    let output = (report.output.len() == 1).then(|| report.output.remove(0));
    (shown.preemptions <= finding.preemptions).then_some((shown, output))
}

/// A schedule that shows nothing but warnings is run without what it is expected to show.
fn is_warned(report: &Report) -> bool {
    report.verdict == Verdict::Incomplete
}
