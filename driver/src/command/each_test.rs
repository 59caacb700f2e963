//! `dpor check --test-filter`: each test of a program of a test framework in a search of its own.
//!
//! A line per test, in the order of the program; of those that are not verified, also what a check without
//! the option shows. One JUnit file has all of them; every other report is of one test, whose name goes into
//! the file's.

use crate::exit::{self, Exit};
use crate::exploration;
use crate::flags::{Check, Scope, Target};
use crate::framework::{Alone, Framework, LeftOut, Test};
use crate::install::Installation;
use crate::launch::Stdout;
use crate::program::Program;
use crate::publish::finish;
use crate::report::destination::Destination;
use crate::report::files::Files;
use crate::report::junit::{self, Tested};
use crate::say;
use crate::schedule::build_of;
use dpor_abi::options::Output;
use dpor_report::{Captured, Report, Verdict};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, Write};

/// Variables by which a program leaves tests out.
const LEAVE_OUT: [&str; 6] = [
    "GTEST_TOTAL_SHARDS",
    "GTEST_SHARD_INDEX",
    "GTEST_FILTER",
    "GTEST_LIST_TESTS",
    "BOOST_TEST_RUN_FILTERS",
    "BOOST_TEST_LIST_CONTENT",
];

/// Checks each test that matches; the exit code is the worst of theirs.
///
/// # Errors
/// One sentence: nothing is known about a test.
pub fn run(check: &Check, pattern: &str) -> Result<Exit, String> {
    for name in LEAVE_OUT {
        std::env::remove_var(name);
    }
    let installation = Installation::of_this_command()?;
    let junit = check.reports.junit.as_deref();
    let junit = junit.map(Destination::open).transpose()?;
    let Some((program, _compiled)) = exploration::prepare(&installation, &check.target)? else {
        return Ok(exit::USAGE);
    };
    let framework = Framework::of(&program)?;
    for (name, value) in framework.variables() {
        if std::env::var_os(name).is_none() {
            std::env::set_var(name, value);
        }
    }
    let tests = tests(framework, &program, check, pattern)?;
    let mut run = Run {
        check,
        framework,
        program: &program,
        stdout_is_taken: matches!(junit, Some(Destination::Stdout)),
        cases: Vec::new(),
    };
    let mut fault = None;
    for test in &tests {
        if let Err(why) = run.check(test) {
            fault = Some(format!("{}: {why}", test.test.full_name()));
            break;
        }
        if run.is_interrupted() {
            break;
        }
    }
    let summary = run.summary();
    run.say(&summary)?;
    if let Some(to) = junit {
        to.write(&junit::suite(&run.program_shown(), &run.cases)?)?;
    }
    // What was known before it is not lost.
    fault.map_or(Ok(run.exit()), Err)
}

/// A test, how to run it, and its name in names of files.
struct Chosen {
    test: Test,
    argument: String,
    file_name: String,
}

/// The tests that match.
fn tests(
    framework: Framework,
    program: &Program,
    check: &Check,
    pattern: &str,
) -> Result<Vec<Chosen>, String> {
    let tests = framework.list(program, &check.args, pattern)?;
    if tests.iter().all(|test| test.is_disabled) {
        let are = match tests.is_empty() {
            true => "no test matches",
            false => "only disabled tests match",
        };
        return Err(format!("--test-filter: {are} '{pattern}'"));
    }
    let mut file_names = BTreeSet::new();
    let choose = |test: Test| {
        let argument = framework.select(program, &check.args, &test)?;
        let file_name = file_name(&test.full_name(), &mut file_names);
        Ok(Chosen {
            test,
            argument,
            file_name,
        })
    };
    tests.into_iter().map(choose).collect()
}

/// A name of letters, digits, `.`, `_` and `-` that no test before has.
fn file_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| match c.is_alphanumeric() || "._-".contains(c) {
        true => c,
        false => '_',
    };
    let plain: String = name.chars().map(plain).collect();
    let again = (2..).map(|n| format!("{plain}-{n}"));
    let mut candidates = std::iter::once(plain.clone()).chain(again);
    let name = candidates.find(|name| taken.insert(name.clone()));
    name.unwrap_or(plain)
}

/// The tests so far.
struct Run<'a> {
    check: &'a Check,
    framework: Framework,
    program: &'a Program,
    stdout_is_taken: bool,
    cases: Vec<Tested>,
}

