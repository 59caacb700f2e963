//! Test programs of GoogleTest and Catch2: which tests they have, and the argument that runs one of them.
//!
//! The program itself lists its tests, run natively. A pattern is the framework's own, so it means what it
//! means without dpor. A test is checked only if the program, asked with the same argument, lists that test
//! and no other: a pattern that matches nothing runs nothing, which would pass for verified.

mod catch2;
pub mod failure;
mod google_test;
mod test;

pub use test::{LeftOut, Test};

use crate::program::Program;
use memchr::memmem;
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};

/// A framework, by how it lists tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// Google's framework, GoogleTest.
    GoogleTest,
    /// Catch2, version 2.
    Catch2V2,
    /// Catch2 from version 3 on.
    Catch2V3,
}

/// Strings that programs of a framework have, linked statically or dynamically, with or without symbols.
/// The first that is found decides.
const MARKS: [(&str, Framework); 5] = [
    ("gtest_list_tests", Framework::GoogleTest),
    ("libgtest.so", Framework::GoogleTest),
    ("list-test-names-only", Framework::Catch2V2),
    ("list all/matching test cases", Framework::Catch2V3),
    ("libCatch2", Framework::Catch2V3),
];

impl Framework {
    /// Whether a test that wrote this has skipped itself, which passes for the framework.
    pub fn says_skipped(self, written: &str, test: &Test) -> bool {
        match self {
            Framework::GoogleTest => google_test::says_skipped(written, test),
            // Version 3 ends with a status of its own.
            Framework::Catch2V2 | Framework::Catch2V3 => false,
        }
    }

    /// The framework of a program.
    ///
    /// # Errors
    /// One sentence, if it has none of those that are known.
    pub fn of(program: &Program) -> Result<Framework, String> {
        let shown = program.path.display();
        let bytes = std::fs::read(&program.path).map_err(|why| format!("{shown}: {why}"))?;
        let has = |mark: &str| memmem::find(&bytes, mark.as_bytes()).is_some();
        let mark = MARKS.iter().find(|(mark, _)| has(mark));
        let framework = mark.map(|(_, framework)| *framework);
        framework.ok_or_else(|| {
            format!("--test-filter: {shown} is no test program of GoogleTest or Catch2")
        })
    }

    /// The tests that match a pattern of the framework's.
    ///
    /// # Errors
    /// One sentence: the program does not list them.
    pub fn list(
        self,
        program: &Program,
        args: &[String],
        pattern: &str,
    ) -> Result<Vec<Test>, String> {
        let argument = match self {
            Framework::GoogleTest => google_test::argument(pattern),
            Framework::Catch2V2 | Framework::Catch2V3 => pattern.to_owned(),
        };
        self.matching(program, args, &argument)
    }

    /// The argument that runs this test alone.
    ///
    /// # Errors
    /// One sentence, if the framework runs others with it, or none.
    pub fn select(self, program: &Program, args: &[String], test: &Test) -> Result<String, String> {
        let name = test.full_name();
        let argument = match self {
            Framework::GoogleTest => google_test::argument(&name),
            Framework::Catch2V2 | Framework::Catch2V3 => catch2::argument(&name),
        };
        let matching = self.matching(program, args, &argument)?;
        match matching.as_slice() {
            [one] if one == test => Ok(argument),
            others => Err(format!(
                "the test '{name}' cannot be run alone: '{argument}' matches {}",
                dpor_report::text::counted(others.len() as u64, "test")
            )),
        }
    }

    fn matching(
        self,
        program: &Program,
        args: &[String],
        argument: &str,
    ) -> Result<Vec<Test>, String> {
        let listing = match self {
            Framework::GoogleTest => google_test::LISTING,
            Framework::Catch2V2 => catch2::LISTING_V2,
            Framework::Catch2V3 => catch2::LISTING_V3,
        };
        let output = run(program, args, argument, listing)?;
        // Catch2's version 2 exits with the number of tests.
        let failed = self != Framework::Catch2V2 && !output.status.success();
        if failed || output.status.signal().is_some() {
            let why = String::from_utf8_lossy(&output.stderr);
            let shown = program.path.display();
            let status = output.status;
            return Err(format!(
                "{shown} does not list its tests: {status} {}",
                why.trim()
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(match self {
            Framework::GoogleTest => google_test::tests(&text, args),
            Framework::Catch2V2 | Framework::Catch2V3 => catch2::tests(&text),
        })
    }
}

fn run(
    program: &Program,
    args: &[String],
    argument: &str,
    listing: &[&str],
) -> Result<Output, String> {
    let mut command = program.command();
    command.args(args).arg(argument).args(listing);
    command.env("DPOR_OPTIONS", "off=1").stdin(Stdio::null());
    let output = command.output();
    output.map_err(|why| format!("{} cannot be started: {why}", program.path.display()))
}
