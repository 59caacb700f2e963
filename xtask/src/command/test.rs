//! `cargo xtask test [FILTER]`: everything, counted.
//!
//! The last line is `N passed, N failed, N skipped`. Skipped is what an optional tool is missing
//! for: a test says so in a line `skipped: NAME`, with NAME the package that has the tool. On a
//! machine of our own (`CI=true`, or root) such packages are installed first, and with `CI=true`
//! a skip that apt could have avoided is a failure.
//!
//! All tests of the workspace are one build and one profile: the product is what costs a second.

use super::build::{self, Build};
use crate::counts::Counts;
use crate::llvm::{self, Llvm, Major};
use crate::process;
use crate::stop::Outcome;
use crate::stopwatch::Stopwatch;
use crate::{apt, tree};
use std::process::Command;

/// Versions whose pass is tested in full.
const FULL: [Major; 2] = [19, 22];
/// Versions whose pass gets the tests with `smoke` in their names.
const SMOKE: [Major; 2] = [16, 15];

/// Packages of tools that tests of the driver and its reports use, if they are there.
const TOOLS: [&str; 15] = [
    "g++",
    "make",
    "cmake",
    "meson",
    "ninja-build",
    "autoconf",
    "automake",
    "valgrind",
    "graphviz",
    "gdb",
    "chromium",
    "libgtest-dev",
    "catch2",
    "pkg-config",
    "dpkg-dev",
];

/// Options of `test`.
#[derive(clap::Args, Debug, Default)]
pub struct Test {
    /// Only tests whose name contains this.
    filter: Option<String>,
}

impl Test {
    /// Builds everything and runs every test.
    ///
    /// # Errors
    /// If it does not build or a test fails.
    pub fn run(&self) -> Outcome {
        let mut watch = Stopwatch::default();
        if is_ci() || apt::is_root() {
            watch.time("packages", provide);
        }
        watch.time("build", || Build::default().run())?;
        watch.time("build the tests", || {
            process::run(&mut workspace(&["--no-run"]))
        })?;
        let mut counts = Counts::default();
        let filter = self.filter.as_deref();
        let mut tests = workspace(&["--no-fail-fast"]);
        tests.args(filter).args(["--", "--show-output"]);
        watch.time("tests of the workspace", || {
            counts.add("workspace", &mut tests)
        })?;
        self.passes(&mut counts, &mut watch)?;
        if filter.is_none_or(|filter| "instructions".contains(filter)) {
            watch.time("instructions", || super::instructions::test(&mut counts))?;
        }
        watch.print();
        counts.finish(is_ci())
    }

    fn passes(&self, counts: &mut Counts, watch: &mut Stopwatch) -> Outcome {
        let installed = llvm::installed();
        for major in FULL.into_iter().chain(SMOKE) {
            let Some(llvm) = installed.iter().find(|llvm| llvm.major == major) else {
                counts.skip(&format!("clang-{major}"));
                continue;
            };
            let smoke = SMOKE.contains(&major).then_some("smoke");
            let mut cargo = pass(llvm, self.filter.as_deref().or(smoke));
            let what = format!("tests of the pass, LLVM {major}");
            let before = counts.ran();
            watch.time(&what, || counts.add(&what, &mut cargo))?;
            if self.filter.is_none() && counts.ran() == before {
                counts.fail(&format!("no test of the pass ran under LLVM {major}"));
            }
        }
        Ok(())
    }
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Installs what optional tests need, as far as apt has it.
fn provide() {
    let mut wanted: Vec<String> = TOOLS.map(str::to_owned).to_vec();
    for major in FULL.into_iter().chain(SMOKE) {
        wanted.extend(build::packages(major));
    }
    let missing: Vec<&str> = wanted
        .iter()
        .map(String::as_str)
        .filter(|package| !apt::has(package) && apt::offers(package))
        .collect();
    if missing.is_empty() {
        return;
    }
    // What then is still missing shows up as a skip.
    if let Err(stop) = apt::install(&missing) {
        eprintln!("xtask: {stop}");
    }
}

/// `cargo test` on all crates, always all of them: fewer would be built with other features.
fn workspace(arguments: &[&str]) -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["test", "--workspace"]).args(arguments);
    cargo
}

/// The test suite of programs alone.
pub fn programs(filter: Option<&str>) -> Command {
    let mut cargo = workspace(&["--test", "programs"]);
    cargo.args(filter);
    cargo
}

/// Optimized, because the product's plugin is: one build of it serves both.
fn pass(llvm: &Llvm, filter: Option<&str>) -> Command {
    let mut cargo = build::pass_cargo(llvm, "test");
    cargo.args(["--release", "--no-fail-fast"]);
    cargo.args(filter).args(["--", "--show-output"]);
    cargo
}
