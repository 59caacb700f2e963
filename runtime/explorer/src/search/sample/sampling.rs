//! What executions to draw, and how.

/// Executions to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How the next thread is drawn.
    pub method: Method,
    /// How many executions.
    pub samples: u64,
    /// The seed of the samples: with the same seed the same samples are drawn.
    pub seed: u64,
}

/// How the thread that goes on is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each that can go on has the same chance.
    Random,
    /// Threads have priorities, which change `depth - 1` times.
    Pct {
        /// Constraints between events that the bug looked for needs, at least 1.
        depth: u32,
    },
    /// Events have priorities, drawn anew where the order of two matters.
    Pos,
    /// All interleavings of some of the events have the same chance.
    Surw,
}
