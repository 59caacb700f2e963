//! `dpor`: one match over the subcommands.
#![forbid(unsafe_code)]

use clap::FromArgMatches;
use dpor_driver::command::{again, check, diff, doctor, list, replay, scenario, share, show};
use dpor_driver::exit::{self, Exit};
use dpor_driver::flags::{command, joined, Low, LowCommand};
use dpor_driver::{limits, say, signals};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(panicked));
    signals::begin();
    match run(low()) {
        Ok(exit) => exit.into(),
        Err(why) => {
            say::line(&format!("dpor: error: {why}"));
            exit::USAGE.into()
        }
    }
}

/// Whether a word may ask for help: `help`, `--help`, `-h`, or `-kh`, as which others are taken here, too.
fn asks_for_help(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => letters.contains('h'),
        Some(_) => word.starts_with("--h"),
        None => word == "help",
    }
}

/// The command line, or the end of the process: with help, or with what is wrong.
fn low() -> Low {
    let words = joined(std::env::args_os());
    let asks = |word: &OsString| asks_for_help(&word.to_string_lossy());
    let matches = command(words.iter().any(asks)).get_matches_from(words);
    Low::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The tool's own fault. Said without what the standard library's own message needs: a lock and memory, which
/// may be what there is none of.
fn panicked(info: &std::panic::PanicHookInfo<'_>) {
    use std::io::Write;
    // Nobody else could be told.
    let _ = writeln!(std::io::stderr(), "dpor: error: [dpor internal bug] {info}");
    std::process::exit(exit::USAGE.code().into());
}

fn run(low: Low) -> Result<Exit, String> {
    let starts_programs = !matches!(
        low.command,
        LowCommand::Show(_) | LowCommand::Doctor | LowCommand::Share(_)
    );
    if starts_programs {
        limits::refuse()?;
    }
    match low.command {
        LowCommand::Check(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            let (watches, files) = (low.watch, low.files.clone());
            // Bad input is said once, and not again and again.
            let check = low.understand(&environment)?;
            match watches {
                true => again::run(&files),
                false => check::run(check),
            }
        }
        LowCommand::Replay(low) => replay::run(low),
        LowCommand::Diff(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            diff::run(&low.understand(&environment)?)
        }
        LowCommand::Scenario(low) => {
            let environment = std::env::var("DPOR_OPTIONS").unwrap_or_default();
            scenario::run(&low.understand(&environment)?)
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
