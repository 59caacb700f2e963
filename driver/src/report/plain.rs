//! The report of a program that kept to one thread: it ran once, as itself, and the runtime said
//! nothing. Its exit status is all there is to judge.

use dpor_abi::options::Options;
use dpor_report::{
    Checkpoints, Executions, Finding, FindingKind, Progress, Report, Scope, Seconds, Verdict,
};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// A report without executions; the caller adds what happened.
pub fn empty(options: &Options, wall: Duration) -> Report {
    Report {
        tool: "dpor".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: String::new(),
        args: Vec::new(),
        model: "sc".to_owned(),
        search: options.search.as_str().to_owned(),
        bound: options.bound.map(u64::from),
        beyond: false,
        coverage: Vec::new(),
        timeouts: None,
        checkpoint: options.checkpoint.at_first().as_str().to_owned(),
        workers: 1,
        sharing: None,
        verdict: Verdict::Incomplete,
        reason: None,
        otherwise: None,
        suppressed: None,
        scenarios: None,
        alike: Vec::new(),
        stopped_at: 0,
        executions: Executions::default(),
        estimate: None,
        gave_up: false,
        loops: None,
        samples: None,
        states: None,
        cached: false,
        cached_seconds: None,
        clock_was_read: false,
        resumed: 0,
        reductions: Vec::new(),
        scope: Scope::default(),
        opaque_calls: Vec::new(),
        events: 0,
        events_replayed: 0,
        threads_max: 1,
        seconds: Seconds {
            wall: wall.as_secs_f64(),
            cpu: 0.0,
        },
        executions_per_second: 0.0,
        peak_rss_bytes: 0,
        checkpoints: Checkpoints::default(),
        outcomes: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        options: String::new(),
        outputs_distinct: 0,
        output: Vec::new(),
    }
}

/// Why a check ended that a signal ended, as the runtime says it, too.
pub const INTERRUPTED: &str = "interrupted";

/// Why a check ended that the limit of time ended, as the runtime says it, too.
pub fn time_is_up(options: &Options) -> String {
    format!("time-limit: {} s", options.time_limit_seconds)
}

/// The report of a run that was stopped before the runtime could make one.
pub fn interrupted(options: &Options, wall: Duration, progress: Progress) -> Report {
    Report {
        reason: Some(INTERRUPTED.to_owned()),
        stopped_at: 0,
        executions: progress.executions,
        ..empty(options, wall)
    }
}

/// The report of a program that ended with `status` and never had a second thread.
pub fn single_threaded(options: &Options, wall: Duration, status: ExitStatus) -> Report {
    let mut report = empty(options, wall);
    report.notes = vec!["the program never had a second thread".to_owned()];
    // The kill command and the kernel's memory killer: nothing the program did.
    if status.signal() == Some(9) {
        report.reason = Some("killed by SIGKILL from outside".to_owned());
        return report;
    }
    let is_wanted = |code| options.exit_status.has(code);
    if !status.code().is_some_and(is_wanted) {
        report.findings.extend(finding(status));
    }
    report.verdict = Verdict::Verified;
    report.executions.complete = 1;
    if !report.findings.is_empty() {
        report.verdict = Verdict::Bug;
        report.executions.complete = 0;
        report.executions.failed = 1;
    }
    report
}

/// What a bad exit status says.
pub fn finding(status: ExitStatus) -> Option<Finding> {
    let (kind, message) = match (status.code(), status.signal()) {
        (Some(0), _) => return None,
        (Some(code), _) => {
            let message = format!("the program exits with status {code}");
            (FindingKind::NonzeroExit, message)
        }
        (None, Some(6)) => (
            FindingKind::Abort,
            "the program aborts (SIGABRT)".to_owned(),
        ),
        (None, signal) => {
            let name = signal_name(signal.unwrap_or(0));
            (
                FindingKind::Crash,
                format!("the program is killed by {name}"),
            )
        }
    };
    Some(Finding {
        kind,
        message,
        object: None,
        accesses: Vec::new(),
        trace: Vec::new(),
        executions: 1,
        preemptions: 0,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        loop_begins: None,
        loop_decisions: None,
        mark: None,
        replay: String::new(),
        schedule: String::new(),
        details: Vec::new(),
        warning: false,
        threads: Vec::new(),
        preemptions_at: Vec::new(),
        scenario: None,
    })
}

/// `SIGSEGV`, or `signal 64`.
pub fn signal_name(signal: i32) -> String {
    match signal_hook::low_level::signal_name(signal) {
        Some(name) => name.to_owned(),
        None => format!("signal {signal}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_status_to_verdict() {
        let mut options = Options::default();
        options.exit_status.add("3").unwrap();
        let check = |raw: i32, verdict: Verdict, kind: Option<FindingKind>| {
            let status = ExitStatus::from_raw(raw);
            let report = single_threaded(&options, Duration::ZERO, status);
            assert_eq!(report.verdict, verdict, "{raw}");
            assert_eq!(report.findings.first().map(|f| f.kind), kind, "{raw}");
        };
        // Raw wait status: exit code × 256, or the number of the signal.
        check(0, Verdict::Verified, None);
        check(77 << 8, Verdict::Bug, Some(FindingKind::NonzeroExit));
        check(3 << 8, Verdict::Verified, None);
        check(6, Verdict::Bug, Some(FindingKind::Abort));
        check(11, Verdict::Bug, Some(FindingKind::Crash));
        check(9, Verdict::Incomplete, None);
    }
}
