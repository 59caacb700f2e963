//! The command line as written ([`Low`] types, by clap) and as meant ([`Check`]).
//!
//! Options that the runtime knows go through [`dpor_abi::options::Options::set`], the same function that reads
//! `DPOR_OPTIONS`, so that a value is accepted or refused in one place. `DPOR_OPTIONS` in the
//! driver's environment is where a check starts from; the command line overrides it.

mod automata;
mod check;
mod diff;
mod effects;
mod forms;
mod help;
mod list;
mod page;
mod reports;
mod scenario;
mod scope;
mod settings;
mod source_files;
mod timeouts;

pub use check::{Check, LowCheck, Target};
pub use diff::{is_level, Diff, Levelled, LowDiff, Subject};
pub use forms::{FailOn, MessageFormat, ProgressWhen};
pub use help::command;
pub use list::{Listing, LowList};
pub use page::page;
pub use reports::Wanted;
pub use scenario::{Asked, LowScenario, Promise, Question, Scenario};
pub use scope::Scope;
pub use settings::Settings;
pub use source_files::{is_cxx, is_source};
pub use timeouts::joined;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// `dpor`.
#[derive(Parser, Debug)]
#[command(
    name = "dpor",
    version,
    about = "Explores every relevant interleaving of a program"
)]
pub struct Low {
    /// What to do.
    #[command(subcommand)]
    pub command: LowCommand,
}

/// One per subcommand.
#[derive(Subcommand, Debug)]
pub enum LowCommand {
    /// Explore a program that dpor-cc compiled, or compile sources and explore
    Check(Box<LowCheck>),
    /// Run the schedule of a finding once
    Replay(LowReplay),
    /// Compare two versions of a program, or a program at two optimization levels: what only one has
    Diff(Box<LowDiff>),
    /// Test a data structure from its operations (dpor/scenario.hpp): is it linearizable in all small scenarios?
    Scenario(Box<LowScenario>),
    /// Show a saved report again, or write it in other formats
    Show(LowShow),
    /// Look for what is missing, and say what to do
    Doctor,
    /// Write completions for shells and manual pages below a folder (share of an installation)
    #[command(hide = true)]
    Share(LowShare),
    /// Show how executions of a program go and end, also those that pass: one for each different ending
    ListExecutions(Box<LowList>),
}

/// `dpor replay`.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "each option is explained by its help text")]
pub struct LowReplay {
    /// A JSON report, and which finding of it (1 if not given); or a schedule that --save-schedule wrote
    #[arg(value_name = "REPORT[#N]|SCHEDULE")]
    pub report: String,
    /// Write the schedule as a text of its own, and run nothing; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gdb", "rr"])]
    pub save_schedule: Option<PathBuf>,
    /// Stop at the finding in gdb, with commands that step through the schedule (`help dpor` there)
    #[arg(long)]
    pub gdb: bool,
    /// Record the run with rr
    #[arg(long, conflicts_with = "gdb")]
    pub rr: bool,
    /// Further arguments of gdb
    #[arg(last = true, value_name = "GDB-ARGS", requires = "gdb")]
    pub gdb_args: Vec<String>,
    /// Form of the finding
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
}

/// `dpor show`.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "each option is explained by its help text")]
pub struct LowShow {
    /// A JSON report, and which finding of it (all if not given)
    #[arg(value_name = "REPORT[#N]")]
    pub report: String,
    #[command(flatten)]
    pub reports: Wanted,
    /// Form of the findings
    #[arg(long, value_enum, default_value_t)]
    pub message_format: MessageFormat,
    /// Show all events of a trace, not only those that matter for the finding
    #[arg(long)]
    pub full: bool,
}

/// `dpor share`.
#[derive(Args, Debug)]
pub struct LowShare {
    /// It gets man/, bash-completion/, zsh/ and fish/
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
