//! The finding that is looked for, if there is one.

use dpor_explorer::Prefix;
use dpor_report::Sought;

/// The finding that is looked for, and how far the search for it is.
pub struct FindOne {
    pub(crate) sought: Sought,
    /// The decisions that all executions begin with, if they are given.
    pub prefix: Option<Prefix>,
    /// True once that prefix was seen to make the steps of the recorded trace.
    pub is_compared: bool,
}
