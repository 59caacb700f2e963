//! One finding in lines that editors understand: `FILE:LINE:COLUMN: error: MESSAGE [KIND]`, as compilers
//! write them, and a `note:` line for each of its places.
//!
//! What Vim's quickfix list, Emacs' compilation mode and the problem matchers for gcc have in common: the
//! place first, then the severity and a colon, nothing in between. A part of a place that is not known is
//! left out.

use super::calls::{self, Call};
use super::human::label;
use super::names_of_threads::name;
use dpor_report::{text, Finding, Object, Place, Severity};

/// The lines of a finding; ends with a newline.
pub fn finding(finding: &Finding, severity: Severity) -> String {
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let message = format!("{} [{}]", finding.message, finding.kind);
    let accesses = finding.accesses.iter();
    let first = accesses.clone().map(|access| &access.place).next();
    let last = || finding.trace.last().map(|step| &step.place);
    let mut lines = line(first.or_else(last), word, &message);
    for access in accesses {
        let thread = name(&finding.threads, access.thread);
        lines += &line(Some(&access.place), "note", &label(&thread, access));
        lines += &callers(&access.place, &thread);
    }
    if let Some(object) = &finding.object {
        lines += &declaration(object);
    }
    lines
}

/// The calls that led to a place, without the place itself, or into what it was inlined.
fn callers(place: &Place, thread: &str) -> String {
    let calls = calls::calls(place);
    if calls.is_empty() {
        let outer = place.inlined_into.iter();
        let into = |outer: &Place| {
            let into = format!("{thread}: inlined into {}", outer.function);
            line(Some(outer), "note", &into)
        };
        return outer.map(into).collect();
    }
    let own = calls.iter().filter_map(|call| match call {
        Call::Own(frame) => Some(frame.place()),
        Call::Folded { .. } => None,
    });
    let called = |outer: Place| {
        let from = format!("{thread}: called from {}", outer.function);
        line(Some(&outer), "note", &from)
    };
    own.skip(1).map(called).collect()
}

/// Where the object is declared; empty if that is not known.
fn declaration(object: &Object) -> String {
    let Some(file) = &object.file else {
        return String::new();
    };
    let place = Place {
        file: file.clone(),
        line: object.line,
        ..Place::default()
    };
    line(Some(&place), "note", &format!("{} is here", object.name))
}

fn line(place: Option<&Place>, word: &str, message: &str) -> String {
    let message = format!("{word}: {}\n", message.replace('\n', " "));
    match place.filter(|place| !place.file.is_empty()) {
        Some(place) => format!("{}: {message}", text::position(place)),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::Access;

    fn place(line: u32, column: u32) -> Place {
        Place {
            file: "x.c".to_owned(),
            line,
            column,
            function: "f".to_owned(),
            ..Place::default()
        }
    }

    fn access(thread: u32, place: Place) -> Access {
        Access {
            thread,
            access: "write".to_owned(),
            place,
            locks: Vec::new(),
            ..Access::default()
        }
    }

    fn a_finding() -> Finding {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        crate::report::plain::finding(status).expect("a finding")
    }

    #[test]
    fn places_come_first() {
        let mut it = a_finding();
        it.message = "a\nb".to_owned();
        it.accesses = vec![access(1, place(9, 3)), access(2, place(8, 0))];
        it.accesses[0].place.inlined_into = vec![Place {
            function: "g".to_owned(),
            ..place(20, 1)
        }];
        it.object = Some(Object {
            name: "x".to_owned(),
            file: Some("x.c".to_owned()),
            line: 2,
            ..Object::default()
        });
        let expect = "x.c:9:3: warning: a b [abort]\n\
                      x.c:9:3: note: T1: write in f\n\
                      x.c:20:1: note: T1: inlined into g\n\
                      x.c:8: note: T2: write in f\n\
                      x.c:2: note: x is here\n";
        assert_eq!(finding(&it, Severity::Warning), expect);
    }

    #[test]
    fn without_a_place_the_severity_comes_first() {
        let it = Finding {
            message: "m".to_owned(),
            ..a_finding()
        };
        assert_eq!(finding(&it, Severity::Error), "error: m [abort]\n");
    }
}
