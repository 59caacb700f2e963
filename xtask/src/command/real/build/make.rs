//! make. A Makefile sets `CC` itself, so it is told on the command line.

use super::Build;
use crate::process;
use crate::stop::Outcome;

/// Builds the targets.
pub fn make(build: &Build, options: &[&str]) -> Outcome {
    let mut make = build.command("make")?;
    make.args(["CC=dpor-cc", "CXX=dpor-c++"]).args(options);
    process::run(make.args(build.program.targets))
}
