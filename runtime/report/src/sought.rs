//! A finding that is looked for again (`dpor check` after it found one, for a shorter way to it).

use crate::image::Moment;
use crate::{Finding, Image};
use serde::{Deserialize, Serialize};

/// What the runtime tells the driver about a finding. No part of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The key of the finding, from kind and places: findings with the same key are one.
    pub key: String,
    /// The schedule in an equivalent order that has as few preemptions as [`Finding::preemptions`] says; empty if
    /// [`Finding::schedule`] is one, or if none is known.
    pub fewest: String,
    /// Indices of the steps of [`Finding::trace`] that are the decisions of its schedule. The others come by
    /// themselves.
    pub decisions: Vec<u64>,
    /// Memory and stacks when it was found, where the calls that led there are kept, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Box<Image>>,
    /// Memory and stacks when the execution first used an object that may be gone by then, in the order of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moments: Vec<Moment>,
}

/// A finding to look for: the search ends where it is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sought {
    /// The finding itself.
    #[serde(flatten)]
    pub finding: Finding,
    /// Only executions that begin as its schedule, up to this decision (counted from 0), and go on otherwise: not
    /// with the thread of this decision. All, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<usize>,
}
