//! The report as JUnit XML, the way Jenkins and the test views of other services read it: one
//! test suite with one test case, the program.
//!
//! A finding that is an error is a `failure`; a check that did not finish is an `error`, and an
//! unsupported program is `skipped`. Warnings and the verdict are the test case's output.

use super::{human, shown, View};
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
}

/// The file's text.
///
/// # Errors
/// One sentence.
pub fn text(report: &Report, view: &View) -> Result<String, String> {
    let wrong = |why: &dyn std::fmt::Display| {
        format!("[dpor internal bug] the report is no JUnit XML: {why}")
    };
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, report, view).map_err(|why| wrong(&why))?;
    let text = String::from_utf8(xml.into_inner()).map_err(|why| wrong(&why))?;
    Ok(text + "\n")
}

fn write(xml: &mut Xml, report: &Report, view: &View) -> io::Result<()> {
    let (errors, warnings): (Vec<&Finding>, Vec<&Finding>) = view
        .findings(report)
        .partition(|finding| report.severity(finding) == Severity::Error);
    let outcome = outcome(report, !errors.is_empty());
    let count = |is_one: bool| if is_one { "1" } else { "0" };
    let time = format!("{:.3}", report.seconds.wall);
    let counters = [
        ("tests", "1"),
        ("failures", count(!errors.is_empty())),
        ("errors", count(matches!(outcome, Outcome::Incomplete))),
        ("time", &time),
    ];
    let skipped = ("skipped", count(matches!(outcome, Outcome::Unsupported)));
    let name = name(report);
    let case = [("classname", "dpor"), ("name", &name), ("time", &time)];
    xml.write_event(quick_xml::events::Event::Decl(declaration()))?;
    let suites = xml.create_element("testsuites");
    suites
        .with_attributes(counters)
        .write_inner_content(|xml| {
            let suite = xml.create_element("testsuite");
            let suite = suite.with_attributes([("name", "dpor"), skipped]);
            suite.with_attributes(counters).write_inner_content(|xml| {
                let case = xml.create_element("testcase").with_attributes(case);
                case.write_inner_content(|xml| {
                    for finding in &errors {
                        failure(xml, finding, view)?;
                    }
                    unfinished(xml, &outcome, report)?;
                    output(xml, &warnings, report, view)
                })?;
                Ok(())
            })?;
            Ok(())
        })?;
    Ok(())
}

fn declaration() -> quick_xml::events::BytesDecl<'static> {
    quick_xml::events::BytesDecl::new("1.0", Some("UTF-8"), None)
}

/// What to say of a check that did not finish. Where something was found, that says enough.
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
        Outcome::Finished => return Ok(()),
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

fn output(xml: &mut Xml, warnings: &[&Finding], report: &Report, view: &View) -> io::Result<()> {
    let mut said = String::new();
    for warning in warnings {
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
