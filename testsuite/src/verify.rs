//! Compares a report with what a header expects, and reports with each other.

use crate::header::Header;
use dpor_report::{Access, Finding, FindingKind, Place, Report, Severity, Verdict};
use std::collections::BTreeSet;

/// The exit code of `dpor check` with a verdict.
pub fn exit_code(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Verified => 0,
        Verdict::Bug => 42,
        Verdict::Incomplete => 3,
        Verdict::Unsupported => 4,
    }
}

/// Everything in which a report is not what the header says; empty if nothing.
pub fn differences(header: &Header, file: &str, report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(expect) = header.expect {
        if report.verdict != expect {
            wrong.push(format!(
                "verdict {} (reason {:?}), expected {expect}",
                report.verdict, report.reason
            ));
        }
    }
    if let Some(expect) = header.executions {
        let mut found = report.executions;
        if header.is_bounded() {
            // How many were run in vain is the search's business.
            found.bound_exceeded = expect.bound_exceeded;
        }
        if found != expect {
            wrong.push(format!("{found:?}, expected {expect:?}"));
        }
    }
    if let Some(expect) = header.preemptions {
        let bugs = report.findings.iter();
        let bugs = bugs.filter(|finding| report.severity(finding) == Severity::Error);
        let least = bugs.map(|finding| finding.preemptions).min();
        if least != Some(expect) {
            wrong.push(format!("preemptions: {least:?}, expected {expect}"));
        }
    }
    kinds(header, report, &mut wrong);
    outcomes(header, report, &mut wrong);
    outputs(header, report, &mut wrong);
    texts(header, report, &mut wrong);
    markers(header, file, report, &mut wrong);
    wrong
}

fn kinds(header: &Header, report: &Report, wrong: &mut Vec<String>) {
    let found: BTreeSet<String> = report
        .findings
        .iter()
        .map(|finding| finding.kind.to_string())
        .collect();
    if found != header.kinds {
        wrong.push(format!("found {found:?}, expected {:?}", header.kinds));
    }
}

fn outcomes(header: &Header, report: &Report, wrong: &mut Vec<String>) {
    if let Some(expect) = header.outcomes_distinct {
        if report.outcomes.len() != expect {
            let found = report.outcomes.len();
            wrong.push(format!("{found} distinct outcomes, expected {expect}"));
        }
    }
    let Some(expect) = &header.outcomes else {
        return;
    };
    for outcome in &report.outcomes {
        match expect.get(&outcome.values) {
            None => wrong.push(format!("unexpected outcome {:?}", outcome.values)),
            Some(Some(times)) if *times != outcome.executions => wrong.push(format!(
                "outcome {:?} in {} executions, expected {times}",
                outcome.values, outcome.executions
            )),
            Some(_) => {}
        }
    }
    for values in expect.keys() {
        if !report.outcomes.iter().any(|o| &o.values == values) {
            wrong.push(format!("missing outcome {values:?}"));
        }
    }
}

fn outputs(header: &Header, report: &Report, wrong: &mut Vec<String>) {
    let Some(expect) = &header.outputs else {
        return;
    };
    let found: BTreeSet<String> = report.output.iter().map(|o| o.stdout.clone()).collect();
    if &found != expect {
        wrong.push(format!("outputs {found:?}, expected {expect:?}"));
    }
}

fn texts(header: &Header, report: &Report, wrong: &mut Vec<String>) {
    if let Some(expect) = &header.reason {
        if !report.reason.as_deref().unwrap_or("").contains(expect) {
            wrong.push(format!(
                "reason {:?}, expected '{expect}' in it",
                report.reason
            ));
        }
    }
    for expect in &header.messages {
        let said = |finding: &Finding| {
            finding.message.contains(expect) || finding.details.iter().any(|d| d.contains(expect))
        };
        if !report.findings.iter().any(said) {
            let found: Vec<_> = report.findings.iter().map(|f| &f.message).collect();
            wrong.push(format!("no finding says '{expect}', but {found:?}"));
        }
    }
    for expect in &header.notes {
        if !report.notes.iter().any(|note| note.contains(expect)) {
            wrong.push(format!("no note says '{expect}', but {:?}", report.notes));
        }
    }
}

