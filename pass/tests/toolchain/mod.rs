//! The LLVM that the plugin under test was built for, and how to run its tools.

#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Major version of LLVM that the cargo feature chose.
pub fn llvm_version() -> u32 {
    env!("DPOR_LLVM_MAJOR").parse().expect("a number")
}

/// A program of that LLVM: clang, opt, FileCheck, llc. `LLVM_BIN` overrides the folder.
pub fn tool(name: &str) -> Command {
    let folder = std::env::var("LLVM_BIN")
        .unwrap_or_else(|_| format!("/usr/lib/llvm-{}/bin", llvm_version()));
    let path = Path::new(&folder).join(name);
    assert!(
        path.exists(),
        "{} is missing: install llvm-{}",
        path.display(),
        llvm_version()
    );
    Command::new(path)
}

/// The plugin that cargo built for this test run.
pub fn plugin() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    // Beside the tests, in PROFILE/deps: only `cargo build` copies it to PROFILE.
    let plugin = test.parent().expect("a folder").join("libdpor.so");
    assert!(plugin.exists(), "{} is missing", plugin.display());
    plugin
}

/// A file of the test's folder.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// A path for a file that the test makes.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder).expect("scratch folder");
    folder.join(name)
}

/// clang or clang++ with the plugin.
pub fn instrumenting(compiler: &str) -> Command {
    let mut command = tool(compiler);
    command.arg(format!("-fpass-plugin={}", plugin().display()));
    command
}

/// Runs to the end and panics with everything it printed unless it succeeds.
pub fn succeed(command: &mut Command) -> Output {
    let output = run(command);
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}",
        printed(&output)
    );
    output
}

/// Runs to the end.
pub fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Standard output and error together.
pub fn printed(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}
