//! The report as one page for browsers: verdict and scope, findings with a time line of the trace
//! (`timeline.rs`, `drawing.rs`) and the source beside it (`excerpts.rs`), tables. Of a data structure (`dpor scenario`) it has
//! what was asked (`asked.rs`), and with a finding the calls and the orders that come nearest (`scenario.rs`).
//!
//! The page needs no network and says so to the browser, and nothing on it needs the script: events
//! are links to lines of the source. The script adds stepping with the calls and the locks held (`steps.js`), search
//! (`search.js`) and zoom (`zoom.js`); what only it can do is hidden without it.
//!
//! All text goes through `maud`, which escapes it for elements and for attributes in quotes. No text
//! of the program stands in the script or the style, where other rules would hold.

mod asked;
mod calls;
mod drawing;
mod excerpts;
mod files;
mod finding;
mod scenario;
mod tables;
mod timeline;
mod tools;

use super::View;
use dpor_report::{text, Report};
use maud::{html, Markup, PreEscaped, DOCTYPE};

const STYLE: &str = concat!(
    include_str!("page.css"),
    include_str!("timeline.css"),
    include_str!("scenario.css")
);

/// One script, so that its parts know each other and nothing else does.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("steps.js"),
    include_str!("search.js"),
    include_str!("zoom.js"),
    "})();\n"
);

/// The page's security policy: nothing is loaded from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The file's text.
pub fn text(report: &Report, view: &View) -> String {
    permitted(&page(report, view).into_string())
}

fn page(report: &Report, view: &View) -> Markup {
    // Which of the sizes it was is said below.
    let is_own = |arg: &&String| report.scenarios.is_none() || !arg.starts_with("--dpor-");
    let args = report.args.iter().filter(is_own);
    let words = std::iter::once(&report.program).chain(args);
    let words: Vec<&str> = words.map(String::as_str).collect();
    let program = words.join(" ");
    let has_events = view
        .findings(report)
        .any(|finding| !finding.trace.is_empty());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (report.verdict) ": " (program) " - dpor" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { code { (program) } }
                    p.verdict.(report.verdict) { (text::verdict_line(report)) }
                    details.about {
                        summary { (about(report)) }
                        (tables::facts(report))
                        @for note in &report.notes { p.note { "note: " (note) } }
                    }
                    @if has_events { (tools::markup()) }
                }
                main {
                    @if let Some(scenarios) = &report.scenarios { (asked::section(scenarios)) }
                    @for (number, finding) in (1..).zip(view.findings(report)) {
                        (finding::section(number, finding, report.severity(finding), view))
                    }
                    (tables::outcomes(report))
                    (tables::coverage(report))
                }
                footer { (report.tool) " " (report.version) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// What is folded below the verdict.
fn about(report: &Report) -> String {
    match report.notes.len() as u64 {
        0 => "how it was checked".to_owned(),
        n => format!("how it was checked, {}", text::counted(n, "note")),
    }
}

/// The page with a replacement character for what HTML cannot have (HTML, 13.2.3.5 "control
/// characters"); the markup has none of them.
fn permitted(page: &str) -> String {
    let replace = |c: char| match c {
        '\t' | '\n' => c,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    page.chars().map(replace).collect()
}
