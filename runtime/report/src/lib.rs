//! The result of a check, as one value.
//!
//! [`Report`] is the JSON of `--json`, in [`Saved`] with how the program was made; text and every other format are made from it. The runtime
//! fills in what it knows (places from the pass's site records, objects by address), the driver
//! completes it (names of variables from the program's debug information) and writes it out.
//! [`Message`] is one line on the channel from runtime to driver.
#![forbid(unsafe_code)]

mod cached;
mod ending;
mod estimate;
mod explained;
mod finding;
mod followed;
pub mod image;
mod kept_steps;
pub mod library;
mod message;
pub mod minimal;
pub mod outline;
mod pace;
pub mod phrases;
pub mod place_in_words;
mod samples;
mod saved;
pub mod scenario;
mod scenarios;
mod schedule;
mod severities;
mod sought;
mod state_graph;
mod states;
pub mod steps;
mod suppressed;
pub mod tables;
pub mod text;
mod timeouts;
pub mod visible;
mod words;

pub use ending::Ending;
pub use estimate::{duration, Estimate, Total};
pub use finding::{Access, Finding, Frame, Object, Place, Step, Thread};
pub use followed::Followed;
pub use image::Image;
pub use message::{LoadedObject, Message, Progress};
pub use pace::Pace;
pub use samples::Samples;
pub use saved::{Listed, Saved};
pub use scenario::{CallState, OrderKind, OrderedCall, Scenario, ScenarioCall, ScenarioOrder};
pub use scenarios::{Scenarios, Size};
pub use schedule::{Child, Decision, Schedule};
pub use sought::{Mark, Sought};
pub use state_graph::{DrawnState, DrawnStep, PartOfRun, StateGraph, DRAWN_MAX};
pub use states::{Bits, Differing, States};
pub use suppressed::{Suppressed, Suppression};
pub use timeouts::{Timeouts, Word};
pub use words::{FindingKind, LibraryState, MemoryOrder, Severity, Verdict};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like that")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The report of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The tool that wrote the report: `dpor`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "dpor")))]
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Path of the program, as given on the command line.
    pub program: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The memory model.
    pub model: String,
    /// The way in which executions were chosen.
    pub search: String,
    /// Preemptions up to which everything was explored, or was to be.
    pub bound: Option<u64>,
    /// True if there is more that needs more preemptions.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub beyond: bool,
    /// Executions and states that were reached with each number of preemptions, if there was a bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
    /// Number of time-outs in one execution that could come although other threads could go on, where calls with a time
    /// limit were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// The way in which states were taken back.
    pub checkpoint: String,
    /// Number of worker processes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub workers: u32,
    /// The sharing of the work between workers, if there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<Sharing>,
    /// The last word on the program.
    pub verdict: Verdict,
    /// The reason for the verdicts `incomplete` and `unsupported`.
    pub reason: Option<String>,
    /// What is known besides its findings of a program with bugs, for the driver: findings may be suppressed. No part of a
    /// report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub otherwise: Option<Otherwise>,
    /// Start functions that several threads of the last execution had, as the linker has them, for the driver to give
    /// advice. No part of a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub alike: Vec<Alike>,
    /// The findings that were not to be counted (`--suppress`), if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// Instruction at which a limit stopped the check, for the driver to complete `reason` with its
    /// place; 0: none did.
    #[serde(default)]
    pub stopped_at: u64,
    /// Numbers of executions; every execution is in exactly one of them.
    pub executions: Executions,
    /// An estimate of how many executions there would have been, for a search that is not over, if there is one.
    #[serde(default)]
    pub estimate: Option<Estimate>,
    /// True if the search gave up because it could not be over within its limits (`--search=auto`).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub gave_up: bool,
    /// What was explored of loops that have no end, if the tool bounded them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<Loops>,
    /// The samples, if executions were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
    /// The states that were visited, if states were remembered (`--states`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    /// What was asked of a data structure, and in which scenarios (`dpor scenario`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenarios: Option<Scenarios>,
    /// True if an earlier check said so, and nothing has changed since (`--cache`).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub cached: bool,
    /// Seconds since that check, if the program looked at a clock: its verdict is of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_seconds: Option<u64>,
    /// True if the program looked at a clock, for the driver: it may do something else tomorrow. No part of a report.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub clock_was_read: bool,
    /// Number of executions that an earlier check explored, with which this one went on.
    #[serde(default, skip_serializing_if = "is_none")]
    pub resumed: u64,
    /// Names of the reductions, which may merge executions.
    pub reductions: Vec<String>,
    /// The loaded objects, by what was seen of them.
    pub scope: Scope,
    /// System calls that conflict with everything.
    #[serde(default)]
    pub opaque_calls: Vec<OpaqueCall>,
    /// Visible events executed for the first time.
    pub events: u64,
    /// Events executed again to reach a branch.
    pub events_replayed: u64,
    /// Largest number of threads of an execution.
    pub threads_max: u32,
    /// Time of the whole check, in seconds.
    pub seconds: Seconds,
    /// Number of executions of this check per second of wall time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub executions_per_second: f64,
    /// Largest amounts of memory that the processes of the check occupied, in bytes, added up.
    pub peak_rss_bytes: u64,
    /// Work of the checkpoint machinery.
    pub checkpoints: Checkpoints,
    /// Distinct outcomes.
    pub outcomes: Vec<Outcome>,
    /// What is wrong with the program.
    pub findings: Vec<Finding>,
    /// Notes about the run as a whole, one sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Options that `dpor replay` needs, as `DPOR_OPTIONS` has them.
    #[serde(default)]
    pub options: String,
    /// Number of different outputs (bytes written to descriptors 1 and 2) that complete executions had.
    #[serde(default)]
    pub outputs_distinct: u64,
    /// Captured output that `--output` asks for (lossy UTF-8).
    #[serde(default)]
    pub output: Vec<Captured>,
}

