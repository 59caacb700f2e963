//! Estimates of how long the check will take, for progress messages and the report.

use crate::clock;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::stop::Stop;
use dpor_explorer::Estimate;
use dpor_report::Total;

/// The number of executions in all, as far as it is known in a process that explores alone or draws samples.
pub fn total(rt: &Runtime, search: &Searching) -> Total {
    if rt.options.search.samples() {
        return Total::Asked(rt.options.samples);
    }
    if rt.is_replay() || !search.is_estimated() {
        return Total::Unsaid;
    }
    let run = search.counters().executions();
    total_of(rt, search.estimate(), run)
}

/// The number of executions in all by an estimate of a search of which `run` executions were run in this check.
pub fn total_of(rt: &Runtime, estimate: Option<Estimate>, run: u64) -> Total {
    let Some(estimate) = estimate.filter(|estimate| estimate.executions > 0.0) else {
        return Total::Unknown;
    };
    // What was run since it was made is no less.
    let bounds = [estimate.executions, estimate.low, estimate.high].map(|n| n.max(run as f64));
    let seconds = (clock::monotonic_ns() - rt.started_ns) as f64 / 1e9;
    Total::Estimated(dpor_report::Estimate::new(
        bounds,
        Estimate::CONFIDENCE,
        run,
        seconds,
    ))
}

/// Why the check gives up now, if it is to (`give-up`): the limits will not be enough for all executions. What
/// is not known is waited for until half of a limit is used up.
pub fn hopeless(rt: &mut Runtime, total: &Total, run: u64) -> Option<Stop> {
    if !rt.options.give_up {
        return None;
    }
    let (seconds_max, executions_max) = (rt.options.time_limit_seconds, rt.options.max_executions);
    let seconds = (clock::monotonic_ns() - rt.started_ns) as f64 / 1e9;
    let is_late = (seconds_max > 0.0 && 2.0 * seconds >= seconds_max)
        || (executions_max > 0 && 2 * run >= executions_max & !1);
    let exceeds = |seconds_left: f64, executions: u64| {
        (seconds_max > 0.0 && seconds + seconds_left > seconds_max)
            || (executions_max > 0 && executions > executions_max)
    };
    let why = match total {
        Total::Estimated(all) if exceeds(all.seconds_left_low, all.low) => all.total(),
        Total::Estimated(all) if is_late && exceeds(all.seconds_left, all.executions) => {
            all.total()
        }
        Total::Unknown if is_late => "more than can be estimated".to_owned(),
        _ => return None,
    };
    rt.gave_up = true;
    Some(Stop::Incomplete(format!(
        "estimate: the limits are not enough for {why} executions"
    )))
}
