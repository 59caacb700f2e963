//! Sums over all processes that explored.

use crate::foreign::entered::Entered;
use dpor_explorer::Counters;
use dpor_report::{OpaqueCall, Sharing};

/// Sums over all workers, for the report.
#[derive(Clone, Default)]
pub struct Sums {
    /// Numbers of what all explorers executed.
    pub counters: Counters,
    /// Opaque calls that the program made.
    pub opaque_calls: Vec<OpaqueCall>,
    /// Code without instrumentation that threads entered.
    pub entered: Vec<Entered>,
    /// Faults of pages that were written for the first time.
    pub faults: u64,
    /// Nanoseconds of a restore, the least of all workers.
    pub restore_ns: Option<f64>,
    /// Most memory that the processes had, in bytes.
    pub peak_rss_bytes: u64,
    /// Nanoseconds that workers had nothing to do.
    pub idle_ns: u64,
    /// Number of items that workers gave to each other.
    pub items: u64,
    /// Number of messages that workers sent to each other.
    pub messages: u64,
    /// Seconds of processor time of workers of other ranks.
    pub far_seconds: f64,
    /// Nanoseconds since the workers began, times their number.
    pub worker_ns: u64,
    /// Number of times that workers were forked to begin.
    pub rounds: u64,
    /// Number of executions of an earlier check, which this one went on with.
    pub resumed: u64,
    /// An estimate of all executions, if not all were explored.
    pub unexplored: Option<dpor_report::Estimate>,
}

impl Sums {
    /// The sharing of the work, if it was shared, for the report.
    pub fn sharing(&self, executions: u64) -> Option<Sharing> {
        (self.rounds > 0).then(|| Sharing {
            idle_share: self.idle_ns as f64 / self.worker_ns as f64,
            items_moved: self.items,
            messages_per_1000: self.messages as f64 * 1000.0 / executions.max(1) as f64,
            rounds: self.rounds,
        })
    }
}
