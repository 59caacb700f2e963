//! The steps that are known to kill the process.

use super::layout::Layout;
use crate::engine::{journal, learned_events};
use dpor_abi::journal::Position;
use dpor_report::Finding;

/// The steps that are known to kill the process, and what this process does about them.
pub struct Deaths {
    pub(in crate::engine) known: Vec<Death>,
    /// The memory layout that `guard` needs.
    pub layout: Layout,
    /// True in a replay: the runtime's memory is guarded in every step.
    pub(in crate::engine) guarding: bool,
    /// True if all that is asked for is the first step in which the program writes the runtime's memory.
    pub(in crate::engine) diagnosing: bool,
    /// The steps in which the program wrote there.
    pub(in crate::engine) caught: Vec<Position>,
}

/// A step that kills the process.
pub(in crate::engine) struct Death {
    pub(in crate::engine) position: Position,
    /// The decisions of the execution up to the step: thread and alternative of each event.
    pub(in crate::engine) decisions: Vec<(u16, u32)>,
    /// The calls that were known to be events: with other events the decisions are of another schedule.
    pub(in crate::engine) calls: String,
    /// The finding that is reported for the step.
    pub(in crate::engine) finding: Finding,
    /// True if the search came to the step.
    pub(in crate::engine) reached: bool,
}

impl Death {
    /// Whether the step that is about to be made is this one.
    pub(in crate::engine) fn is_at(&self, position: Position) -> bool {
        self.position == position
            && journal::began_with(&self.decisions)
            && self.calls == learned_events::encode()
    }
}

impl Deaths {
    pub(in crate::engine) fn new(known: Vec<Death>) -> Deaths {
        Deaths {
            known,
            layout: Layout::read(),
            guarding: false,
            diagnosing: false,
            caught: Vec::new(),
        }
    }
}
