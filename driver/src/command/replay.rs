//! `dpor replay REPORT#N`: runs the schedule of one finding once.
//!
//! The whole finding goes to the runtime in a file (JSON of `dpor_report::Finding`), so that it
//! can hold every event against the recorded trace and name the first that differs.

use crate::command::check;
use crate::death;
use crate::debugger;
use crate::exit::{self, Exit};
use crate::flags::{LowReplay, Target};
use crate::install::Installation;
use crate::launch::{self, Stdout};
use crate::report::json::Saved;
use crate::report::{self, View};
use dpor_abi::options::Options;
use dpor_report::{Finding, Report, Verdict};
use std::io::Write;
use std::path::PathBuf;
use tempfile::NamedTempFile;

/// Runs the schedule; 42 if it shows the finding again.
///
/// # Errors
/// One sentence.
pub fn run(low: LowReplay) -> Result<Exit, String> {
    let (saved, file, number) = Saved::locate(&low.report)?;
    let expected = saved.finding(&file, number.unwrap_or(1))?.clone();
    let schedule = write_schedule(&expected)?;
    let mut options = Options::parse(&saved.report.options)
        .map_err(|why| format!("{} has an unknown option: {why}", file.display()))?;
    options.replay = schedule.path().display().to_string();
    options.progress = false;
    let target = match saved.sources.is_empty() {
        true => Target::Program(PathBuf::from(&saved.report.program)),
        false => Target::Sources {
            files: saved.sources.clone(),
            cflags: saved.cflags.clone(),
        },
    };
    let installation = Installation::of_this_command()?;
    let Some((mut program, _compiled)) = check::prepare(&installation, &target)? else {
        return Ok(exit::USAGE);
    };
    let args = &saved.report.args;
    if low.gdb {
        return debugger::gdb(&program, args, &options, schedule.path(), &low.gdb_args);
    }
    if low.rr {
        program.runner = debugger::rr()?;
    }
    let ended = launch::run(&program, args, &options, Stdout::Inherit, &mut |_| {}, None)?;
    let mut report = match death::repeated(&ended, &expected, &options) {
        Some(report) => report,
        None => check::to_report(ended, &program, &options)?,
    };
    report.program = saved.report.program.clone();
    report.options = saved.report.options.clone();
    judge(report, &expected, &low)
}

fn write_schedule(finding: &Finding) -> Result<NamedTempFile, String> {
    let cannot = |why: std::io::Error| format!("the schedule cannot be written: {why}");
    let mut file = NamedTempFile::new().map_err(cannot)?;
    let text = serde_json::to_vec(finding)
        .map_err(|why| format!("[dpor internal bug] the finding is no JSON: {why}"))?;
    file.write_all(&text).map_err(cannot)?;
    Ok(file)
}

fn judge(mut report: Report, expected: &Finding, low: &LowReplay) -> Result<Exit, String> {
    // A run that left the recorded trace shows nothing about the finding.
    let diverged = report.verdict == Verdict::Unsupported;
    let position = position(&report.findings, expected);
    if let Some(position) = position.filter(|_| !diverged) {
        let mut finding = report.findings.swap_remove(position);
        finding.replay = String::new();
        report.findings = vec![finding];
        report.verdict = Verdict::Bug;
        // The reason and the outcomes are about exploration, of which there was none.
        report.reason = None;
        report.outcomes = Vec::new();
        show(&report, low)?;
        return Ok(exit::BUG);
    }
    show(&report, low)?;
    match report.verdict {
        Verdict::Unsupported | Verdict::Incomplete => Ok(report::exit_code(&report)),
        _ => Err(format!(
            "the schedule did not show the {} again",
            expected.kind
        )),
    }
}

/// The finding itself, or else one of its kind: an execution may have several.
fn position(findings: &[Finding], expected: &Finding) -> Option<usize> {
    let places = |finding: &Finding| -> Vec<(String, u32, u32)> {
        let places = finding.accesses.iter().map(|access| &access.place);
        places.map(|p| (p.file.clone(), p.line, p.column)).collect()
    };
    let of_kind = |finding: &&Finding| finding.kind == expected.kind;
    let is_it = |f: &Finding| of_kind(&f) && places(f) == places(expected);
    let exact = findings.iter().position(is_it);
    exact.or_else(|| findings.iter().position(|finding| of_kind(&finding)))
}

fn show(report: &Report, low: &LowReplay) -> Result<(), String> {
    report::print(report, &View::new(report, low.message_format), false)
}
