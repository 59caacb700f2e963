//! `dpor-cc` and `dpor-c++`: clang with the pass and the runtime added; `dpor-gcc`, `dpor-g++`, `dpor-gfortran`: gcc with
//! the runtime, and the assembler that it calls.
//!
//! Who calls who:
//!
//! ```text
//! make ─► dpor-cc ─exec─► clang ─► clang -cc1 (loads libdpor.so) ─► object with calls __dpor_*
//!                            └───► ld ─► program that needs libdpor_rt.so
//! dpor check x.c ─► dpor-cc (as above), then the program
//! make ─► dpor-gcc ─exec─► gcc ─► cc1 -fsanitize=thread ─► text with calls __tsan_*
//!                            ├───► as (this command) ─► text with announcements ─► as ─► object
//!                            └───► ld ─► program that needs libdpor_rt.so
//! ```
//!
//! `DPOR_LEVEL` in the environment is the optimization level, whatever the arguments say (`dpor diff`).
//!
//! The language is the name this command is called by: one that ends in `++` is C++; the compiler, too.
#![forbid(unsafe_code)]

use dpor_abi::access_list::LEVEL;
use dpor_abi::NDEBUG;
use dpor_driver::cc::{self, linked, vouch};
use dpor_driver::exit;
use dpor_driver::gcc;
use dpor_driver::install::{self, Installation, Language};
use dpor_driver::say;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    let file_name = Path::new(&name).file_name().unwrap_or_default();
    let file_name = file_name.to_string_lossy().into_owned();
    if file_name == "as" {
        return assemble(&args.collect::<Vec<_>>());
    }
    if let Some(language) = gcc::Language::of_command(&file_name) {
        let say = |line: &str| say::line(&format!("{file_name}: {line}"));
        let why = gcc::command::compile(&args.collect::<Vec<_>>(), language, &say);
        say(&format!("error: {why}"));
        return exit::USAGE.into();
    }
    let is_cxx = name.to_string_lossy().ends_with("++");
    let (name, language) = match is_cxx {
        true => ("dpor-c++", Language::Cxx),
        false => ("dpor-cc", Language::C),
    };
    let why = compile(args.collect(), language);
    say::line(&format!("{name}: error: {why}"));
    exit::USAGE.into()
}

/// The assembler that gcc calls.
fn assemble(args: &[OsString]) -> ExitCode {
    match gcc::command::assemble(args) {
        Ok(code) => code.into(),
        Err(why) => {
            say::line(&format!("dpor-gcc: error: {why}"));
            exit::USAGE.into()
        }
    }
}

/// Becomes clang; returns the reason only if it cannot.
fn compile(args: Vec<OsString>, language: Language) -> String {
    let readable: Vec<String> = args
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let call = Installation::of_this_command()
        .and_then(|installation| installation.toolchain(language))
        .and_then(|toolchain| {
            let read = |path: &Path| std::fs::read_to_string(path).ok();
            let level = std::env::var(LEVEL).ok();
            let level = level.as_deref().filter(|level| !level.is_empty());
            let additions = cc::rewrite(&readable, &toolchain, level, &read)?;
            if additions.needs_lld {
                install::lld_of(&toolchain.clang)?;
            }
            Ok((additions, toolchain.clang))
        });
    let (additions, clang) = match call {
        Ok(found) => found,
        Err(why) => return why,
    };
    let mut command = Command::new(&clang);
    command.args(additions.before);
    let (options, inputs) = args.split_at(cc::options_end(&args));
    command.args(options);
    command.args(additions.after);
    command.args(inputs);
    if additions.verbose {
        command.env("DPOR_PASS_VERBOSE", "1");
    }
    match additions.without_assertions {
        true => command.env(NDEBUG, "1"),
        false => command.env_remove(NDEBUG),
    };
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let why = match additions.links {
        true => {
            let all = cc::expand(&readable, &read, 0);
            if vouch::is_known(&all) {
                command.args(vouch::symbol());
            }
            linked::told(command, &all, &|line| {
                say::line(&format!("dpor-cc: {line}"));
            })
        }
        false => Ok(command),
    };
    match why {
        Ok(mut command) => {
            let why = command.exec();
            format!("{} does not run: {why}", clang.display())
        }
        Err(why) => why,
    }
}
