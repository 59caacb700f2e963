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
    let (better, is_least) = match search {
        Fewer::Found(better) => (*better, true),
        Fewer::None => (finding.clone(), true),
        Fewer::AtLeast(bound) => {
            finding.preemptions_at_least = Some(bound);
            (finding.clone(), false)
        }
        Fewer::Unknown => (finding.clone(), false),
    };
    let (shown, output) = reordered(better, prober)?;
    let at_least = finding.preemptions_at_least;
    *finding = Finding {
        minimal: is_least,
        preemptions_at_least: at_least.filter(|_| !is_least),
        executions: finding.executions,
        ..shown
    };
    output
}

/// What is known of fewer preemptions.
enum Fewer {
    /// The finding with fewest.
    Found(Box<Finding>),
    /// None does.
    None,
    /// The time was up; with fewer than these none does.
    AtLeast(u64),
    /// Nothing.
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
fn reordered(finding: Finding, prober: &Prober<'_>) -> Option<(Finding, Option<Captured>)> {
    let fewest = finding.mark.as_ref().map_or("", |mark| &mark.fewest);
    let followed = match fewest {
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
        same(&report, &finding).filter(|_| report.verdict == Verdict::Bug || is_warned(&report));
    let shown = shown?.clone();
    let output = (report.output.len() == 1).then(|| report.output.remove(0));
    (shown.preemptions <= finding.preemptions).then_some((shown, output))
}

/// A schedule that shows nothing but warnings is run without what it is expected to show.
fn is_warned(report: &Report) -> bool {
    report.verdict == Verdict::Incomplete
}
