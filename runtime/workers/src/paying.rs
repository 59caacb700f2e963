//! Whether a search that began in one process pays to be shared, with nobody having asked for workers.
//!
//! What was explored alone is explored again by the workers, so that they pay if much more is left.

use core::sync::atomic::{AtomicU64, Ordering};
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::Engine;
use dpor_engine::{clock, estimating};
use dpor_machine::state::Kept;
use dpor_report::Total;

/// A search of which it is not known how long it is runs alone for so long, in nanoseconds (chosen: most are over by then,
/// and estimates of the others have something to go by).
const ALONE_NS: u64 = 1_000_000_000;

/// From one look at the estimate to the next, in nanoseconds (chosen: an estimate costs less than a millisecond).
const BETWEEN_NS: u64 = 250_000_000;

/// At least so much must be left by the lower bound of the estimate, in seconds (chosen: with two workers, which do it in
/// half of the time, a second that was in vain is won back twice).
const LEFT_MIN: f64 = 4.0;

/// When the estimate is looked at next, in nanoseconds since the beginning of the search.
static NEXT_LOOK: Kept<AtomicU64> = Kept::new(AtomicU64::new(ALONE_NS));

/// Whether it is time to look whether workers would pay.
pub fn is_due(rt: &Runtime) -> bool {
    rt.options.workers == 1
        && rt.options.workers_if_it_pays > 1
        && clock::monotonic_ns() - rt.started_ns >= NEXT_LOOK.load(Ordering::Relaxed)
}

/// Whether the search is to be shared, if it asks that ([`is_due`]): it has the workers then as if they had been asked for.
pub fn decide(engine: &mut Engine) -> bool {
    let (rt, search) = engine.parts();
    if search.has_looks() {
        // Workers do not merge those.
        rt.options.workers_if_it_pays = 1;
        return false;
    }
    let left = match estimating::total(rt, search) {
        Total::Estimated(estimate) => estimate.seconds_left_low,
        _ => 0.0,
    };
    if left < LEFT_MIN {
        let now = clock::monotonic_ns() - rt.started_ns;
        NEXT_LOOK.store(now + BETWEEN_NS, Ordering::Relaxed);
        return false;
    }
    rt.options.workers = rt.options.workers_if_it_pays;
    true
}