impl Report {
    /// Whether all that was asked for was done and no bug found, although not all was explored.
    pub fn is_as_asked(&self) -> bool {
        let finished = |samples: &Samples| samples.finished;
        let sifted = |states: &States| states.bits.as_ref().is_some_and(|bits| bits.finished);
        let is_done =
            self.samples.as_ref().is_some_and(finished) || self.states.as_ref().is_some_and(sifted);
        let is_done = is_done
            || self
                .suppressed
                .as_ref()
                .is_some_and(|suppressed| suppressed.finished);
        self.verdict == Verdict::Incomplete && is_done
    }

    /// Whether the check ran with this option, as `key=value`.
    pub fn has_option(&self, pair: &str) -> bool {
        self.options.split(':').any(|option| option == pair)
    }

    /// Puts the findings that are errors before those that are warnings; otherwise they keep their order.
    pub fn put_errors_first(&mut self) {
        let findings = std::mem::take(&mut self.findings);
        let is_error = |finding: &Finding| self.severity(finding) == Severity::Error;
        let (mut errors, warnings): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_error);
        errors.extend(warnings);
        self.findings = errors;
    }

    /// Whether a finding of this check alone makes the verdict `bug`: its kind says so, and the
    /// options may say otherwise.
    pub fn severity(&self, finding: &Finding) -> Severity {
        match finding.kind {
            _ if self.has_option("warnings-as-errors=1") => Severity::Error,
            FindingKind::DataRace if self.has_option("races=warn") => Severity::Warning,
            _ => finding.severity(),
        }
    }
}

/// Threads of one start function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alike {
    /// Name of the function, as the linker has it; empty if unknown.
    pub function: String,
    /// Address of the function in the checked process, for the driver to name it.
    pub start: u64,
    /// Number of its threads.
    pub threads: u64,
}

/// The verdict without the findings, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Otherwise {
    /// The verdict.
    pub verdict: Verdict,
    /// Its reason.
    pub reason: Option<String>,
}

/// Executions by how they ended; every execution is in exactly one counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Executions {
    /// Every thread ended.
    pub complete: u64,
    /// A thread stood in an assume that did not hold.
    pub blocked: u64,
    /// Cut because all enabled threads slept.
    pub redundant: u64,
    /// Cut by a bound.
    pub bound_exceeded: u64,
    /// Ended in a deadlock or livelock.
    pub deadlocked: u64,
    /// Ended by a finding.
    pub failed: u64,
}

