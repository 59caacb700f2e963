//! The progress line.

use crate::flags::ProgressWhen;
use dpor_report::text::{counted, grouped};
use dpor_report::Progress;
use indicatif::ProgressBar;
use std::io::IsTerminal;

/// Shows how far exploration is, on standard error.
#[derive(Debug)]
pub enum Display {
    /// Not at all.
    Off,
    /// One line that changes.
    Bar(ProgressBar),
    /// A line each time: standard error is no terminal, but it was asked for.
    Lines,
}

impl Display {
    /// What `--progress` asks for.
    pub fn new(when: ProgressWhen) -> Display {
        let is_terminal = std::io::stderr().is_terminal();
        match when {
            ProgressWhen::Never => Display::Off,
            _ if is_terminal => {
                // Drawn with the first message only: until then the program is itself, and the
                // terminal is its own.
                Display::Bar(ProgressBar::new_spinner())
            }
            ProgressWhen::Always => Display::Lines,
            ProgressWhen::Auto => Display::Off,
        }
    }

    /// Whether the runtime should send progress at all.
    pub fn is_on(&self) -> bool {
        !matches!(self, Display::Off)
    }

    /// Shows it.
    pub fn show(&self, progress: Progress) {
        let text = line(progress);
        match self {
            Display::Off => {}
            Display::Bar(bar) => {
                bar.set_message(text);
                bar.tick();
            }
            Display::Lines => eprintln!("progress: {text}"),
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Display::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn line(progress: Progress) -> String {
    let total = progress.executions.total();
    let mut text = counted(total, "execution");
    if progress.seconds > 0.0 {
        let rate = (total as f64 / progress.seconds) as u64;
        text += &format!(", {} per second", grouped(rate));
    }
    text + &format!(
        ", {}, {:.0} s",
        counted(progress.findings, "finding"),
        progress.seconds
    )
}
