//! Which findings of two levels are the same.
//!
//! The same finding has the same kind, the same source lines and the same object; a finding without
//! accesses, or one that ends the process, the same message too. What differs for no reason does not
//! count: columns, threads, the order of accesses, and how far they reach (a wider access is to `pair`,
//! a narrower one to `pair.low`). Code that the optimizer moved has no line; it matches any line, but only
//! if no finding matches exactly, and no finding matches two. So does a line of a library where nothing tells which of
//! the user's own lines it was called from. So does code that it moved to another line, as the lists of accesses have it.

use super::access::{Change, What};
use super::side::without_addresses;
use dpor_report::{library, Finding, FindingKind, Place};
use std::collections::BTreeSet;

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    kind: FindingKind,
    /// Empty where the message says nothing that the rest does not say.
    message: String,
    /// Name of the object; empty if there is none.
    object: String,
    /// The lines that are known.
    lines: BTreeSet<(String, u32)>,
    /// Those of libraries: the user's own may be any.
    of_libraries: BTreeSet<(String, u32)>,
    /// Whether a line of the user's own is not known.
    has_unknown: bool,
}

/// Findings by where they were found.
#[derive(Debug, Default)]
pub struct Matched<'a> {
    /// The findings of both levels, as the second has them.
    pub both: Vec<&'a Finding>,
    /// Only at the first.
    pub first: Vec<&'a Finding>,
    /// Only at the second.
    pub second: Vec<&'a Finding>,
    /// Of both, of which nobody knows whether they are the same.
    pub unsure: Vec<(&'a Finding, &'a Finding)>,
}

/// Whether a finding of the second level is one of the first.
type IsSame<'a> = dyn Fn(&Signature, &Signature) -> bool + 'a;

/// Compares the findings of two levels, between which accesses changed so. `folders` have sources of libraries.
pub fn match_findings<'a>(
    first: &'a [Finding],
    second: &'a [Finding],
    changes: &[Change],
    folders: &[String],
) -> Matched<'a> {
    let of = |finding: &Finding| Signature::of(finding, folders);
    let mut matched = Matched {
        first: distinct(first, &of),
        second: distinct(second, &of),
        ..Matched::default()
    };
    let was_moved = |one: &Signature, other: &Signature| one.is_moved(other, changes);
    let ways: [&IsSame<'_>; 3] = [&Signature::eq, &Signature::may_be, &was_moved];
    for is_same in ways {
        matched.first.retain(|finding| {
            let signature = of(finding);
            let partner = |other: &&Finding| is_same(&signature, &of(other));
            match matched.second.iter().position(partner) {
                Some(at) => {
                    matched.both.push(matched.second.remove(at));
                    false
                }
                None => true,
            }
        });
    }
    matched
}

/// The first of each.
fn distinct<'a>(findings: &'a [Finding], of: &dyn Fn(&Finding) -> Signature) -> Vec<&'a Finding> {
    let mut known: Vec<Signature> = Vec::new();
    let mut is_new = |finding: &&Finding| {
        let signature = of(finding);
        let is_new = !known.contains(&signature);
        known.push(signature);
        is_new
    };
    findings.iter().filter(|finding| is_new(finding)).collect()
}

impl Signature {
    fn of(finding: &Finding, folders: &[String]) -> Signature {
        let by_message = finding.accesses.is_empty() || ends_the_process(finding.kind);
        let places = || finding.accesses.iter().map(|access| &access.place);
        let is_library = |place: &&Place| library::is_library(&place.file, folders);
        let known = places().filter(|place| place.line != 0);
        let line = |place: &Place| (place.file.clone(), place.line);
        let (of_libraries, own): (Vec<&Place>, Vec<&Place>) = known.partition(is_library);
        Signature {
            kind: finding.kind,
            message: match by_message {
                true => without_addresses(&finding.message),
                false => String::new(),
            },
            object: match &finding.object {
                Some(object) => without_addresses(&object.name),
                None => String::new(),
            },
            lines: own.into_iter().map(line).collect(),
            has_unknown: !of_libraries.is_empty() || places().any(|place| place.line == 0),
            of_libraries: of_libraries.into_iter().map(line).collect(),
        }
    }

    /// Whether `other`, of the second level, is this finding with an access on another line.
    fn is_moved(&self, other: &Signature, changes: &[Change]) -> bool {
        let at = |line: &(String, u32), sites: &[super::access::Site]| {
            sites.iter().any(|site| {
                let is_it = site.object.is_empty() || are_related(&site.object, &self.object);
                is_it && (&site.file, site.line) == (&line.0, line.1)
            })
        };
        let moved = |from: &(String, u32), to: &(String, u32)| {
            let mut changes = changes.iter().filter(|change| change.what == What::Moved);
            changes.any(|change| at(from, &change.before) && at(to, &change.after))
        };
        let mut gone = self.lines.difference(&other.lines);
        let mut come = other.lines.difference(&self.lines);
        self.kind == other.kind
            && self.message == other.message
            && are_related(&self.object, &other.object)
            && gone.all(|from| other.lines.iter().any(|to| moved(from, to)))
            && come.all(|to| self.lines.iter().any(|from| moved(from, to)))
    }

    /// Whether the two may be the same.
    fn may_be(&self, other: &Signature) -> bool {
        let fits = |one: &Signature, other: &Signature| match other.has_unknown {
            true => true,
            false => one.lines.is_subset(&other.lines),
        };
        self.kind == other.kind
            && self.message == other.message
            && are_related(&self.object, &other.object)
            && fits(self, other)
            && fits(other, self)
    }
}

