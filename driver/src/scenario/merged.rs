//! One report of the searches of all sizes.

use dpor_report::{Report, Scenarios, Size, States, Verdict};

/// The searches of the sizes.
#[derive(Debug)]
pub struct Searched {
    /// The name of the data structure, and what was asked.
    pub scenarios: Scenarios,
    /// Each size that was begun with its report, in order.
    pub reports: Vec<Report>,
    /// The time for all of them, in seconds.
    pub time_seconds: f64,
    /// All sizes are wanted, and not as many as the time allows.
    pub wants_all: bool,
}

/// The report that stands for all: with what was found if that is something, otherwise with how far it is proved.
pub fn merge(searched: &Searched) -> Option<Report> {
    let last = searched.reports.last()?;
    let is_whole = |report: &&Report| report.verdict == Verdict::Verified;
    let whole = searched.reports.iter().rfind(is_whole);
    let mut merged = match last.verdict {
        Verdict::Bug | Verdict::Unsupported => last.clone(),
        // As many as the time allows, and it allows some.
        Verdict::Incomplete if is_out_of_time(last) && !searched.wants_all => {
            whole.unwrap_or(last).clone()
        }
        Verdict::Incomplete => last.clone(),
        Verdict::Verified => last.clone(),
    };
    let rest = &searched.scenarios.not_finished;
    if merged.verdict == Verdict::Verified && searched.wants_all && !rest.is_empty() {
        merged.verdict = Verdict::Incomplete;
        merged.reason = Some(format!(
            "--time: {} s, without {}",
            searched.time_seconds,
            rest.join(", ")
        ));
    } else if merged.verdict == Verdict::Incomplete && is_out_of_time(&merged) {
        merged.reason = Some(format!(
            "--time: {} s, in {}",
            searched.time_seconds,
            rest.join(", ")
        ));
    }
    add_up(&mut merged, &searched.reports);
    merged.scenarios = Some(searched.scenarios.clone());
    Some(merged)
}

/// Whether the search ended for want of time, and for nothing else.
pub fn is_out_of_time(report: &Report) -> bool {
    let reason = report.reason.as_deref().unwrap_or_default();
    report.verdict == Verdict::Incomplete
        && reason.starts_with("time-limit: ")
        && !reason.contains(';')
}

/// Counts of all searches; where something is proved, of those that are whole.
fn add_up(merged: &mut Report, reports: &[Report]) {
    let is_proved = merged.verdict == Verdict::Verified;
    let counted = |report: &&Report| !is_proved || report.verdict == Verdict::Verified;
    merged.executions = dpor_report::Executions::default();
    (merged.events, merged.events_replayed) = (0, 0);
    for report in reports.iter().filter(counted) {
        merged.executions += report.executions;
        merged.events += report.events;
        merged.events_replayed += report.events_replayed;
        merged.threads_max = merged.threads_max.max(report.threads_max);
    }
    merged.states = states_of_all(reports.iter().filter(counted));
    // Of what was searched in part anew nobody says that it was known.
    let counted = reports.iter().filter(counted);
    merged.cached = counted.clone().all(|report| report.cached);
    merged.cached_seconds = match merged.cached {
        true => counted.filter_map(|report| report.cached_seconds).max(),
        false => None,
    };
    let of_all = |seconds: &dyn Fn(&Report) -> f64| reports.iter().map(seconds).sum();
    merged.seconds.wall = of_all(&|report| report.seconds.wall);
    merged.seconds.cpu = of_all(&|report| report.seconds.cpu);
    merged.executions_per_second = match merged.seconds.wall > 0.0 {
        true => merged.executions.total() as f64 / merged.seconds.wall,
        false => 0.0,
    };
    merged.peak_rss_bytes = reports
        .iter()
        .map(|report| report.peak_rss_bytes)
        .max()
        .unwrap_or(0);
    merged.estimate = None;
}

/// The states of all searches, if they were searches over states; what was left out of one is left out of all.
fn states_of_all<'a>(reports: impl Iterator<Item = &'a Report>) -> Option<States> {
    let mut all: Option<States> = None;
    for own in reports.filter_map(|report| report.states.as_ref()) {
        let Some(all) = &mut all else {
            all = Some(own.clone());
            continue;
        };
        all.states += own.states;
        all.steps = all.steps.zip(own.steps).map(|(a, b)| a + b);
        all.steps_executed += own.steps_executed;
        all.rounds = all.rounds.max(own.rounds);
        all.depth = all.depth.max(own.depth);
        all.bytes = all.bytes.max(own.bytes);
        all.complete &= own.complete;
        all.unmatched_bytes = all.unmatched_bytes.max(own.unmatched_bytes);
        all.clocks_still |= own.clocks_still;
        all.clocks_of_one_way |= own.clocks_of_one_way;
        all.without_end |= own.without_end;
        all.differing.clone_from(&own.differing);
    }
    all
}

/// A size that was searched.
pub fn size(threads: u32, calls: u32, scenarios: u64, report: &Report) -> Size {
    Size {
        threads,
        calls,
        scenarios,
        verdict: report.verdict,
        executions: report.executions,
        states: report.states.as_ref().map(|states| states.states),
        seconds: report.seconds.wall,
    }
}
