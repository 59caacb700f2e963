//! The state from which a loop that cannot end is looked for.

use dpor_machine::snapshot::Saved;

/// The state a loop is looked for from.
pub struct Watch {
    pub(in crate::engine) registers: [i64; 23],
    pub(in crate::engine) memory: Option<Saved>,
    pub(in crate::engine) steps: u32,
}
