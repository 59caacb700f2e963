//! `dpor check` on a program of others, and what its report says in a word.

use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};
use dpor_report::{Finding, Report, Severity, Verdict};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Runs `dpor check OPTIONS PROGRAM -- ARGUMENTS` in the program's folder, and reads its report.
///
/// # Errors
/// If there is no report.
pub fn check(program: &Path, options: &[&str], arguments: &[&str]) -> Outcome<Report> {
    check_with(&[], program, options, arguments)
}

/// Runs a program as [`check`] does, with variables of the environment.
///
/// # Errors
/// As [`check`].
pub fn check_with(
    environment: &[(&str, &str)],
    program: &Path,
    options: &[&str],
    arguments: &[&str],
) -> Outcome<Report> {
    let json = program.with_extension("dpor.json");
    // A report of an earlier run must not pass for this one's.
    drop(std::fs::remove_file(&json));
    let mut command = Command::new(tree::tool("dpor"));
    command.args(["check", "--json"]).arg(&json).args(options);
    command.arg(program).arg("--").args(arguments);
    command.current_dir(program.parent().unwrap_or(Path::new(".")));
    command.envs(environment.iter().copied());
    let code = process::exit_code(&mut command)?;
    let text = std::fs::read_to_string(&json)
        .map_err(|error| Stop::failed(format!("exit code {code} and no report: {error}")))?;
    serde_json::from_str(&text).while_doing(json.display())
}

/// Whether a finding is more than a warning.
pub fn is_error(finding: &Finding) -> bool {
    finding.severity() == Severity::Error
}

/// The kinds of what a report says was found, and the reason if that is not all there is.
pub fn said(report: &Report) -> String {
    let kind = |finding: &Finding| match is_error(finding) {
        true => finding.kind.to_string(),
        false => format!("{} (warning)", finding.kind),
    };
    let found: BTreeSet<String> = report.findings.iter().map(kind).collect();
    if matches!(report.verdict, Verdict::Verified | Verdict::Bug) {
        return words(&found);
    }
    // The place of what is unsupported names a folder of this machine.
    let reason = report.reason.as_deref().unwrap_or("");
    let reason = reason.split(" at /").next().unwrap_or(reason);
    let reason = format!("{}: {}", report.verdict, reason.trim_end_matches(','));
    match found.is_empty() {
        true => reason,
        false => format!("{}; {reason}", words(&found)),
    }
}

/// The kinds, separated by commas; "nothing" if there are none.
pub fn words(kinds: &BTreeSet<String>) -> String {
    match kinds.is_empty() {
        true => "nothing".to_owned(),
        false => kinds.iter().cloned().collect::<Vec<_>>().join(", "),
    }
}
