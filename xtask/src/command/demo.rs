//! `cargo xtask demo`: from nothing to a finding and its replay.

use super::build::Build;
use crate::process;
use crate::stop::{Outcome, Stop};
use crate::tree;
use std::process::Command;

/// Exit code of `dpor check` and `dpor replay` where there is a bug.
pub const BUG: i32 = 42;

/// Builds everything, checks a small program that has a bug, and replays what was found.
///
/// # Errors
/// If anything does not end as it must.
pub fn run() -> Outcome {
    Build::default().run()?;
    let folder = tree::scratch("demo");
    let source = tree::root().join("testsuite/programs/demo/transfer.c");
    let program = folder.join("transfer");
    let report = folder.join("transfer.json");
    let mut compile = Command::new(tree::tool("dpor-cc"));
    compile.args(["-O2", "-g"]).arg(source);
    process::run(compile.arg("-o").arg(&program))?;

    let mut check = Command::new(tree::tool("dpor"));
    check.args(["check", "--json"]).arg(&report).arg(&program);
    expect_bug("dpor check", process::exit_code(&mut check)?)?;

    let mut replay = Command::new(tree::tool("dpor"));
    replay.arg("replay").arg(&report);
    expect_bug("dpor replay", process::exit_code(&mut replay)?)?;
    println!("demo: the bug was found (exit code 42) and its replay shows it again");
    Ok(())
}

fn expect_bug(what: &str, code: i32) -> Outcome {
    if code == BUG {
        return Ok(());
    }
    Err(Stop::failed(format!(
        "{what} ended with exit code {code}; {BUG} was expected"
    )))
}
