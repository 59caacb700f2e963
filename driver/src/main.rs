//! `dpor`: one match over the subcommands.
#![forbid(unsafe_code)]

use clap::Parser;
use dpor_driver::command::{check, replay};
use dpor_driver::exit::{self, Exit};
use dpor_driver::flags::{Low, LowCommand};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(Low::parse()) {
        Ok(exit) => exit.into(),
        Err(why) => {
            eprintln!("dpor: error: {why}");
            exit::USAGE.into()
        }
    }
}

fn run(low: Low) -> Result<Exit, String> {
    let not_yet = |name: &str| Err(format!("dpor {name}: not yet"));
    match low.command {
        LowCommand::Check(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            check::run(low.understand(&environment)?)
        }
        LowCommand::Replay(low) => replay::run(low),
        LowCommand::Diff(_) => not_yet("diff"),
        LowCommand::Show(_) => not_yet("show"),
        LowCommand::Doctor(_) => not_yet("doctor"),
        LowCommand::ListExecutions(_) => not_yet("list-executions"),
    }
}
