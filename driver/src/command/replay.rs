//! `dpor replay REPORT#N`: runs the schedule of one finding once.
//!
//! The whole finding goes to the runtime in a file (JSON of `dpor_report::Followed`), so that it
//! can hold every event against the recorded trace and name the first that differs.

use crate::death;
use crate::debugger;
use crate::exit::{self, Exit};
use crate::exploration::{prepare, shorten_traces};
use crate::flags::LowReplay;
use crate::install::Installation;
use crate::launch::{self, Stdout, Word};
use crate::process_end::to_report;
use crate::program::Program;
use crate::report::destination::Destination;
use crate::report::{self, View};
use crate::say;
use crate::schedule::{self, Schedule};
use dpor_abi::options::Options;
use dpor_report::{Finding, Followed, Report, Verdict};
use std::io::Write;
use tempfile::NamedTempFile;

/// Runs the schedule; 42 if it shows the finding again.
///
/// # Errors
/// One sentence.
pub fn run(low: LowReplay) -> Result<Exit, String> {
    let schedule = Schedule::locate(&low.report)?;
    if let Some(file) = &low.save_schedule {
        Destination::open(file)?.write(&schedule.text()?)?;
        return Ok(exit::VERIFIED);
    }
    let expected = &schedule.finding;
    let mut options = Options::parse(&schedule.options)
        .map_err(|why| format!("{} has an unknown option: {why}", low.report))?;
    options.progress = false;
    let installation = Installation::of_this_command()?;
    let Some((mut program, _compiled)) = prepare(&installation, &schedule.target())? else {
        return Ok(exit::USAGE);
    };
    let followed = write_followed(&schedule, &program)?;
    options.replay = followed.path().display().to_string();
    let args = &schedule.args;
    if low.gdb {
        return debugger::gdb(&program, args, &options, followed.path(), &low.gdb_args);
    }
    options.stacks = true;
    if low.rr {
        program.runner = debugger::rr()?;
    }
    let ended = launch::run(&program, args, &options, Stdout::Inherit, &mut |_| {}, None)?;
    if low.rr && matches!(ended.word, Word::Absent | Word::Plain | Word::Lost) {
        return Err(format!("rr did not record the program ({})", ended.status));
    }
    let mut report = match death::repeated(&ended, expected, &options) {
        Some(report) => report,
        None => to_report(ended, &program, &options)?,
    };
    report.program.clone_from(&schedule.program);
    report.options.clone_from(&schedule.options);
    let exit = judge(report, expected, &low)?;
    if low.rr {
        say::line("dpor: recorded; `rr replay` runs it forwards and backwards in gdb");
    }
    Ok(exit)
}

/// The file from which the runtime has what it follows: step by step, or for another build of the program
/// as far as it matches.
fn write_followed(schedule: &Schedule, program: &Program) -> Result<NamedTempFile, String> {
    let build = schedule::build_of(&program.path);
    let is_another = !schedule.build.is_empty() && build != schedule.build;
    let loosely = match is_another {
        true => schedule::alternatives(&schedule.finding).unwrap_or_default(),
        false => Vec::new(),
    };
    if is_another {
        say::line(&format!(
            "dpor: note: {} is another build ({build}) than that of the schedule ({})",
            schedule.program, schedule.build
        ));
        if !schedule.finding.is_whole() {
            say::line(
                "dpor: note: the report leaves out steps (`dpor check --full` keeps all), so that the \
                 schedule is followed decision by decision",
            );
        }
    }
    let cannot = |why: std::io::Error| format!("the schedule cannot be written: {why}");
    let mut file = NamedTempFile::new().map_err(cannot)?;
    let finding = schedule.finding.clone();
    let text = serde_json::to_vec(&Followed { finding, loosely })
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
        if finding.schedule == expected.schedule {
            // What is known of this trace is not found out again.
            finding.minimal = expected.minimal;
            finding.preemptions_at_least = expected.preemptions_at_least;
            finding.take_marks_of(expected);
        }
        report.findings = vec![finding];
        // The trace is that of the report.
        if !expected.is_whole() {
            shorten_traces(&mut report);
        }
        report.verdict = Verdict::Bug;
        // The reason and the outcomes are about exploration, of which there was none.
        report.reason = None;
        report.outcomes = Vec::new();
        show(&report, low)?;
        return Ok(exit::BUG);
    }
    show(&report, low)?;
    match report.verdict {
        Verdict::Unsupported | Verdict::Incomplete => Ok(exit::of(&report)),
        _ => Err(format!(
            "the schedule did not show the {} again",
            expected.kind
        )),
    }
}

/// The finding itself, or else one at its places, or one of its kind: an execution may have several.
fn position(findings: &[Finding], expected: &Finding) -> Option<usize> {
    let places = |finding: &Finding| -> Vec<(String, u32, u32)> {
        let accesses = finding.accesses.iter();
        let places = accesses.map(|access| access.place.as_recorded());
        places.map(|p| (p.file, p.line, p.column)).collect()
    };
    // A place may have a read and a write.
    let words = |finding: &Finding| -> Vec<String> {
        let accesses = finding.accesses.iter();
        accesses.map(|access| access.access.clone()).collect()
    };
    let is_of_kind = |finding: &Finding| finding.kind == expected.kind;
    let is_there = |finding: &Finding| is_of_kind(finding) && places(finding) == places(expected);
    let is_it = |finding: &Finding| is_there(finding) && words(finding) == words(expected);
    let first = |is: &dyn Fn(&Finding) -> bool| findings.iter().position(is);
    first(&is_it)
        .or_else(|| first(&is_there))
        .or_else(|| first(&is_of_kind))
}

fn show(report: &Report, low: &LowReplay) -> Result<(), String> {
    report::print(report, &View::new(report, low.message_format), false)
}
