//! Runs of the program that look for one finding.

use crate::input::Input;
use crate::launch::{self, Stdout};
use crate::process_end::to_report;
use crate::program::Program;
use dpor_abi::options::{Options, Search};
use dpor_report::{Finding, Followed, Report, Sought, Verdict};
use serde::Serialize;
use std::cell::Cell;
use std::io::Write;
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// The time that runs of schedules may take for the calls alone (chosen: a schedule is one of thousands of a search).
const FOR_CALLS: Duration = Duration::from_secs(10);

/// Starts the program as the check did.
#[derive(Debug)]
pub struct Prober<'a> {
    program: &'a Program,
    args: &'a [String],
    options: Options,
    input: Input,
    /// When there is no more time for a run.
    end: Instant,
    /// What is left of [`FOR_CALLS`].
    left: Cell<Duration>,
    /// The user wants no more.
    is_interrupted: Cell<bool>,
}

impl<'a> Prober<'a> {
    /// `told`: what the check says a replay has to know; `asked`: what the check was asked; `ahead`: seconds that the
    /// program needs before there is anything to explore.
    pub fn new(
        program: &'a Program,
        args: &'a [String],
        told: Options,
        asked: &Options,
        input: Input,
        ahead: f64,
    ) -> Self {
        let limit = Duration::try_from_secs_f64(asked.minimize_time_seconds).ok();
        let ahead = Duration::try_from_secs_f64(ahead).unwrap_or_default();
        let now = Instant::now();
        // A time that cannot be told is as good as none.
        let end = limit.and_then(|limit| now.checked_add(limit));
        let end = end.unwrap_or(now + Duration::from_secs(1 << 30));
        Prober {
            program,
            args,
            options: Options {
                search: Search::Optimal,
                bound: None,
                iterative: false,
                keep_going: true,
                workers: 1,
                max_executions: 0,
                save: String::new(),
                resume: String::new(),
                deaths: String::new(),
                cluster: None,
                give_up: false,
                endings: false,
                first: 0,
                progress: false,
                commit_files: false,
                ..told
            },
            input,
            end: end.checked_sub(ahead).unwrap_or(now),
            left: Cell::new(FOR_CALLS),
            is_interrupted: Cell::new(false),
        }
    }

    /// For the calls alone, of a check that tells of every ending.
    pub fn of_endings(
        program: &'a Program,
        args: &'a [String],
        told: Options,
        input: Input,
    ) -> Self {
        // There is no time for anything else.
        let asked = Options {
            minimize_time_seconds: 0.0,
            ..told.clone()
        };
        let mut prober = Prober::new(program, args, told, &asked, input, 0.0);
        prober.options.endings = true;
        prober
    }

    /// Looks for the finding with fewer preemptions than it has, with none first.
    pub fn with_fewer(&self, finding: &Finding) -> Option<Report> {
        let most = u32::try_from(finding.preemptions.checked_sub(1)?).ok()?;
        let options = Options {
            bound: Some(most),
            iterative: true,
            ..self.options.clone()
        };
        self.seek(finding, None, options)
    }

    /// Looks for the finding in all executions that go as its trace does before this decision, and then otherwise.
    pub fn without(&self, finding: &Finding, decision: usize) -> Option<Report> {
        self.seek(finding, Some(decision), self.options.clone())
    }

    /// False if the program read what is gone now, so that its finding does not come again.
    pub fn may_come_again(&self, finding: &Finding) -> bool {
        let is_same = |report: &Report| {
            // Other findings say nothing where the run left the trace.
            report.verdict != Verdict::Unsupported && same(report, finding).is_some()
        };
        self.reads_the_same() || self.replay(finding).as_ref().is_some_and(is_same)
    }

    /// Whether a run finds on its standard input what the check found.
    pub fn reads_the_same(&self) -> bool {
        self.input.is_there_again()
    }

    /// Runs the schedule of the finding once.
    pub fn replay(&self, finding: &Finding) -> Option<Report> {
        self.follow(finding, self.end)
    }

    /// Runs the schedule of the finding once, also if the time for shorter ways is up.
    pub fn replay_in_any_case(&self, finding: &Finding) -> Option<Report> {
        let began = Instant::now();
        let left = self.left.get();
        let report = self.follow(finding, self.end.max(began + left));
        self.left.set(left.saturating_sub(began.elapsed()));
        report
    }

    fn follow(&self, finding: &Finding, end: Instant) -> Option<Report> {
        let followed = file_with(&Followed {
            finding: finding.clone(),
            loosely: Vec::new(),
        })?;
        let options = Options {
            replay: followed.path().display().to_string(),
            stacks: true,
            ..self.options.clone()
        };
        self.run(options, end)
    }

    fn seek(&self, finding: &Finding, without: Option<usize>, options: Options) -> Option<Report> {
        let sought = file_with(&Sought {
            finding: finding.clone(),
            without,
        })?;
        let options = Options {
            seek: sought.path().display().to_string(),
            ..options
        };
        self.run(options, self.end)
    }

    /// What the program says, if there is time for it, and if it says anything.
    fn run(&self, options: Options, end: Instant) -> Option<Report> {
        let left = end.checked_duration_since(Instant::now())?;
        if self.is_interrupted.get() {
            return None;
        }
        self.input.begin();
        let options = Options {
            // 0 would be no limit.
            time_limit_seconds: left.as_secs_f64().max(0.001),
            ..options
        };
        let (show, stdout) = (&mut |_| {}, Stdout::Nowhere);
        let ended = launch::run(self.program, self.args, &options, stdout, show, None).ok()?;
        if ended.interrupted {
            self.is_interrupted.set(true);
            return None;
        }
        to_report(ended, self.program, &options).ok()
    }
}

/// The finding itself, in another report.
pub fn same<'a>(report: &'a Report, finding: &Finding) -> Option<&'a Finding> {
    let key = |finding: &'a Finding| finding.mark.as_ref().map(|mark| &mark.key);
    let sought = finding.mark.as_ref().map(|mark| &mark.key);
    let mut all = report.findings.iter();
    all.find(|other| sought.is_some() && key(other) == sought)
}

fn file_with(value: &impl Serialize) -> Option<NamedTempFile> {
    let mut file = NamedTempFile::new().ok()?;
    file.write_all(&serde_json::to_vec(value).ok()?).ok()?;
    Some(file)
}
