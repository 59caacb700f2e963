//! Goes on when the process that explores dies.
//!
//! The checker lives in the process of the program. Crashes it catches; but a program that overwrites
//! the checker's own memory, or takes away what it needs, ends both. This side runs no program code.
//! It reads which step of which schedule it was (`dpor_abi::journal`), and starts the program again:
//!
//! ```text
//!   search ── dies ──► repeat its schedule, the checker's memory guarded
//!                        ├─ caught: the program writes there           ─┐ a finding: search again, and
//!                        ├─ dies again while program code runs         ─┘ report that step instead of making it
//!                        ├─ dies again while the checker runs          ─┐ nothing was seen that the program did:
//!                        └─ does not die                               ─┘ the tool failed
//! ```
//!
//! The search is deterministic, so the next one comes to the same step; if it does not, the runtime
//! says so. A signal that only others send is no word on the program.

use crate::cluster::Company;
use crate::input::Input;
use crate::launch::{self, Ended, Left, Stdout, Word};
use crate::names;
use crate::process_end::{foreign_number, real_status, to_report, without_report};
use crate::program::Program;
use crate::report::plain;
use dpor_abi::journal::{Announced, Journal, Position};
use dpor_abi::options::Options;
use dpor_report::{Child, Decision, Finding, FindingKind, Progress, Report, Schedule, Verdict};
use serde::Serialize;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;
use tempfile::NamedTempFile;

/// Deaths after which the search is given up: each one costs the way to it again.
const DEATHS_MAX: usize = 10;

/// Explores a program, whatever it does to the process.
///
/// # Errors
/// One sentence: the tool failed.
pub fn explore(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    show: &mut dyn FnMut(Progress),
    mut company: Option<&mut Company>,
) -> Result<Report, String> {
    let mut runs = Runs {
        program,
        args,
        options: options.clone(),
        started_at: Instant::now(),
        input: Input::now(),
        known: Vec::new(),
        told: Vec::new(),
    };
    let mut ended = launch::run(program, args, options, stdout, show, company.as_deref_mut())?;
    if let (Some(company), Some(_)) = (company, Death::of(&ended)) {
        // With what is known of deaths a search goes in the order of one process.
        company.finish();
    }
    while let Some(death) = Death::of(&ended) {
        if runs.known.len() > DEATHS_MAX {
            let report = without_report(&ended, options, String::new());
            return Ok(runs.complete(report, options));
        }
        let executions = death.journal.executions;
        runs.options.clock.clone_from(&death.journal.clock);
        let diagnosed = runs.diagnose(&death)?;
        runs.known.push(diagnosed.known);
        runs.told.extend(diagnosed.told);
        if runs.known.len() > DEATHS_MAX {
            // As far as the last one came: then there is a report of the rest.
            runs.options.max_executions = executions.max(1);
        }
        ended = runs.search(show)?;
    }
    let report = to_report(ended, program, options)?;
    Ok(runs.complete(report, options))
}

/// A process that died without a report, after exploration began.
struct Death<'a> {
    status: ExitStatus,
    journal: &'a Journal,
    /// The message of the process, if it found itself in a state that cannot be.
    panic: Option<&'a str>,
}

impl Death<'_> {
    fn of(ended: &Ended) -> Option<Death<'_>> {
        let Left::Journal(journal) = &ended.journal else {
            return None;
        };
        let panic = match &ended.word {
            Word::Lost if !ended.interrupted => None,
            Word::Failure(why) if journal.announced == Some(Announced::Panic) => Some(why.as_str()),
            _ => return None,
        };
        foreign_number(ended).is_none().then_some(Death {
            status: ended.status,
            journal,
            panic,
        })
    }

    /// `dies of SIGSEGV`.
    fn manner(&self) -> String {
        let status = real_status(self.status, self.journal);
        let signal = match self.journal.announced {
            Some(Announced::Fault(signal)) => i32::try_from(signal).ok(),
            _ => status.signal(),
        };
        match (signal, status.code()) {
            (Some(signal), _) => format!("dies of {}", plain::signal_name(signal)),
            (None, Some(code)) => format!("exits with status {code}"),
            (None, None) => "ends".to_owned(),
        }
    }

    /// The step in which the process died, and the way to it, as a finding.
    fn finding(&self) -> Finding {
        Finding {
            kind: FindingKind::ProcessDeath,
            message: format!(
                "the process {} where the checker cannot catch it",
                self.manner()
            ),
            object: None,
            accesses: Vec::new(),
            trace: Vec::new(),
            executions: 1,
            preemptions: 0,
            minimal: false,
            preemptions_at_least: None,
            critical_step: None,
            loop_begins: None,
            loop_decisions: None,
            mark: None,
            replay: String::new(),
            schedule: schedule_of(self.journal),
            details: Vec::new(),
            warning: false,
            threads: Vec::new(),
            preemptions_at: Vec::new(),
            scenario: None,
        }
    }
}

