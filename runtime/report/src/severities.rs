//! Errors and warnings of a report, as its verdict counts them.

use crate::text::counted;
use crate::{Finding, Report, Severity, Verdict};

/// The errors by their kinds: `data-race`, or `3 errors (data-race, deadlock)` if there are several.
pub(crate) fn errors(report: &Report) -> String {
    let errors = report.findings.iter();
    // A schedule that shows a warning is judged by it.
    let errors = errors.filter(|finding| !is_beside(finding, report));
    let mut kinds: Vec<String> = Vec::new();
    for finding in errors.clone() {
        let kind = finding.kind.to_string();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let kinds = kinds.join(", ");
    match errors.count() as u64 {
        0 | 1 => kinds,
        n => format!("{} ({kinds})", counted(n, "error")),
    }
}

/// Whether a finding is a warning, and not what the verdict is about.
fn is_beside(finding: &Finding, report: &Report) -> bool {
    let is_error = |finding: &Finding| report.severity(finding) == Severity::Error;
    let has_errors = report.findings.iter().any(is_error);
    !is_error(finding) && (has_errors || report.verdict != Verdict::Bug)
}

/// How many warnings there are, behind `before`; empty if there is none.
pub(crate) fn warnings(report: &Report, before: &str) -> String {
    let warnings = report.findings.iter();
    let warnings = warnings.filter(|finding| is_beside(finding, report));
    match warnings.count() as u64 {
        0 => String::new(),
        n => before.to_owned() + &counted(n, "warning"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FindingKind::{self, DataRace, Deadlock, Leak};

    fn report(kinds: &[FindingKind], verdict: &str) -> Report {
        let finding = |kind: &FindingKind| {
            serde_json::json!({
                "kind": kind, "message": "", "object": null, "accesses": [], "trace": [],
                "executions": 1, "preemptions": 1, "replay": "",
            })
        };
        let findings: Vec<_> = kinds.iter().map(finding).collect();
        let report = serde_json::json!({
            "tool": "", "version": "", "program": "", "args": [], "model": "", "search": "",
            "bound": null, "checkpoint": "", "workers": 1, "verdict": verdict, "reason": null,
            "executions": { "complete": 1, "blocked": 0, "redundant": 0, "bound_exceeded": 0,
                "deadlocked": 0, "failed": 0 },
            "reductions": [], "scope": { "instrumented": [], "uninstrumented": [] },
            "events": 0, "events_replayed": 0, "threads_max": 1,
            "seconds": { "wall": 0.0, "cpu": 0.0 }, "executions_per_second": 0.0,
            "peak_rss_bytes": 0, "checkpoints": { "taken": 0, "restored": 0, "bytes_mean": 0, "forks": 0 },
            "outcomes": [], "findings": findings,
        });
        serde_json::from_value(report).expect("a report")
    }

    fn check(kinds: &[FindingKind], verdict: &str, errors_are: &str, warnings_are: &str) {
        let mut report = report(kinds, verdict);
        report.put_errors_first();
        assert_eq!(
            (errors(&report).as_str(), warnings(&report, ", ").as_str()),
            (errors_are, warnings_are)
        );
        let is_warning = |finding: &Finding| report.severity(finding) == Severity::Warning;
        assert!(report.findings.iter().is_sorted_by_key(is_warning));
    }

    #[test]
    fn what_was_found_comes_before_what_was_explored() {
        let check = |kinds: &[FindingKind], bound: Option<u64>, executions: u64, expect: &str| {
            let mut report = report(kinds, "bug");
            (report.bound, report.executions.complete) = (bound, executions);
            assert_eq!(crate::text::verdict_line(&report), expect);
        };
        check(
            &[DataRace],
            None,
            1,
            "bug found: data-race, after 1 execution",
        );
        check(
            &[DataRace, Leak, Deadlock],
            Some(2),
            1234,
            "bug found: 2 errors (data-race, deadlock) with 1 preemption, 1 warning, after 1,234 executions",
        );
    }

    #[test]
    fn errors_are_counted_and_come_first() {
        check(&[Leak, DataRace], "bug", "data-race", ", 1 warning");
        check(
            &[DataRace, Leak, DataRace, Deadlock, Leak],
            "bug",
            "3 errors (data-race, deadlock)",
            ", 2 warnings",
        );
        check(&[Leak], "verified", "", ", 1 warning");
        // A schedule that is run again for its warning.
        check(&[Leak], "bug", "leak", "");
    }
}
