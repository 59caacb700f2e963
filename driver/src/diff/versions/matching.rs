//! Which findings of two versions are the same.
//!
//! The same finding has the same kind, the same object, and is at the same lines of the same functions, reached by the
//! same calls, wherever those lines are now; without accesses, or if it ends the process, it has the same message too.
//! A finding that is alike except for what cannot be known is neither the same nor another: its line, where a text is
//! not known any more, and the calls, of which a check keeps those of the first execution only.

use super::super::matching::{ends_the_process, Matched};
use super::super::side::without_addresses;
use super::sources::{plain, Line, Sources};
use dpor_report::{Access, Finding, FindingKind};

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    kind: FindingKind,
    object: String,
    /// Where the message is part of it.
    message: Vec<Part>,
    /// In an order of its own.
    ends: Vec<End>,
}

/// An access, or a wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    file: String,
    line: u32,
    function: String,
    /// The object waited for.
    object: String,
    /// The functions on the stack, innermost first, libraries left out.
    calls: Vec<String>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(String, u32),
}

/// Whether two things are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Same {
    No,
    Unsure,
    Yes,
}

/// Compares the findings of two versions.
pub fn match_versions<'a>(
    old: &'a [Finding],
    new: &'a [Finding],
    sources: &Sources,
) -> Matched<'a> {
    let mut matched = Matched {
        first: distinct(old),
        second: distinct(new),
        ..Matched::default()
    };
    for wanted in [Same::Yes, Same::Unsure] {
        let mut first = std::mem::take(&mut matched.first);
        first.retain(|finding| {
            let signature = Signature::of(finding);
            let is_it =
                |other: &&Finding| signature.is_same(&Signature::of(other), sources) == wanted;
            let Some(at) = matched.second.iter().position(is_it) else {
                return true;
            };
            let other = matched.second.remove(at);
            match wanted {
                Same::Yes => matched.both.push(other),
                _ => matched.unsure.push((finding, other)),
            }
            false
        });
        matched.first = first;
    }
    matched
}

/// The first of each.
fn distinct(findings: &[Finding]) -> Vec<&Finding> {
    let mut known: Vec<Signature> = Vec::new();
    let mut is_new = |finding: &&Finding| {
        let signature = Signature::of(finding);
        let is_new = !known.contains(&signature);
        known.push(signature);
        is_new
    };
    findings.iter().filter(|finding| is_new(finding)).collect()
}

impl Signature {
    fn of(finding: &Finding) -> Signature {
        let mut ends: Vec<End> = finding.accesses.iter().map(end).collect();
        ends.sort();
        ends.dedup();
        let object = finding.object.as_ref().map(|object| object.name.as_str());
        let by_message = finding.accesses.is_empty() || ends_the_process(finding.kind);
        Signature {
            kind: finding.kind,
            object: without_sizes(&without_addresses(object.unwrap_or_default())),
            message: match by_message {
                true => parts(&without_addresses(&finding.message)),
                false => Vec::new(),
            },
            ends,
        }
    }

    /// Whether `new`, of the new version, is this finding.
    fn is_same(&self, new: &Signature, sources: &Sources) -> Same {
        let is_alike = self.kind == new.kind
            && self.object == new.object
            && self.message.len() == new.message.len()
            && self.ends.len() == new.ends.len();
        if !is_alike {
            return Same::No;
        }
        let message = self.message.iter().zip(&new.message);
        let message = message.map(|(old, new)| old.is_same(new, sources)).min();
        let best = |end: &End| {
            new.ends
                .iter()
                .map(|other| end.is_same(other, sources))
                .max()
        };
        let back = |other: &End| {
            self.ends
                .iter()
                .map(|end| end.is_same(other, sources))
                .max()
        };
        let ends = self.ends.iter().filter_map(best);
        let ends = ends.chain(new.ends.iter().filter_map(back)).min();
        message.unwrap_or(Same::Yes).min(ends.unwrap_or(Same::Yes))
    }
}

