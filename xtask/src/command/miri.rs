//! `cargo xtask miri`: what may be assumed of references, watched by Miri while tests run.
//!
//! Miri interprets Rust and stops where two references overlap that must not, which no processor notices and
//! every optimizer may make use of. It cannot run fibers, handlers or mappings. So it runs what is free of the
//! system: how the engine and its fibers share what they know, with the whole search between them, and the
//! borrows of the runtime's own state.

use crate::process;
use crate::stop::{Outcome, Stop};
use crate::tree;
use std::process::{Command, Stdio};

/// Names of the tests, or beginnings of them: of the explorer's, and of the engine's.
const TESTS: [&str; 2] = ["stopped::", "borrows_"];

/// The line that installs it.
const LINE: &str = "rustup toolchain install nightly --component miri --component rust-src";

/// Runs the tests that can run there.
///
/// # Errors
/// The line to run if there is no Miri; what it found otherwise.
pub fn run() -> Outcome {
    match is_there() {
        true => process::run(&mut tests()),
        false => Err(Stop::cannot(format!(
            "there is no Miri; run this and try again:\n  {LINE}"
        ))),
    }
}

/// Runs Miri as one of the tests, and says what was wrong. `None`: there is no Miri.
///
/// # Errors
/// If it cannot be started.
pub fn check() -> Outcome<Option<Vec<String>>> {
    if !is_there() {
        return Ok(None);
    }
    let wrong = process::run(tests().stdout(Stdio::null())).err();
    let wrong = wrong.map(|stop| format!("Miri objects; see `cargo xtask miri`: {stop}"));
    Ok(Some(wrong.into_iter().collect()))
}

fn is_there() -> bool {
    let mut miri = Command::new("cargo");
    // A question is no reason to download a toolchain.
    miri.env("RUSTUP_AUTO_INSTALL", "0");
    process::output_of(miri.args(["+nightly", "miri", "--version"])).is_ok()
}

fn tests() -> Command {
    let mut miri = Command::new("cargo");
    miri.current_dir(tree::root())
        // The toolchain's own cargo, which runs us, would be taken for the other one.
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        // What fibers share is there for good.
        .env("MIRIFLAGS", "-Zmiri-ignore-leaks")
        .args(["+nightly", "miri", "test", "-q"])
        .args(["-p", "dpor-explorer", "--test", "explorer"])
        .args(["-p", "dpor-engine", "--test", "scoped_cell", "--target-dir"])
        .arg(tree::target().join("miri"))
        .arg("--")
        .args(TESTS);
    miri
}
