//! Test programs of GoogleTest, Catch2, doctest and Boost.Test: which tests they have, and the argument that runs one of them.
//!
//! The program itself lists its tests, run natively. A pattern is the framework's own, so it means what it
//! means without dpor. A test is checked only if the program, asked with the same argument, lists that test
//! and no other: a pattern that matches nothing runs nothing, which would pass for verified. Boost.Test lists the
//! same for every argument; see there why its tests are run alone nevertheless.

mod boost_test;
mod catch2;
mod doctest;
pub mod failure;
mod google_test;
mod plain;
mod test;

pub use test::{LeftOut, Test};

use crate::program::Program;
use dpor_report::{Report, Verdict};
use memchr::memmem;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

/// A framework, by how it lists tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// Google's framework, GoogleTest.
    GoogleTest,
    /// Catch2, version 2.
    Catch2V2,
    /// Catch2 from version 3 on.
    Catch2V3,
    /// doctest.
    Doctest,
    /// Boost's framework, Boost.Test.
    BoostTest,
}

/// Strings that programs of a framework have, linked statically or dynamically, with or without symbols.
/// The first that is found decides.
const MARKS: [(&str, Framework); 8] = [
    ("gtest_list_tests", Framework::GoogleTest),
    ("libgtest.so", Framework::GoogleTest),
    ("list-test-names-only", Framework::Catch2V2),
    ("list all/matching test cases", Framework::Catch2V3),
    ("libCatch2", Framework::Catch2V3),
    ("list-test-cases", Framework::Doctest),
    ("list_content", Framework::BoostTest),
    ("libboost_unit_test_framework.so", Framework::BoostTest),
];

impl Framework {
    /// Whether a test has skipped itself. It never had a second thread, and wrote this. For most frameworks such a test has
    /// passed; where it does not tell, it runs once more by itself and has to.
    ///
    /// # Errors
    /// One sentence: the program cannot be started.
    pub fn is_skipped(
        self,
        run: &Alone<'_>,
        report: &Report,
        written: &str,
    ) -> Result<bool, String> {
        let passed = report.verdict == Verdict::Verified;
        match self {
            Framework::Catch2V3 => {
                let errors = report.findings.iter().filter(|finding| !finding.warning);
                let messages: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
                Ok(messages == [catch2::SKIPPED_STATUS] && catch2::says_skipped(written))
            }
            _ if !passed => Ok(false),
            Framework::GoogleTest if google_test::says_skipped(written, run.test) => Ok(true),
            Framework::GoogleTest if google_test::is_brief(run.args) => {
                let written = run.again(self, run.args, Some(google_test::NOT_BRIEF), &[])?;
                Ok(google_test::says_skipped(&written, run.test))
            }
            Framework::BoostTest => {
                let args = boost_test::without_looks(run.args);
                let written = run.again(self, &args, None, &boost_test::SAYS_ENTERED)?;
                Ok(!boost_test::says_entered(&written, run.test))
            }
            // Neither can tests of doctest and of Catch2's version 2.
            _ => Ok(false),
        }
    }

    /// The arguments of the command line with those of the framework, where the framework reads them: the last of several
    /// counts, but for Boost.Test, which reads none behind `--`.
    pub fn arguments<'a>(
        self,
        args: &[String],
        own: impl IntoIterator<Item = &'a str>,
    ) -> Vec<String> {
        let own = own.into_iter().map(str::to_owned);
        match self {
            Framework::BoostTest => own.chain(args.iter().cloned()).collect(),
            _ => args.iter().cloned().chain(own).collect(),
        }
    }

    /// Variables that the program has: without colours, which it writes into files, too.
    pub fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Framework::BoostTest => &[("BOOST_TEST_COLOR_OUTPUT", "no")],
            _ => &[],
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
            format!("--test-filter: {shown} is no test program of GoogleTest, Catch2, doctest or Boost.Test")
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
            Framework::Doctest => doctest::argument(pattern),
            Framework::BoostTest => {
                boost_test::leaves_choice(args)?;
                let output = self.listed(program, args, None, boost_test::LISTING)?;
                return boost_test::tests(&String::from_utf8_lossy(&output.stderr), pattern);
            }
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
            Framework::Doctest => doctest::argument(&doctest::pattern(&name)),
            Framework::BoostTest => {
                return boost_test::argument(test).ok_or_else(|| {
                    format!("the test '{name}' cannot be run alone: its name is a filter")
                })
            }
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
        let list = |listing: &[&str]| -> Result<String, String> {
            let output = self.listed(program, args, Some(argument), listing)?;
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        Ok(match self {
            Framework::GoogleTest => google_test::tests(&list(google_test::LISTING)?, args),
            Framework::Catch2V2 => catch2::tests(&list(catch2::LISTING_V2)?),
            Framework::Catch2V3 => catch2::tests(&list(catch2::LISTING_V3)?),
            Framework::Doctest => {
                let enabled = list(doctest::LISTING)?;
                doctest::tests(&list(doctest::LISTING_ALL)?, &enabled)
            }
            // It cannot be asked.
            Framework::BoostTest => Vec::new(),
        })
    }

    /// What the program says that is asked for its tests.
    fn listed(
        self,
        program: &Program,
        args: &[String],
        argument: Option<&str>,
        listing: &[&str],
    ) -> Result<Output, String> {
        let more = argument.into_iter().chain(listing.iter().copied());
        let mut command = program.command();
        command.args(self.arguments(args, more));
        let output = natively(program, &mut command)?;
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
        Ok(output)
    }
}

/// A test that ran alone.
pub struct Alone<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its arguments from the command line.
    pub args: &'a [String],
    /// The argument that runs the test.
    pub argument: &'a str,
    /// The test.
    pub test: &'a Test,
}

impl Alone<'_> {
    /// Runs it once more; what it writes to standard output.
    fn again(
        &self,
        framework: Framework,
        args: &[String],
        more: Option<&str>,
        variables: &[(&str, &str)],
    ) -> Result<String, String> {
        let more = std::iter::once(self.argument).chain(more);
        let mut command = self.program.command();
        command.args(framework.arguments(args, more));
        command.envs(variables.iter().copied());
        let output = natively(self.program, &mut command)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Runs the program without the checker.
///
/// # Errors
/// One sentence: it cannot be started.
pub fn natively(program: &Program, command: &mut Command) -> Result<Output, String> {
    command.env("DPOR_OPTIONS", "off=1").stdin(Stdio::null());
    let output = command.output();
    output.map_err(|why| format!("{} cannot be started: {why}", program.path.display()))
}
