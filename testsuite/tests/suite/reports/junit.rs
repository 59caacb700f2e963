//! The report for test views (`--junit`).

use super::programs::{one_of_each, ordinary, report, ODD, ODD_PROGRAM};
use dpor_driver::flags::MessageFormat;
use dpor_driver::report::{junit, plain, View};
use dpor_report::{FindingKind, Severity, Verdict};
use dpor_testsuite::tool::Tool;
use roxmltree::{Document, Node};

/// The test case, of which there is one, after a look at the counters.
fn case<'a>(document: &'a Document<'_>) -> Node<'a, 'a> {
    let elements = |node: Node<'a, 'a>| node.children().filter(Node::is_element);
    let suites: Vec<_> = elements(document.root_element()).collect();
    let cases: Vec<_> = suites.iter().flat_map(|suite| elements(*suite)).collect();
    assert_eq!((suites.len(), cases.len()), (1, 1));
    let count = |tag: &str| {
        cases[0]
            .children()
            .filter(|c| c.has_tag_name(tag))
            .count()
            .min(1)
    };
    for (counter, tag) in [
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        assert_eq!(suites[0].attribute(counter), Some(&*count(tag).to_string()));
    }
    assert_eq!(suites[0].attribute("tests"), Some("1"));
    cases[0]
}

fn tags<'a>(case: Node<'a, 'a>) -> Vec<&'a str> {
    let elements = case.children().filter(Node::is_element);
    elements.map(|element| element.tag_name().name()).collect()
}

#[test]
fn every_verdict_is_a_test_case() {
    let tool = Tool::new("reports-junit");
    let expect = [
        ("verified", &["system-out"][..]),
        ("bug", &["failure", "system-out"]),
        ("incomplete", &["error", "system-out"]),
        ("unsupported", &["skipped", "system-out"]),
        ("plain", &["failure", "system-out"]),
    ];
    for ((name, program, options, _), (of, expect)) in one_of_each().into_iter().zip(expect) {
        assert_eq!(name, of);
        let (ran, text) = report(&tool, "junit", name, &program, options);
        let document = Document::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
        let case = case(&document);
        assert_eq!(tags(case), expect, "{text}");
        assert!(
            case.attribute("name").is_some_and(|it| it.ends_with(name)),
            "{text}"
        );
        let seconds: f64 = case
            .attribute("time")
            .expect("a time")
            .parse()
            .expect("a number");
        assert!((0.0..100.0).contains(&seconds), "{seconds}");
        // The verdict is the last line of the output but for the replay.
        let said = case
            .last_element_child()
            .and_then(|said| said.text())
            .expect("a text");
        let verdict = said.lines().last().expect("a line");
        assert!(
            ran.stdout.lines().any(|line| line == verdict),
            "{verdict}\n{}",
            ran.shown()
        );
    }
}

#[test]
fn each_error_is_a_failure_and_a_warning_is_none() {
    let tool = Tool::new("reports-junit-several");
    // main reads 0 or 1 and fails with one message or the other; the semaphore is never destroyed,
    // which is told of the execution in which both reads come first and main returns.
    let body = "if (s) assert(s == 2); else if (again) assert(again == 3);";
    let program = ordinary(body)
        .replace("int main(void) {", "int main(void) { sem_init(&sem, 0, 0);")
        .replace("int s = cell;", "int s = cell, again = cell;")
        .replace(
            "atomic_int cell;",
            "#include <semaphore.h>\nsem_t sem; atomic_int cell;",
        );
    let (ran, text) = report(&tool, "junit", "several", &program, &["-k"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let document = Document::parse(&text).expect("XML");
    let case = case(&document);
    let failures: Vec<_> = case
        .children()
        .filter(|c| c.has_tag_name("failure"))
        .collect();
    let mut messages: Vec<&str> = failures
        .iter()
        .filter_map(|f| f.attribute("message"))
        .collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        ["assertion `again == 3` failed", "assertion `s == 2` failed"],
        "{}",
        ran.shown()
    );
    assert!(failures
        .iter()
        .all(|f| f.attribute("type") == Some("assertion")));
    let said = case.last_element_child().and_then(|said| said.text());
    assert!(
        said.is_some_and(|said| said.contains("warning[not-destroyed]")),
        "{text}"
    );
}

#[test]
fn names_and_strings_may_have_any_character() {
    let tool = Tool::new("reports-junit-odd");
    let name = "odd \"<&>' é";
    let (_, text) = report(&tool, "junit", name, ODD_PROGRAM, &[]);
    let document = Document::parse(&text).expect("XML");
    let case = case(&document);
    assert!(
        case.attribute("name").is_some_and(|it| it.ends_with(name)),
        "{text}"
    );

    let options = dpor_abi::options::Options::default();
    let mut report = plain::empty(&options, std::time::Duration::ZERO);
    report.verdict = Verdict::Bug;
    report.args = vec![ODD.to_owned()];
    let status = std::os::unix::process::ExitStatusExt::from_raw(6);
    for kind in [FindingKind::Abort, FindingKind::Leak] {
        let mut finding = plain::finding(status).expect("a finding");
        finding.message = ODD.to_owned();
        finding.details = vec![ODD.to_owned()];
        finding.kind = kind;
        report.findings.push(finding);
    }
    assert_eq!(report.severity(&report.findings[1]), Severity::Warning);
    let text = junit::text(&report, &View::new(&report, MessageFormat::Human)).expect("XML");
    let document = Document::parse(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let case = self::case(&document);
    // U+0001 cannot be in XML, not even as a reference.
    let expect = ODD.replace('\u{1}', "\u{fffd}");
    let failure = case.first_element_child().expect("a failure");
    assert_eq!(failure.attribute("message"), Some(&*expect));
    assert!(
        failure.text().is_some_and(|text| text.contains(&expect)),
        "{text}"
    );
    assert_eq!(tags(case), ["failure", "system-out"]);
    let said = case.last_element_child().and_then(|said| said.text());
    assert!(said.is_some_and(|said| said.contains(&expect)), "{text}");
}
