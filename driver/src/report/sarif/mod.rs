//! The report as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format", errata 01).
//!
//! One run; one result per finding; its trace as a code flow, with one thread flow per thread and
//! the order of all events in `executionOrder`. A check that did not finish is no successful
//! invocation, because an empty list of results would say too much.

mod flow;
mod locations;
mod message;
mod rules;

use super::names_of_threads::name;
use super::{shown, View};
use crate::exit;
use dpor_report::{phrases, text, Access, Finding, Object, Report, Severity, Suppression, Verdict};
use locations::Locations;
use message::message;
use serde_json::{json, Value};
use serde_sarif::sarif::{
    self, Invocation, Location, Notification, PropertyBag, ResultLevel, Run, Sarif, Stack,
    StackFrame, Tool, ToolComponent,
};

/// The published schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The file's text.
///
/// # Errors
/// One sentence.
pub fn text(report: &Report, view: &View) -> Result<String, String> {
    file(run(report, view))
}

/// The file's text where all findings are new, compared with what was there before.
///
/// # Errors
/// One sentence.
pub fn text_of_new(report: &Report, view: &View) -> Result<String, String> {
    let mut run = run(report, view);
    for result in run.results.iter_mut().flatten() {
        result.baseline_state = Some(json!("new"));
    }
    file(run)
}

fn file(run: Run) -> Result<String, String> {
    let log = Sarif::builder()
        .schema(SCHEMA)
        .version(json!("2.1.0"))
        .runs(vec![run])
        .build();
    let text = serde_json::to_string_pretty(&log)
        .map_err(|why| format!("[dpor internal bug] the report is no SARIF: {why}"))?;
    Ok(text + "\n")
}

fn run(report: &Report, view: &View) -> Run {
    let mut locations = Locations::new(view);
    let findings = view.findings(report);
    let mut results: Vec<sarif::Result> = findings
        .map(|finding| {
            let severity = report.severity(finding);
            result(&shown::shown(finding, &view.here), severity, &mut locations)
        })
        .collect();
    results.extend(suppressed(report, view, &mut locations));
    let component = ToolComponent::builder()
        .name("dpor")
        .version(report.version.clone())
        .semantic_version(report.version.clone())
        .rules(rules::all())
        .build();
    Run::builder()
        .tool(Tool::builder().driver(component).build())
        .results(results)
        .invocations(vec![invocation(report, &locations)])
        .original_uri_base_ids(locations.bases())
        .column_kind(json!("unicodeCodePoints"))
        .properties(properties(report))
        .build()
}

/// The findings that were suppressed, which other tools are not to count either.
fn suppressed(report: &Report, view: &View, locations: &mut Locations<'_>) -> Vec<sarif::Result> {
    let suppressed = report.suppressed.iter().filter(|_| view.number.is_none());
    let all = suppressed.flat_map(|all| all.findings.iter().enumerate().map(move |one| (all, one)));
    all.map(|(all, (number, finding))| {
        let severity = report.severity(finding);
        let mut result = result(&shown::shown(finding, &view.here), severity, locations);
        let by = all.of(number).map(Suppression::said).unwrap_or_default();
        let suppression = sarif::Suppression::builder().kind(json!("external"));
        result.suppressions = Some(vec![suppression.justification(by).build()]);
        result
    })
    .collect()
}

fn result(finding: &Finding, severity: Severity, locations: &mut Locations<'_>) -> sarif::Result {
    let level = match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
    };
    let accesses = finding.accesses.iter();
    let accesses = accesses.map(|access| locations.at(&access.place, &label(finding, access)));
    let mut places: Vec<Location> = accesses.collect();
    // As in the text: where there is no access, the last event is the place.
    if let (true, Some(step)) = (places.is_empty(), finding.trace.last()) {
        places.push(locations.at(&step.place, &name(&finding.threads, step.thread)));
    }
    let mut related = places.split_off(places.len().min(1));
    let object = finding.object.as_ref();
    related.extend(object.and_then(|object| declaration(object, locations)));
    for (id, place) in (1..).zip(&mut related) {
        place.id = Some(id);
    }
    let mut result = sarif::Result::builder()
        .rule_id(finding.kind.to_string())
        .rule_index(rules::index(finding.kind))
        .level(level)
        .message(message(&sentences(finding)))
        .locations(places)
        .related_locations(related)
        .properties(bag([
            ("executions", json!(finding.executions)),
            ("preemptions", json!(finding.preemptions)),
            ("replay", json!(finding.replay)),
        ]))
        .build();
    result.stacks = stacks(finding, locations);
    result.code_flows = flow::code_flow(finding, locations).map(|flow| vec![flow]);
    result
}

