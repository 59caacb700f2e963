//! Results of test runs, read from what cargo prints and added up.

use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process, tree};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};

/// Tests that passed, failed and were skipped so far.
#[derive(Default)]
pub struct Counts {
    /// Number of tests that passed, with those skipped ones that the harness takes for passed.
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Number of skipped tests that the harness takes for passed.
    taken_for_passed: u64,
    /// Packages whose tools the skipped tests need.
    missing: BTreeSet<String>,
    /// Names of failed tests, and what else is wrong.
    failures: BTreeSet<String>,
    /// The test whose output is being read has said already that it was skipped.
    said: bool,
}

/// Says something of the run; not in this module's own tests, whose output is read like any other's.
fn say(line: &str) {
    if !cfg!(test) {
        println!("{line}");
    }
}

impl Counts {
    /// The number of tests that ran to an end, well or not.
    pub fn ran(&self) -> u64 {
        self.passed + self.failed
    }

    /// The number of tests that failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Adds up what a test binary printed.
    pub fn read_all(&mut self, what: &str, output: &str, status: ExitStatus) {
        let failed_before = self.failed;
        for line in output.lines() {
            self.read(line);
            let failed = line.strip_prefix("test ");
            if let Some(name) = failed.and_then(|line| line.strip_suffix(" ... FAILED")) {
                self.failures.insert(format!("{what}: {name}"));
            }
        }
        if !status.success() && self.failed == failed_before {
            self.fail(&format!("{what} did not run to its end: {status}"));
        }
    }

    /// Counts a test that passed and that no harness counts.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    /// One test, or a group of them, was not run because the package is missing.
    pub fn skip(&mut self, package: &str) {
        say(&format!("skipped: {package}"));
        self.skipped += 1;
        self.missing.insert(package.to_owned());
    }

    /// Notes a failure that no test says itself.
    pub fn fail(&mut self, why: &str) {
        say(&format!("FAILED: {why}"));
        self.failures.insert(why.to_owned());
        self.failed += 1;
    }

    /// Runs cargo, shows what it says, and adds up the results.
    ///
    /// # Errors
    /// If cargo cannot be started or read. Failed tests are counted instead.
    pub fn add(&mut self, what: &str, cargo: &mut Command) -> Outcome {
        println!("== {what}: {}", process::shown(cargo));
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
        // A test that does not compile, or dies, says nothing that could be counted.
        if !status.success() && self.failed == failed_before {
            self.fail(&format!("{what} did not run to its end: {status}"));
        }
        Ok(())
    }

    fn read(&mut self, line: &str) {
        // The harness puts `---- NAME stdout ----` before what a test printed.
        if line.starts_with("---- ") {
            self.said = false;
        }
        if let Some(package) = line.trim().strip_prefix("skipped: ") {
            self.missing.insert(package.to_owned());
            if !self.said {
                self.skipped += 1;
                self.taken_for_passed += 1;
            }
            self.said = true;
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            self.passed += number_before(result, " passed");
            self.failed += number_before(result, " failed");
        }
    }

    /// Prints the last line. `strict`: a skip that apt could have avoided is a failure.
    ///
    /// # Errors
    /// If anything failed.
    pub fn finish(mut self, strict: bool) -> Outcome {
        if strict {
            self.fail_avoidable(apt::offers);
        }
        for failure in &self.failures {
            println!("failed: {failure}");
        }
        println!("{}", self.last_line());
        if self.failed == 0 {
            Ok(())
        } else {
            Err(Stop::failed("tests failed; see above"))
        }
    }

    /// Each missing package that is on offer is a failure.
    fn fail_avoidable(&mut self, is_offered: impl Fn(&str) -> bool) {
        for package in std::mem::take(&mut self.missing) {
            if is_offered(&package) {
                self.fail(&format!("{package} was missing, but apt has it"));
            }
        }
    }

    fn last_line(&self) -> String {
        format!(
            "{} passed, {} failed, {} skipped",
            self.passed - self.taken_for_passed,
            self.failed,
            self.skipped
        )
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
        for line in [
            "---- configure stdout ----",
            "skipped: autoconf",
            "skipped: make",
            "---- cmake stdout ----",
            "skipped: make",
        ] {
            counts.read(line);
        }
        counts.read("test result: ok. 8 passed; 0 failed; 1 ignored; 0 measured");
        counts.read("test result: FAILED. 10 passed; 2 failed; 0 ignored");
        counts.read("a line that says 5 passed");
        assert_eq!((counts.passed, counts.failed, counts.skipped), (18, 2, 2));
        assert_eq!(counts.taken_for_passed, 2);
        let missing: Vec<&str> = counts.missing.iter().map(String::as_str).collect();
        assert_eq!(missing, ["autoconf", "make"]);
    }

    /// Two tests were skipped, which the harness counts as passed: for meson, and for a clang that
    /// nobody offers.
    fn skipped() -> Counts {
        let mut counts = Counts::default();
        for line in [
            "---- meson stdout ----",
            "skipped: meson",
            "test result: ok. 5 passed; 0 failed; 0 ignored",
        ] {
            counts.read(line);
        }
        counts.skip("clang-99");
        counts
    }

    #[test]
    fn a_skip_that_apt_could_have_avoided_is_a_failure() {
        let mut counts = skipped();
        counts.fail_avoidable(|package| package == "meson");
        assert_eq!(counts.last_line(), "4 passed, 1 failed, 2 skipped");
    }

    #[test]
    fn a_skip_that_apt_could_not_avoid_is_none() {
        let mut counts = skipped();
        counts.fail_avoidable(|_| false);
        assert_eq!(counts.last_line(), "4 passed, 0 failed, 2 skipped");
    }
}
