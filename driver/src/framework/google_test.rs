//! GoogleTest: `--gtest_list_tests`, `--gtest_filter`.
//!
//! Source: GoogleTest User's Guide, "Running Test Programs: Advanced Options".

use super::Test;

/// What makes the program list tests.
pub const LISTING: &[&str] = &["--gtest_list_tests"];

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
}
