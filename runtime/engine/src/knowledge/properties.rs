//! What is known of the program's invariants and propositions.

use super::watched::Watched;

/// What is known of properties.
#[derive(Default)]
pub struct Properties {
    /// Places that the functions read.
    pub watched: Watched,
    /// Bit `p`: formulas speak of proposition `p`.
    pub wanted: u64,
    /// Bit `p`: property `p` holds now.
    pub values: u64,
    /// How often the functions ran.
    pub(crate) looks: u64,
}
