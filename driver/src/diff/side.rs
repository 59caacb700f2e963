//! One level of a comparison: what its check said, put into the form that is compared.

use super::schedules::Schedule;
use crate::report::shown::shown;
use dpor_abi::access_list::{AccessList, ListedAccess};
use dpor_abi::options::{Options, Plain, Races};
use dpor_report::{Ending, Finding, FindingKind, Place, Report, Step, Thread, Verdict};
use serde::Serialize;
use std::path::Path;

/// A way in which executions ended, and how the first of them went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// The ending of the executions, without addresses.
    pub ending: Ending,
    /// Empty if it was not kept.
    pub trace: Vec<Step>,
    /// The threads in it.
    pub threads: Vec<Thread>,
    /// Executions that ended so.
    pub executions: u64,
    /// Its schedule in the words of the runtime.
    #[serde(skip)]
    pub words: String,
}

impl Witness {
    /// The schedule of the first of the executions.
    pub fn schedule(&self) -> Schedule<'_> {
        Schedule {
            steps: &self.trace,
            threads: &self.threads,
            words: &self.words,
        }
    }
}

/// What one level of a comparison showed.
#[derive(Clone, Debug)]
pub struct Side {
    /// The level, as `-O2`.
    pub level: String,
    /// The report, with paths below the folder of the build, and without the endings.
    pub report: Report,
    /// All ways in which executions ended; none for a program that was not explored.
    pub endings: Option<Vec<Witness>>,
    /// All accesses that got a hook.
    pub accesses: Vec<ListedAccess>,
}

impl Side {
    /// What the check of a program built in `folder` says.
    pub fn new(level: &str, mut report: Report, list: AccessList, folder: &Path) -> Side {
        let findings = std::mem::take(&mut report.findings);
        let (endings, findings): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(is_ending);
        report.findings = findings.iter().map(|f| shown(f, folder)).collect();
        let accesses = { report.findings.iter_mut() }.flat_map(|finding| &mut finding.accesses);
        accesses.for_each(|access| without_line_of_caller(&mut access.place));
        if let Ok(options) = Options::parse(&report.options) {
            let options = Options {
                endings: false,
                ..options
            };
            report.options = options.to_string();
        }
        let was_explored = !endings.is_empty() || report.threads_max > 1;
        let endings = endings.iter().filter_map(|f| witness(f, folder));
        Side {
            level: level.to_owned(),
            endings: was_explored.then(|| merged(endings)),
            report,
            accesses: below(list.accesses, folder),
        }
    }

    /// Why there may be more than was found; none if everything was found.
    pub fn unknown(&self) -> Option<String> {
        let reason = self.report.reason.as_deref();
        let reason = match self.report.verdict {
            Verdict::Verified => None,
            Verdict::Bug => reason,
            Verdict::Incomplete | Verdict::Unsupported => Some(reason.unwrap_or("no reason given")),
        };
        let unordered = || {
            let why = "accesses may race that are no events: not all of their orders were seen \
                       (--plain=explore explores them)";
            self.has_unordered_accesses().then_some(why)
        };
        let reason = reason.or_else(|| self.left_out()).or_else(unordered)?;
        Some(format!("{}: {reason}", self.level))
    }

    /// What was left out as it was asked for, so that it is no reason for `incomplete`.
    fn left_out(&self) -> Option<&'static str> {
        let Report {
            samples,
            executions,
            beyond,
            states,
            ..
        } = &self.report;
        if samples.is_some() {
            return Some("executions were drawn, not explored");
        }
        if *beyond || executions.bound_exceeded > 0 {
            return Some("what lies over a bound was not explored");
        }
        let by_states = "states were visited (--states): not every outcome of each is told";
        states.is_some().then_some(by_states)
    }

    /// Whether something may depend on orders of plain accesses, which were not explored.
    fn has_unordered_accesses(&self) -> bool {
        let options = Options::parse(&self.report.options).unwrap_or_default();
        let races = |finding: &Finding| finding.kind == FindingKind::DataRace;
        options.plain == Plain::Check
            && self.report.threads_max > 1
            && (options.races == Races::Off || self.report.findings.iter().any(races))
    }

    /// Schedules of this level, to hold against one of the other.
    pub fn schedules(&self) -> impl Iterator<Item = Schedule<'_>> {
        let endings = self.endings.iter().flatten().map(Witness::schedule);
        let findings = self.report.findings.iter().map(Schedule::from);
        endings.chain(findings).filter(|one| !one.steps.is_empty())
    }
}

/// Code of the user's own that the optimizer moved has no line; that of the call is not where it is.
fn without_line_of_caller(place: &mut Place) {
    let own = place.stack.iter().find(|frame| !frame.library);
    if own.is_some_and(|frame| frame.line == 0) {
        let stack = std::mem::take(&mut place.stack);
        *place = Place {
            stack,
            ..place.as_recorded()
        };
    }
}

/// The accesses below a folder, with paths as [`shown`] has them.
fn below(mut accesses: Vec<ListedAccess>, folder: &Path) -> Vec<ListedAccess> {
    for access in &mut accesses {
        if let Ok(rest) = Path::new(&access.file).strip_prefix(folder) {
            access.file = rest.display().to_string();
        }
    }
    accesses
}

fn is_ending(finding: &Finding) -> bool {
    finding.kind == FindingKind::OutcomeDifference
}

fn witness(finding: &Finding, folder: &Path) -> Option<Witness> {
    let mut ending = Ending::from_message(&finding.message)?;
    let prefix = folder.display().to_string() + "/";
    for text in [&mut ending.stdout, &mut ending.stderr] {
        *text = without_addresses(&text.replace(&prefix, ""));
    }
    let finding = shown(finding, folder);
    Some(Witness {
        ending,
        trace: finding.trace,
        threads: finding.threads,
        executions: finding.executions,
        words: finding.schedule,
    })
}

/// Endings that differ in addresses only are one.
fn merged(witnesses: impl Iterator<Item = Witness>) -> Vec<Witness> {
    let mut all: std::collections::BTreeMap<Ending, Witness> = std::collections::BTreeMap::new();
    for witness in witnesses {
        match all.get_mut(&witness.ending) {
            Some(known) => known.executions += witness.executions,
            None => drop(all.insert(witness.ending.clone(), witness)),
        }
    }
    all.into_values().collect()
}

/// The text, with `0x…` for each number that looks as `%p` prints the address of an object on x86-64: twelve
/// digits, of which the first is 5 (program, heap) or 7 (libraries, stacks).
pub fn without_addresses(text: &str) -> String {
    const DIGITS: usize = 12;
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let (before, number) = (&rest[..at], &rest[at + 2..]);
        let digits = number.bytes().take_while(u8::is_ascii_hexdigit).count();
        let is_address = digits == DIGITS && number.starts_with(['5', '7']);
        clean += before;
        clean += "0x";
        clean += if is_address { "…" } else { &number[..digits] };
        rest = &number[digits..];
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn addresses() {
        let check = |text: &str, expect: &str| assert_eq!(without_addresses(text), expect);
        check("at 0x5555555580a4, 0x7ffff7fc1000.", "at 0x…, 0x….");
        check("0x2a 0x0x 0xdeadbeefdead", "0x2a 0x0x 0xdeadbeefdead");
        check("0x5555555580a40", "0x5555555580a40");
        check("none", "none");
    }
}
