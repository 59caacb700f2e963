//! What came of one turn of the main loop, and the exit codes by which the process of one execution says so.

/// The outcome of one turn of the main loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// There was nothing to run.
    Over,
    /// An execution ran, or the check is to stop.
    Ran,
    /// Something was learnt that a search has to know from its beginning.
    Learnt,
}

/// Exit code by which the process of one execution says that there are others. It is not one that a process may exit
/// with that has lost control of itself.
pub const MORE: i32 = 0x5d;

/// Exit code by which the process of one execution says that there are no others.
pub const NO_MORE: i32 = 0x5e;

/// Exit code by which the process of one execution says that something was learnt.
pub const LEARNT: i32 = 0x5f;

/// Exit code of a process that said in the journal how it died.
pub const DIED: i32 = 2;
