//! The report as JUnit XML, the way Jenkins and the test views of other services read it: one
//! test suite with one test case, the program; or with one for each test of a program of a test framework.
//!
//! A finding that is an error is a `failure`; a check that did not finish is an `error`, and an
//! unsupported program is `skipped`, as is a disabled test. Its output is the program's, warnings and the verdict.

use super::{human, shown, View};
use crate::framework::{LeftOut, Test};
use dpor_report::{text, Finding, Report, Severity, Verdict};
use quick_xml::events::BytesText;
use quick_xml::Writer;
use std::io;

type Xml = Writer<Vec<u8>>;

/// What the test case is, beside its failures.
enum Outcome {
    Finished,
    Incomplete,
    Unsupported,
    LeftOut,
}

/// A test case, with what was found.
struct Case<'a> {
    class: String,
    name: String,
    checked: Result<(&'a Report, &'a View), LeftOut>,
}

impl Case<'_> {
    fn errors(&self) -> Vec<&Finding> {
        let Ok((report, view)) = self.checked else {
            return Vec::new();
        };
        let is_error = |finding: &&Finding| report.severity(finding) == Severity::Error;
        view.findings(report).filter(is_error).collect()
    }

    fn outcome(&self) -> Outcome {
        match self.checked {
            Err(_) => Outcome::LeftOut,
            Ok((report, _)) => outcome(report, !self.errors().is_empty()),
        }
    }

    fn seconds(&self) -> f64 {
        self.checked.map_or(0.0, |(report, _)| report.seconds.wall)
    }
}

/// The file's text: of one check.
///
/// # Errors
/// One sentence.
pub fn text(report: &Report, view: &View) -> Result<String, String> {
    let case = Case {
        class: "dpor".to_owned(),
        name: name(report),
        checked: Ok((report, view)),
    };
    document("dpor", &[case])
}

/// A test of a program, with what is known of it.
pub type Tested = (Test, Result<(Report, View), LeftOut>);

/// The file's text: of each test of a program.
///
/// # Errors
/// One sentence.
pub fn suite(program: &str, tests: &[Tested]) -> Result<String, String> {
    let cases = tests.iter().map(|(test, checked)| Case {
        class: match test.suite.as_str() {
            "" => permitted(program),
            suite => permitted(suite),
        },
        name: permitted(&test.name),
        checked: checked
            .as_ref()
            .map(|(report, view)| (report, view))
            .map_err(|why| *why),
    });
    document(program, &cases.collect::<Vec<_>>())
}

fn document(name: &str, cases: &[Case<'_>]) -> Result<String, String> {
    let wrong = |why: &dyn std::fmt::Display| {
        format!("[dpor internal bug] the report is no JUnit XML: {why}")
    };
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, &permitted(name), cases).map_err(|why| wrong(&why))?;
    let text = String::from_utf8(xml.into_inner()).map_err(|why| wrong(&why))?;
    Ok(text + "\n")
}

fn write(xml: &mut Xml, name: &str, cases: &[Case<'_>]) -> io::Result<()> {
    let count = |is_one: &dyn Fn(&Case<'_>) -> bool| {
        cases.iter().filter(|case| is_one(case)).count().to_string()
    };
    let tests = cases.len().to_string();
    let failures = count(&|case| !case.errors().is_empty());
    let errors = count(&|case| matches!(case.outcome(), Outcome::Incomplete));
    let skipped = count(&|case| matches!(case.outcome(), Outcome::Unsupported | Outcome::LeftOut));
    let time = format!("{:.3}", cases.iter().map(Case::seconds).sum::<f64>());
    let counters = [
        ("tests", tests.as_str()),
        ("failures", &failures),
        ("errors", &errors),
        ("time", &time),
    ];
    xml.write_event(quick_xml::events::Event::Decl(declaration()))?;
    let suites = xml.create_element("testsuites");
    suites
        .with_attributes(counters)
        .write_inner_content(|xml| {
            let suite = xml.create_element("testsuite");
            let suite = suite.with_attributes([("name", name), ("skipped", &skipped)]);
            let suite = suite.with_attributes(counters);
            suite.write_inner_content(|xml| cases.iter().try_for_each(|it| write_case(xml, it)))?;
            Ok(())
        })?;
    Ok(())
}

fn write_case(xml: &mut Xml, it: &Case<'_>) -> io::Result<()> {
    let time = format!("{:.3}", it.seconds());
    let case = [
        ("classname", &it.class),
        ("name", &it.name),
        ("time", &time),
    ];
    let case = case.map(|(key, value)| (key, value.as_str()));
    let case = xml.create_element("testcase").with_attributes(case);
    case.write_inner_content(|xml| {
        let (report, view) = match it.checked {
            Ok(checked) => checked,
            Err(why) => return element(xml, "skipped", &[("message", why.word().to_owned())], ""),
        };
        for finding in it.errors() {
            failure(xml, finding, view)?;
        }
        unfinished(xml, &it.outcome(), report)?;
        output(xml, report, view)
    })?;
    Ok(())
}

fn declaration() -> quick_xml::events::BytesDecl<'static> {
    quick_xml::events::BytesDecl::new("1.0", Some("UTF-8"), None)
}

