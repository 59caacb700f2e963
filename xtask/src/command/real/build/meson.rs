//! Meson, with ninja.

use super::{Build, BELOW};
use crate::process;
use crate::stop::Outcome;
use std::process::Command;

/// `meson setup`.
pub fn prepare(build: &Build) -> Outcome {
    let mut meson = build.command("meson")?;
    meson.args(["setup", BELOW, "--wrap-mode=nofallback"]);
    process::run(meson.args(build.program.options))
}

/// `ninja`, one at a time: beside other work of the machine.
pub fn make(build: &Build) -> Outcome<Command> {
    let mut ninja = build.command("ninja")?;
    ninja.args(["-C", BELOW, "-j1"]);
    ninja.args(build.program.targets);
    Ok(ninja)
}
