//! Something wrong with the program, and what shows it: accesses, the events of a trace, their places.

use crate::{FindingKind, Mark, MemoryOrder, Scenario, Severity};
use serde::{Deserialize, Serialize};

/// Something wrong with the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// One sentence that says what is wrong.
    pub message: String,
    /// The object that the finding is on, if it is on one.
    pub object: Option<Object>,
    /// The accesses or waits it consists of.
    pub accesses: Vec<Access>,
    /// Events from the root to the finding; of many, those that matter ([`Step::left_out`]).
    pub trace: Vec<Step>,
    /// Executions in which it was seen.
    pub executions: u64,
    /// Preemptions that an execution needs to come to the finding in an equivalent way; `trace` may have more, unless
    /// `minimal`.
    pub preemptions: u64,
    /// Whether no execution comes to the finding with fewer preemptions than `trace` has.
    #[serde(default)]
    pub minimal: bool,
    /// If it is not known to be minimal: no execution comes to the finding with fewer preemptions than so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions_at_least: Option<u64>,
    /// Index of the critical switch in `trace`: the last step with another thread than the step before without which
    /// the finding does not come any more, however the execution goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_step: Option<u64>,
    /// The command that shows it again; empty if there is none.
    pub replay: String,
    /// What leads to it: the text of a schedule (who created each thread, and the decisions);
    /// empty if that is not known.
    #[serde(default)]
    pub schedule: String,
    /// Further lines, such as the wait-for cycle, the signal, the failed condition.
    #[serde(default)]
    pub details: Vec<String>,
    /// True if the finding is no bug by itself, although others of its kind are.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub warning: bool,
    /// Of a run that goes on for ever: index in `trace` of the first step of its loop, which ends with the last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_begins: Option<u64>,
    /// The number of decisions of the schedule before that loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_decisions: Option<u64>,
    /// Words of the runtime for the driver; no part of a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub mark: Option<Mark>,
    /// The threads of the trace and of the accesses, in the order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
    /// Indices of the steps in `trace` that come to run although the thread before could have gone on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preemptions_at: Vec<u64>,
    /// Of a test of a data structure from its operations: the calls of the scenario, as they stand at the end of the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<Box<Scenario>>,
}

impl Finding {
    /// The severity that the kind and [`Finding::warning`] give. The options of the check may say otherwise:
    /// [`Report::severity`](crate::Report::severity).
    pub fn severity(&self) -> Severity {
        match self.warning {
            true => Severity::Warning,
            false => self.kind.severity(),
        }
    }
}

/// A thread of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thread {
    /// Number of the thread in the order of first creation.
    pub thread: u32,
    /// The function it began with, as the linker has it; empty if unknown.
    pub function: String,
    /// Address of that function in the checked process, for the driver to name it, which takes it out; 0 if
    /// unknown.
    #[serde(default, skip_serializing_if = "crate::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub start: u64,
}

impl Finding {
    /// The finding with the places as the runtime recorded them ([`Place::as_recorded`]).
    #[must_use]
    pub fn as_recorded(&self) -> Finding {
        let mut finding = self.clone();
        let accesses = finding.accesses.iter_mut().map(|access| &mut access.place);
        let steps = finding.trace.iter_mut().map(|step| &mut step.place);
        for place in accesses.chain(steps) {
            *place = place.as_recorded();
        }
        finding
    }
}

/// The object of the program that a finding is on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Object {
    /// Variable, `heap block of N bytes`, or `0x…` where nothing is known.
    pub name: String,
    /// Number of bytes; 0 if unknown.
    pub size: u64,
    /// Path of the file with the declaration or the allocation.
    pub file: Option<String>,
    /// Line of the declaration or the allocation; 0 if unknown.
    pub line: u32,
    /// Address in the checked process, for the driver to name it.
    #[serde(default)]
    pub address: u64,
    /// The name of the type of the objects in the block of the heap that it lies in; empty if it lies in none, or if that
    /// is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub block_of: String,
    /// The calls that led to its allocation, as [`Place::calls`], for the driver to find the user's own place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub calls: Vec<u64>,
    /// By whom and where its memory was given back, if that is part of what is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed: Option<Box<Access>>,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Path of the file as the debug information has it; empty without debug information.
    pub file: String,
    /// Line in the file, 1-based; 0 if unknown.
    pub line: u32,
    /// Column in the line in bytes, 1-based; 0 if unknown.
    pub column: u32,
    /// Name of the function, in traces as the linker has it; empty if unknown.
    pub function: String,
    /// The places it was inlined into, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_into: Vec<Place>,
    /// The place at which the program was, if it is in a library: then the fields above are the place at which the
    /// user's own code called that library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Box<Place>>,
    /// The calls that led here, the innermost first, as far as they are known and say more than the fields above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
    /// Addresses of instructions, one in each function on the stack, for the driver to make `stack` of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub calls: Vec<u64>,
}

