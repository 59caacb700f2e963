//! The commands `dpor`, `dpor-cc` and `dpor-c++`.
//!
//! `cc` and `install` are the compiler wrapper; `command` has one file per subcommand of `dpor`. They go through `flags`
//! (arguments), `exploration` (compile, look at the program, search) and `publish` (save, print). A search is `launch` (run
//! the program, read its messages), `process_end` (what its end means) and `death` (run it again after it died); `names`
//! puts variables for addresses, `report` is text and files. `debugger` is gdb and rr around a replay; `diff` compares two
//! checks; `listing` is executions that are no finding; `minimize` looks for shorter ways to findings.
//!
//! No module names one that names it, through others or not (`cargo xtask circles`): types of data lie below what works
//! on them.
#![forbid(unsafe_code)]

pub mod advice;
pub mod auto;
pub mod cache;
pub mod cc;
pub mod cluster;
pub mod command;
pub mod compile;
pub mod death;
pub mod debugger;
mod deepen;
pub mod diff;
pub mod exit;
pub mod exploration;
mod finite;
pub mod flags;
pub mod framework;
pub mod gcc;
pub mod happening;
pub mod input;
pub mod install;
pub mod launch;
pub mod limits;
pub mod listing;
pub mod minimize;
pub mod names;
mod parts;
mod process_end;
pub mod program;
pub mod progress;
pub mod publish;
pub mod report;
pub mod say;
pub mod scenario;
pub mod schedule;
pub mod signals;
pub mod suppress;
pub mod words;
