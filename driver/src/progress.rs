//! The progress line.

use crate::flags::ProgressWhen;
use crate::say;
use dpor_report::text::{counted, grouped};
use dpor_report::{Progress, Total};
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;

/// Seconds of a search between two lines, where there is no terminal.
const LINE_SECONDS: f64 = 10.0;
/// Parts of a bar: more than a terminal has columns.
const PARTS: u64 = 1_000;

/// Shows how far exploration is, on standard error.
#[derive(Debug)]
pub enum Display {
    /// Nothing is shown.
    Off,
    /// One line that changes.
    Bar(ProgressBar),
    /// A line now and then, the next one after so many seconds of the search.
    Lines(Cell<f64>),
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
                Display::Bar(ProgressBar::new(PARTS))
            }
            ProgressWhen::Always => Display::Lines(Cell::new(0.0)),
            ProgressWhen::Auto => Display::Lines(Cell::new(LINE_SECONDS)),
        }
    }

    /// Shows progress as it is asked for.
    pub fn show(&self, progress: Progress) {
        match self {
            Display::Off => {}
            Display::Bar(bar) => {
                let done = part(&progress);
                bar.set_style(style(done.is_some()));
                bar.set_position(done.unwrap_or(0));
                bar.set_message(line(&progress));
                bar.tick();
            }
            Display::Lines(next) => {
                if progress.seconds >= next.get() {
                    next.set(progress.seconds + LINE_SECONDS);
                    say::line(&format!("progress: {}", line(&progress)));
                }
            }
        }
    }

    /// Says something else beside it.
    pub fn say(&self, text: &str) {
        match self {
            Display::Bar(bar) => bar.suspend(|| say::line(text)),
            Display::Off | Display::Lines(_) => say::line(text),
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Display::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn style(has_total: bool) -> ProgressStyle {
    let template = match has_total {
        true => "{bar:20} {msg}",
        false => "{spinner} {msg}",
    };
    ProgressStyle::with_template(template).expect("a constant that was tried")
}

/// The part of the bar that is full, if the total is known or estimated.
fn part(progress: &Progress) -> Option<u64> {
    let all = match progress.total {
        Total::Unsaid | Total::Unknown => return None,
        Total::Estimated(estimate) => estimate.executions,
        Total::Asked(all) => all,
    };
    let done = progress.executions.total() as f64 / all.max(1) as f64;
    Some((done.min(1.0) * PARTS as f64) as u64)
}

/// `2,000 executions of about 150,000 (80,000 to 400,000), 1,000 per second, about 148 s left (78 s to 7 min), 0 findings, 2 s`.
fn line(progress: &Progress) -> String {
    let run = progress.executions.total();
    let mut text = counted(run, "execution");
    match progress.total {
        Total::Unsaid => {}
        Total::Unknown => text += ", total not known yet",
        Total::Estimated(estimate) => text += &format!(" of {}", estimate.total()),
        Total::Asked(all) => text += &format!(" of {}", grouped(all)),
    }
    if progress.seconds > 0.0 {
        let rate = (run as f64 / progress.seconds) as u64;
        text += &format!(", {} per second", grouped(rate));
    }
    if let Some(estimate) = progress.total.estimate() {
        text += &format!(", {} left", estimate.left());
    }
    text + &format!(
        ", {}, {:.0} s",
        counted(progress.findings, "finding"),
        progress.seconds
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::{Estimate, Executions};

    fn progress(total: Total) -> Progress {
        Progress {
            executions: Executions {
                complete: 1_500,
                blocked: 500,
                ..Executions::default()
            },
            findings: 1,
            seconds: 2.0,
            total,
        }
    }

    #[test]
    fn lines() {
        let check = |total, expect: &str, filled| {
            assert_eq!(line(&progress(total)), expect);
            assert_eq!(part(&progress(total)), filled);
        };
        check(
            Total::Unsaid,
            "2,000 executions, 1,000 per second, 1 finding, 2 s",
            None,
        );
        check(
            Total::Unknown,
            "2,000 executions, total not known yet, 1,000 per second, 1 finding, 2 s",
            None,
        );
        check(
            Total::Asked(10_000),
            "2,000 executions of 10,000, 1,000 per second, 1 finding, 2 s",
            Some(200),
        );
        let estimate = Estimate::new([150_000.0, 80_000.0, 400_000.0], 0.8, 2_000, 2.0);
        check(
            Total::Estimated(estimate),
            "2,000 executions of about 150,000 (80,000 to 400,000), 1,000 per second, \
             about 2 min (78 s to 7 min) left, 1 finding, 2 s",
            Some(13),
        );
        // More than was estimated were run.
        check(
            Total::Asked(10),
            "2,000 executions of 10, 1,000 per second, 1 finding, 2 s",
            Some(1_000),
        );
    }

    #[test]
    fn both_templates_are_some() {
        style(true);
        style(false);
    }
}
