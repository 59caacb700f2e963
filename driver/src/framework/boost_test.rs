//! Boost.Test: the tree of suites and test cases, which of them a filter means, and the argument for one.
//!
//! A listing shows the whole tree whatever the filter is. So patterns are looked up here, and a test is only ever run
//! by its whole path: names in one suite are different (the framework refuses others), and a path that is no test's
//! ends with status 200. What a test case depends on is run before it.
//!
//! Source: Boost.Test, "Test unit filtering" and "Listing registered test units".

use super::Test;

/// What makes the program list its tests, on standard error.
pub const LISTING: &[&str] = &["--list_content=HRF"];

/// What makes it say which test cases it enters, if nothing else is asked for on the command line.
pub const SAYS_ENTERED: [(&str, &str); 3] = [
    ("BOOST_TEST_LOG_LEVEL", "test_suite"),
    ("BOOST_TEST_LOG_FORMAT", "HRF"),
    ("BOOST_TEST_COLOR_OUTPUT", "no"),
];

/// Options of what the program says of itself.
const LOOKS: [&str; 6] = [
    "--log_level",
    "--log_format",
    "--log_sink",
    "--logger",
    "--output_format",
    "--color_output",
];

/// The arguments without those that would say otherwise than [`SAYS_ENTERED`].
pub fn without_looks(args: &[String]) -> Vec<String> {
    let is_look = |arg: &str| {
        let name = arg.split('=').next().unwrap_or_default();
        LOOKS.contains(&name)
            || ["-l", "-f", "-k", "-x", "-o"]
                .iter()
                .any(|short| arg.starts_with(short))
    };
    args.iter().filter(|arg| !is_look(arg)).cloned().collect()
}

/// Refuses arguments that choose tests, too: they would be added to those that are chosen here.
///
/// # Errors
/// One sentence.
pub fn leaves_choice(args: &[String]) -> Result<(), String> {
    let mut own = args.iter().take_while(|arg| *arg != "--");
    let chooses = |arg: &&String| arg.starts_with("--run_test") || arg.starts_with("-t");
    match own.find(chooses) {
        Some(arg) => Err(format!(
            "--test-filter chooses the tests; leave out '{arg}'"
        )),
        None => Ok(()),
    }
}

/// What a name cannot have to be meant by a filter.
const SPECIAL: [char; 6] = ['*', ',', ':', '!', '@', '+'];

/// The argument that runs one test, if no character of its name means something else.
pub fn argument(test: &Test) -> Option<String> {
    let path = path(test);
    let is_plain = !path.contains(SPECIAL) && test.name == test.name.trim();
    is_plain.then(|| format!("--run_test={path}"))
}

fn path(test: &Test) -> String {
    match test.suite.as_str() {
        "" => test.name.clone(),
        suite => format!("{suite}/{}", test.name),
    }
}

/// The test cases of a listing that a pattern means. A line is a name and `*` if it is enabled, four spaces further in
/// than its suite.
///
/// # Errors
/// One sentence, if the pattern is of a kind that is not known here.
pub fn tests(listing: &str, pattern: &str) -> Result<Vec<Test>, String> {
    let mut lines = listing.lines().filter_map(unit).peekable();
    let mut suites: Vec<&str> = Vec::new();
    let mut tests = Vec::new();
    while let Some((depth, name, is_enabled)) = lines.next() {
        suites.truncate(depth);
        let is_suite = lines.peek().is_some_and(|(next, ..)| *next > depth);
        if is_suite {
            suites.push(name);
            continue;
        }
        tests.push(Test {
            suite: suites.join("/"),
            name: name.to_owned(),
            is_disabled: !is_enabled,
        });
    }
    let mut chosen = Vec::new();
    for test in tests {
        if is_meant(&path(&test), pattern)? {
            chosen.push(test);
        }
    }
    Ok(chosen)
}

