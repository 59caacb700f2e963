//! `--search=auto`: everything as long as it can be done within the limits, and samples where it cannot.
//!
//! ```text
//!   exhaustive ──► over: its report is the report
//!              └─► given up (the estimate says that the limits are not enough) ──► samples, in what is left
//! ```
//!
//! With a limit of time samples are drawn until it is reached, unless `--samples` says how many.
//!
//! Each part is a process of its own, with all that belongs to one (deaths, workers). The runtime decides when
//! the first gives up: `give-up` in its options. What is reported is both parts together; where samples were
//! drawn it is never `verified`.

use crate::cluster::Company;
use crate::death;
use crate::deepen;
use crate::input::Input;
use crate::launch::Stdout;
use crate::parts::{findings, rate};
use crate::program::Program;
use dpor_abi::options::{Options, Search};
use dpor_report::{
    text, Checkpoints, Otherwise, Outcome, Progress, Report, Seconds, Total, Verdict,
};
use std::time::Instant;

/// The search that draws the samples: the only one that found the bug of every program of docs/samples.md with every
/// seed.
const SAMPLING: Search = Search::Surw;

/// Explores as [`death::explore`] does, by whatever search the options name.
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
    if options.search != Search::Auto {
        return deepen::explore(program, args, options, stdout, show, company);
    }
    let began = Instant::now();
    let input = Input::now();
    let exhaustive = options.exhaustive();
    let mut first = deepen::explore(program, args, &exhaustive, stdout, show, company)?;
    if !first.gave_up {
        return Ok(named(first, options));
    }
    if !input.is_there_again() {
        // The samples would be those of a program that reads something else.
        let note = "no samples were drawn: standard input can be read only once";
        first.notes.push(note.to_owned());
        return Ok(named(first, options));
    }
    input.begin();
    let taken = began.elapsed().as_secs_f64();
    let Some(sampling) = sampling(options, &first, taken) else {
        return Ok(named(first, options));
    };
    let mut show = |progress: Progress| {
        let total = match fills_the_time(options) {
            true => Total::Unsaid,
            false => progress.total,
        };
        show(Progress { total, ..progress });
    };
    let mut second = death::explore(program, args, &sampling, Stdout::Nowhere, &mut show, None)?;
    if fills_the_time(options) {
        was_filled(&mut second);
    }
    Ok(together(first, second, options))
}

/// Whether samples are drawn until the time is up: the user says how long, and not how many.
fn fills_the_time(options: &Options) -> bool {
    options.time_limit_seconds > 0.0 && options.samples == Options::default().samples
}

/// Says of a second part that drew samples until the time was up that this is what was asked for.
fn was_filled(second: &mut Report) {
    let reason = second.reason.as_deref().unwrap_or_default();
    let is_time_up = second.verdict == Verdict::Incomplete && reason.starts_with("time-limit: ");
    let Some(samples) = &mut second.samples else {
        return;
    };
    samples.requested = samples.run;
    if !is_time_up || samples.run == 0 {
        return;
    }
    // Those that are too long say so.
    samples.finished = second.executions.bound_exceeded == 0;
    let drawn = text::counted(samples.run, "sample");
    if samples.finished {
        let reason = format!("samples: {drawn} drawn, of more executions that there may be");
        second.reason = Some(reason);
    }
}

/// The options of the second part. `None`: nothing is left of the limits.
fn sampling(options: &Options, first: &Report, seconds: f64) -> Option<Options> {
    let mut sampling = Options {
        search: SAMPLING,
        save: String::new(),
        resume: String::new(),
        ..options.clone()
    };
    if fills_the_time(options) {
        sampling.samples = u64::MAX;
    }
    if options.max_executions > 0 {
        let run = first.executions.total() - first.resumed;
        sampling.max_executions = options.max_executions.checked_sub(run).filter(|&n| n > 0)?;
    }
    if options.time_limit_seconds > 0.0 {
        sampling.time_limit_seconds = options.time_limit_seconds - seconds;
        if sampling.time_limit_seconds <= 0.0 {
            return None;
        }
    }
    // A finding of either part is repeated with the options of the report.
    if let Ok(told) = Options::parse(&first.options) {
        sampling.clock = told.clock;
    }
    Some(sampling)
}

/// A report of one part as that of the check.
fn named(mut report: Report, options: &Options) -> Report {
    Search::Auto.as_str().clone_into(&mut report.search);
    report.options = told(&report, options);
    report
}