/// The outcome of the test case for a check that did not finish. Where something was found, that says enough.
fn outcome(report: &Report, has_errors: bool) -> Outcome {
    match report.verdict {
        _ if has_errors => Outcome::Finished,
        Verdict::Verified | Verdict::Bug => Outcome::Finished,
        Verdict::Incomplete if report.is_as_asked() => Outcome::Finished,
        Verdict::Incomplete => Outcome::Incomplete,
        Verdict::Unsupported => Outcome::Unsupported,
    }
}

/// The program and its arguments.
fn name(report: &Report) -> String {
    let words = std::iter::once(&report.program).chain(&report.args);
    let words: Vec<&str> = words.map(String::as_str).collect();
    permitted(&words.join(" "))
}

fn failure(xml: &mut Xml, finding: &Finding, view: &View) -> io::Result<()> {
    let finding = shown::shown(finding, &view.here);
    let attributes = [
        ("message", permitted(&finding.message)),
        ("type", finding.kind.to_string()),
    ];
    let mut body = human::finding(&finding, Severity::Error, view);
    if !finding.replay.is_empty() {
        body += &format!("replay: {}\n", finding.replay);
    }
    element(xml, "failure", &attributes, &body)
}

fn unfinished(xml: &mut Xml, outcome: &Outcome, report: &Report) -> io::Result<()> {
    let name = match outcome {
        Outcome::Finished | Outcome::LeftOut => return Ok(()),
        Outcome::Incomplete => "error",
        Outcome::Unsupported => "skipped",
    };
    let verdict = text::verdict_line(report);
    let mut attributes = vec![("message", permitted(&verdict))];
    if let Outcome::Incomplete = outcome {
        attributes.push(("type", report.verdict.to_string()));
    }
    element(xml, name, &attributes, &verdict)
}

fn output(xml: &mut Xml, report: &Report, view: &View) -> io::Result<()> {
    // What a test framework said of a failure is there.
    let captured = report.output.iter();
    let mut said: String = captured
        .flat_map(|part| [&*part.stdout, &*part.stderr])
        .collect();
    if !said.is_empty() && !said.ends_with('\n') {
        said.push('\n');
    }
    let is_warning = |finding: &&Finding| report.severity(finding) == Severity::Warning;
    for warning in view.findings(report).filter(is_warning) {
        let warning = shown::shown(warning, &view.here);
        said += &human::finding(&warning, Severity::Warning, view);
        said.push('\n');
    }
    for note in &report.notes {
        said += &format!("note: {note}\n");
    }
    said += &text::verdict_line(report);
    element(xml, "system-out", &[], &said)
}

fn element(xml: &mut Xml, name: &str, attributes: &[(&str, String)], body: &str) -> io::Result<()> {
    let attributes = attributes.iter().map(|(key, value)| (*key, value.as_str()));
    let element = xml.create_element(name).with_attributes(attributes);
    element.write_text_content(BytesText::new(&permitted(body)))?;
    Ok(())
}

/// The text with a replacement character for what XML 1.0 can have in no way (§2.2, `Char`).
fn permitted(text: &str) -> String {
    let is_char = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            || c >= '\u{10000}'
    };
    let replace = |c: char| {
        if is_char(c) {
            c
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    text.chars().map(replace).collect()
}
