//! The decision between snapshots and forks.

use dpor_abi::options::Checkpoint;

/// Executions before the first comparison.
pub const FIRST: u64 = 64;

/// The decision between snapshots and forks: when to compare the two next.
#[derive(Default)]
pub struct AutoCheckpoint {
    /// Executions until the next comparison; 0: there is none.
    pub left: u64,
    /// Executions between the last two comparisons.
    pub interval: u64,
}

impl AutoCheckpoint {
    /// The state before the first execution of a check with this option.
    pub fn new(option: Checkpoint) -> AutoCheckpoint {
        let first = if option == Checkpoint::Auto { FIRST } else { 0 };
        AutoCheckpoint {
            left: first,
            interval: first,
        }
    }
}