/// The user's options, with what a replay has to know.
fn told(report: &Report, options: &Options) -> String {
    let clock = Options::parse(&report.options).map(|told| told.clock);
    Options {
        clock: clock.unwrap_or_default(),
        save: String::new(),
        resume: String::new(),
        ..options.clone()
    }
    .to_string()
}

/// The verdict of both parts without their findings.
fn otherwise(first: &Report, second: &Report) -> Otherwise {
    let of = |part: &Report| match (&part.otherwise, part.verdict) {
        (Some(otherwise), _) => otherwise.clone(),
        (None, Verdict::Verified | Verdict::Bug) => Otherwise {
            verdict: Verdict::Incomplete,
            reason: None,
        },
        (None, verdict) => Otherwise {
            verdict,
            reason: part.reason.clone(),
        },
    };
    let parts = [of(first), of(second)];
    let is_unsupported = parts
        .iter()
        .any(|part| part.verdict == Verdict::Unsupported);
    let reasons: Vec<String> = parts.into_iter().filter_map(|part| part.reason).collect();
    Otherwise {
        // Whatever was drawn, it was not everything.
        verdict: match is_unsupported {
            true => Verdict::Unsupported,
            false => Verdict::Incomplete,
        },
        reason: Some(reasons.join("; ")),
    }
}