/// Whether a finding of this kind ends its process, so that its message tells it from others.
pub fn ends_the_process(kind: FindingKind) -> bool {
    use FindingKind::{Abort, Assertion, Crash, Invariant, NonzeroExit, ProcessDeath};
    let ends = [
        Abort,
        Assertion,
        Crash,
        Invariant,
        NonzeroExit,
        ProcessDeath,
    ];
    ends.contains(&kind)
}

/// Whether one name is that of the other's variable or of a part of it.
pub fn are_related(one: &str, other: &str) -> bool {
    let has_part = |whole: &str, part: &str| {
        let rest = part.strip_prefix(whole);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '+']))
    };
    has_part(one, other) || has_part(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::{Access, Object, Place};

    fn race(object: &str, lines: [u32; 2]) -> Finding {
        let mut finding = finding(FindingKind::DataRace, "data race on it");
        finding.object = Some(Object {
            name: object.to_owned(),
            ..Object::default()
        });
        finding.accesses = lines.map(at).to_vec();
        finding
    }

    fn at(line: u32) -> Access {
        Access {
            thread: line,
            access: "read".to_owned(),
            place: Place {
                file: "x.c".to_owned(),
                line,
                column: line,
                ..Place::default()
            },
            locks: Vec::new(),
            instruction: 0,
            ..Access::default()
        }
    }

    fn finding(kind: FindingKind, message: &str) -> Finding {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        Finding {
            kind,
            message: message.to_owned(),
            ..crate::report::plain::finding(status).unwrap()
        }
    }

    /// Numbers of findings at both levels, only at the first, only at the second.
    fn check(first: &[Finding], second: &[Finding], expect: [usize; 3]) {
        let matched = match_findings(first, second, &[], &[]);
        let counts = [&matched.both, &matched.first, &matched.second].map(Vec::len);
        assert_eq!(counts, expect, "{first:?} against {second:?}");
    }

    #[test]
    fn races_by_lines_and_object() {
        check(&[race("x", [3, 9])], &[race("x", [9, 3])], [1, 0, 0]);
        check(&[race("x", [3, 9])], &[race("y", [3, 9])], [0, 1, 1]);
        check(&[race("x", [3, 9])], &[race("x", [3, 8])], [0, 1, 1]);
        // Reads and writes of the same lines are one.
        check(
            &[race("x", [3, 9]), race("x", [9, 3])],
            &[race("x", [3, 9])],
            [1, 0, 0],
        );
        check(&[], &[race("x", [3, 9])], [0, 0, 1]);
    }

    #[test]
    fn code_that_was_moved_matches_any_line_once() {
        check(&[race("x", [3, 9])], &[race("x", [0, 9])], [1, 0, 0]);
        check(&[race("x", [3, 9])], &[race("x", [0, 8])], [0, 1, 1]);
        check(
            &[race("x", [3, 9])],
            &[race("x", [0, 9]), race("x", [3, 9])],
            [1, 0, 1],
        );
    }

    #[test]
    fn lines_of_a_library_match_any_line_once() {
        let in_library = |lines: [u32; 2]| {
            let mut race = race("x", lines);
            race.accesses[0].place.file = "/usr/include/c++/12/bits/move.h".to_owned();
            race
        };
        check(&[in_library([205, 9])], &[race("x", [3, 9])], [1, 0, 0]);
        check(&[in_library([205, 9])], &[race("x", [3, 8])], [0, 1, 1]);
        check(&[in_library([205, 9])], &[race("y", [3, 9])], [0, 1, 1]);
        check(
            &[in_library([205, 9])],
            &[race("x", [3, 9]), in_library([205, 9])],
            [1, 0, 1],
        );
    }

    #[test]
    fn code_on_another_line_matches_if_it_is_known_to_have_been_moved() {
        let site = |line: u32| super::super::access::Site {
            object: "x".to_owned(),
            access: "read".to_owned(),
            offset: Some(0),
            bytes: 4,
            file: "x.c".to_owned(),
            line,
            function: "f".to_owned(),
        };
        let change = |what: What, before: u32, after: u32| Change {
            what,
            before: vec![site(before)],
            after: vec![site(after)],
        };
        let check = |change: Change, object: &str, expect: [usize; 3]| {
            let (first, second) = ([race(object, [3, 9])], [race(object, [3, 8])]);
            let matched = match_findings(&first, &second, &[change], &[]);
            let counts = [&matched.both, &matched.first, &matched.second].map(Vec::len);
            assert_eq!(counts, expect);
        };
        check(change(What::Moved, 9, 8), "x", [1, 0, 0]);
        check(change(What::Moved, 9, 8), "y", [0, 1, 1]);
        check(change(What::Moved, 8, 9), "x", [0, 1, 1]);
        check(change(What::Moved, 9, 7), "x", [0, 1, 1]);
        check(change(What::Merged, 9, 8), "x", [0, 1, 1]);
    }

    #[test]
    fn wider_accesses_are_to_the_whole() {
        check(&[race("p.low", [3, 9])], &[race("p", [3, 9])], [1, 0, 0]);
        check(&[race("p.low", [3, 9])], &[race("pp", [3, 9])], [0, 1, 1]);
        check(&[race("p[1]", [3, 9])], &[race("p[2]", [3, 9])], [0, 1, 1]);
    }

    #[test]
    fn ends_by_their_message() {
        let exit = |message: &str| finding(FindingKind::NonzeroExit, message);
        check(&[exit("status 1")], &[exit("status 1")], [1, 0, 0]);
        check(&[exit("status 1")], &[exit("status 2")], [0, 1, 1]);
        let crash = |message: &str| finding(FindingKind::Crash, message);
        check(
            &[crash("at 0x555555558000")],
            &[crash("at 0x555555559000")],
            [1, 0, 0],
        );
    }
}
