//! Lines on the channel from runtime to driver: one JSON value each.

use crate::{Executions, Report, Total};
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// Now and then, if asked for.
    Progress(Progress),
    /// Sent once, last: what was found, and where the program's objects are loaded.
    Report {
        /// Complete but for names that need debug information.
        report: Box<Report>,
        /// For turning addresses into names.
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

/// How far exploration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// So far.
    pub executions: Executions,
    /// So far.
    pub findings: u64,
    /// Wall time since the root.
    pub seconds: f64,
    /// Executions in all.
    #[serde(default)]
    pub total: Total,
}

/// A loaded ELF object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedObject {
    /// Its file.
    pub path: String,
    /// Difference between addresses in memory and in the file.
    pub base: u64,
    /// First address.
    pub start: u64,
    /// One past its last address.
    pub end: u64,
}
