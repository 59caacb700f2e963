//! The commands `dpor`, `dpor-cc` and `dpor-c++`.
//!
//! `cc` and `install` are the compiler wrapper; `command` has one file per subcommand of `dpor`,
//! which go through `flags` (arguments), `program` (is it instrumented?), `launch` (run it, read
//! its messages), `death` (run it again after it died), `names` (addresses to variables) and `report` (text and JSON).
//! `debugger` is gdb and rr around a replay; `diff` compares two checks; `listing` is executions that are no finding;
//! `minimize` looks for shorter ways to findings.
#![forbid(unsafe_code)]

pub mod advice;
pub mod auto;
pub mod cc;
pub mod cluster;
pub mod command;
pub mod compile;
pub mod death;
pub mod debugger;
mod deepen;
pub mod diff;
pub mod exit;
pub mod flags;
pub mod framework;
pub mod input;
pub mod install;
pub mod launch;
pub mod limits;
pub mod listing;
pub mod minimize;
pub mod names;
pub mod program;
pub mod progress;
pub mod report;
pub mod say;
pub mod schedule;
pub mod signals;
pub mod words;
