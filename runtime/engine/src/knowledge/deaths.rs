//! The steps that are known to kill the process.

use crate::knowledge::layout::Layout;
use dpor_abi::journal::Position;
use dpor_report::Finding;

/// The steps that are known to kill the process, and what this process does about them.
pub struct Deaths {
    pub(crate) known: Vec<Death>,
    /// The memory layout that `guard` needs.
    pub layout: Layout,
    /// True in a replay: the runtime's memory is guarded in every step.
    pub guarding: bool,
    /// True if all that is asked for is the first step in which the program writes the runtime's memory.
    pub diagnosing: bool,
    /// The steps in which the program wrote there.
    pub caught: Vec<Position>,
}

/// A step that kills the process.
pub struct Death {
    pub(crate) position: Position,
    /// The decisions of the execution up to the step: thread and alternative of each event.
    pub decisions: Vec<(u16, u32)>,
    /// The calls that were known to be events: with other events the decisions are of another schedule.
    pub calls: String,
    /// The finding that is reported for the step.
    pub finding: Finding,
    /// True if the search came to the step.
    pub reached: bool,
}

impl Deaths {
    pub(crate) fn new(known: Vec<Death>) -> Deaths {
        Deaths {
            known,
            layout: Layout::read(),
            guarding: false,
            diagnosing: false,
            caught: Vec::new(),
        }
    }
}
