//! The closed sets of words a report uses.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The last word on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All executions were explored and none had a finding.
    Verified,
    /// A finding is more than a warning.
    Bug,
    /// A limit was reached first.
    Incomplete,
    /// The program did something that cannot be controlled.
    Unsupported,
}

/// Why a library's accesses are seen, or need not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LibraryState {
    /// Built with `dpor-cc`, or in part.
    #[serde(rename = "instrumented")]
    Instrumented,
    /// Known by its name.
    #[serde(rename = "trusted by table")]
    TrustedByTable,
    /// Several threads enter it, and its code only works on what it is given.
    #[serde(rename = "trusted by inspection")]
    TrustedByInspection,
    /// The user says so (`--trust`).
    #[serde(rename = "trusted by option")]
    TrustedByOption,
    /// One thread enters it.
    #[serde(rename = "entered by one thread")]
    OneThread,
    /// No thread enters it while others live.
    #[serde(rename = "not entered")]
    NotEntered,
    /// Several threads enter it, and may meet there unseen: the check is `unsupported`.
    #[serde(rename = "unsupported")]
    Refused,
}

/// The memory order of an atomic operation, as C11 has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryOrder {
    /// `memory_order_relaxed`.
    Relaxed,
    /// `memory_order_acquire`, and `memory_order_consume`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcqRel,
    /// `memory_order_seq_cst`.
    SeqCst,
}

impl MemoryOrder {
    /// The word of C11's `memory_order_…`.
    pub const fn as_str(self) -> &'static str {
        match self {
            MemoryOrder::Relaxed => "relaxed",
            MemoryOrder::Acquire => "acquire",
            MemoryOrder::Release => "release",
            MemoryOrder::AcqRel => "acq_rel",
            MemoryOrder::SeqCst => "seq_cst",
        }
    }

    /// Whether a read of this order learns what was released with the value it reads.
    pub const fn acquires(self) -> bool {
        !matches!(self, MemoryOrder::Relaxed | MemoryOrder::Release)
    }

    /// Whether a write of this order releases what came before it in its thread.
    pub const fn releases(self) -> bool {
        !matches!(self, MemoryOrder::Relaxed | MemoryOrder::Acquire)
    }
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    UseAfterReturn,
    Ltl,
    NonProgress,
    Starvation,
    Nondeterminism,
    NotLinearizable,
}

impl FindingKind {
    /// Whether a finding of this kind is seen in one execution by itself, whatever orders the threads: the program
    /// fails before one's eyes.
    pub const fn is_seen_as_it_happens(self) -> bool {
        matches!(
            self,
            FindingKind::Assertion
                | FindingKind::Abort
                | FindingKind::Crash
                | FindingKind::NonzeroExit
                | FindingKind::OutcomeDifference
                | FindingKind::NotLinearizable
        )
    }

    /// The kinds of findings, in the order of their declaration.
    pub const ALL: [FindingKind; 34] = [
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
        FindingKind::UseAfterReturn,
        FindingKind::Ltl,
        FindingKind::NonProgress,
        FindingKind::Starvation,
        FindingKind::Nondeterminism,
        FindingKind::NotLinearizable,
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
