//! What the user gets to see of a [`dpor_report::Report`]: text and JSON of the same value.

pub mod human;
pub mod json;
pub mod plain;
pub mod shown;
pub mod source;

use crate::exit::{self, Exit};
use crate::flags::MessageFormat;
use dpor_report::{text, Captured, Report, Verdict};
use std::io::Write;
use std::path::Path;

/// The exit code that goes with a report.
pub fn exit_code(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Incomplete if report.is_as_asked() => exit::VERIFIED,
        Verdict::Verified => exit::VERIFIED,
        Verdict::Bug => exit::BUG,
        Verdict::Incomplete => exit::INCOMPLETE,
        Verdict::Unsupported => exit::UNSUPPORTED,
    }
}

/// Writes what the program wrote, as `--output` asked for: each part to the stream it was for.
pub fn print_captured(captured: &[Captured], out: &mut dyn Write) -> std::io::Result<()> {
    let several = captured.len() > 1;
    for part in captured {
        if several {
            writeln!(
                out,
                "--- output of execution {}",
                text::grouped(part.execution)
            )?;
        }
        whole_lines(out, &part.stdout)?;
        out.flush()?;
        whole_lines(&mut std::io::stderr(), &part.stderr)?;
    }
    Ok(())
}

fn whole_lines(out: &mut dyn Write, text: &str) -> std::io::Result<()> {
    out.write_all(text.as_bytes())?;
    match text.is_empty() || text.ends_with('\n') {
        true => Ok(()),
        false => writeln!(out),
    }
}

/// The report as text: findings with trace and replay line, outcomes, notes, verdict.
///
/// `folder` is where the program is: relative source paths are also looked up there.
pub fn text(report: &Report, format: MessageFormat, folder: &Path, styled: bool) -> String {
    let mut shown = String::new();
    let here = std::env::current_dir().unwrap_or_default();
    for finding in &report.findings {
        let severity = report.severity(finding);
        let finding = &shown::shown(finding, &here);
        match format {
            MessageFormat::Human => {
                shown += &human::finding(finding, severity, folder, styled);
                shown.push('\n');
            }
            MessageFormat::Short => {
                shown += &text::finding_line(finding, severity);
                shown.push('\n');
            }
        }
    }
    if report.has_option("outcomes=1") {
        shown += &text::outcomes(report);
    }
    if report.has_option("verbose=1") {
        shown += &text::opaque_calls(report);
    }
    for note in &report.notes {
        shown += &format!("note: {note}\n");
    }
    shown += &text::samples_line(report);
    shown += &text::verdict_line(report);
    shown.push('\n');
    let is_replayable = |line: &&str| !line.is_empty();
    let replays = report
        .findings
        .iter()
        .map(|finding| finding.replay.as_str());
    for replay in replays.filter(is_replayable) {
        shown += &format!("replay: {replay}\n");
    }
    shown
}
