//! Where a check of a test failed, as its framework printed it.
//!
//! A failed `EXPECT_EQ` only makes `main` return another status at its end: the place of the finding would be there.

use super::Framework;
use crate::program::Program;
use dpor_report::{Finding, FindingKind, Place, Report};

/// What stands behind the place of a failure: GoogleTest's word, Catch2's.
const WORDS: [&str; 2] = [": Failure", ": FAILED:"];

/// Gives the finding whose output the report has, if it is an exit status, the place of the first failure in there.
pub fn locate(report: &mut Report, program: &Program) {
    let [output] = report.output.as_slice() else {
        return;
    };
    let mut places = output.stdout.lines().filter_map(place);
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

/// The place in a line such as `x.cc:12: Failure`.
fn place(line: &str) -> Option<Place> {
    let at = WORDS
        .iter()
        .find_map(|word| line.trim_end().strip_suffix(word))?;
    let (file, line) = at.rsplit_once(':')?;
    Some(Place {
        file: file.to_owned(),
        line: line.parse().ok()?,
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
        check("unknown file: Failure", None);
        check("[  FAILED  ] Queue.IsEmpty (0 ms)", None);
        check("x.cc:12: Skipped", None);
    }
}
