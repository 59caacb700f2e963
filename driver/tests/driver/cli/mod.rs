//! The real `dpor` and `dpor-cc` in an installation of their own, with programs that speak the
//! runtime's side of the channel as told (`fake/program.c`).

mod ends;
mod input;
mod progress;
mod reports;

use crate::installation::{Installation, Ran};
use dpor_report::{Executions, FindingKind, Message, Report, Verdict};

/// A verified report with `complete` executions.
fn report(complete: u64) -> Report {
    let options = dpor_abi::options::Options::default();
    let mut report = dpor_driver::report::plain::empty(&options, std::time::Duration::from_secs(1));
    report.verdict = Verdict::Verified;
    report.executions = Executions {
        complete,
        ..Executions::default()
    };
    report
}

fn lines(messages: &[Message]) -> String {
    let line = |message: &Message| serde_json::to_string(message).unwrap() + "\n";
    messages.iter().map(line).collect()
}

fn said(report: Report) -> String {
    let report = Message::Report {
        report: Box::new(report),
        loaded: Vec::new(),
    };
    lines(&[Message::Started, report])
}

fn a_bug() -> Report {
    let mut report = report(3);
    report.verdict = Verdict::Bug;
    report.executions.failed = 1;
    let mut finding = dpor_driver::report::plain::finding(status(7 << 8)).unwrap();
    finding.kind = FindingKind::Assertion;
    finding.message = "assertion x == 1 fails".to_owned();
    report.findings = vec![finding];
    report
}

fn status(raw: i32) -> std::process::ExitStatus {
    std::os::unix::process::ExitStatusExt::from_raw(raw)
}

/// Checks the fake program that says `channel` and ends as `end` says.
fn check(installation: &Installation, options: &str, channel: &str, end: &str) -> Ran {
    installation.write("channel", channel);
    let line = format!("check {options} ./program -- channel {end}");
    installation.dpor(&line)
}
