//! Where a check of a test failed, as its framework printed it.
//!
//! A failed `EXPECT_EQ` only makes `main` return another status at its end: the place of the finding would be there.

use super::plain::plain;
use super::Framework;
use crate::program::Program;
use dpor_report::{Finding, FindingKind, Place, Report};

/// What ends the line with the place of a failure, behind the place: GoogleTest's word, Catch2's.
const ENDS: [&str; 2] = [": Failure", ": FAILED:"];
/// What stands behind the place and goes on: doctest's words.
const WORDS: [&str; 2] = [": ERROR: ", ": FATAL ERROR: "];
/// What stands behind the place of Boost.Test, `FILE(LINE)`.
const BOOST_WORDS: [&str; 2] = ["): error: in ", "): fatal error: in "];

/// Gives the finding whose output the report has, if it is an exit status, the place of the first failure in there.
pub fn locate(report: &mut Report, program: &Program) {
    let [output] = report.output.as_slice() else {
        return;
    };
    let written = plain(&output.stdout);
    let mut places = written.lines().filter_map(place);
    let Some(place) = places.next().filter(|_| Framework::of(program).is_ok()) else {
        return;
    };
    // Whose output it is: the first error's.
    let is_shown = |finding: &&mut Finding| !finding.warning;
    let shown = report.findings.iter_mut().find(is_shown);
    if let Some(finding) = shown.filter(|finding| finding.kind == FindingKind::NonzeroExit) {
        move_to(finding, &place, 1 + places.count());
    }
}

fn move_to(finding: &mut Finding, place: &Place, failures: usize) {
    let Some(access) = finding.accesses.first_mut() else {
        return;
    };
    let left = access.place.as_recorded();
    access.place = Place {
        // Where the process ends is where a replay comes to.
        recorded: Some(Box::new(left)),
        ..place.clone()
    };
    access.access = "failed check".to_owned();
    let more = match failures {
        1 => String::new(),
        n => format!(", the first of {n}"),
    };
    finding.message += &format!(", since a check failed{more}");
}

/// The place in a line such as `x.cc:12: Failure`, or `x.cc(12): error: in "test": …`.
fn place(line: &str) -> Option<Place> {
    let line = line.trim_end();
    let end = || ENDS.iter().find_map(|word| line.strip_suffix(word));
    let before = |words: &[&str]| words.iter().find_map(|word| Some(line.split_once(word)?.0));
    let (file, line) = match end().or_else(|| before(&WORDS)) {
        Some(at) => at.rsplit_once(':')?,
        None => before(&BOOST_WORDS)?.rsplit_once('(')?,
    };
    let line = line.parse().ok()?;
    // Boost.Test has no line of an exception before the first check.
    (line > 0).then(|| Place {
        file: file.to_owned(),
        line,
        ..Place::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_frameworks() {
        let check = |line: &str, expect: Option<(&str, u32)>| {
            let found = place(line);
            let found = found
                .as_ref()
                .map(|place| (place.file.as_str(), place.line));
            assert_eq!(found, expect, "{line}");
        };
        check("a/x.cc:12: Failure", Some(("a/x.cc", 12)));
        check("x.cpp:7: FAILED:", Some(("x.cpp", 7)));
        check(
            "x.cc:5: ERROR: CHECK( n == 2 ) is NOT correct!",
            Some(("x.cc", 5)),
        );
        check(
            "x.cc:5: FATAL ERROR: REQUIRE( a(1): b ) is NOT correct!",
            Some(("x.cc", 5)),
        );
        check(
            "a/x.cc(8): error: in \"s/t\": check n == 2 has failed [1 != 2]",
            Some(("a/x.cc", 8)),
        );
        check(
            "x.cc(8): fatal error: in \"t\": critical check n has failed",
            Some(("x.cc", 8)),
        );
        check(
            "unknown location(0): fatal error: in \"t\": unknown type",
            None,
        );
        check("x.cc(8): last checkpoint", None);
        check("unknown file: Failure", None);
        check("[  FAILED  ] Queue.IsEmpty (0 ms)", None);
        check("x.cc:12: Skipped", None);
    }
}
