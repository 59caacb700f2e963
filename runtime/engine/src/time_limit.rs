//! The time limit, asked for in the middle of a step.

use crate::runtime::runtime;
use crate::stop::Stop;
use crate::stopping::{is_over, over, stop_now};
use crate::worker_process;

/// Ends the check in the middle of a step if its time is up. In a signal handler that interrupted a fiber.
pub fn check_time_limit() {
    // SAFETY: a fiber runs, which changes none of this, and the engine waits.
    let options = unsafe { &(*runtime()).options };
    if worker_process::is_told_to_end() {
        stop_now(Stop::Told);
    }
    // Where what is left is written down first, the coordinator says when it is enough.
    let is_mine = options.save.is_empty() || !worker_process::is_worker();
    // Where states are remembered, what was visited is looked at once more: the search ends between two steps. One step
    // is bounded by its own limit.
    if is_mine && is_over(options) && !options.is_by_states() {
        stop_now(over(options));
    }
}
