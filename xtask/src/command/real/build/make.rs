//! make. A Makefile sets `CC` itself, so it is told on the command line.

use super::Build;
use crate::stop::Outcome;
use std::process::Command;

/// Builds the targets.
pub fn make(build: &Build, options: &[&str]) -> Outcome<Command> {
    let mut make = build.command("make")?;
    make.arg(format!("CC={}", build.compilers.cc));
    make.arg(format!("CXX={}", build.compilers.cxx))
        .args(options);
    make.args(build.program.targets);
    Ok(make)
}