/// The schedule of a journal, in the words that the runtime reads.
fn schedule_of(journal: &Journal) -> String {
    let children = journal.names.iter();
    let decisions = journal.decisions.iter();
    let schedule = Schedule {
        threads: children
            .map(|&(creator, nth)| Child { creator, nth })
            .collect(),
        decisions: decisions
            .map(|&(thread, alternative)| Decision {
                thread,
                alternative,
            })
            .collect(),
        learned: journal.calls.clone(),
        death: Some(journal.position),
    };
    schedule.to_string()
}

/// The processes of one check after the first.
struct Runs<'a> {
    program: &'a Program,
    args: &'a [String],
    options: Options,
    started_at: Instant,
    /// Where standard input began.
    input: Input,
    known: Vec<Finding>,
    /// Those of them that were caught when their schedule was repeated, with names and with the calls that led there.
    told: Vec<Finding>,
}

/// What the program did when it died.
struct Diagnosed {
    /// As the runtime tells of it, for the next process.
    known: Finding,
    /// The same for reading, if it was caught.
    told: Option<Finding>,
}

impl Runs<'_> {
    /// Options of the next process.
    fn options(&self) -> Options {
        let limit = self.options.time_limit_seconds;
        let left = limit - self.started_at.elapsed().as_secs_f64();
        Options {
            // 0 would be no limit.
            time_limit_seconds: if limit > 0.0 { left.max(0.001) } else { 0.0 },
            ..self.options.clone()
        }
    }

    fn run(&self, options: &Options, show: &mut dyn FnMut(Progress)) -> Result<Ended, String> {
        // If it cannot be put back, the program reads on, and the runtime sees that it does not do the same.
        self.input.begin();
        launch::run(
            self.program,
            self.args,
            options,
            Stdout::Nowhere,
            show,
            None,
        )
    }

    /// Explores, with what is known of deaths.
    fn search(&self, show: &mut dyn FnMut(Progress)) -> Result<Ended, String> {
        let deaths = file_with(&self.known)?;
        let options = Options {
            deaths: deaths.path().display().to_string(),
            ..self.options()
        };
        self.run(&options, show)
    }

    /// Repeats the schedule of a death: what the program did, and the calls that led there.
    fn diagnose(&self, death: &Death<'_>) -> Result<Diagnosed, String> {
        let finding = death.finding();
        let (schedule, deaths) = (file_with(&finding)?, file_with(&self.known)?);
        let options = Options {
            replay: schedule.path().display().to_string(),
            deaths: deaths.path().display().to_string(),
            progress: false,
            max_executions: 0,
            stacks: true,
            ..self.options()
        };
        let ended = self.run(&options, &mut |_| {})?;
        if let (Word::Report(report, loaded), Left::Journal(journal)) =
            (&ended.word, &ended.journal)
        {
            let kind = FindingKind::ProcessDeath;
            let is_death = |finding: &&Finding| finding.kind == kind;
            let caught = |report: &Report| {
                let caught = report.findings.iter().find(is_death);
                caught.map(|finding| Finding {
                    schedule: schedule_of(journal),
                    ..finding.clone()
                })
            };
            let mut named = report.clone();
            names::complete(&mut named, loaded);
            let diagnosed = caught(report).map(|known| Diagnosed {
                known,
                told: caught(&named),
            });
            return diagnosed.ok_or_else(|| match death.panic {
                Some(why) => why.to_owned(),
                None => death.not_again(),
            });
        }
        if let Some(again) = Death::of(&ended) {
            let (then, now) = (&death.journal.decisions, &again.journal.decisions);
            if again.journal.program_ran && again.panic.is_none() && then.starts_with(now) {
                return Ok(Diagnosed {
                    known: again.finding(),
                    told: None,
                });
            }
        }
        Err(match death.panic {
            Some(why) => why.to_owned(),
            None => death.own_fault(),
        })
    }

    /// Adds what only the run knows that repeated the death: the calls.
    fn add_calls(&self, finding: &mut Finding) {
        let at = |finding: &Finding| -> Option<Position> {
            finding.schedule.parse::<Schedule>().ok()?.death
        };
        let is_same = |told: &&Finding| at(told).is_some() && at(told) == at(finding);
        let told = self.told.iter().find(is_same);
        if let Some(told) = told.filter(|_| finding.kind == FindingKind::ProcessDeath) {
            finding.accesses.clone_from(&told.accesses);
            let all_named = told
                .threads
                .iter()
                .all(|thread| !thread.function.is_empty());
            if all_named && told.threads.len() >= finding.threads.len() {
                finding.threads.clone_from(&told.threads);
            }
            if finding.trace.is_empty() {
                finding.trace.clone_from(&told.trace);
            }
        }
    }

    /// Says what the runtime of the last process does not know.
    fn complete(&self, mut report: Report, options: &Options) -> Report {
        let deaths = self.known.len();
        if deaths == 0 {
            return report;
        }
        let times = match deaths {
            1 => "once".to_owned(),
            _ => format!("{deaths} times"),
        };
        let note = format!("the process died {times} and was started again");
        report.notes.push(note);
        if report.reason.is_some() && !options.save.is_empty() {
            // A search with known deaths goes in the order of one process.
            let note = format!("what is left after a death is not in {}", options.save);
            report.notes.push(note);
        }
        let kind = FindingKind::ProcessDeath;
        for finding in &mut report.findings {
            self.add_calls(finding);
        }
        if !report.findings.iter().any(|finding| finding.kind == kind) {
            // The last process did not come so far, but it is no less true.
            report.findings.extend(self.known.iter().cloned());
            for finding in &mut report.findings {
                self.add_calls(finding);
            }
            report.verdict = Verdict::Bug;
        }
        if deaths > DEATHS_MAX {
            report.reason = Some(format!("given up after {deaths} deaths of the process"));
        }
        // A replay has the user's limits.
        let mut told = Options::parse(&report.options).unwrap_or_else(|_| options.clone());
        told.time_limit_seconds = options.time_limit_seconds;
        told.max_executions = options.max_executions;
        report.options = told.to_string();
        report
    }
}

