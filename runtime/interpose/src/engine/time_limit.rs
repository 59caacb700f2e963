//! The time limit, asked for in the middle of a step.

use super::runtime::runtime;
use super::stop::Stop;
use super::stopping::{is_over, over, stop_now};
use super::workers;

/// Ends the check in the middle of a step if its time is up. In a signal handler that interrupted a fiber.
pub fn check_time_limit() {
    // SAFETY: a fiber runs, which changes none of this, and the engine waits.
    let (is_told, options) = unsafe {
        let rt = runtime();
        let is_told = workers::is_told_to_end(&(*rt).worker);
        (is_told, &(*rt).options)
    };
    if is_told {
        stop_now(Stop::Told);
    }
    // Where what is left is written down first, the coordinator says when it is enough.
    let is_mine = options.save.is_empty() || !workers::is_worker();
    if is_mine && is_over(options) {
        stop_now(over(options));
    }
}