impl Place {
    /// Whether the calls on the stack are known, not only what was inlined.
    pub fn has_calls(&self) -> bool {
        self.stack.iter().any(|frame| !frame.object.is_empty())
    }

    /// The place as the runtime recorded it, and as a replay comes to it again: the innermost, without the calls that
    /// led there.
    pub fn as_recorded(&self) -> Place {
        match &self.recorded {
            Some(recorded) => (**recorded).clone(),
            None => Place {
                stack: Vec::new(),
                calls: Vec::new(),
                ..self.clone()
            },
        }
    }
}

/// A function on the stack, at the place where it calls the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// Path of the file as the debug information has it; empty without debug information.
    pub file: String,
    /// Line in the file, 1-based; 0 if unknown.
    pub line: u32,
    /// Column in the line in bytes, 1-based; 0 if unknown.
    pub column: u32,
    /// Name of the function, as the linker has it; empty if unknown.
    pub function: String,
    /// Base name of the loaded file that the function is in; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// True if the function was inlined into the one that follows.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub inlined: bool,
    /// True if it is a library's and not the user's own (`--library`).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub library: bool,
}

impl Frame {
    /// The place of the function, without the calls that led there.
    pub fn place(&self) -> Place {
        Place {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            function: self.function.clone(),
            ..Place::default()
        }
    }
}

/// One access of a race, or one waiting thread of a deadlock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// Number of the thread in the order of first creation.
    pub thread: u32,
    /// `read`, `write`, `atomic read`, `atomic write`, `free`, `lock`, `wait`, `join`, …
    pub access: String,
    /// The place of the access in the source.
    #[serde(flatten)]
    pub place: Place,
    /// Names of the locks held.
    pub locks: Vec<String>,
    /// Where the thread was when it ended, for the driver to find the place; 0 if `place` says it.
    #[serde(default)]
    pub instruction: u64,
    /// Addresses of the locks held, for the driver to name them.
    #[serde(default)]
    pub lock_addresses: Vec<u64>,
    /// Index in `trace` of the step before which it came, the length of `trace` if it came after all of them; of an
    /// access that is no step itself, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// Name of the object of the operation, such as the mutex that a thread waits for; empty of accesses to memory, which
    /// are to the finding's object, and where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// Address of that object, for the driver to name it; 0 if it has none.
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub address: u64,
    /// Number of the thread that holds what is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<u32>,
    /// Index in `trace` of the step in which that thread took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since: Option<u64>,
}

/// One event of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Number of the thread in the order of first creation.
    pub thread: u32,
    /// The operation: `thread-create`, `lock`, `atomic-load`, …
    pub operation: String,
    /// Name of the object; empty if there is none.
    pub object: String,
    /// Value read or written, or the alternative chosen.
    pub value: Option<u64>,
    /// The value as the source would write it, by its type: `-10`, `true`, `State::closing`; empty if that is the number.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value_text: String,
    /// True for a compare-exchange that found another value than it expects, and wrote nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
    /// The place of the operation in the source.
    #[serde(flatten)]
    pub place: Place,
    /// Address of the object, for the driver to name it; 0 if it has none.
    #[serde(default)]
    pub address: u64,
    /// Memory order of an atomic operation; of a compare-exchange, that of its success. Absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<MemoryOrder>,
    /// Number of steps of the execution just before this one that the report leaves out (`--full` leaves out none).
    #[serde(default, skip_serializing_if = "crate::is_none")]
    pub left_out: u64,
}
