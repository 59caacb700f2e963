//! GoogleTest: `--gtest_list_tests`, `--gtest_filter`.
//!
//! Source: GoogleTest User's Guide, "Running Test Programs: Advanced Options".

use super::plain::plain;
use super::Test;

/// What makes the program list tests.
pub const LISTING: &[&str] = &["--gtest_list_tests"];

/// What makes the program say again of each test how it went.
pub const NOT_BRIEF: &str = "--gtest_brief=0";

const RUN_DISABLED: &str = "--gtest_also_run_disabled_tests";

/// The argument for a pattern.
pub fn argument(pattern: &str) -> String {
    format!("--gtest_filter={pattern}")
}

/// The tests of a listing: `Suite.` in a line of its own, then its tests, indented. What follows a `#` says
/// which type or value a test is for.
pub fn tests(listing: &str, args: &[String]) -> Vec<Test> {
    let runs_disabled = args
        .iter()
        .any(|arg| arg == RUN_DISABLED || *arg == format!("{RUN_DISABLED}=1"));
    let mut suite = "";
    let mut tests = Vec::new();
    for line in listing.lines() {
        let name = line.split("  # ").next().unwrap_or_default().trim_end();
        match name.strip_prefix("  ") {
            Some(name) if !suite.is_empty() => tests.push(Test {
                suite: suite.to_owned(),
                name: name.to_owned(),
                is_disabled: !runs_disabled && (is_disabled(suite) || is_disabled(name)),
            }),
            // What main writes before is no suite.
            _ => suite = name.strip_suffix('.').unwrap_or_default(),
        }
    }
    tests
}

/// Whether the program may have been told to keep back how tests went that did not fail.
pub fn is_brief(args: &[String]) -> bool {
    args.iter().any(|arg| arg.starts_with("--gtest_brief"))
        || std::env::var_os("GTEST_BRIEF").is_some()
        || args.iter().any(|arg| arg.starts_with("--gtest_flagfile"))
}

/// Whether the program says that it skipped the test: `[  SKIPPED ] Suite.Name (0 ms)`.
pub fn says_skipped(written: &str, test: &Test) -> bool {
    let name = test.full_name();
    let written = plain(written);
    let said = written
        .lines()
        .filter_map(|line| line.strip_prefix("[  SKIPPED ] "));
    let mut names = said.filter_map(|said| said.split([' ', ',']).next());
    names.any(|said| said == name)
}

fn is_disabled(name: &str) -> bool {
    name.starts_with("DISABLED_") || name.contains("/DISABLED_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing() {
        let listing = "Running main() from main.cc\n\
            Queue.\n  IsEmpty\n  DISABLED_IsFull\n\
            Typed/0.  # TypeParam = int\n  Works\n\
            All/Values.\n  Work/0  # GetParam() = 4\n\
            All/DISABLED_Values.\n  Work/0\n";
        let shown = |args: &[&str]| -> Vec<(String, bool)> {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            let tests = tests(listing, &args).into_iter();
            tests.map(|t| (t.full_name(), t.is_disabled)).collect()
        };
        let names = [
            ("Queue.IsEmpty", false),
            ("Queue.DISABLED_IsFull", true),
            ("Typed/0.Works", false),
            ("All/Values.Work/0", false),
            ("All/DISABLED_Values.Work/0", true),
        ];
        assert_eq!(shown(&[]), names.map(|(name, off)| (name.to_owned(), off)));
        let all = names.map(|(name, _)| (name.to_owned(), false));
        assert_eq!(shown(&["-v", RUN_DISABLED]), all);
    }

    #[test]
    fn a_test_that_skips_itself() {
        let test = Test {
            suite: "Queue".to_owned(),
            name: "IsFull".to_owned(),
            is_disabled: false,
        };
        let check = |written: &str| says_skipped(written, &test);
        assert!(check(
            "x.cc:3: Skipped\nno\n[  SKIPPED ] Queue.IsFull (0 ms)\n"
        ));
        assert!(check(
            "[  SKIPPED ] Queue.IsFull, where GetParam() = 4 (0 ms)\n"
        ));
        assert!(check("\x1b[0;32m[  SKIPPED ] \x1b[mQueue.IsFull (0 ms)\n"));
        assert!(!check("[  SKIPPED ] Queue.IsFullAgain (0 ms)\n"));
        assert!(!check(
            "[       OK ] Queue.IsFull (0 ms)\n[  SKIPPED ] 1 test\n"
        ));
    }
}