/// Each marked line is touched by a finding of its kind, and a race touches no unmarked line.
fn markers(header: &Header, file: &str, report: &Report, wrong: &mut Vec<String>) {
    for marker in &header.markers {
        let touched = report
            .findings
            .iter()
            .filter(|finding| finding.kind == marker.kind)
            .any(|finding| places(finding).any(|place| is_at(place, file, marker.line)));
        if !touched {
            wrong.push(format!("line {}: no {} here", marker.line, marker.kind));
        }
    }
    if !header
        .markers
        .iter()
        .any(|m| m.kind == FindingKind::DataRace)
    {
        return;
    }
    let races = report
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::DataRace);
    for access in races.flat_map(|finding| &finding.accesses) {
        let marked = header
            .markers
            .iter()
            .any(|marker| is_at(&access.place, file, marker.line));
        if !marked {
            wrong.push(format!("race at unmarked line {}", access.place.line));
        }
    }
}

/// Where a finding is: its accesses, and the last event before it.
fn places(finding: &Finding) -> impl Iterator<Item = &Place> {
    finding
        .accesses
        .iter()
        .map(|access| &access.place)
        .chain(finding.trace.last().map(|step| &step.place))
}

fn is_at(place: &Place, file: &str, line: u32) -> bool {
    let here = |place: &Place| place.line == line && place.file.ends_with(file);
    here(place) || place.inlined_into.iter().any(here)
}

/// What must not depend on the number of workers. One that stops at the first bug stops elsewhere; and
/// which execution is the witness of a finding depends on who was first.
pub fn disagreements_of_workers(one: &Report, several: &Report) -> Vec<String> {
    let all =
        |report: &Report| report.has_option("keep-going=1") || report.verdict == Verdict::Verified;
    if !all(one) || !all(several) {
        return match one.verdict == several.verdict {
            true => Vec::new(),
            false => vec![format!("{} and {}", one.verdict, several.verdict)],
        };
    }
    let without_witnesses = |report: &Report| {
        let mut report = report.clone();
        for finding in &mut report.findings {
            finding.trace.clear();
            finding
                .accesses
                .iter_mut()
                .for_each(|access| access.thread = 0);
            // Which of a race's comes first is the witness's, too.
            let place = |access: &Access| (access.place.line, access.place.column);
            finding.accesses.sort_by_key(place);
        }
        report
    };
    disagreements(&without_witnesses(one), &without_witnesses(several))
}

/// What must not depend on the kind of checkpoint.
pub fn disagreements(one: &Report, other: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, equal: bool, one: String, other: String| {
        if !equal {
            wrong.push(format!("{what} differ: {one} and {other}"));
        }
    };
    let counts = (one.executions, other.executions);
    compare(
        "counts",
        counts.0 == counts.1,
        format!("{:?}", counts.0),
        format!("{:?}", counts.1),
    );
    compare(
        "verdicts",
        one.verdict == other.verdict,
        one.verdict.to_string(),
        other.verdict.to_string(),
    );
    let found = (summary(one), summary(other));
    compare(
        "findings",
        found.0 == found.1,
        format!("{:?}", found.0),
        format!("{:?}", found.1),
    );
    compare(
        "outcomes",
        one.outcomes == other.outcomes,
        format!("{:?}", one.outcomes),
        format!("{:?}", other.outcomes),
    );
    wrong
}

/// Findings without what may differ between processes: kind, places, threads, executions.
fn summary(report: &Report) -> Vec<String> {
    let mut all: Vec<String> = report
        .findings
        .iter()
        .map(|finding| {
            let accesses: Vec<String> = finding
                .accesses
                .iter()
                .map(|a| format!("T{} {} line {}", a.thread, a.access, a.place.line))
                .collect();
            format!(
                "{} in {} executions, {} events: {accesses:?}",
                finding.kind,
                finding.executions,
                finding.trace.len()
            )
        })
        .collect();
    all.sort();
    all
}
