//! The state from which a loop that cannot end is looked for.

use dpor_machine::snapshot::Saved;

/// The state a loop is looked for from.
pub struct Watch {
    pub(crate) registers: [i64; 23],
    pub(crate) memory: Option<Saved>,
    pub(crate) steps: u32,
}
