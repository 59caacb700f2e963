//! Tests of how the header of a test program is read.

use super::*;

fn one(text: &str) -> Header {
    let mut headers = parse(text).expect("the header is right");
    assert_eq!(headers.len(), 1);
    headers.remove(0)
}

fn error(text: &str) -> String {
    parse(text).expect_err("the header is wrong").to_string()
}

#[test]
fn a_count_brings_the_other_counters_and_forbids_reductions() {
    let header = one("//@ expect: verified\n//@ executions: 369,600 // 12!/3!^4\n");
    assert_eq!(header.executions.unwrap().complete, 369_600);
    assert_eq!(header.executions.unwrap().total(), 369_600);
    assert_eq!(header.args, ["--reductions=none"]);
    assert_eq!(header.levels, ["O2"]);
}

#[test]
fn revisions_share_what_names_none_of_them() {
    let text = "//@ revisions: a b\n//@ expect: verified\n//@[b] cflags: -DB\n";
    let headers = parse(text).unwrap();
    assert_eq!(headers.len(), 2);
    assert!(headers[0].cflags.is_empty());
    assert_eq!(headers[1].cflags, ["-DB"]);
    assert_eq!(headers[1].revision, "b");
}

#[test]
fn markers_carry_their_line() {
    let header = one("//@ expect: bug\n//@ kind: data-race\nx = 1; //~ race\n");
    let marker = Marker {
        line: 3,
        kind: FindingKind::DataRace,
    };
    assert_eq!(header.markers, std::slice::from_ref(&marker));
    let text = "//@ revisions: a b\n//@ expect: bug\n//@ kind: data-race\nx; //~[b] race\n";
    let headers = parse(text).unwrap();
    assert!(headers[0].markers.is_empty());
    assert_eq!(headers[1].markers, [Marker { line: 4, ..marker }]);
}

#[test]
fn outcomes_are_sets_of_values() {
    let header = one("//@ expect: verified\n//@ outcomes: a=1 b=-2 *3 | b=0\n");
    let outcomes = header.outcomes.unwrap();
    assert_eq!(outcomes.len(), 2);
    let first = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), -2)]);
    assert_eq!(outcomes[&first], Some(3));
    assert_eq!(header.args, ["--outcomes"]);
}

#[test]
fn outputs_have_newlines() {
    let header = one("//@ expect: verified\n//@ outputs: a\\nb\\n | b\\na\\n\n");
    assert_eq!(
        header.outputs.unwrap(),
        BTreeSet::from(["a\nb\n".to_owned(), "b\na\n".to_owned()])
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let cases = [
        ("int x;", "line 0: '//@ expect:' is missing"),
        ("//@ expect: bug", "line 0: a bug needs its kind"),
        ("//@ expect: fine", "line 1: expect: 'fine' is no verdict"),
        ("\n//@ expect", "line 2: not of the form key: value"),
        ("//@[a] expect: bug", "line 1: no revision 'a'"),
        (
            "//@ expect: bug\nx; //~[other race",
            "line 2: ']' is missing",
        ),
        ("x; //~ rase", "line 1: 'rase' is no kind of finding"),
        (
            "//@ expects: bug",
            "line 1: expects: no such directive, or it cannot be 'bug'",
        ),
        (
            "//@ executions: many",
            "line 1: executions: 'many' is not a number",
        ),
    ];
    for (text, expect) in cases {
        assert_eq!(error(text), expect);
    }
}
