//! Programs that are built by CMake.

use super::{Build, BELOW};
use crate::process;
use crate::stop::Outcome;
use std::process::Command;

/// Prepares the build by `cmake -S … -B …`.
pub fn prepare(build: &Build, folder: &str) -> Outcome {
    let mut cmake = build.command("cmake")?;
    cmake.args(["-S", folder, "-B", BELOW]);
    process::run(cmake.args(build.program.options))
}

/// The command that builds, `cmake --build`.
pub fn make(build: &Build) -> Outcome<Command> {
    let mut cmake = build.command("cmake")?;
    cmake.args(["--build", BELOW]);
    for target in build.program.targets {
        cmake.args(["--target", target]);
    }
    Ok(cmake)
}
