//! Time-outs, which happen where no other thread can go on, unless a request to end or a signal would come first.

use super::cancel;
use super::signal::late;
use crate::world::world;

use crate::engine::given::posix_functions::TimeOut;

/// Lets a thread give up waiting, and returns what becomes of that.
pub fn time_out() -> TimeOut {
    // SAFETY: the engine runs, between two steps.
    let engine = unsafe { &mut (*world()).engine };
    if engine.live.iter().any(cancel::is_stuck) {
        // If the request came late, the search begins anew.
        return TimeOut::Impossible;
    }
    let outcome = late::time_out();
    engine.time_outs += u64::from(matches!(outcome, TimeOut::Happens));
    outcome
}
