//! The shortest way to a finding: as few preemptions as possible, and the switch that matters.
//!
//! ```text
//!   found ──► with fewer preemptions? bounds 0, 1, … ──► its schedule once, in its order with fewest preemptions
//!                                                          └─► from its last switch back: does it still come without?
//! ```
//!
//! Each arrow is a run of the program, after the check and before anything is reported. They change nothing but the
//! way to the finding that is shown: not the verdict, not what was counted, and nothing where something goes wrong
//! with them. docs/decisions/0056 has the reasons.

mod critical;
mod fewest;
mod probe;

use crate::input::Input;
use crate::program::Program;
use dpor_abi::options::Options;
use dpor_report::{Finding, FindingKind, Place, Report, Severity, Verdict};
use probe::{same, Prober};
use std::time::Instant;

/// The state before the check begins, which the runs after it need.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    began: Instant,
    /// The place at which standard input stands.
    input: Input,
}

impl Before {
    /// Notes the present state, as a check begins.
    pub fn now() -> Before {
        Before {
            began: Instant::now(),
            input: Input::now(),
        }
    }
}

/// Replaces the way to the first error of a check, until the time is up, and adds the calls that led to each finding.
pub fn minimize(
    report: &mut Report,
    program: &Program,
    args: &[String],
    options: &Options,
    before: Before,
) {
    let may_run = before.input.may_be_there_again()
        // The program would find other files than it did.
        && !options.commit_files
        && report.reason.as_deref() != Some("interrupted");
    if let (true, Ok(told)) = (may_run, Options::parse(&report.options)) {
        // What the program does before its second thread is not in the time that its report tells.
        let ahead = before.began.elapsed().as_secs_f64() - report.seconds.wall;
        // The searches for shorter ways are of executions, which need not end.
        let shortens = options.minimize_time_seconds > 0.0 && !options.is_by_states();
        let prober = Prober::new(program, args, told, options, before.input, ahead);
        // Whose output is shown.
        let is_error = |finding: &Finding| report.severity(finding) == Severity::Error;
        let first = report.findings.iter().position(is_error);
        let mut output = None;
        let mut stacks = Stacks::default();
        for (number, finding) in report.findings.iter_mut().enumerate() {
            let is_first = Some(number) == first;
            let shown = run_again(finding, &prober, shortens && is_first, &mut stacks);
            output = output.or(shown.filter(|_| is_first));
        }
        if let ([known], Some(shown)) = (&mut report.output[..], output) {
            (known.stdout, known.stderr) = (shown.stdout, shown.stderr);
        }
    }
    forget_marks(report);
}

/// Runs schedules again for the calls that led to their steps, as long as there is time for that ([`probe`]).
#[derive(Debug)]
pub struct Again<'a>(Option<Prober<'a>>);

impl<'a> Again<'a> {
    /// Of a check with these options (`told`), which tells of every ending of executions.
    pub fn new(program: &'a Program, args: &'a [String], told: &str, before: Before) -> Again<'a> {
        let may_run = before.input.may_be_there_again();
        let told = Options::parse(told).ok().filter(|_| may_run);
        Again(told.map(|told| Prober::of_endings(program, args, told, before.input)))
    }

    /// The finding as its schedule shows it, if it comes again in as many steps.
    pub fn run(&self, finding: &Finding) -> Option<Finding> {
        let prober = self.0.as_ref()?;
        let report = prober.replay_in_any_case(finding)?;
        let is_same = |other: &Finding| {
            let lengths = |finding: &Finding| (finding.trace.len(), finding.accesses.len());
            other.kind == finding.kind && lengths(other) == lengths(finding)
        };
        report.findings.into_iter().find(is_same)
    }
}

/// Marks are no part of a report.
pub fn forget_marks(report: &mut Report) {
    for finding in &mut report.findings {
        finding.mark = None;
    }
}

/// Replaces the way to one finding, if it `shortens` it, and adds the calls that led there. What its execution wrote,
/// if it is another now.
fn run_again(
    finding: &mut Finding,
    prober: &Prober<'_>,
    shortens: bool,
    stacks: &mut Stacks,
) -> Option<dpor_report::Captured> {
    // That one is how a whole execution went.
    let is_ending = finding.kind == FindingKind::OutcomeDifference;
    if is_ending || finding.mark.is_none() || finding.trace.is_empty() {
        return None;
    }
    let mut shown = None;
    // Searches without its schedule would let the process die.
    let shortens = shortens && finding.kind != FindingKind::ProcessDeath;
    if shortens && prober.may_come_again(finding) {
        shown = fewest::find(finding, prober);
        finding.critical_step = critical::find(finding, prober);
    }
    stacks.remember(finding, prober);
    shown
}

/// The last schedule that was run for the calls alone, and what it showed. What an execution shows at its end are often
/// several findings.
#[derive(Default)]
struct Stacks {
    schedule: String,
    report: Option<Report>,
}

impl Stacks {
    /// Adds the calls that led to each place, from one more run of the schedule, if they are not known yet.
    fn remember(&mut self, finding: &mut Finding, prober: &Prober<'_>) {
        // The place of a death is known from the run that found out why, and the way there is not.
        let is_death = finding.kind == FindingKind::ProcessDeath;
        let accesses = finding.accesses.iter().filter(|_| !is_death);
        let places = accesses.map(|access| &access.place);
        let mut places = places.chain(finding.trace.iter().map(|step| &step.place));
        if places.any(Place::has_calls) {
            return;
        }
        // A run has the names of the objects of the first of its findings that are errors.
        let is_shared = finding.severity() == Severity::Warning && !self.schedule.is_empty();
        if !is_shared || self.schedule != finding.schedule {
            self.report = prober.replay_in_any_case(finding);
            self.schedule.clone_from(&finding.schedule);
        }
        let report = self.report.as_ref();
        // Where it may have read something else, a run that left the schedule says nothing.
        let is_same = |report: &&Report| report.verdict != Verdict::Unsupported;
        let report = report.filter(|report| prober.reads_the_same() || is_same(report));
        let Some(shown) = report.and_then(|report| same(report, finding)) else {
            return;
        };
        if shown.numbers() == finding.numbers() {
            finding.accesses.clone_from(&shown.accesses);
            finding.trace.clone_from(&shown.trace);
            finding.details.clone_from(&shown.details);
            finding.message.clone_from(&shown.message);
            finding.object.clone_from(&shown.object);
            finding.threads.clone_from(&shown.threads);
            finding.scenario.clone_from(&shown.scenario);
        }
    }
}
