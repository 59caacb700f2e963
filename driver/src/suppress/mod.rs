//! `--suppress FILE`: findings that are not to be counted.
//!
//! ```text
//!   files ──read──► Suppressions ─┐
//!   report, with names and stacks ┴─► Suppressing ──► findings that stay, findings that were suppressed, the verdict
//! ```
//!
//! The runtime knows no names, so it cannot tell which findings are suppressed: the search goes on past all of them, as
//! with `-k`, and says what the verdict would be without them ([`Otherwise`]). What was suppressed is counted in the
//! verdict, which then is no `verified`: an execution that a suppressed finding ended has no rest, and of accesses that
//! race one order was explored.

mod pattern;
mod read;
mod rule;
mod valgrind;

pub use read::read;
pub use rule::{Rule, Suppressions};

use dpor_report::{
    text, Finding, FindingKind, Otherwise, Report, Severity, Suppressed, Suppression, Verdict,
};
use rule::Match;

/// Unused suppressions that are named (chosen: files of valgrind's have hundreds).
const UNUSED_MAX: usize = 5;

/// What was suppressed of a check so far.
pub struct Suppressing<'a> {
    all: &'a Suppressions,
    /// Each finding, and the index of the rule that it matched.
    found: Vec<(Finding, usize)>,
    /// A finding matched by what does not tell findings apart.
    is_wide: bool,
}

impl<'a> Suppressing<'a> {
    /// Nothing yet.
    pub fn new(all: &'a Suppressions) -> Self {
        Suppressing {
            all,
            found: Vec::new(),
            is_wide: false,
        }
    }

    /// Takes the findings out of a report that match. More may match once their stacks are known.
    pub fn take(&mut self, report: &mut Report) {
        if self.all.rules.is_empty() {
            return;
        }
        for finding in std::mem::take(&mut report.findings) {
            let rules = self.all.rules.iter().enumerate();
            let mut matches =
                rules.filter_map(|(number, rule)| Some((number, rule.matches(&finding)?)));
            match matches.next() {
                Some((number, how)) => {
                    self.is_wide |= how == Match::Wide;
                    self.found.push((finding, number));
                }
                None => report.findings.push(finding),
            }
        }
    }

    /// Says in the report what was suppressed. `names_unused`: also which suppressions matched nothing.
    pub fn finish(self, report: &mut Report, names_unused: bool) {
        let otherwise = report.otherwise.take();
        if names_unused {
            self.note_unused(report);
        }
        if self.found.is_empty() {
            return;
        }
        self.note_what_is_left_out(report);
        let mut suppressed = Suppressed {
            count: self.found.len() as u64,
            by: self.by(),
            finished: false,
            findings: self.found.into_iter().map(|(finding, _)| finding).collect(),
        };
        for one in &suppressed.by {
            let count = text::counted(one.findings.len() as u64, "finding");
            report
                .notes
                .push(format!("{count} suppressed by {}", one.said()));
        }
        let is_error = |finding: &Finding| report.severity(finding) == Severity::Error;
        if !report.findings.iter().any(is_error) {
            let without = otherwise.unwrap_or_else(|| known_otherwise(report));
            settle(report, without, &mut suppressed);
        }
        report.suppressed = Some(suppressed);
    }

    /// The rules that matched, each with the indices of its findings.
    fn by(&self) -> Vec<Suppression> {
        let all = self.all.rules.iter().enumerate();
        let by = all.map(|(number, rule)| {
            let own = (0..).zip(&self.found).filter(|(_, (_, by))| *by == number);
            Suppression {
                text: rule.text.clone(),
                file: rule.file.clone(),
                line: rule.line,
                findings: own.map(|(at, _)| at).collect(),
            }
        });
        by.filter(|one| !one.findings.is_empty()).collect()
    }

    fn note_unused(&self, report: &mut Report) {
        let all = self.all.rules.iter().enumerate();
        let is_used = |number: usize| self.found.iter().any(|(_, by)| *by == number);
        let unused: Vec<&Rule> = { all.filter(|(number, _)| !is_used(*number)) }
            .map(|(_, rule)| rule)
            .collect();
        for rule in unused.iter().take(UNUSED_MAX) {
            let (text, file, line) = (&rule.text, &rule.file, rule.line);
            report
                .notes
                .push(format!("suppression not used: {text} ({file}:{line})"));
        }
        if let Some(more) = unused.len().checked_sub(UNUSED_MAX).filter(|&n| n > 0) {
            report
                .notes
                .push(format!("{more} more suppressions not used"));
        }
    }

    /// What was not explored because of what was suppressed.
    fn note_what_is_left_out(&self, report: &mut Report) {
        let has = |is_it: &dyn Fn(FindingKind) -> bool| {
            self.found.iter().any(|(finding, _)| is_it(finding.kind))
        };
        let races = has(&|kind| kind == FindingKind::DataRace);
        let notes = [
            (
                races && !report.has_option("plain=explore"),
                "of accesses whose race is suppressed one order was explored: --plain=explore explores both",
            ),
            (
                has(&FindingKind::is_seen_as_it_happens),
                "what comes behind a suppressed finding that ends its execution was not explored",
            ),
            (
                self.is_wide,
                "findings are told apart by their places: one at the same places that other calls lead to, or on another \
                 object, counts as the one that is suppressed",
            ),
        ];
        let notes = notes.iter().filter(|(is_so, _)| *is_so);
        report
            .notes
            .extend(notes.map(|(_, note)| (*note).to_owned()));
    }
}

/// What the verdict is without findings where the runtime did not say.
fn known_otherwise(report: &Report) -> Otherwise {
    let (verdict, reason) = match report.verdict {
        // A program of one thread ran, and that was all.
        Verdict::Bug if report.threads_max <= 1 => (Verdict::Verified, None),
        Verdict::Bug => {
            let unknown = "what comes behind suppressed findings is not known".to_owned();
            (Verdict::Incomplete, report.reason.clone().or(Some(unknown)))
        }
        verdict => (verdict, report.reason.clone()),
    };
    Otherwise { verdict, reason }
}

/// The verdict where nothing is a bug but what was suppressed.
fn settle(report: &mut Report, without: Otherwise, suppressed: &mut Suppressed) {
    if let Some(samples) = &mut report.samples {
        samples.finished =
            without.verdict == Verdict::Incomplete && samples.run == samples.requested;
    }
    (report.verdict, report.reason) = match without.verdict {
        Verdict::Verified | Verdict::Bug => {
            suppressed.finished = true;
            (Verdict::Incomplete, Some(suppressed.said()))
        }
        verdict => (verdict, without.reason),
    };
}

#[cfg(test)]
mod tests;
