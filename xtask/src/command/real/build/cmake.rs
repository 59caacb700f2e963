//! CMake.

use super::{Build, BELOW};
use crate::process;
use crate::stop::Outcome;
use std::process::Command;

/// `cmake -S … -B …`.
pub fn prepare(build: &Build, folder: &str) -> Outcome {
    let mut cmake = build.command("cmake")?;
    cmake.args(["-S", folder, "-B", BELOW]);
    process::run(cmake.args(build.program.options))
}

/// `cmake --build`.
pub fn make(build: &Build) -> Outcome<Command> {
    let mut cmake = build.command("cmake")?;
    cmake.args(["--build", BELOW]);
    for target in build.program.targets {
        cmake.args(["--target", target]);
    }
    Ok(cmake)
}