/// The calls that led to each access, whole; `None` if they are not known.
fn stacks(finding: &Finding, locations: &mut Locations<'_>) -> Option<Vec<Stack>> {
    let mut stacks = Vec::new();
    for access in finding
        .accesses
        .iter()
        .filter(|access| !access.place.stack.is_empty())
    {
        let frames = access.place.stack.iter().map(|frame| {
            let mut of_stack = StackFrame::builder().build();
            of_stack.location = Some(locations.at(&frame.place(), ""));
            of_stack.module = Some(frame.object.clone()).filter(|object| !object.is_empty());
            of_stack
        });
        let frames = frames.collect::<Vec<StackFrame>>();
        let label = message(&label(finding, access));
        stacks.push(Stack::builder().message(label).frames(frames).build());
    }
    (!stacks.is_empty()).then_some(stacks)
}

/// What the accesses' labels say in the text.
fn label(finding: &Finding, access: &Access) -> String {
    let mut label = format!(
        "{}: {}",
        name(&finding.threads, access.thread),
        phrases::label(access)
    );
    if !access.locks.is_empty() {
        label += &format!(", holding {}", access.locks.join(", "));
    }
    let chain: Vec<String> = access.place.inlined_into.iter().map(text::place).collect();
    if !chain.is_empty() && access.place.stack.is_empty() {
        label += &format!(", inlined into {}", chain.join(", into "));
    }
    label
}

fn declaration(object: &Object, locations: &mut Locations<'_>) -> Option<Location> {
    let place = dpor_report::Place {
        file: object.file.clone()?,
        line: object.line,
        ..dpor_report::Place::default()
    };
    Some(locations.at(&place, &object.name))
}

/// The message and what else is to be said, one sentence per line.
fn sentences(finding: &Finding) -> String {
    let details = finding.details.iter().map(String::as_str);
    let lines: Vec<&str> = std::iter::once(finding.message.as_str())
        .chain(details)
        .collect();
    lines.join("\n")
}

fn invocation(report: &Report, locations: &Locations<'_>) -> Invocation {
    let finished = match report.verdict {
        Verdict::Verified | Verdict::Bug => true,
        Verdict::Incomplete => report.is_as_asked(),
        Verdict::Unsupported => false,
    };
    let notice = |level: &str, text: &str| {
        let notice = Notification::builder().level(json!(level));
        notice.message(message(text)).build()
    };
    let mut notices: Vec<Notification> = Vec::new();
    if !finished {
        notices.push(notice("error", &text::verdict_line(report)));
    } else if let Some(reason) = &report.reason {
        notices.push(notice("warning", &format!("incomplete: {reason}")));
    }
    notices.extend(report.notes.iter().map(|note| notice("note", note)));
    Invocation::builder()
        .execution_successful(finished)
        .exit_code(i64::from(exit::of(report).code()))
        .exit_code_description(text::verdict_line(report))
        .tool_execution_notifications(notices)
        .working_directory(locations.here())
        .build()
}

fn properties(report: &Report) -> PropertyBag {
    bag([
        ("verdict", json!(report.verdict)),
        ("reason", json!(report.reason)),
        ("program", json!(report.program)),
        ("args", json!(report.args)),
        ("model", json!(report.model)),
        ("search", json!(report.search)),
        ("bound", json!(report.bound)),
        ("executions", json!(report.executions)),
        ("events", json!(report.events)),
        ("seconds", json!(report.seconds)),
        ("scope", json!(report.scope)),
    ])
}

fn bag<const N: usize>(pairs: [(&str, Value); N]) -> PropertyBag {
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value));
    PropertyBag::builder().additional_properties(pairs).build()
}
