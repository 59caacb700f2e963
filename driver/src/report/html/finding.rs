//! One finding: what it is, its accesses, time line and source.

use super::excerpts::Excerpts;
use super::timeline::Timeline;
use crate::report::calls::{self, Call};
use crate::report::names_of_threads::name;
use crate::report::{human, shown, View};
use dpor_report::{minimal, phrases, text, Access, Finding, Severity};
use maud::{html, Markup};

/// The calls that led to an access, folded where a library's are.
fn stack(access: &Access) -> Markup {
    let calls = calls::calls(&access.place);
    html! {
        @if !calls.is_empty() {
            ol.calls {
                @for call in &calls {
                    @match call {
                        Call::Own(_) => { li { code { (call.line()) } } }
                        Call::Folded(words) => { li.folded { (words) } }
                    }
                }
            }
        }
    }
}

/// The finding's part of the page. `number` (from 1) is its place on the page, and begins all names
/// of elements in it.
pub fn section(number: usize, finding: &Finding, severity: Severity, view: &View) -> Markup {
    let finding = shown::shown(finding, &view.here);
    let id = format!("f{number}");
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let timeline = Timeline::new(&finding);
    let excerpts = Excerpts::new(&id, &finding, view);
    let mut notes = human::notes_without_calls(&finding);
    let shortest = minimal::line(&finding);
    notes.extend((!shortest.is_empty()).then(|| shortest.trim_end().to_owned()));
    let has_trace = !finding.trace.is_empty();
    html! {
        section.finding id=(id) aria-labelledby=(format!("{id}-title")) tabindex="-1" {
            h2 id=(format!("{id}-title")) {
                span class={ "word " (word) } { (word) "[" (finding.kind) "]" } " " (finding.message)
            }
            @if !finding.accesses.is_empty() {
                ul.accesses {
                    @for access in &finding.accesses {
                        li {
                            (name(&finding.threads, access.thread)) ": " (phrases::label(access)) (phrases::holder(access, &finding, text::line)) ", "
                            code { (text::place(&access.place)) }
                            @if !access.locks.is_empty() { ", holding " (access.locks.join(", ")) }
                            (stack(access))
                        }
                    }
                }
            }
            @if !notes.is_empty() {
                details.notes {
                    summary { (text::counted(notes.len() as u64, "note")) }
                    @for note in &notes { p.note { (note) } }
                }
            }
            @if !finding.replay.is_empty() { p.replay { "replay: " code { (finding.replay) } } }
            @if has_trace || !excerpts.is_empty() {
                div.panes {
                    @if has_trace { (timeline.markup(&id, &excerpts)) }
                    div.beside {
                        div.now hidden {
                            p.event-line aria-live="polite" {}
                            p.locks-title { "Locks held" }
                            ul.locks {}
                        }
                        (excerpts.markup())
                    }
                }
            }
        }
    }
}
