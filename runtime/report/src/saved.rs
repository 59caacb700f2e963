//! The file of `--json`, which `dpor replay` and `dpor show` read back.

use crate::{Ending, Report, Step, Thread};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The contents of the file: the report, and how its program was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        title = "Report of dpor check",
        description = "What dpor check writes with --json. Fields are added, never renamed or removed."
    )
)]
pub struct Saved {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// What `dpor check` compiled; empty if it was given a program.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "lossily"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub sources: Vec<PathBuf>,
    /// Options of the compiler for these sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cflags: Vec<String>,
    /// Which build of the program it was, as schedules have it: a checksum of what of it is loaded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// What `dpor list-executions` listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Listed>,
}

/// Executions that ended alike, or one execution (`--json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The values observed and the output written; the number of the execution if it is listed alone.
    #[serde(flatten)]
    pub ending: Ending,
    /// Number of executions that ended so.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub executions: u64,
    /// Events of the first of them; empty if they were not kept.
    pub trace: Vec<Step>,
    /// The threads in it, with the functions they began with, in the order of creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
}

/// Paths as the rest of a report has them.
fn lossily<S: serde::Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}