impl Executions {
    /// The number of all executions.
    pub fn total(&self) -> u64 {
        self.complete
            + self.blocked
            + self.redundant
            + self.bound_exceeded
            + self.deadlocked
            + self.failed
    }
}

impl core::ops::AddAssign for Executions {
    fn add_assign(&mut self, other: Executions) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.redundant += other.redundant;
        self.bound_exceeded += other.bound_exceeded;
        self.deadlocked += other.deadlocked;
        self.failed += other.failed;
    }
}

/// Loops that have no end, in a search that is told to bound them by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loops {
    /// Where such a one is, `FILE:LINE`, if the search stopped at it. For the driver; no part of a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub endless: Option<String>,
    /// The search came to its end. For the driver; no part of a report.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub is_over: bool,
    /// All executions were explored in which each loop goes round at most so often, each time it is entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
}

/// The executions with at most so many preemptions, and the states that they reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The largest number of preemptions of these executions.
    pub bound: u64,
    /// Number of executions with at most as many preemptions.
    pub executions: u64,
    /// Number of distinct states on them: prefixes of executions that are not equivalent.
    pub states: u64,
}

/// The loaded objects whose accesses were seen, and those whose were not, by base name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// Base names of the objects whose accesses were seen.
    pub instrumented: Vec<String>,
    /// Base names of the objects whose accesses were not seen.
    pub uninstrumented: Vec<String>,
    /// The kinds of findings that the options leave out, as the verdict says it: `races`, `memory errors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_looked_for: Vec<String>,
    /// The state of each, and of object files without instrumentation that threads entered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<Library>,
}

/// A loaded object, or an object file that is linked into one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Library {
    /// Name of the file.
    pub name: String,
    /// The reason why its accesses are seen, or need not be.
    pub state: LibraryState,
    /// Number of threads that entered it while others lived; 0 if nobody asked.
    #[serde(default)]
    pub threads: u64,
    /// The reason why it needs no instrumentation, by the checker's table.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A system call that no modelled function of libc stands for: an event that conflicts with everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpaqueCall {
    /// Name of the system call, or its number.
    pub system_call: String,
    /// The function that makes it: of libc, where the program called it; empty if unknown.
    pub function: String,
    /// The file that function is in; empty for the program itself.
    pub object: String,
    /// The event is the whole call of `function`, not just the system call in it.
    pub whole_call: bool,
    /// The last call before it in instrumented code.
    pub place: Place,
}

/// How workers shared the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sharing {
    /// Part of the workers' time in which they had nothing to do.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub idle_share: f64,
    /// Subtrees given from one to another.
    pub items_moved: u64,
    /// Messages between them per 1,000 executions.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub messages_per_1000: f64,
    /// How often the search began anew because one of them learnt something about the program.
    pub rounds: u64,
}

/// Time of the whole check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seconds {
    /// Wall time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub wall: f64,
    /// Processor time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub cpu: f64,
}

/// Work of the checkpoint machinery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checkpoints {
    /// Number of checkpoints that were taken.
    pub taken: u64,
    /// How often a checkpoint was restored.
    pub restored: u64,
    /// Number of checkpoints given up because all of them would have taken more memory than they may.
    #[serde(default)]
    pub evicted: u64,
    /// Size of a checkpoint in bytes, on average.
    pub bytes_mean: u64,
    /// Number of processes that were forked.
    pub forks: u64,
    /// Faults by which pages of the program's were first seen to be written.
    #[serde(default)]
    pub faults: u64,
    /// Time of taking memory back once, in nanoseconds, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub restore_ns: Option<f64>,
}

/// One distinct set of observed values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// Last value given to `dpor_observe` under each name.
    pub values: BTreeMap<String, i64>,
    /// Executions that ended with it.
    pub executions: u64,
}

/// Captured output of one execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Captured {
    /// Number of the execution, from 1.
    pub execution: u64,
    /// The bytes that the execution wrote to descriptor 1, as text.
    pub stdout: String,
    /// The bytes that the execution wrote to descriptor 2, as text.
    pub stderr: String,
}
