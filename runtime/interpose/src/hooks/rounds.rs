//! How often loops go round (`__dpor_round`, `--loop-bound`).
//!
//! A thread whose loop would go round once more than it may stands there for ever, as in an assume that does not
//! hold, and the others go on. What it would have done is not explored.

use super::options::is_by_states;
use crate::engine;
use crate::engine::rounds::{self, ASIDE_AFTER};
use crate::engine::runtime::runtime;
use dpor_model::SiteId;

/// Counts a thread's way through the head of a loop that may make events. `count` is of the loop as
/// it is gone through this time: how often the thread was here.
///
/// # Safety
/// Called by instrumented code only, with a variable of the function that the loop is in.
#[no_mangle]
pub unsafe extern "C" fn __dpor_round(count: *mut u64, site: SiteId) {
    if !engine::active() {
        return;
    }
    if engine::is_inside_event() || is_by_states() {
        return;
    }
    // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile (see
    // `runtime`).
    let bound = unsafe { (*runtime()).options.loop_bound };
    // SAFETY: `count` points to a local of the loop's function, as this function's caller
    // guarantees, of which the program knows nothing.
    let count = unsafe { &mut *count };
    // Once it came in from outside.
    let turns = *count;
    *count += 1;
    if bound != 0 && turns > bound {
        engine::cut(site);
    }
    if turns >= ASIDE_AFTER {
        rounds::went_round(site, turns);
    }
}
