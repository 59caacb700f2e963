//! Verdicts that are taken over from an earlier check (`--cache`), where nothing that they depend on has changed.
//!
//! A verdict depends on the code and data that the program can reach, the options, the arguments, the environment, the
//! files that were read, and this tool. All of it that is known before a program starts is the *key* ([`key`]); what the
//! program and its loader asked the system for is written down while it runs ([`record`]), with what was there
//! ([`state`]). An entry ([`entry`]) has the report and these states; it holds as long as they are still there.
//!
//! Only complete verdicts without a finding are kept, and none of a program that asked for anything that may differ
//! another time: a device, a socket, another program. Of a program that looked at a clock they hold for half a day, and say
//! so.

pub mod code;
mod entry;
pub mod folder;
mod key;
pub mod record;
mod state;

use crate::flags::Check;
use crate::launch::Stdout;
use crate::program::Program;
use dpor_asked::Look;
use dpor_report::{Report, Verdict};
use folder::Cache;
use key::Key;
use record::Record;
use state::State;
use std::path::PathBuf;
use std::time::Duration;

/// The verdict of a program that looked at a clock is of that time, and is taken over for so long (chosen: whoever checks
/// each night checks anew).
const BY_CLOCKS: Duration = Duration::from_secs(12 * 3600);

/// One check of a program, of which the verdict may be known.
#[derive(Debug)]
pub struct Case {
    cache: Cache,
    /// The key; or why no verdict of such a check is kept.
    key: Result<Key, String>,
    /// The program's file, and its state before the key was made.
    program: (PathBuf, Result<State, String>),
    record: Record,
}

impl Case {
    /// The check, if verdicts are kept; `stdout` is where the program's standard output goes.
    pub fn of(check: &Check, program: &Program, stdout: Stdout<'_>) -> Option<Case> {
        let cache = check.cache.clone()?;
        let before = State::of(&program.path);
        let key = key::of(check, program, stdout);
        let watched = key.as_ref().map_or(&[][..], |key| &key.watched);
        let record = Record::new(&program.path, watched);
        if let Ok(own) = std::env::current_exe() {
            record.hear(Look::Path(own));
        }
        Some(Case {
            cache,
            key,
            program: (program.path.clone(), before),
            record,
        })
    }

    /// The report of an earlier check, if it still holds.
    pub fn known(&self) -> Option<Report> {
        let key = self.key.as_ref().ok()?;
        let (mut report, age) = entry::read(&self.cache.folder, &key.digits)?;
        if std::mem::take(&mut report.clock_was_read) {
            if age > BY_CLOCKS {
                return None;
            }
            report.cached_seconds = Some(age.as_secs());
        }
        report.cached = true;
        Some(report)
    }

    /// What is to hear of what the program asks for, if the verdict may be kept.
    pub fn record(&self) -> Option<Record> {
        self.key.is_ok().then(|| self.record.clone())
    }

    /// Keeps the report, if its verdict is one that will hold.
    ///
    /// # Errors
    /// Why it is not kept, in words.
    pub fn keep(self, report: &Report) -> Result<(), String> {
        let key = self.key?;
        if let Some(why) = why_not(report) {
            return Err(why.to_owned());
        }
        let (program, before) = self.program;
        if !before?.holds(&program) {
            return Err("the program was built anew meanwhile".to_owned());
        }
        let states = self.record.states()?;
        entry::write(&self.cache.folder, &key.digits, report, states)
            .map_err(|why| format!("{}: {why}", self.cache.folder.display()))
    }
}

/// Why a report is not kept.
fn why_not(report: &Report) -> Option<&'static str> {
    if report.verdict != Verdict::Verified {
        return Some("only complete verdicts are kept");
    }
    if !report.findings.is_empty() || report.suppressed.is_some() {
        return Some("it has findings");
    }
    if report.threads_max <= 1 {
        return Some("the program had one thread");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_abi::options::Options;

    #[test]
    fn only_complete_verdicts_without_findings_are_kept() {
        let with = |change: &dyn Fn(&mut Report)| {
            let mut report = crate::report::plain::empty(&Options::default(), Duration::ZERO);
            report.verdict = Verdict::Verified;
            report.threads_max = 2;
            change(&mut report);
            why_not(&report)
        };
        let status = std::os::unix::process::ExitStatusExt::from_raw(11);
        let finding = crate::report::plain::finding(status).expect("a signal");
        let none = dpor_report::Suppressed::default();
        assert_eq!(with(&|_| ()), None);
        assert!(with(&|report| report.verdict = Verdict::Incomplete).is_some());
        assert!(with(&|report| report.findings.push(finding.clone())).is_some());
        assert!(with(&|report| report.suppressed = Some(none.clone())).is_some());
        assert!(with(&|report| report.threads_max = 1).is_some());
    }
}