impl Death<'_> {
    fn own_fault(&self) -> String {
        let (address, instruction) = self.journal.fault;
        format!(
            "[dpor internal bug] the checker {} (address {address:#x}, instruction {instruction:#x}) in \
             execution {}, and the program did nothing to its memory when the schedule was repeated",
            self.manner(),
            self.journal.executions + 1
        )
    }

    fn not_again(&self) -> String {
        format!(
            "the checker {} in execution {}, but not when its schedule was repeated: the program \
             overwrote its memory in another execution, or the fault is its own",
            self.manner(),
            self.journal.executions + 1
        )
    }
}

/// If the finding is a death that cannot be caught, and the process died of it again: its report.
pub fn repeated(ended: &Ended, expected: &Finding, options: &Options) -> Option<Report> {
    let death = Death::of(ended).filter(|_| expected.kind == FindingKind::ProcessDeath)?;
    let schedule: Schedule = expected.schedule.parse().ok()?;
    if !death.journal.program_ran || schedule.death != Some(death.journal.position) {
        return None;
    }
    let mut report = plain::empty(options, ended.wall);
    report.findings.push(expected.clone());
    report.verdict = Verdict::Bug;
    report.executions.failed = 1;
    Some(report)
}

/// A value as JSON in a file.
fn file_with(value: &impl Serialize) -> Result<NamedTempFile, String> {
    let cannot = |why: std::io::Error| format!("a schedule cannot be written: {why}");
    let mut file = NamedTempFile::new().map_err(cannot)?;
    let text = serde_json::to_vec(value)
        .map_err(|why| format!("[dpor internal bug] a finding is no JSON: {why}"))?;
    file.write_all(&text).map_err(cannot)?;
    Ok(file)
}
