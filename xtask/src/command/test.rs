//! `cargo xtask test [FILTER]`: everything, counted.
//!
//! The last line is `N passed, N failed, N skipped`. Skipped is what an optional tool is missing
//! for: a test says so in a line `skipped: NAME`, with NAME the package that has the tool. On a
//! machine of our own (`CI=true`, or root) such packages are installed first, and with `CI=true`
//! a skip that apt could have avoided is a failure.

use super::build::{self, Build};
use crate::llvm::{self, Llvm, Major};
use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, tree};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Versions whose pass is tested in full.
const FULL: [Major; 2] = [19, 22];
/// Versions whose pass gets the tests with `smoke` in their names.
const SMOKE: [Major; 1] = [16];

/// Options of `test`.
#[derive(clap::Args, Debug, Default)]
pub struct Test {
    /// Only tests whose name contains this.
    filter: Option<String>,
}

#[derive(Default)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: Vec<String>,
}

impl Test {
    /// Builds everything and runs every test.
    ///
    /// # Errors
    /// If it does not build or a test fails.
    pub fn run(&self) -> Outcome {
        if is_ci() || apt::is_root() {
            provide();
        }
        Build::default().run()?;
        let mut counts = Counts::default();
        let filter = self.filter.as_deref();
        counts.add("workspace", &mut workspace(filter))?;
        counts.add("explorer", &mut search(filter))?;
        self.passes(&mut counts)?;
        counts.add("programs", &mut programs(filter))?;
        counts.finish()
    }

    fn passes(&self, counts: &mut Counts) -> Outcome {
        let installed = llvm::installed();
        for major in FULL.into_iter().chain(SMOKE) {
            let Some(llvm) = installed.iter().find(|llvm| llvm.major == major) else {
                counts.skip(&format!("clang-{major}"));
                continue;
            };
            let smoke = SMOKE.contains(&major).then_some("smoke");
            let mut cargo = pass(llvm, self.filter.as_deref().or(smoke));
            let before = counts.passed + counts.failed;
            counts.add(&format!("pass, LLVM {major}"), &mut cargo)?;
            if self.filter.is_none() && counts.passed + counts.failed == before {
                println!("FAILED: no test of the pass ran under LLVM {major}");
                counts.failed += 1;
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
    let mut wanted: Vec<String> = vec!["g++".to_owned(), "valgrind".to_owned()];
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

fn workspace(filter: Option<&str>) -> Command {
    let mut cargo = process::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    cargo.args(["--exclude", "dpor-testsuite", "--exclude", "dpor-explorer"]);
    with_filter(&mut cargo, filter, true);
    cargo
}

/// The search against its oracle: optimized, because it explores thousands of programs.
fn search(filter: Option<&str>) -> Command {
    let mut cargo = process::cargo();
    cargo.args(["test", "--release", "--no-fail-fast"]);
    cargo.args(["-p", "dpor-explorer"]);
    with_filter(&mut cargo, filter, true);
    cargo
}

/// The test suite of programs and what it is made of.
pub fn programs(filter: Option<&str>) -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["test", "--no-fail-fast", "-p", "dpor-testsuite"]);
    with_filter(&mut cargo, filter, false);
    cargo
}

fn pass(llvm: &Llvm, filter: Option<&str>) -> Command {
    let mut cargo = build::pass_cargo(llvm, "test");
    cargo.args(["--release", "--no-fail-fast"]);
    with_filter(&mut cargo, filter, true);
    cargo
}

/// `show`: also what passing tests print, for `skipped: NAME` is among it.
fn with_filter(cargo: &mut Command, filter: Option<&str>, show: bool) {
    cargo.args(filter);
    if show {
        cargo.args(["--", "--show-output"]);
    }
}

impl Counts {
    fn skip(&mut self, name: &str) {
        println!("skipped: {name}");
        self.skipped.push(name.to_owned());
    }

    /// Runs cargo, shows what it says, and adds up the results.
    fn add(&mut self, what: &str, cargo: &mut Command) -> Outcome {
        println!("== {what}: {}", process::shown(cargo));
        // A test that fails to compile says nothing that could be counted.
        let mut child = cargo
            .current_dir(tree::root())
            .stdout(Stdio::piped())
            .spawn()
            .while_doing(what)?;
        let failed_before = self.failed;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).split(b'\n') {
                let line = line.while_doing(what)?;
                let line = String::from_utf8_lossy(&line);
                println!("{line}");
                self.read(&line);
            }
        }
        std::io::stdout().flush().while_doing(what)?;
        let status = child.wait().while_doing(what)?;
        if !status.success() && self.failed == failed_before {
            println!("FAILED: {what} did not run to its end: {status}");
            self.failed += 1;
        }
        Ok(())
    }

    fn read(&mut self, line: &str) {
        if let Some(name) = line.trim().strip_prefix("skipped: ") {
            self.skipped.push(name.to_owned());
            // The test that says so is counted as passed by the harness; it is not.
            self.passed = self.passed.saturating_sub(1);
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            self.passed += number_before(result, " passed");
            self.failed += number_before(result, " failed");
        }
    }

    fn finish(mut self) -> Outcome {
        if is_ci() {
            for name in &self.skipped {
                if apt::offers(name) {
                    println!("FAILED: {name} was skipped, but apt has it");
                    self.failed += 1;
                }
            }
        }
        println!(
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed,
            self.skipped.len()
        );
        if self.failed == 0 {
            Ok(())
        } else {
            Err(Stop::failed("tests failed; see above"))
        }
    }
}

/// The number that ends right before `word`; 0 if there is none.
fn number_before(line: &str, word: &str) -> u64 {
    line.split(word)
        .next()
        .and_then(|before| before.rsplit(|c: char| !c.is_ascii_digit()).next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_added_up() {
        let mut counts = Counts::default();
        counts.read("test result: ok. 8 passed; 0 failed; 1 ignored; 0 measured");
        counts.read("skipped: valgrind");
        counts.read("test result: FAILED. 10 passed; 2 failed; 0 ignored");
        counts.read("a line that says 5 passed");
        assert_eq!((counts.passed, counts.failed), (17, 2));
        assert_eq!(counts.skipped, ["valgrind"]);
    }
}