impl End {
    fn is_same(&self, new: &End, sources: &Sources) -> Same {
        let has_calls = self.calls == new.calls;
        match (
            self.function == new.function && self.object == new.object,
            has_calls,
        ) {
            (false, _) => Same::No,
            (true, true) => same_line((&self.file, self.line), (&new.file, new.line), sources),
            (true, false) => {
                let old = (self.file.as_str(), self.line);
                same_line(old, (&new.file, new.line), sources).min(Same::Unsure)
            }
        }
    }
}

impl Part {
    fn is_same(&self, new: &Part, sources: &Sources) -> Same {
        match (self, new) {
            (Part::Place(old, line), Part::Place(new, now)) => {
                same_line((old, *line), (new, *now), sources)
            }
            _ if self == new => Same::Yes,
            _ => Same::No,
        }
    }
}

fn same_line(old: (&str, u32), new: (&str, u32), sources: &Sources) -> Same {
    let Some((file, line)) = sources.in_new(old.0, old.1) else {
        // Where debug information does not tell, files of one name may be one.
        let name = |file: &str| file.rsplit('/').next().map(str::to_owned);
        return match name(old.0) == name(new.0) {
            true => Same::Unsure,
            false => Same::No,
        };
    };
    match line {
        _ if file != plain(new.0) => Same::No,
        Line::Is(line) if line == new.1 => Same::Yes,
        // Code that the optimizer moved at one of them.
        Line::Is(_) | Line::Gone if (old.1 == 0) != (new.1 == 0) => Same::Unsure,
        Line::Is(_) | Line::Gone => Same::No,
        Line::Unknown => Same::Unsure,
    }
}

fn end(access: &Access) -> End {
    let place = &access.place;
    let own = place.stack.iter().filter(|frame| !frame.library);
    let calls: Vec<String> = own
        .map(|frame| crate::names::demangle(&frame.function))
        .collect();
    End {
        file: place.file.clone(),
        line: place.line,
        function: place.function.clone(),
        object: without_addresses(&access.object),
        calls: match calls.is_empty() {
            true => vec![place.function.clone()],
            false => calls,
        },
    }
}

/// `heap block` for `heap block of 24 bytes`: a member more makes no other object.
fn without_sizes(name: &str) -> String {
    match name.split_once("heap block of ") {
        Some((before, rest)) => {
            let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
            format!("{before}heap block of {digits}")
        }
        None => name.to_owned(),
    }
}

