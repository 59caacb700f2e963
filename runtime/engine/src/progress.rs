//! How far the check is, told to the driver while it runs.

use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::{clock, driver_channel, estimating};
use dpor_report::{Executions, Message, Progress, Total};

/// Nanoseconds between two progress messages.
const PROGRESS_NS: u64 = 200_000_000;

/// Tells how far the check is, if that is due, and ends it if the estimate says that its limits will not be enough.
pub fn tell_if_due(rt: &mut Runtime, search: &Searching) {
    let run = rt.findings.executions.total();
    // The limit may be reached before anything else is due.
    let is_half = rt.options.give_up && run > 0 && 2 * run == rt.options.max_executions & !1;
    if !is_half && (!rt.pace.is_due(run, clock::monotonic_ns) || !is_due(rt)) {
        return;
    }
    let total = estimating::total(rt, search);
    if rt.options.progress {
        tell(rt, rt.findings.executions, total);
    }
    if rt.stop.is_none() && search.has_more() {
        rt.stop = estimating::hopeless(rt, &total, run);
    }
}

/// Whether it is time to tell how far the check is.
pub fn is_due(rt: &mut Runtime) -> bool {
    let now = clock::monotonic_ns();
    let due = now - rt.progress_ns >= PROGRESS_NS;
    if due {
        rt.progress_ns = now;
    }
    due
}

/// Tells how far it is.
pub fn tell(rt: &Runtime, executions: Executions, total: Total) {
    let progress = Progress {
        executions,
        findings: rt.findings.distinct.len() as u64,
        seconds: (clock::monotonic_ns() - rt.started_ns) as f64 / 1e9,
        total,
    };
    driver_channel::tell(rt.options.channel, &Message::Progress(progress));
}
