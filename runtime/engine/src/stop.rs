//! The reasons for which a check ends before all is explored.

use serde::{Deserialize, Serialize};

/// Why a check ends before all is explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// Something happened that cannot be controlled, in words: verdict `unsupported`.
    Unsupported(String),
    /// A limit was reached, in words: verdict `incomplete`.
    Incomplete(String),
    /// The tool itself is at fault, in words.
    Failure(String),
    /// Another worker told this one to end.
    Told,
}
