//! What the processes share that are checkpoints.

/// The words that the processes of a chain share. They lie in the arena.
#[derive(Default)]
pub struct Forked {
    /// Number of the checkpoint whose process is to go on.
    pub target: usize,
    /// True once the check is over: exit codes are then the check's own.
    pub over: bool,
    /// Monotonic time in nanoseconds at which a process ended to let another go on, or took a checkpoint.
    pub since_ns: u64,
    /// Nanoseconds that a restore takes, on average.
    pub restore_ns: u64,
    /// Nanoseconds that an event takes, on average.
    pub event_ns: u64,
    pub(crate) looked: (u64, u64),
    /// Processor time of other processes than the one that runs.
    pub cpu_seconds: f64,
}
