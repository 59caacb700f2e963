//! What the first execution left in memory, with which later ones are compared (`--deterministic`).

use dpor_machine::snapshot::{Range, Saved};

/// The end of the first execution that came to its end.
pub struct FirstEnd {
    /// All pages that had been written.
    pub(crate) memory: Saved,
    /// Blocks of the heap that lived, ascending: first byte, and one past the last.
    pub(crate) blocks: Vec<Range>,
    /// Variables of the program's instrumented parts, ascending.
    pub(crate) variables: Vec<Range>,
    /// The execution's schedule.
    pub(crate) schedule: String,
}
