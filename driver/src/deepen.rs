//! Loops that have no end: their bounds are raised, 1, 2, 4, …, until nothing is cut any more or it is enough.
//!
//! ```text
//!   without a bound ──► over: its report is the report
//!                  └──► stopped at a loop without end ──► bound 1 ──► over, and nothing cut: verified
//!                                                         bound 2 ◄── over, and some loop cut
//!                                                         …
//! ```
//!
//! Each is a search of its own, in a process of its own, with all that belongs to one (deaths, workers). The runtime
//! says when the first stops: `deepen` in its options. Each bound has all executions of those below it, so that the
//! last search that came to its end is the report; what a later one found before it was stopped is added.

use crate::cluster::Company;
use crate::death;
use crate::input::Input;
use crate::launch::Stdout;
use crate::parts::{findings, rate};
use crate::program::Program;
use dpor_abi::options::{Options, Search};
use dpor_report::{text, Loops, Otherwise, Progress, Report, Verdict};
use std::time::Instant;

/// Events of all searches together after which no bound is raised any more (chosen: two of the longest executions; a few
/// seconds).
const EVENTS_MAX: u64 = 2_000_000;

/// Explores as [`death::explore`] does, by an exhaustive search.
///
/// # Errors
/// One sentence: the tool failed.
pub fn explore(
    program: &Program,
    args: &[String],
    options: &Options,
    stdout: Stdout<'_>,
    show: &mut dyn FnMut(Progress),
    company: Option<&mut Company>,
) -> Result<Report, String> {
    if !is_possible(options) || company.is_some() {
        return death::explore(program, args, options, stdout, show, company);
    }
    let began = Instant::now();
    let input = Input::now();
    let options = Options {
        deepen: true,
        ..options.clone()
    };
    let mut first = death::explore(program, args, &options, stdout, show, None)?;
    let loops = first.loops.take().unwrap_or_default();
    let Some(endless) = loops.endless else {
        return Ok(plain(first));
    };
    let is_enough = first.verdict == Verdict::Bug && !options.keep_going;
    if is_enough || !input.is_there_again() {
        return Ok(plain(first));
    }
    let mut all = Deepening {
        report: first,
        endless,
        whole: None,
        events: 0,
        bound: 1,
    };
    while let Some(bounded) = all.next(&options, began) {
        input.begin();
        let report = death::explore(program, args, &bounded, Stdout::Nowhere, show, None)?;
        if !all.add(report, &bounded) {
            break;
        }
    }
    let mut report = all.report;
    report.seconds.wall = began.elapsed().as_secs_f64();
    report.executions_per_second = rate(report.executions, 0, report.seconds.wall);
    Ok(plain(report))
}

/// Whether bounds may be raised: none is given, and nothing depends on there being one search.
fn is_possible(options: &Options) -> bool {
    let exhaustive = [Search::Optimal, Search::Classic, Search::Dfs, Search::Icb];
    exhaustive.contains(&options.search)
        && !options.is_by_states()
        && options.loop_bound == 0
        && options.max_events == 0
        && !options.is_kept()
        && !options.endings
        && options.first == 0
}

/// The report without what only this module knows, with the options that a replay has.
fn plain(mut report: Report) -> Report {
    report.loops = report.loops.filter(|loops| loops.whole.is_some());
    if report.options.is_empty() {
        // Of a program that had no second thread: the check's own are put in.
        return report;
    }
    if let Ok(options) = Options::parse(&report.options) {
        report.options = Options {
            deepen: false,
            // A schedule says itself how often loops go round.
            loop_bound: 0,
            ..options
        }
        .to_string();
    }
    report
}

/// The searches so far.
struct Deepening {
    report: Report,
    /// The loop at which the first stopped.
    endless: String,
    /// The highest bound whose search came to its end.
    whole: Option<u64>,
    /// Events of all searches, with a turn of each execution's loop for each time that it may go round.
    events: u64,
    /// The next bound.
    bound: u64,
}

impl Deepening {
    /// The options of the next search. `None`: it is enough.
    fn next(&self, options: &Options, began: Instant) -> Option<Options> {
        let mut next = Options {
            loop_bound: self.bound,
            ..options.clone()
        };
        if options.time_limit_seconds > 0.0 {
            next.time_limit_seconds -= began.elapsed().as_secs_f64();
            if next.time_limit_seconds <= 0.0 {
                return None;
            }
        }
        if self.whole.is_some() {
            let left = EVENTS_MAX
                .checked_sub(self.events)
                .filter(|&left| left > 0)?;
            let run = self.report.executions.total().max(1);
            // An execution is looked at whole, also where little of it is new.
            let each = self.report.events / run + self.bound;
            let most = (left / each).max(1);
            next.max_executions = match options.max_executions {
                0 => most,
                asked => asked.min(most),
            };
        }
        Some(next)
    }

    /// Adds the report of a search; whether there may be another.
    fn add(&mut self, mut report: Report, options: &Options) -> bool {
        let loops = report.loops.take().unwrap_or_default();
        let looked_at = report.executions.total() * options.loop_bound;
        self.events += report.events + report.events_replayed + looked_at;
        self.bound = 2 * options.loop_bound;
        let is_whole = loops.is_over && report.verdict != Verdict::Unsupported;
        let nothing_is_cut = is_whole && report.executions.bound_exceeded == 0;
        let cpu = self.report.seconds.cpu;
        let had_bug = self.report.verdict == Verdict::Bug;
        let known = core::mem::take(&mut self.report.findings);
        // One that was stopped says less than the one before, which was not.
        if is_whole || self.whole.is_none() || report.verdict != Verdict::Incomplete {
            self.report = report;
        } else {
            self.report.findings = report.findings;
        }
        self.report.seconds.cpu += cpu;
        if options.keep_going {
            // What an earlier search found comes again, but where this one was stopped.
            let new = core::mem::take(&mut self.report.findings);
            let earlier = known.into_iter().map(|mut finding| {
                finding.executions = 0;
                finding
            });
            self.report.findings = findings(new, earlier.collect());
        }
        if had_bug && self.report.verdict != Verdict::Bug {
            // Found where loops went round more often than they may now.
            self.report.otherwise = Some(Otherwise {
                verdict: self.report.verdict,
                reason: self.report.reason.clone(),
            });
            self.report.verdict = Verdict::Bug;
        }
        if nothing_is_cut {
            // Each loop ends by itself: what was reported is all there is.
            return false;
        }
        let is_bug = self.report.verdict == Verdict::Bug;
        let goes_on = match self.report.verdict {
            Verdict::Verified | Verdict::Unsupported => return false,
            Verdict::Bug => options.keep_going && is_whole,
            Verdict::Incomplete => is_whole,
        };
        if is_whole {
            self.whole = Some(options.loop_bound);
        }
        if !is_bug || options.keep_going {
            self.explain();
        }
        goes_on
    }

    /// Says up to which bound all was explored.
    fn explain(&mut self) {
        let reason = self.report.reason.take().unwrap_or_default();
        let reason = reason.split(COMPLETE).next().unwrap_or_default();
        self.report.reason = Some(match self.whole {
            Some(whole) => {
                let turns = text::counted(whole, "iteration");
                format!("{reason}{COMPLETE}{turns} of each loop")
            }
            None => format!(
                "{reason}; the loop at {} goes round and round",
                self.endless
            ),
        });
        self.report.loops = self.whole.map(|whole| Loops {
            whole: Some(whole),
            ..Loops::default()
        });
    }
}

/// Words before the number of iterations up to which nothing is missing.
const COMPLETE: &str = "; complete for at most ";
