//! What `dpor list-executions` lists: the endings of executions, which the runtime reports among the
//! findings ([`Ending`]), taken out of the report and put into text.

use crate::flags::MessageFormat;
use crate::report::shown::shown;
use crate::report::{table, View};
use dpor_abi::options::Options;
use dpor_report::{text, Ending, Finding, FindingKind, Listed, Report};
use std::collections::BTreeMap;

/// Characters of what an execution wrote that are shown (chosen: three lines of a terminal); the JSON
/// report has all.
const OUTPUT_MAX: usize = 240;

/// The endings of a report, in the order in which they were found; with the findings as the trace's text
/// needs them.
#[derive(Debug)]
pub struct Endings(Vec<(Ending, Finding)>);

impl Endings {
    /// Takes them out of the report, which is then that of a check.
    ///
    /// # Errors
    /// One sentence: the runtime wrote what is none.
    pub fn take(report: &mut Report) -> Result<Endings, String> {
        let is_ending = |finding: &Finding| finding.kind == FindingKind::OutcomeDifference;
        let findings = std::mem::take(&mut report.findings);
        let (endings, findings) = findings.into_iter().partition(is_ending);
        report.findings = findings;
        if let Ok(options) = Options::parse(&report.options) {
            let options = Options {
                endings: false,
                first: 0,
                ..options
            };
            report.options = options.to_string();
        }
        let endings: Vec<Finding> = endings;
        let read = endings.into_iter().map(|finding| {
            let ending = Ending::from_message(&finding.message);
            let ending = ending.ok_or("[dpor internal bug] an ending cannot be read")?;
            Ok((ending, finding))
        });
        Ok(Endings(read.collect::<Result<_, String>>()?))
    }

    /// Drops those in which a value is another, or none. What that leaves, in a line.
    pub fn keep(&mut self, outcome: &BTreeMap<String, i64>) -> String {
        let different = text::counted(self.0.len() as u64, "different ending");
        let has = |ending: &Ending| {
            let mut wanted = outcome.iter();
            wanted.all(|(name, value)| ending.values.get(name) == Some(value))
        };
        self.0.retain(|(ending, _)| has(ending));
        let left = text::grouped(self.0.len() as u64);
        match outcome.is_empty() {
            true => self.total(),
            false => format!("{left} of {different} listed: with {}\n", joined(outcome)),
        }
    }

    /// The number of all of them, in a line.
    fn total(&self) -> String {
        let executions = self.0.iter().map(|(_, finding)| finding.executions).sum();
        let executions = text::counted(executions, "complete execution");
        let different = text::counted(self.0.len() as u64, "different ending");
        match self.0.first() {
            Some((ending, _)) if ending.execution.is_some() => format!("{executions} listed\n"),
            Some(_) => format!("{different} in {executions}\n"),
            None => "nothing to list\n".to_owned(),
        }
    }

    /// The endings for the JSON report.
    pub fn listed(&self) -> Vec<Listed> {
        let listed = self.0.iter().map(|(ending, finding)| Listed {
            ending: ending.clone(),
            executions: finding.executions,
            trace: finding.trace.clone(),
            threads: finding.threads.clone(),
        });
        listed.collect()
    }

    /// The findings as text, one after the other, with their traces unless the form is short.
    pub fn text(&self, view: &View) -> String {
        let mut all = String::new();
        for (number, (ending, finding)) in (1..).zip(&self.0) {
            all += &headline(number, ending, finding.executions);
            for (name, written) in [("output", &ending.stdout), ("errors", &ending.stderr)] {
                if !written.is_empty() {
                    all += &format!("  {name}: {}\n", shortened(written));
                }
            }
            if view.format == MessageFormat::Human {
                all += &match finding.trace.is_empty() {
                    true => "  its trace was not kept: there are too many\n".to_owned(),
                    false => table::trace(
                        &shown(finding, &view.here),
                        view.full,
                        view.width,
                        view.styled,
                    ),
                };
                all.push('\n');
            }
        }
        all
    }
}

/// `r1=0  r2=1`.
fn joined(values: &BTreeMap<String, i64>) -> String {
    let values = values.iter().map(|(name, value)| format!("{name}={value}"));
    values.collect::<Vec<String>>().join("  ")
}

/// `ending 2, 3 executions: r1=0  r2=1` or `execution 7: r1=0  r2=1`.
fn headline(number: usize, ending: &Ending, executions: u64) -> String {
    let what = match ending.execution {
        Some(number) => format!("execution {}", text::grouped(number)),
        None => format!(
            "ending {number}, {}",
            text::counted(executions, "execution")
        ),
    };
    match ending.values.is_empty() {
        true => format!("{what}\n"),
        false => format!("{what}: {}\n", joined(&ending.values)),
    }
}

/// What was written, in quotes, the end left out if it is long.
fn shortened(written: &str) -> String {
    let rest = written.chars().count().saturating_sub(OUTPUT_MAX) as u64;
    let start: String = written.chars().take(OUTPUT_MAX).collect();
    match rest {
        0 => format!("{start:?}"),
        _ => format!("{start:?}… ({})", text::counted(rest, "more character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plain;
    use std::time::Duration;

    /// A report with an assertion, and these endings: value of r, executions.
    fn report(endings: &[(i64, u64)]) -> Report {
        let options = Options {
            endings: true,
            ..Options::default()
        };
        let mut report = plain::empty(&options, Duration::ZERO);
        report.options = options.to_string();
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        let finding = plain::finding(status).expect("a bad status");
        report.findings = vec![finding.clone()];
        report
            .findings
            .extend(endings.iter().map(|&(r, executions)| {
                let values = BTreeMap::from([("r".to_owned(), r)]);
                Finding {
                    kind: FindingKind::OutcomeDifference,
                    message: Ending::new(values, b"", b"").to_message(),
                    executions,
                    ..finding.clone()
                }
            }));
        report
    }

    #[test]
    fn endings_are_taken_from_the_findings() {
        let mut report = report(&[(1, 2), (3, 1)]);
        let mut endings = Endings::take(&mut report).unwrap();
        assert_eq!(report.findings.len(), 1);
        assert!(report.has_option("endings=0"));
        let all = endings.keep(&BTreeMap::new());
        assert_eq!(all, "2 different endings in 3 complete executions\n");
        let some = endings.keep(&BTreeMap::from([("r".to_owned(), 3)]));
        assert_eq!(some, "1 of 2 different endings listed: with r=3\n");
        let counts: Vec<u64> = { endings.listed().iter() }
            .map(|one| one.executions)
            .collect();
        assert_eq!(counts, [1]);
    }

    #[test]
    fn what_is_no_ending_is_not_dropped_in_silence() {
        let mut report = report(&[(1, 2)]);
        report.findings[1].message = "r=1".to_owned();
        assert!(Endings::take(&mut report).is_err());
    }

    #[test]
    fn long_output_is_cut() {
        assert_eq!(shortened("a\n"), "\"a\\n\"");
        let long = "é".repeat(OUTPUT_MAX + 1);
        let expect = format!("\"{}\"… (1 more character)", "é".repeat(OUTPUT_MAX));
        assert_eq!(shortened(&long), expect);
    }
}
