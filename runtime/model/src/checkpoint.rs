//! Which saved state.

/// A saved state, named by the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checkpoint(pub u32);

/// The state in which exploration began. Always there, never discarded.
pub const ROOT: Checkpoint = Checkpoint(0);
