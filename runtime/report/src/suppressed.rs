//! Findings that were not to be counted.

use crate::text::counted;
use crate::Finding;
use serde::{Deserialize, Serialize};

/// Findings that match a suppression (`--suppress`): they are no bugs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suppressed {
    /// Number of the findings.
    pub count: u64,
    /// True if all that was asked for was done, and nothing else was found.
    pub finished: bool,
    /// The suppressions that matched some, in the order in which they were read.
    pub by: Vec<Suppression>,
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Suppressed {
    /// `3 findings suppressed`.
    pub fn said(&self) -> String {
        counted(self.count, "finding") + " suppressed"
    }

    /// The suppression that a finding matched, by the index of the finding.
    pub fn of(&self, finding: usize) -> Option<&Suppression> {
        let is_of = |one: &&Suppression| one.findings.contains(&(finding as u64));
        self.by.iter().find(is_of)
    }
}

/// A suppression, and what it matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suppression {
    /// The suppression as it is written, or the name of a block.
    pub text: String,
    /// Path of the file that has it.
    pub file: String,
    /// Line in the file, 1-based.
    pub line: u32,
    /// Indices in `findings` of what it matched.
    pub findings: Vec<u64>,
}

impl Suppression {
    /// `race:queue_push (tsan.supp:3)`.
    pub fn said(&self) -> String {
        format!("{} ({}:{})", self.text, self.file, self.line)
    }
}
