//! The rows of a table: steps that are shown.

use super::fit::{shortened, width};
use super::folded::{folds, Fold};
use super::place::Places;
use crate::report::moments::{moments, Moment};
use dpor_report::{Finding, Place, Step};

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

/// A step that is shown, or an access between two steps, or several steps in one row.
pub struct Row<'a> {
    /// Number of the (first) step in the execution, from 0, or of the one before which the access came.
    pub number: u64,
    /// Number of steps of the execution that it stands for.
    pub steps: u64,
    pub moment: Moment<'a>,
    pub mark: Mark,
    pub is_critical: bool,
    /// The step's place, as short as can be told apart.
    pub place: String,
}

/// The steps that are shown, and the accesses that the finding is about. Unless all steps are asked for, those inside the
/// library are folded; then `shown` are all that have a part in a row.
pub fn rows<'a>(finding: &'a Finding, shown: &mut [bool], full: bool) -> Vec<Row<'a>> {
    let steps = &finding.trace;
    let mut moments = moments(finding);
    let folds = match full {
        true => Vec::new(),
        false => folds(finding, &moments),
    };
    let mut counts = vec![1; steps.len()];
    for Fold { steps, words } in folds {
        let first = steps.start;
        let is_shown = shown[steps.clone()].contains(&true);
        shown[steps.clone()].fill(is_shown);
        counts[first] = steps.len();
        moments.retain(|moment| moment.at == first || !steps.contains(&moment.at));
        let folded = { moments.iter_mut() }.find(|moment| moment.is_step && moment.at == first);
        if let Some(folded) = folded {
            let step = folded.step.to_mut();
            step.object.clear();
            if !step.place.stack.iter().any(|frame| !frame.library) {
                // It would be one of the library's.
                step.place = Place::default();
            }
            folded.instead = words;
        }
    }
    let places = Places::new(moments.iter().map(|moment| &moment.step.place));
    let numbers = finding.numbers();
    let row = |moment: Moment<'a>| {
        let number = numbers.get(moment.at).copied();
        let number = number.unwrap_or_else(|| finding.steps());
        let before = moment.at.checked_sub(1).map(|before| steps[before].thread);
        let is_there = |number: &u64| *number == moment.at as u64 && moment.is_step;
        let mark = match before {
            _ if finding.preemptions_at.iter().any(is_there) => Mark::Preempts,
            // A thread that waits does not come to run.
            _ if moment.waits => Mark::Stays,
            Some(before) if before != moment.step.thread => Mark::Switches,
            _ => Mark::Stays,
        };
        let steps = match moment.is_step {
            true => numbers[moment.at + counts[moment.at] - 1] + 1 - number,
            false => 0,
        };
        Row {
            number,
            steps,
            mark,
            is_critical: finding.critical_step.iter().any(is_there),
            place: places.short(&moment.step.place),
            moment,
        }
    };
    let is_shown = |moment: &Moment<'_>| !moment.is_step || shown[moment.at];
    moments.into_iter().filter(is_shown).map(row).collect()
}

/// Width of the numbers of the rows, with a blank behind the sign of a step that is marked.
pub fn number_width(rows: &[Row<'_>]) -> usize {
    let of_row = |row: &Row<'_>| {
        let is_marked = row.moment.is_step && row.moment.is_marked;
        width(&row.label()) + usize::from(is_marked)
    };
    rows.iter().map(of_row).max().unwrap_or(0)
}

impl Row<'_> {
    /// The step, or the access in the form of one.
    pub fn step(&self) -> &Step {
        &self.moment.step
    }

    /// The number of the step, from 1; blank for an access that is none.
    pub fn label(&self) -> String {
        match self.moment.is_step {
            true => (self.number + 1).to_string(),
            false => String::new(),
        }
    }

    /// The sign at the margin.
    pub fn margin(&self) -> &'static str {
        match (self.is_critical, self.moment.is_marked) {
            (true, false) => "* ",
            (true, true) => "*>",
            (false, true) => "=>",
            (false, false) => "  ",
        }
    }

    /// What the thread does, in words.
    pub fn text(&self) -> String {
        self.moment.text()
    }

    /// The columns without which [`Row::shortened`] cannot be.
    pub fn least(&self) -> usize {
        let name = width(&self.step().object);
        width(&self.text()) - name + name.min(NAME_LEAST)
    }

    /// [`Row::text`] in that many columns. Only the name of the object is shortened: operation and value are
    /// whole.
    pub fn shortened(&self, most: usize) -> String {
        let text = self.text();
        let object = &self.step().object;
        let rest = width(&text).saturating_sub(width(object));
        if width(&text) <= most || most <= rest {
            return text;
        }
        self.moment.text_with(&shortened(object, most - rest))
    }
}
