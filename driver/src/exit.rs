//! Exit codes, one for each way a command ends. Part of the interface: never renumber.

use dpor_report::{Report, Verdict};
use std::process::ExitCode;

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(u8);

/// Every execution was explored, or every sample run that was asked for, and no finding is an error.
pub const VERIFIED: Exit = Exit(0);
/// `dpor doctor`: something that is needed is not there.
pub const MISSING: Exit = Exit(1);
/// Wrong usage, or the tool failed: nothing is known about the program.
pub const USAGE: Exit = Exit(2);
/// A limit was reached first, or the run was interrupted.
pub const INCOMPLETE: Exit = Exit(3);
/// The program did something that cannot be controlled.
pub const UNSUPPORTED: Exit = Exit(4);
/// A bug was found (the number GenMC and Nidhugg use).
pub const BUG: Exit = Exit(42);

/// The exit code that goes with a report.
pub fn of(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Incomplete if report.is_as_asked() => VERIFIED,
        Verdict::Verified => VERIFIED,
        Verdict::Bug => BUG,
        Verdict::Incomplete => INCOMPLETE,
        Verdict::Unsupported => UNSUPPORTED,
    }
}

impl Exit {
    /// What a debugger, or another process of this command, ended with, which is its own word.
    pub fn of_process(code: u8) -> Exit {
        Exit(code)
    }

    /// The exit code as a number.
    pub fn code(self) -> u8 {
        self.0
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}
