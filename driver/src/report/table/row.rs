//! The rows of a table: steps that are shown.

use super::fit::{shortened, width};
use super::place::Places;
use dpor_report::{text, Finding, Step};

/// Columns that a name keeps at least when it is shortened.
const NAME_LEAST: usize = 5;

/// The way in which a thread came to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The thread ran before.
    Stays,
    /// The thread before was blocked or had ended, or gave way.
    Switches,
    /// The thread before could have gone on.
    Preempts,
}

impl Mark {
    /// The sign in front of the step.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Stays => "  ",
            Mark::Switches => "> ",
            Mark::Preempts => "! ",
        }
    }
}

/// Columns of a sign.
pub const SIGN: usize = 2;

/// A step that is shown.
pub struct Row<'a> {
    /// Index of the step in the trace.
    pub number: usize,
    pub step: &'a Step,
    pub mark: Mark,
    pub is_critical: bool,
    /// The step's place, as short as can be told apart.
    pub place: String,
}

/// The steps that are shown.
pub fn rows<'a>(finding: &'a Finding, shown: &[bool]) -> Vec<Row<'a>> {
    let steps = &finding.trace;
    let places = Places::new(steps);
    let row = |(number, step): (usize, &'a Step)| {
        let before = number.checked_sub(1).map(|before| steps[before].thread);
        let preempts = finding.preemptions_at.contains(&(number as u64));
        let mark = match before {
            _ if preempts => Mark::Preempts,
            Some(before) if before != step.thread => Mark::Switches,
            _ => Mark::Stays,
        };
        Row {
            number,
            step,
            mark,
            is_critical: finding.critical_step == Some(number as u64),
            place: places.short(&step.place),
        }
    };
    let all = steps.iter().enumerate();
    all.filter(|(number, _)| shown[*number]).map(row).collect()
}

impl Row<'_> {
    /// The step's operation and its object.
    pub fn text(&self) -> String {
        text::operation(self.step)
    }

    /// The columns without which [`Row::shortened`] cannot be.
    pub fn least(&self) -> usize {
        let name = width(&self.step.object);
        width(&self.text()) - name + name.min(NAME_LEAST)
    }

    /// [`Row::text`] in that many columns. Only the name of the object is shortened: operation and value are
    /// whole.
    pub fn shortened(&self, most: usize) -> String {
        let text = self.text();
        let rest = width(&text) - width(&self.step.object);
        if width(&text) <= most || most <= rest {
            return text;
        }
        let short = Step {
            object: shortened(&self.step.object, most - rest),
            ..self.step.clone()
        };
        text::operation(&short)
    }
}
