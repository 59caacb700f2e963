//! What a replay follows.

use crate::Finding;
use serde::{Deserialize, Serialize};

/// A finding, and how closely its schedule is followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    /// The finding whose schedule is followed.
    #[serde(flatten)]
    pub finding: Finding,
    /// For another build of the program: which alternative was taken in each step of the trace, none in
    /// those that come by themselves; the steps are then followed as far as they match. Empty: the
    /// decisions of [`Finding::schedule`], one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loosely: Vec<Option<u32>>,
}
