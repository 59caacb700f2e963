//! The closed sets of words a report uses.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The last word on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All executions were explored and none had a finding.
    Verified,
    /// There is a finding.
    Bug,
    /// A limit was reached first.
    Incomplete,
    /// The program did something that cannot be controlled.
    Unsupported,
}

/// Whether a finding is a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Exit code 42.
    Error,
    /// Listed only, unless `--warnings-as-errors`.
    Warning,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the words of the published JSON")]
pub enum FindingKind {
    DataRace,
    Deadlock,
    Livelock,
    EndlessLoop,
    Assertion,
    Abort,
    Crash,
    NonzeroExit,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    OutOfBounds,
    Leak,
    UninitializedObject,
    NotDestroyed,
    DestroyedInUse,
    UnlockNotOwner,
    SelfDeadlock,
    CondvarMutexMismatch,
    LostWakeup,
    MainExitsEarly,
    ThreadMisuse,
    Invariant,
    OutcomeDifference,
    ProcessDeath,
    InitializedTwice,
    LockOrderInversion,
    SpeculatedLoad,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [FindingKind; 28] = [
        FindingKind::DataRace,
        FindingKind::Deadlock,
        FindingKind::Livelock,
        FindingKind::EndlessLoop,
        FindingKind::Assertion,
        FindingKind::Abort,
        FindingKind::Crash,
        FindingKind::NonzeroExit,
        FindingKind::UseAfterFree,
        FindingKind::DoubleFree,
        FindingKind::InvalidFree,
        FindingKind::OutOfBounds,
        FindingKind::Leak,
        FindingKind::UninitializedObject,
        FindingKind::NotDestroyed,
        FindingKind::DestroyedInUse,
        FindingKind::UnlockNotOwner,
        FindingKind::SelfDeadlock,
        FindingKind::CondvarMutexMismatch,
        FindingKind::LostWakeup,
        FindingKind::MainExitsEarly,
        FindingKind::ThreadMisuse,
        FindingKind::Invariant,
        FindingKind::OutcomeDifference,
        FindingKind::ProcessDeath,
        FindingKind::InitializedTwice,
        FindingKind::LockOrderInversion,
        FindingKind::SpeculatedLoad,
    ];

    /// `not-destroyed`, `leak`, `main-exits-early`, `lost-wakeup`, `lock-order-inversion` and
    /// `speculated-load` are warnings.
    pub fn severity(self) -> Severity {
        use FindingKind::{
            Leak, LockOrderInversion, LostWakeup, MainExitsEarly, NotDestroyed, SpeculatedLoad,
        };
        match self {
            NotDestroyed | Leak | MainExitsEarly | LostWakeup | LockOrderInversion
            | SpeculatedLoad => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
