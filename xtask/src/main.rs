//! Developer commands. `cargo xtask help` lists them; each is one file in `command/`.
#![forbid(unsafe_code)]

mod apt;
mod command;
mod llvm;
mod process;
mod stop;
mod tree;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about, disable_help_subcommand = false)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Pass (for each LLVM found), runtime and driver → target/dpor/
    Build(command::build::Build),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Build(build) => build.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("xtask: {stop}");
            ExitCode::from(stop.code)
        }
    }
}
