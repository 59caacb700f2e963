//! What of a finding is kept to run it once more.

use dpor_report::Finding;
use std::path::PathBuf;

/// The schedule of a finding, with what a replay needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Path of the program as the check was given it.
    pub program: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The sources that were compiled; empty if a program was given.
    pub sources: Vec<PathBuf>,
    /// The options of the compiler for these sources.
    pub cflags: Vec<String>,
    /// The options of the check, as `DPOR_OPTIONS` has them.
    pub options: String,
    /// Which build of the program ([`super::build_of`]); empty if that is not known.
    pub build: String,
    /// The finding that the schedule leads to: kind, message, accesses, trace, schedule.
    pub finding: Finding,
}