/// The report of both parts.
fn together(first: Report, second: Report, options: &Options) -> Report {
    let mut executions = first.executions;
    executions += second.executions;
    let is_bug = [&first, &second]
        .iter()
        .any(|part| part.verdict == Verdict::Bug);
    let otherwise = is_bug.then(|| otherwise(&first, &second));
    let shows_second = second.verdict == Verdict::Bug && first.verdict != Verdict::Bug;
    let reasons: Vec<String> = [&first.reason, &second.reason]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let wall = first.seconds.wall + second.seconds.wall;
    let mut notes = first.notes;
    let drawn = text::counted(second.executions.total(), "sample");
    let explored = text::counted(first.executions.total(), "execution");
    notes.push(format!("{explored} explored in order, then {drawn} drawn"));
    add_new(&mut notes, second.notes);
    let mut opaque_calls = first.opaque_calls;
    add_new(&mut opaque_calls, second.opaque_calls);
    let mut report = Report {
        otherwise,
        verdict: match second.verdict {
            _ if is_bug => Verdict::Bug,
            // Whatever was drawn, it was not everything.
            Verdict::Verified => Verdict::Incomplete,
            verdict => verdict,
        },
        reason: (!reasons.is_empty() && (!is_bug || options.keep_going))
            .then(|| reasons.join("; ")),
        executions,
        estimate: first.estimate,
        gave_up: true,
        cached: false,
        cached_seconds: None,
        clock_was_read: first.clock_was_read || second.clock_was_read,
        resumed: first.resumed,
        reductions: first.reductions,
        sharing: first.sharing,
        events: first.events + second.events,
        events_replayed: first.events_replayed + second.events_replayed,
        threads_max: first.threads_max.max(second.threads_max),
        seconds: Seconds {
            wall,
            cpu: first.seconds.cpu + second.seconds.cpu,
        },
        executions_per_second: rate(executions, first.resumed, wall),
        peak_rss_bytes: first.peak_rss_bytes.max(second.peak_rss_bytes),
        checkpoints: sum(first.checkpoints, second.checkpoints),
        outcomes: outcomes(first.outcomes, second.outcomes),
        findings: findings(first.findings, second.findings),
        notes,
        opaque_calls,
        // At least: which outputs both parts had is not told.
        outputs_distinct: first.outputs_distinct.max(second.outputs_distinct),
        output: if shows_second {
            second.output
        } else {
            first.output
        },
        ..second
    };
    if let Some(samples) = &mut report.samples {
        samples.search = Some(SAMPLING.as_str().to_owned());
        samples.finished &= !is_bug;
    }
    named(report, options)
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

fn sum(a: Checkpoints, b: Checkpoints) -> Checkpoints {
    let taken = a.taken + b.taken;
    let bytes = a.taken * a.bytes_mean + b.taken * b.bytes_mean;
    Checkpoints {
        taken,
        restored: a.restored + b.restored,
        evicted: a.evicted + b.evicted,
        bytes_mean: bytes.checked_div(taken).unwrap_or(0),
        forks: a.forks + b.forks,
        faults: a.faults + b.faults,
        restore_ns: a.restore_ns.or(b.restore_ns),
    }
}

fn outcomes(mut all: Vec<Outcome>, more: Vec<Outcome>) -> Vec<Outcome> {
    for one in more {
        match all.iter_mut().find(|known| known.values == one.values) {
            Some(known) => known.executions += one.executions,
            None => all.push(one),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plain;
    use dpor_report::Finding;
    use std::process::ExitStatus;
    use std::time::Duration;

    fn part(verdict: Verdict, complete: u64) -> Report {
        let mut report = plain::empty(&Options::default(), Duration::from_secs(1));
        report.verdict = verdict;
        report.executions.complete = complete;
        report
    }

    fn finding(code: i32) -> Finding {
        let status: ExitStatus = std::os::unix::process::ExitStatusExt::from_raw(code << 8);
        plain::finding(status).expect("a bad status")
    }

    #[test]
    fn samples_verify_nothing() {
        let check = |first: Verdict, second: Verdict, expect: Verdict| {
            let both = together(part(first, 3), part(second, 4), &Options::default());
            assert_eq!(both.verdict, expect, "{first:?} {second:?}");
            assert_eq!(both.executions.complete, 7);
            assert_eq!(both.seconds.wall, 2.0);
            assert_eq!(both.executions_per_second, 3.5);
            assert_eq!(both.search, "auto");
        };
        use Verdict::{Bug, Incomplete, Unsupported, Verified};
        check(Incomplete, Incomplete, Incomplete);
        check(Incomplete, Verified, Incomplete);
        check(Incomplete, Bug, Bug);
        check(Bug, Incomplete, Bug);
        check(Incomplete, Unsupported, Unsupported);
    }

    #[test]
    fn one_finding_is_listed_once() {
        let (mut first, mut second) = (part(Verdict::Bug, 1), part(Verdict::Bug, 1));
        first.findings = vec![finding(1)];
        second.findings = vec![finding(1), finding(2)];
        let both = together(first, second, &Options::default());
        let counts: Vec<u64> = both
            .findings
            .iter()
            .map(|finding| finding.executions)
            .collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn samples_until_the_time_is_up_are_what_was_asked_for() {
        let drawn = |reason: &str, cut: u64| {
            let mut second = part(Verdict::Incomplete, 12);
            second.reason = Some(reason.to_owned());
            second.executions.bound_exceeded = cut;
            second.samples = Some(dpor_report::Samples {
                requested: u64::MAX,
                run: 12,
                ..dpor_report::Samples::default()
            });
            was_filled(&mut second);
            assert_eq!(second.samples.as_ref().map(|all| all.requested), Some(12));
            (second.is_as_asked(), second.reason.unwrap_or_default())
        };
        let asked = "samples: 12 samples drawn, of more executions that there may be";
        assert_eq!(drawn("time-limit: 3 s", 0), (true, asked.to_owned()));
        let cut = "time-limit: 3 s; max-events: 1 executions cut";
        assert_eq!(drawn(cut, 1), (false, cut.to_owned()));
        let other = "interrupted";
        assert_eq!(drawn(other, 0), (false, other.to_owned()));
    }

    #[test]
    fn the_second_part_has_what_is_left() {
        let options = Options {
            search: Search::Auto,
            max_executions: 10,
            time_limit_seconds: 4.0,
            ..Options::default()
        };
        let first = part(Verdict::Incomplete, 7);
        let second = sampling(&options, &first, 1.0).expect("something is left");
        assert_eq!(second.max_executions, 3);
        assert_eq!(second.time_limit_seconds, 3.0);
        assert_eq!(second.search, Search::Surw);
        // As many as there is time for, unless the user says how many.
        assert_eq!(second.samples, u64::MAX);
        let some = Options {
            samples: 7,
            ..options.clone()
        };
        let second = sampling(&some, &first, 1.0).expect("something is left");
        assert_eq!(second.samples, 7);
        let untimed = Options {
            time_limit_seconds: 0.0,
            ..options.clone()
        };
        let second = sampling(&untimed, &first, 1.0).expect("something is left");
        assert_eq!(second.samples, Options::default().samples);
        assert_eq!(sampling(&options, &first, 4.0), None);
        assert_eq!(
            sampling(&options, &part(Verdict::Incomplete, 10), 1.0),
            None
        );
    }
}
