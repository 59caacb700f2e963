//! The states that a search visited, and the steps between them, to be drawn.

use crate::Step;
use serde::{Deserialize, Serialize};

/// States are drawn up to this number; more are nothing that anybody can look at.
pub const DRAWN_MAX: usize = 2_000;

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawnState {
    /// The propositions that hold there, and the invariants that do not, with `!` in front.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    /// No thread can make a step there.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_end: bool,
    /// Something was found where it was met.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_wrong: bool,
}

/// Which part of a finding's run that goes on for ever a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PartOfRun {
    /// It leads to the loop.
    Way,
    /// It is in the loop.
    Loop,
}

/// A step from one state to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawnStep {
    /// Index of the state where it begins.
    pub from: u32,
    /// Index of the state to which it leads.
    pub to: u32,
    /// Index of its operation.
    pub operation: u32,
    /// Which of several alternatives it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// A finding's run has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<PartOfRun>,
}

/// All states of a program and the steps between them, as far as they were executed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateGraph {
    /// In the order in which they were met; the first is where exploration begins.
    pub states: Vec<DrawnState>,
    /// The steps.
    pub steps: Vec<DrawnStep>,
    /// The operations of steps.
    pub operations: Vec<Step>,
}