/// The message, with each `FILE:LINE` a part of its own.
fn parts(message: &str) -> Vec<Part> {
    let place = |word: &str| {
        let word = word.trim_end_matches([',', '.', ')']);
        let (file, line) = word.rsplit_once(':')?;
        let has_extension = file.rsplit('/').next()?.contains('.');
        let line = line.parse().ok().filter(|_| has_extension)?;
        Some(Part::Place(file.trim_start_matches('(').to_owned(), line))
    };
    let words = message.split(' ');
    words
        .map(|word| place(word).unwrap_or_else(|| Part::Text(word.to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sources::Tree;
    use super::*;
    use dpor_report::{Frame, Object, Place};
    use std::path::Path;

    /// `x 3 main<f` (object, line of x.c, functions on the stack): a race of that access with one at line 1 of g.
    fn race(text: &str) -> Finding {
        let words: Vec<&str> = text.split(' ').collect();
        let &[object, line, calls] = &words[..] else {
            panic!("{text}");
        };
        let mut finding = finding(FindingKind::DataRace, "data race on it");
        finding.object = Some(Object {
            name: object.replace('_', " "),
            ..Object::default()
        });
        let calls: Vec<&str> = calls.split('<').rev().collect();
        finding.accesses = vec![
            access(line.parse().expect("a line"), &calls),
            access(1, &["g"]),
        ];
        finding
    }

    fn access(line: u32, calls: &[&str]) -> Access {
        let frame = |function: &&str| Frame {
            function: (*function).to_owned(),
            ..Frame::default()
        };
        Access {
            access: "read".to_owned(),
            place: Place {
                file: "x.c".to_owned(),
                line,
                function: calls[0].to_owned(),
                stack: calls.iter().map(frame).collect(),
                ..Place::default()
            },
            ..Access::default()
        }
    }

    fn finding(kind: FindingKind, message: &str) -> Finding {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        Finding {
            kind,
            message: message.to_owned(),
            ..crate::report::plain::finding(status).expect("a bad status")
        }
    }

    const OLD: &str = "first\nx = 1;\nx = 2;\nx = 3;\n";
    const NEW: &str = "first\n// more\nx = 1;\nx = 4;\nx = 3;\n";

    /// Numbers of findings in both, only in the old, only in the new one, and of those that may be the same; `known`: the
    /// texts are.
    fn compare(old: &[Finding], new: &[Finding], known: bool) -> [usize; 4] {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        for (folder, text) in folders.iter().zip([OLD, NEW]) {
            std::fs::write(folder.path().join("x.c"), text).expect("a file");
        }
        let tree = |side: usize| Tree::named(folders[side].path(), &["x.c"], known);
        let sources = Sources::new([tree(0), tree(1)], None::<[&Path; 2]>);
        let matched = match_versions(old, new, &sources);
        [
            matched.both.len(),
            matched.first.len(),
            matched.second.len(),
            matched.unsure.len(),
        ]
    }

    fn check(old: &str, new: &str, expect: [usize; 4]) {
        let races = |text: &str| -> Vec<Finding> {
            let texts = text.split(", ").filter(|text| !text.is_empty());
            texts.map(race).collect()
        };
        let found = compare(&races(old), &races(new), true);
        assert_eq!(found, expect, "{old} / {new}");
    }

    #[test]
    fn races_by_lines_that_moved() {
        check("x 2 f", "x 3 f", [1, 0, 0, 0]);
        // The same number is another line.
        check("x 2 f", "x 2 f", [0, 1, 1, 0]);
        check("x 4 f", "x 5 f", [1, 0, 0, 0]);
        // What the patch wrote is new.
        check("x 3 f", "x 4 f", [0, 1, 1, 0]);
        check("x 2 f", "y 3 f", [0, 1, 1, 0]);
        check("x 2 f", "x 3 h", [0, 1, 1, 0]);
        check("x 2 f", "x 3 f, x 5 f", [1, 0, 1, 0]);
        check("", "x 3 f", [0, 0, 1, 0]);
        check("x 2 f", "", [0, 1, 0, 0]);
        check(
            "a_heap_block_of_8_bytes 2 f",
            "a_heap_block_of_16_bytes 3 f",
            [1, 0, 0, 0],
        );
    }

    #[test]
    fn other_calls_may_have_been_there_or_not() {
        check("x 2 main<f", "x 3 main<f", [1, 0, 0, 0]);
        check("x 2 main<f", "x 3 main<h<f", [0, 0, 0, 1]);
        // What is the same for sure is found first.
        check("x 2 main<f, x 2 h<f", "x 3 h<f, x 3 k<f", [1, 0, 0, 1]);
    }

    #[test]
    fn what_the_optimizer_moved_has_no_line() {
        check("x 0 f", "x 0 f", [0, 0, 0, 1]);
        check("x 2 f", "x 0 f", [0, 0, 0, 1]);
        check("x 0 f", "x 3 h", [0, 1, 1, 0]);
    }

    #[test]
    fn where_texts_are_not_known_nothing_is_sure() {
        let found = compare(&[race("x 2 f")], &[race("x 3 f")], false);
        assert_eq!(found, [0, 0, 0, 1]);
        let found = compare(&[race("x 2 f")], &[race("y 2 f")], false);
        assert_eq!(found, [0, 1, 1, 0]);
    }

    #[test]
    fn ends_by_their_message() {
        let of = |message: &str| finding(FindingKind::NonzeroExit, message);
        let check = |old: &str, new: &str, expect: [usize; 4]| {
            assert_eq!(
                compare(&[of(old)], &[of(new)], true),
                expect,
                "{old} / {new}"
            );
        };
        check("status 1", "status 1", [1, 0, 0, 0]);
        check("status 1", "status 2", [0, 1, 1, 0]);
        check("at x.c:2, said", "at x.c:3, said", [1, 0, 0, 0]);
        check("at x.c:2, said", "at x.c:2, said", [0, 1, 1, 0]);
        check("at y.c:2", "at x.c:2", [0, 1, 1, 0]);
    }
}
