//! Catch2: names of test cases, and the test specification that means one of them.
//!
//! Source: Catch2, docs/command-line.md, "Specifying which tests to run" and "Listing available tests".

use super::plain::plain;
use super::Test;

/// What makes version 2 list names alone.
pub const LISTING_V2: &[&str] = &["--list-test-names-only"];
/// What makes version 3 do so.
pub const LISTING_V3: &[&str] = &["--list-tests", "--verbosity", "quiet"];

/// The specification that means the name itself: what a specification gives a meaning, escaped.
pub fn argument(name: &str) -> String {
    let mut argument = String::new();
    for c in name.chars() {
        if r#"\,[]"~"#.contains(c) {
            argument.push('\\');
        }
        argument.push(c);
    }
    argument
}

/// The test cases of a listing, a line each. Quotes are around names that would be comments in a file of them.
pub fn tests(listing: &str) -> Vec<Test> {
    let lines = listing.lines().filter(|line| !line.is_empty());
    let name = |line: &str| match line.strip_prefix("\"#") {
        Some(rest) => format!("#{}", rest.strip_suffix('"').unwrap_or(rest)),
        None => line.to_owned(),
    };
    let test = |line: &str| Test {
        suite: String::new(),
        name: name(line),
        is_disabled: false,
    };
    lines.map(test).collect()
}

/// The status of a program all of whose tests skipped themselves, from version 3.3 on. Of some versions it is that of four
/// failed checks, too.
pub const SKIPPED_STATUS: &str = "the program exits with status 4";

/// Whether the program says that its one test case skipped itself, and nothing failed.
pub fn says_skipped(written: &str) -> bool {
    let summary = |line: &str| line.trim_end() == "test cases: 1 | 1 skipped";
    plain(written).lines().any(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let check = |name: &str, expect: &str| assert_eq!(argument(name), expect);
        check("a queue is empty", "a queue is empty");
        check("first, second", r"first\, second");
        check(r#"~ a[0] "b" \c"#, r#"\~ a\[0\] \"b\" \\c"#);
    }

    #[test]
    fn a_test_that_skips_itself() {
        let said = "x.cc:3: SKIPPED:\n\n====\ntest cases: 1 | 1 skipped\nassertions: - none -\n";
        assert!(says_skipped(said));
        assert!(says_skipped("test cases: 1 | \x1b[33m1 skipped\x1b[0m\n"));
        assert!(!says_skipped(
            "x.cc:3: SKIPPED:\ntest cases: 1 | 1 failed\n"
        ));
        assert!(!says_skipped("test cases: 2 | 1 passed | 1 skipped\n"));
    }

    #[test]
    fn a_listing() {
        let names: Vec<String> = tests("one\n\"#two\"\n\"three\"\n\n")
            .iter()
            .map(Test::full_name)
            .collect();
        assert_eq!(names, ["one", "#two", "\"three\""]);
    }
}
