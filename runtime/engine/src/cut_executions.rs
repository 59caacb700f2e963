//! Executions that were not run to their end, in words for the verdict: long ones, and those that go round in loops.

use crate::runtime::Runtime;
use crate::search_config::events_max;
use crate::world::world;
use dpor_model::SiteId;
use dpor_report::text::counted;

/// Number of loops that a reason names.
const LOOPS_NAMED: usize = 4;

/// Executions that were cut because they are long.
pub fn long(rt: &Runtime) -> Option<String> {
    let cut = rt.findings.executions.bound_exceeded - rt.findings.cut.executions;
    let events = events_max(&rt.options);
    let places = rt
        .findings
        .cut
        .long
        .keys()
        .filter(|place| !place.is_empty());
    let places: Vec<&str> = places.take(LOOPS_NAMED).map(String::as_str).collect();
    let at = match places.is_empty() {
        true => String::new(),
        false => format!(", at {}", places.join(", ")),
    };
    (cut > 0).then(|| format!("max-events: {cut} executions cut after {events} events{at}"))
}

/// Executions that ended with a cycle.
pub fn cyclic(rt: &Runtime) -> Option<String> {
    let cycles = rt.findings.cut.cycles;
    let executions = counted(cycles, "execution");
    (cycles > 0).then(|| format!("livelock: {executions} cut where threads go round for ever"))
}

/// Executions in which loops went round too often.
pub fn looping(rt: &Runtime) -> Option<String> {
    let loops = &rt.findings.cut.loops;
    let bound = counted(rt.options.loop_bound, "iteration");
    let named = loops.iter().take(LOOPS_NAMED);
    let mut all: Vec<String> = named
        .map(|(place, &cut)| {
            format!(
                "loop at {place} cut at {bound}, in {}",
                counted(cut, "execution")
            )
        })
        .collect();
    if loops.len() > LOOPS_NAMED {
        let more = (loops.len() - LOOPS_NAMED) as u64;
        all.push(format!("{} cut", counted(more, "more loop")));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

/// The loops at which threads stand for ever: their sites.
pub fn cut_loops() -> impl Iterator<Item = SiteId> {
    // SAFETY: the world is mapped from the root on; the engine asks when an execution has ended, so no fiber runs.
    let (cut, threads) = unsafe { ((*world()).engine.cut, &(*world()).threads) };
    let threads_cut = cut.iter().map(|thread| usize::from(thread.0));
    threads_cut.map(|thread| threads[thread].fiber.site)
}
