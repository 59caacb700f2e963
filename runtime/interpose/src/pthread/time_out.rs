//! Time-outs, which happen where no other thread can go on, unless a request to end or a signal would come first.

use super::cancel;
use super::signal::late;
use crate::hooks::options::is_by_states;
use crate::world::world;

use crate::engine::given::posix_functions::TimeOut;

/// Lets a thread give up waiting, and returns what becomes of that.
pub fn time_out() -> TimeOut {
    // SAFETY: the engine runs, between two steps.
    let live = unsafe { (*world()).engine.live };
    if live.iter().any(cancel::is_stuck) {
        // If the request came late, the search begins anew.
        return TimeOut::Impossible;
    }
    let outcome = late::time_out();
    if matches!(outcome, TimeOut::Happens) {
        count();
    }
    outcome
}

/// Counts a time-out. What threads remember of the number is only compared with it: where states are remembered, which
/// have to come back, it becomes the lowest that no thread remembers.
pub(super) fn count() {
    // SAFETY: the world is mapped; no other fiber runs, and nobody holds a reference.
    let engine = unsafe { &mut (*world()).engine };
    if !is_by_states() {
        engine.time_outs += 1;
        return;
    }
    let before = engine.time_outs;
    let is_known = |number| {
        let remembers = |thread| {
            late::remembers_time_out(thread, number) || cancel::remembers_time_out(thread, number)
        };
        engine.live.iter().any(remembers)
    };
    let is_free = |number: &u64| *number != before && !is_known(*number);
    engine.time_outs = (0..).find(is_free).unwrap_or(before + 1);
}
