//! doctest: names of test cases, and the filter that means one of them.
//!
//! Source: doctest, doc/markdown/commandline.md; a backslash in front of a comma or a backslash takes its meaning.

use super::Test;

/// What makes the program list names, of those that it would run.
pub const LISTING: &[&str] = &["--list-test-cases"];
/// What makes it list those with the decorator `skip`, too.
pub const LISTING_ALL: &[&str] = &["--list-test-cases", "--no-skip"];

/// The argument for a pattern.
pub fn argument(pattern: &str) -> String {
    format!("--test-case={pattern}")
}

/// The pattern that means the name itself, if no other name is one that its `*` and `?` mean, too.
pub fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for c in name.chars() {
        if r"\,".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The test cases of a listing: the lines between two rules. `enabled` is the listing without those that are skipped.
pub fn tests(listing: &str, enabled: &str) -> Vec<Test> {
    let enabled: Vec<&str> = names(enabled).collect();
    let test = |name: &str| Test {
        suite: String::new(),
        name: name.to_owned(),
        is_disabled: !enabled.contains(&name),
    };
    names(listing).map(test).collect()
}

fn names(listing: &str) -> impl Iterator<Item = &str> {
    let is_rule = |line: &str| line.len() >= 40 && line.bytes().all(|byte| byte == b'=');
    let lines = listing.lines().skip_while(move |line| !is_rule(line));
    lines.skip(1).take_while(move |line| !is_rule(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let check = |name: &str, expect: &str| assert_eq!(pattern(name), expect);
        check("a queue is empty", "a queue is empty");
        check("first, second", r"first\, second");
        check(r"a\b", r"a\\b");
    }

    #[test]
    fn a_listing() {
        let rule = "=".repeat(79);
        let listing = |names: &str| {
            format!("said before\n[doctest] listing all test case names\n{rule}\n{names}{rule}\n[doctest] unskipped …: 2\n")
        };
        let all = tests(
            &listing("one\n two, three\noff\n"),
            &listing("one\n two, three\n"),
        );
        let all: Vec<_> = all
            .iter()
            .map(|t| (t.name.as_str(), t.is_disabled))
            .collect();
        assert_eq!(all, [("one", false), (" two, three", false), ("off", true)]);
        assert!(tests(&listing(""), &listing("")).is_empty());
    }
}
