//! Loops that go round: who does that is set aside, an execution that is cut is named by the loop it was in, and a search
//! that would go deeper and deeper into one says so.

use crate::knowledge::rounds::EVENTS_LOOKED_AT;
use crate::runtime::{runtime, Runtime};
use crate::stop::Stop;
use crate::world::world;
use crate::{search_config, sites, stopping};
use dpor_explorer::Trace;
use dpor_model::SiteId;
use std::collections::BTreeMap;

/// Turns after which a thread is set aside at the head of its loop while others can go on (chosen: loops that retry end
/// sooner).
pub const ASIDE_AFTER: u64 = 8;

/// Turns of one loop, in an execution that is not the first, beyond which it is taken to have no end, if the first
/// execution had not half as many (chosen: a thousand executions, each one turn longer, take a second).
const ENDLESS_AFTER: u64 = 1000;

/// What a search that stops at such a loop says first; the place follows.
const ENDLESS: &str = "a loop goes round and round: ";

/// The running thread is at the head of a loop that it went round so often, since it came into it.
pub fn went_round(site: SiteId, turns: u64) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    // SAFETY: a fiber runs: this thread's entry of the world is mapped, and only that fiber uses it while the engine
    // waits inside a step.
    unsafe { (*world()).threads[rt.current.0 as usize].fiber.round = true };
    rt.rounds.note(site, rt.depth);
    let is_first = rt.findings.executions.total() == 0 && rt.worker.is_none();
    if is_first {
        rt.rounds.most = rt.rounds.most.max(turns);
    }
    let is_endless = match is_first {
        true => rt.depth as u64 + 1 >= search_config::events_max(&rt.options),
        false => turns > ENDLESS_AFTER.max(2 * rt.rounds.most),
    };
    if is_endless && raises_bounds(rt) {
        let place = rt.rounds.at(rt.depth).unwrap_or_default();
        stopping::stop_now(Stop::Incomplete(format!("{ENDLESS}{place}")));
    }
}

/// Whether somebody will search again with a bound on loops, if the search stops at one.
fn raises_bounds(rt: &Runtime) -> bool {
    rt.options.deepen && rt.options.loop_bound == 0
}

/// An execution had too many events: where it was, for the reason. Where loops can be bounded instead, the search ends.
pub fn too_long(rt: &mut Runtime, trace: &Trace) {
    let place = rt.rounds.at(rt.depth);
    if let (Some(place), true, None) = (&place, raises_bounds(rt), &rt.stop) {
        rt.stop = Some(Stop::Incomplete(format!("{ENDLESS}{place}")));
    }
    let place = place.or_else(|| most_frequent(trace));
    rt.findings.cut.count_long(place.unwrap_or_default());
}

/// The place that most of the last events have.
fn most_frequent(trace: &Trace) -> Option<String> {
    let mut places = BTreeMap::<SiteId, usize>::new();
    for k in trace.len().saturating_sub(EVENTS_LOOKED_AT)..trace.len() {
        *places.entry(trace.operation(k).site).or_default() += 1;
    }
    let (site, _) = places.into_iter().max_by_key(|&(_, times)| times)?;
    let place = sites::outside_of_system(site);
    (place.line > 0).then(|| format!("{}:{}", place.file, place.line))
}

/// The loop at which the search stopped, if it did.
pub fn endless(rt: &Runtime) -> Option<String> {
    match &rt.stop {
        Some(Stop::Incomplete(why)) => why.strip_prefix(ENDLESS).map(str::to_owned),
        _ => None,
    }
}
