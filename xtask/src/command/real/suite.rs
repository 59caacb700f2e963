//! The tests of a program, run natively on the instrumented build: whether it still is the program it was.

use super::build::{need, Build, Compilers};
use super::explore::Rows;
use super::program::{Program, Suite, Tally};
use crate::command::bench::today;
use crate::process;
use crate::stop::{Context, Outcome};
use std::process::Stdio;

/// The result of one run of the tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Result {
    /// Numbers of tests that passed and failed, if the output says so.
    passed: Option<u64>,
    failed: Option<u64>,
    /// Exit code of the first command that failed; 0 if none did.
    code: i32,
}

impl Result {
    fn is_good(self) -> bool {
        self.code == 0 && self.failed.unwrap_or(0) == 0 && self.passed != Some(0)
    }

    fn said(self) -> String {
        match (self.passed, self.failed) {
            (Some(passed), Some(failed)) => format!("{passed} passed, {failed} failed"),
            _ if self.code == 0 => "passed".to_owned(),
            _ => format!("exit code {}", self.code),
        }
    }
}

/// Builds and runs them; where they fail, also those of the plain build, which must then be no better.
///
/// # Errors
/// If the program cannot be built.
pub fn test(program: &Program, rows: &mut Rows) -> Outcome {
    let Some(suite) = &program.suite else {
        return Ok(());
    };
    need(suite.needs)?;
    let build = Build::new(program, Compilers::ours())?;
    let ours = run(&build, suite)?;
    let plain = match ours.is_good() {
        true => None,
        false => Some(run(&Build::new(program, Compilers::plain()?)?, suite)?),
    };
    let is_right = ours.is_good() || plain == Some(ours);
    let mark = if is_right { "" } else { "**" };
    let row = format!(
        "| {} | {} | `{}` | {mark}{}{mark} | {} | {} | {} |\n",
        program.name,
        build.version,
        { suite.commands.last() }.map_or(String::new(), |words| words.join(" ")),
        ours.said(),
        plain.map_or(String::new(), Result::said),
        suite.remark,
        today()?,
    );
    println!("{row}");
    rows.suites += &row;
    rows.wrong += usize::from(!is_right);
    Ok(())
}

fn run(build: &Build, suite: &Suite) -> Outcome<Result> {
    let log = build.folder.with_extension("suite.log");
    let mut code = 0;
    for words in suite.commands {
        let file = std::fs::File::create(&log).while_doing(log.display())?;
        let mut command = build.command(words[0])?;
        command.args(&words[1..]).env("DPOR_OPTIONS", "off=1");
        command.stdin(Stdio::null());
        command.stderr(file.try_clone().while_doing(log.display())?);
        code = process::exit_code(command.stdout(file))?;
        if code != 0 {
            break;
        }
    }
    let said = std::fs::read(&log).while_doing(log.display())?;
    let said = String::from_utf8_lossy(&said);
    let (passed, failed) = count(&said, suite.tally);
    Ok(Result {
        passed,
        failed,
        code,
    })
}

/// The numbers of tests that passed and failed, as the output says.
fn count(said: &str, tally: Tally) -> (Option<u64>, Option<u64>) {
    let lines = |what: &str| said.lines().filter(|line| line.contains(what)).count() as u64;
    match tally {
        Tally::Numbers { passed, failed } => {
            let failed: Option<u64> = failed.iter().map(|word| sum(said, word)).sum();
            (sum(said, passed), failed)
        }
        Tally::Lines { passed, failed } => (Some(lines(passed)), Some(lines(failed))),
        Tally::Exit => (None, None),
    }
}

/// The sum of the numbers behind a word at the beginnings of lines.
fn sum(said: &str, word: &str) -> Option<u64> {
    let rest = said
        .lines()
        .filter_map(|line| plain(line).strip_prefix(word).map(str::to_owned));
    let numbers = rest.filter_map(|rest| rest.split_whitespace().next()?.parse().ok());
    numbers
        .map(Some)
        .reduce(|a: Option<u64>, b| Some(a? + b?))
        .flatten()
}

/// Returns the line without the colours that some harnesses write also to files.
fn plain(line: &str) -> String {
    let mut rest = line.trim_start();
    let mut text = String::new();
    while let Some((before, colour)) = rest.split_once("\u{1b}[") {
        text += before;
        rest = colour.split_once('m').map_or("", |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::super::program::AUTOMAKE;
    use super::*;

    #[test]
    fn sums_of_several_folders() {
        let said = "# PASS:  3\n# FAIL:  0\nnoise # PASS: 9\n\u{1b}[0;32m# PASS:  4\u{1b}[m\n# FAIL:  1\n# ERROR: 0\n# XPASS: 0\n";
        assert_eq!(count(said, AUTOMAKE), (Some(7), Some(1)));
        assert_eq!(count("nothing\n", AUTOMAKE), (None, None));
    }

    #[test]
    fn lines_are_counted() {
        let tally = Tally::Lines {
            passed: ": SUCCESS",
            failed: ": FAILED",
        };
        let said = "a : SUCCESS\nb : FAILED\nc : SUCCESS\n";
        assert_eq!(count(said, tally), (Some(2), Some(1)));
    }

    #[test]
    fn failures_and_no_tests_at_all_are_not_good() {
        let check = |passed, failed, code, expect| {
            let result = Result {
                passed,
                failed,
                code,
            };
            assert_eq!(result.is_good(), expect, "{result:?}");
        };
        check(Some(3), Some(0), 0, true);
        check(Some(3), Some(1), 0, false);
        check(Some(0), Some(0), 0, false);
        check(None, None, 0, true);
        check(None, None, 2, false);
    }
}
