//! `dpor replay --gdb` and `--rr`: the forced schedule under a debugger.
//!
//! ```text
//!   dpor ──starts──► gdb ──starts, as often as one goes back──► program (DPOR_OPTIONS: the schedule)
//!                     └ stacks.py, fibers.py, commands.py: `dpor step`, `dpor back`, … (runtime: engine/src/debugger.rs)
//! ```
//!
//! The program has no channel to us there: at its end it prints what it found itself.

use crate::exit::Exit;
use crate::launch::surroundings;
use crate::program::Program;
use dpor_abi::options::{Checkpoint, Options};
use dpor_report::library;
use serde_json::json;
use signal_hook::consts::SIGINT;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use tempfile::TempDir;

/// The commands, and what they need, by file.
const SCRIPTS: [(&str, &str); 3] = [
    ("stacks.py", include_str!("stacks.py")),
    ("fibers.py", include_str!("fibers.py")),
    ("commands.py", include_str!("commands.py")),
];

/// Lets gdb find the scripts.
const BEGIN: &str =
    "python import os, sys; sys.path.insert(0, os.environ['DPOR_DEBUGGER']); import dpor_gdb.commands";

/// Runs gdb until it ends; its exit code. `finding` is the file with the schedule, `more` are arguments
/// for gdb.
///
/// # Errors
/// One sentence: there is no gdb that can do it.
pub fn gdb(
    program: &Program,
    args: &[String],
    options: &Options,
    finding: &Path,
    more: &[String],
) -> Result<Exit, String> {
    ask_gdb()?;
    let folder =
        write_scripts().map_err(|why| format!("gdb's scripts cannot be written: {why}"))?;
    let mut command = Command::new("gdb");
    command.args(["-q", "-ex", BEGIN]).args(more).arg("--args");
    command.arg(&program.path).args(args);
    let options = Options {
        // A process of its own for the execution would be another one than gdb's.
        checkpoint: Checkpoint::Snapshot,
        workers: 1,
        channel: -1,
        journal: -1,
        ..options.clone()
    };
    surroundings(&mut command, program, &options.to_string());
    command.env("DPOR_DEBUGGER", folder.path());
    command.env("DPOR_FINDING", finding);
    let library = json!({
        "installed": library::INSTALLED,
        "of_compilers": library::OF_COMPILERS,
        "folders": options.library,
    });
    command.env("DPOR_LIBRARY", library.to_string());
    // Ctrl-C is for gdb.
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))
        .map_err(|why| format!("signals cannot be handled: {why}"))?;
    let status = command.status();
    let status = status.map_err(|why| format!("gdb cannot be started: {why}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    match code {
        Some(code) => Ok(Exit::of_process(code)),
        None => Err(format!("gdb died ({status})")),
    }
}

/// Whether there is a gdb with Python.
fn ask_gdb() -> Result<(), String> {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "python import gdb.unwinder"]);
    let output = gdb.stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() && output.stderr.is_empty() => Ok(()),
        Ok(_) => Err(
            "--gdb needs a gdb that was built with Python (Debian's package gdb, not gdb-minimal)"
                .to_owned(),
        ),
        Err(why) if why.kind() == ErrorKind::NotFound => {
            Err("--gdb needs gdb, which is not installed (`apt install gdb`)".to_owned())
        }
        Err(why) => Err(format!("gdb cannot be started: {why}")),
    }
}

fn write_scripts() -> std::io::Result<TempDir> {
    let folder = TempDir::new()?;
    let package = folder.path().join("dpor_gdb");
    std::fs::create_dir(&package)?;
    for (name, text) in SCRIPTS {
        std::fs::write(package.join(name), text)?;
    }
    Ok(folder)
}

/// The command that records a program under rr.
///
/// # Errors
/// One sentence: there is no rr.
pub fn rr() -> Result<Vec<String>, String> {
    let output = Command::new("rr")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(["rr", "record"].map(str::to_owned).to_vec()),
        Ok(output) => Err(format!("rr --version does not work ({})", output.status)),
        Err(why) if why.kind() == ErrorKind::NotFound => {
            Err("--rr needs rr, which is not installed (`apt install rr`)".to_owned())
        }
        Err(why) => Err(format!("rr cannot be started: {why}")),
    }
}
