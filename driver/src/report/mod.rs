//! What the user gets to see of a [`dpor_report::Report`]: text, and files in several formats, of the
//! same value.

pub mod calls;
pub mod destination;
pub mod dot;
pub mod files;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod moments;
pub mod names_of_threads;
pub mod plain;
pub mod sarif;
pub mod short;
pub mod shown;
pub mod source;
pub mod state_graph;
pub mod table;
mod unordered;
mod view;
pub mod width;

pub use view::View;

use crate::flags::MessageFormat;
use crate::say;
use dpor_report::{tables, text, visible, Captured, Report};
use std::io::{IsTerminal, Write};

/// Colours on a terminal, unless the user's environment says no (no-color.org).
pub fn is_styled(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints captured output and the text: on standard error if standard output is taken.
///
/// # Errors
/// One sentence.
pub fn print(report: &Report, view: &View, stdout_is_taken: bool) -> Result<(), String> {
    let (mut out, is_terminal, width): (Box<dyn Write>, bool, usize) = match stdout_is_taken {
        false => {
            let out = std::io::stdout();
            let (is_terminal, width) = (out.is_terminal(), width::width(Some(&out)));
            (Box::new(out), is_terminal, width)
        }
        true => {
            let out = std::io::stderr();
            let (is_terminal, width) = (out.is_terminal(), width::width(Some(&out)));
            (Box::new(out), is_terminal, width)
        }
    };
    let view = View {
        styled: is_styled(is_terminal),
        width,
        ..view.clone()
    };
    let printed = print_captured(&report.output, &mut out)
        .and_then(|()| out.write_all(text(report, &view).as_bytes()))
        .and_then(|()| out.flush());
    say::unless_closed(printed).map_err(|why| format!("output failed: {why}"))
}

/// Writes what the program wrote, as `--output` asked for: each part to the stream it was for.
fn print_captured(captured: &[Captured], out: &mut dyn Write) -> std::io::Result<()> {
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
pub fn text(report: &Report, view: &View) -> String {
    let mut shown = String::new();
    for finding in view.findings(report) {
        let severity = report.severity(finding);
        let finding = &shown::on_terminal(finding, &view.here);
        match view.format {
            MessageFormat::Human => {
                shown += &human::finding(finding, severity, view);
                shown.push('\n');
            }
            MessageFormat::Short => shown += &short::finding(finding, severity),
        }
    }
    if report.has_option("outcomes=1") {
        shown += &visible::lines(&tables::outcomes(report));
    }
    if report.has_option("verbose=1") {
        shown += &visible::lines(&tables::opaque_calls(report));
    }
    let test = view.test.iter();
    let test: String = test
        .map(|test| format!("{}: ", visible::line(test)))
        .collect();
    for note in &report.notes {
        shown += &format!("{test}note: {}\n", visible::line(note));
    }
    shown += &text::samples_line(report);
    shown += &text::states_lines(report);
    shown += &test;
    shown += &visible::line(&text::verdict_line(report));
    shown.push('\n');
    let is_replayable = |line: &&str| !line.is_empty();
    let replays = view.findings(report).map(|finding| finding.replay.as_str());
    for replay in replays.filter(is_replayable) {
        shown += &format!("replay: {}\n", visible::line(replay));
    }
    shown
}