/// Depth, name, and whether it is enabled.
fn unit(line: &str) -> Option<(usize, &str, bool)> {
    let text = line.trim_start_matches(' ');
    let spaces = line.len() - text.len();
    // A description may follow.
    let text = text.split(": ").next()?;
    let is_enabled = text.ends_with('*');
    let name = text.strip_suffix(['*', ' '])?;
    (!name.is_empty() && spaces.is_multiple_of(4)).then_some((spaces / 4, name, is_enabled))
}

/// Whether a filter means a path: alternatives between colons, a level between slashes, each a list of names that may
/// begin and end with `*`. A suite means all that is in it.
fn is_meant(path: &str, pattern: &str) -> Result<bool, String> {
    if pattern.contains(['!', '@', '+']) {
        return Err(format!(
            "--test-filter: of the filters of Boost.Test, names and `*` are known, but neither labels nor `!` and `+`: '{pattern}'"
        ));
    }
    let levels: Vec<&str> = path.split('/').collect();
    let is_one = |filter: &str| {
        let filters: Vec<&str> = filter.split('/').collect();
        filters.len() <= levels.len() && { filters.iter().zip(&levels) }
            .all(|(names, level)| names.split(',').any(|name| is_named(level, name)))
    };
    Ok(pattern.split(':').any(is_one))
}

fn is_named(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(begin)) => name.starts_with(begin),
        (None, None) => name == pattern,
    }
}

/// Whether the program says that it entered this test case, by itself: what skips itself by a precondition is not.
pub fn says_entered(written: &str, test: &Test) -> bool {
    let said = format!("Entering test case \"{}\"", test.name);
    written.lines().any(|line| line.contains(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "counting*\n    each_in_one_step*\n    two*: in two steps\n    off \n    inner*\n        two*\n\
        outer*\ntyped<int>*\ndata*\n    _0*\n    _1*\n";

    fn paths(pattern: &str) -> Vec<String> {
        let tests = tests(LISTED, pattern).expect("a pattern");
        tests.iter().map(path).collect()
    }

    #[test]
    fn a_listing() {
        let all = tests(LISTED, "*").expect("a pattern");
        let off: Vec<String> = all.iter().filter(|t| t.is_disabled).map(path).collect();
        assert_eq!(off, ["counting/off"]);
        let expect = [
            "counting/each_in_one_step",
            "counting/two",
            "counting/off",
            "counting/inner/two",
            "outer",
            "typed<int>",
            "data/_0",
            "data/_1",
        ];
        assert_eq!(paths("*"), expect);
    }

    #[test]
    fn patterns() {
        assert_eq!(paths("counting/two"), ["counting/two"]);
        assert_eq!(paths("counting/inner"), ["counting/inner/two"]);
        assert_eq!(paths("data"), ["data/_0", "data/_1"]);
        assert_eq!(paths("*/two:out*"), ["counting/two", "outer"]);
        assert_eq!(paths("data/_1,_0"), ["data/_0", "data/_1"]);
        assert_eq!(paths("*<int>"), ["typed<int>"]);
        assert_eq!(paths("*uter*"), ["outer"]);
        assert!(paths("two").is_empty());
        assert!(tests(LISTED, "@slow").is_err());
    }

    #[test]
    fn arguments() {
        let of = |suite: &str, name: &str| {
            argument(&Test {
                suite: suite.to_owned(),
                name: name.to_owned(),
                is_disabled: false,
            })
        };
        assert_eq!(of("a/b", "c").as_deref(), Some("--run_test=a/b/c"));
        assert_eq!(of("", "t<int>").as_deref(), Some("--run_test=t<int>"));
        assert_eq!(of("", "t<std::pair>"), None);
    }

    #[test]
    fn what_was_entered() {
        let test = Test {
            suite: "counting".to_owned(),
            name: "two".to_owned(),
            is_disabled: false,
        };
        assert!(says_entered("x.cc(8): Entering test case \"two\"\n", &test));
        assert!(!says_entered(
            "x.cc(8): Test case \"counting/two\" is skipped because precondition failed\n",
            &test
        ));
    }
}
