//! The parts of the address space that are guarded while a step is looked at that kills the process.

use dpor_machine::snapshot::Range;

/// The parts of the address space that are guarded; asked once, since the dynamic linker takes a lock to say it.
pub struct Layout {
    /// Code that the runtime's own calls do not lead to.
    pub code: Vec<Range>,
    /// The runtime's variables.
    pub variables: Vec<Range>,
}