impl Run<'_> {
    fn check(&mut self, chosen: &Chosen) -> Result<(), String> {
        let test = &chosen.test;
        if test.is_disabled {
            return self.leave_out(test, LeftOut::Disabled);
        }
        let mut one = self.check.clone();
        one.args = self
            .framework
            .arguments(&one.args, [chosen.argument.as_str()]);
        one.reports = one.reports.with_name(&chosen.file_name)?;
        one.scope = Scope::Test {
            name: test.full_name(),
            file_name: chosen.file_name.clone(),
        };
        let files = Files::open_beside(&one.reports, self.stdout_is_taken)?;
        // What a test writes before its second thread comes straight from the program.
        let cannot = |why: std::io::Error| format!("output cannot be kept: {why}");
        let mut kept = tempfile::tempfile().map_err(cannot)?;
        let mut report = exploration::search(&one, self.program, Stdout::To(&kept), None)?;
        exploration::complete(&mut report, &one);
        let written = text_of(&mut kept).map_err(cannot)?;
        let run = Alone {
            program: self.program,
            args: &self.check.args,
            argument: &chosen.argument,
            test,
        };
        if report.threads_max <= 1 && self.framework.is_skipped(&run, &report, &written)? {
            return self.leave_out(test, LeftOut::Skipped);
        }
        let is_shown = match one.options.output {
            Output::All => true,
            Output::Finding => exit::of(&report) != exit::VERIFIED,
            Output::None => false,
        };
        match is_shown {
            true => add_output(&mut report, written),
            false => report.output.clear(),
        }
        let build = build_of(&self.program.path);
        let (report, view) = finish(report, &one, files, Vec::new(), build)?;
        self.cases.push((test.clone(), Ok((report, view))));
        Ok(())
    }

    fn leave_out(&mut self, test: &Test, why: LeftOut) -> Result<(), String> {
        self.say(&format!("{}: {}\n", test.full_name(), why.word()))?;
        self.cases.push((test.clone(), Err(why)));
        Ok(())
    }

    fn reports(&self) -> impl Iterator<Item = &Report> {
        let reports = self
            .cases
            .iter()
            .filter_map(|(_, checked)| checked.as_ref().ok());
        reports.map(|(report, _)| report)
    }

    fn is_interrupted(&self) -> bool {
        let last = self
            .reports()
            .last()
            .and_then(|report| report.reason.as_deref());
        last == Some("interrupted")
    }

    fn exit(&self) -> Exit {
        let rank = [
            exit::VERIFIED,
            exit::INCOMPLETE,
            exit::UNSUPPORTED,
            exit::BUG,
        ];
        let ranked = self.reports().filter_map(|report| {
            let exit = exit::of(report);
            rank.iter().position(|ranked| *ranked == exit)
        });
        rank[ranked.max().unwrap_or(0)]
    }

    /// `3 tests: 2 verified, 1 with a bug`.
    fn summary(&self) -> String {
        let with = |wanted: Verdict, as_asked: bool| {
            let is_it = |r: &&Report| r.verdict == wanted && r.is_as_asked() == as_asked;
            self.reports().filter(is_it).count()
        };
        let left_out = |why: LeftOut| {
            let is_it = |case: &&Tested| matches!(case.1, Err(other) if other == why);
            self.cases.iter().filter(is_it).count()
        };
        let counts = [
            (with(Verdict::Verified, false), "verified"),
            (with(Verdict::Incomplete, true), "sampled without a finding"),
            (with(Verdict::Bug, false), "with a bug"),
            (with(Verdict::Incomplete, false), "incomplete"),
            (with(Verdict::Unsupported, false), "unsupported"),
            (left_out(LeftOut::Disabled), LeftOut::Disabled.word()),
            (left_out(LeftOut::Skipped), LeftOut::Skipped.word()),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(n, word)| format!("{n} {word}")).collect();
        let tests = dpor_report::text::counted(self.cases.len() as u64, "test");
        format!("{tests}: {}\n", counts.join(", "))
    }

    fn program_shown(&self) -> String {
        match &self.check.target {
            Target::Program(path) => path.display().to_string(),
            Target::Sources { files, .. } => files[0].display().to_string(),
        }
    }

    fn say(&self, text: &str) -> Result<(), String> {
        let mut out: Box<dyn Write> = match self.stdout_is_taken {
            true => Box::new(std::io::stderr()),
            false => Box::new(std::io::stdout()),
        };
        let text = dpor_report::visible::lines(text);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        say::unless_closed(written).map_err(|why| format!("output failed: {why}"))
    }
}

/// Puts what the program wrote by itself before what it wrote while it was explored.
fn add_output(report: &mut Report, before: String) {
    match report.output.first_mut() {
        Some(first) => first.stdout.insert_str(0, &before),
        None if before.is_empty() => {}
        None => report.output.push(Captured {
            execution: 1,
            stdout: before,
            stderr: String::new(),
        }),
    }
}

fn text_of(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_and_different() {
        let mut taken = BTreeSet::new();
        let mut check = |name: &str, expect: &str| {
            assert_eq!(file_name(name, &mut taken), expect);
        };
        check("Queue.Empty", "Queue.Empty");
        check("All/Values.Work/0", "All_Values.Work_0");
        check("a b", "a_b");
        check("a,b", "a_b-2");
        check("a/b", "a_b-3");
    }
}
