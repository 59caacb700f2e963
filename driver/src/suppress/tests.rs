//! Rules by hand.

use super::read::parse;
use super::rule::Match;
use dpor_report::{Access, Finding, FindingKind, Frame, Object, Place};

fn frame(function: &str, file: &str, line: u32, object: &str) -> Frame {
    Frame {
        function: function.to_owned(),
        file: file.to_owned(),
        line,
        object: object.to_owned(),
        ..Frame::default()
    }
}

/// A race on `counter` in `bump`, which `work` calls.
fn race() -> Finding {
    let stack = vec![
        frame("bump", "/s/lib/bump.c", 7, "libbump.so.1"),
        frame("_ZN4bank7depositEv", "/s/bank.cc", 20, "x"),
        frame("main", "/s/main.c", 3, "x"),
    ];
    Finding {
        kind: FindingKind::DataRace,
        message: String::new(),
        object: Some(Object {
            name: "counter".to_owned(),
            ..Object::default()
        }),
        accesses: vec![Access {
            thread: 1,
            access: "write".to_owned(),
            place: Place {
                file: "/s/lib/bump.c".to_owned(),
                line: 7,
                function: "bump".to_owned(),
                stack,
                ..Place::default()
            },
            ..Access::default()
        }],
        trace: Vec::new(),
        executions: 1,
        preemptions: 0,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        replay: String::new(),
        schedule: String::new(),
        details: Vec::new(),
        warning: false,
        loop_begins: None,
        loop_decisions: None,
        mark: None,
        threads: Vec::new(),
        preemptions_at: Vec::new(),
        scenario: None,
    }
}

fn matches(text: &str) -> Option<Match> {
    let rules = parse("x.supp", text).expect("it is right");
    rules.iter().find_map(|rule| rule.matches(&race()))
}

#[test]
fn as_thread_sanitizer() {
    for (text, expect) in [
        ("race:bump", Some(Match::Places)),
        ("race:^bump$", Some(Match::Places)),
        ("race:lib/bump.c", Some(Match::Places)),
        ("race:libbump.so", Some(Match::Places)),
        ("race:bank::deposit", Some(Match::Wide)),
        ("race:main.c", Some(Match::Wide)),
        ("race:^counter", Some(Match::Wide)),
        ("race_top:bump", Some(Match::Places)),
        ("race_top:bank::deposit", None),
        ("race_top:counter", None),
        ("race:b*p.c", Some(Match::Places)),
        ("race:other", None),
        ("deadlock:bump", None),
        ("mutex:*", None),
        ("data-race:bump", Some(Match::Places)),
        ("leak:bump", None),
        ("*:bank", Some(Match::Wide)),
        ("*:*", Some(Match::Places)),
        ("# race:bump\n\n  race:bump  ", Some(Match::Places)),
    ] {
        assert_eq!(matches(text), expect, "{text}");
    }
}

#[test]
fn a_finding_without_a_place_matches_a_star_alone() {
    let none = Finding {
        accesses: Vec::new(),
        object: None,
        ..race()
    };
    let matches = |text: &str| parse("x", text).expect("it is right")[0].matches(&none);
    assert_eq!(matches("race:*"), Some(Match::Places));
    assert_eq!(matches("race:x*"), None);
}

#[test]
fn as_valgrind() {
    let block = |kind: &str, lines: &str| matches(&format!("{{\n a name\n {kind}\n{lines}\n}}\n"));
    for (kind, lines, expect) in [
        ("Helgrind:Race", "fun:bump", Some(Match::Places)),
        ("Helgrind:Race", "fun:bu?p\nfun:bank*", Some(Match::Wide)),
        ("Helgrind:Race", "fun:deposit", None),
        ("Helgrind:Race", "fun:main", None),
        ("Helgrind:Race", "...\nfun:main", Some(Match::Wide)),
        (
            "Helgrind:Race",
            "fun:bump\n...\nobj:/usr/bin/x",
            Some(Match::Wide),
        ),
        (
            "drd:ConflictingAccess",
            "obj:*/libbump.so*",
            Some(Match::Places),
        ),
        (
            "Memcheck,Helgrind:Race",
            "src:bump.c:7",
            Some(Match::Places),
        ),
        ("Helgrind:Race", "src:bump.c:8", None),
        ("Helgrind:Race", "src:/s/lib/*", Some(Match::Places)),
        ("dpor:*", "fun:bump", Some(Match::Places)),
        ("dpor:data-race", "fun:bump", Some(Match::Places)),
        ("dpor:leak", "fun:bump", None),
        ("Memcheck:Cond", "fun:bump", None),
        ("Memcheck:Leak", "match-leak-kinds: all\nfun:bump", None),
        ("Helgrind:Race", "fun:bump\nfun:*\nfun:*\nfun:*", None),
    ] {
        assert_eq!(block(kind, lines), expect, "{kind} {lines}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, line, expect) in [
        ("race:a\nrace", 2, "'race' is not of the form KIND:PATTERN"),
        ("race:", 1, "no pattern"),
        ("races:a", 1, "'races' is no kind of finding"),
        ("called_from_lib:libz.so", 1, "--trust"),
        ("{\nname\nHelgrind:Race\nfun:a\n", 1, "no }"),
        ("{\n}\n", 2, "no name"),
        ("\n{\nname\nHelgrind\n}", 4, "TOOL:KIND"),
        ("{\nname\ndpor:races\nfun:a\n}", 3, "'races' is no kind"),
        ("{\nname\nHelgrind:Race\n}", 4, "no fun:"),
        (
            "{\nname\nHelgrind:Race\nfun:a\nfunc:b\n}",
            5,
            "'func:b' is no fun:",
        ),
        ("{\nname\nHelgrind:Race\nsrc:a.c:x\n}", 4, "is no fun:"),
    ] {
        let (at, why) = parse("x.supp", text).unwrap_err();
        assert_eq!(at, line, "{text}: {why}");
        assert!(why.contains(expect), "{text}: {why}");
    }
}
