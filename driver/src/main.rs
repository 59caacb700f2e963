//! `dpor`: one match over the subcommands.
#![forbid(unsafe_code)]

use clap::Parser;
use dpor_driver::command::{check, diff, doctor, list, replay, share, show};
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
    match low.command {
        LowCommand::Check(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            check::run(low.understand(&environment)?)
        }
        LowCommand::Replay(low) => replay::run(low),
        LowCommand::Diff(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            diff::run(&low.understand(&environment)?)
        }
        LowCommand::Show(low) => show::run(&low),
        LowCommand::Doctor => doctor::run(),
        LowCommand::Share(low) => share::run(&low),
        LowCommand::ListExecutions(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            list::run(&low.understand(&environment)?)
        }
    }
}
