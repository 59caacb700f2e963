//! The steps of another build that a replay follows, and what became of each.

use dpor_report::Step;
use std::collections::BTreeMap;

/// A recorded step that was a decision.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) step: Step,
    pub(crate) alternative: u32,
    pub(crate) fate: Fate,
}

/// What became of a recorded step in the run that follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Left,
    Came,
    Moved(u32),
    Missing,
}

/// The steps that are left, and what became of the others.
#[derive(Clone, Debug)]
pub struct Guide {
    pub(crate) wanted: Vec<Wanted>,
    /// Number of the first step that is left.
    pub first: usize,
    /// Number of lines by which the events of a function (file, name) have moved, as far as is known.
    pub shifts: BTreeMap<(String, String), i64>,
    /// Number of the events of the trace that were looked at.
    pub seen: usize,
    /// Positions of the events that no step was like, while there were steps left.
    pub new: Vec<usize>,
}
