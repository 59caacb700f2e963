//! Lines on the channel from runtime to driver: one JSON value each.

use crate::{Executions, Report, Total};
use serde::{Deserialize, Serialize};

/// A message from the runtime to the driver, which is one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// The progress of the exploration, from time to time if that is asked for.
    Progress(Progress),
    /// Sent once, last: what was found, and where the program's objects are loaded.
    Report {
        /// The report, complete but for names that need debug information.
        report: Box<Report>,
        /// The loaded objects, by which addresses are turned into names.
        loaded: Vec<LoadedObject>,
    },
    /// The runtime cannot go on for a reason of its own; one sentence. Exit code 2.
    Failure(String),
    /// The runtime is there, before any code of the program ran: what happened without this word is nothing the
    /// program did.
    Loaded,
    /// Exploration began (the program made its second thread or its first choice).
    /// Until then, and without it, the process is the plain program.
    Started,
}

/// The progress of the exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Executions so far.
    pub executions: Executions,
    /// Number of findings so far.
    pub findings: u64,
    /// Seconds of wall time since the root.
    pub seconds: f64,
    /// Executions in all.
    #[serde(default)]
    pub total: Total,
}

/// A loaded ELF object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedObject {
    /// Path of the object's file.
    pub path: String,
    /// Difference between addresses in memory and in the file.
    pub base: u64,
    /// The object's first address.
    pub start: u64,
    /// One past the object's last address.
    pub end: u64,
}
