//! One finding: what it is, its accesses, time line and source.

use super::calls;
use super::drawing::Drawing;
use super::excerpts::Excerpts;
use super::files::Files;
use super::scenario;
use super::timeline::Timeline;
use crate::report::names_of_threads::name;
use crate::report::{human, shown, View};
use dpor_report::{minimal, phrases, text, Finding, Severity};
use maud::{html, Markup};

/// Up to so many places of a finding are listed openly above the time line (chosen: they leave half of a small screen to
/// it).
const OPEN_MAX: usize = 4;

/// The finding's part of the page. `number` (from 1) is its place on the page, and begins all names
/// of elements in it.
pub fn section(number: usize, finding: &Finding, severity: Severity, view: &View) -> Markup {
    let finding = shown::shown(finding, &view.here);
    let id = format!("f{number}");
    let word = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let excerpts = Excerpts::new(&id, &finding, view);
    let timeline = Timeline::new(&finding, &excerpts, view.full);
    let drawing = Drawing::new(&timeline, &id);
    let mut notes = human::notes_without_calls(&finding);
    let shortest = minimal::line(&finding);
    notes.extend((!shortest.is_empty()).then(|| shortest.trim_end().to_owned()));
    let has_trace = !finding.trace.is_empty();
    html! {
        section.finding id=(id) aria-labelledby=(format!("{id}-title")) tabindex="-1" {
            h2 id=(format!("{id}-title")) {
                span class={ "word " (word) } { (word) "[" (finding.kind) "]" } " " (finding.message)
            }
            (scenario::markup(&finding))
            @match finding.accesses.len() {
                0 => {}
                1..=OPEN_MAX => (accesses(&finding)),
                count => details.places {
                    summary { (text::counted(count as u64, "place")) }
                    (accesses(&finding))
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
                    @if has_trace { (drawing.markup(&excerpts)) }
                    div.beside {
                        div.now hidden {
                            p.event-line aria-live="polite" {}
                            div.calls-now {}
                            p.locks-title { "Locks held" }
                            ul.locks {}
                        }
                        div.stacks hidden { (timeline.stacks(&id)) }
                        (excerpts.markup())
                    }
                }
            }
        }
    }
}

/// What the finding is about: who did what, where, by which calls.
fn accesses(finding: &Finding) -> Markup {
    let files = Files::new(finding);
    let holder = |access| files.in_words(&phrases::holder(access, finding, text::line));
    html! {
        ul.accesses {
            @for access in &finding.accesses {
                li {
                    (name(&finding.threads, access.thread)) ": " (phrases::label(access)) (holder(access)) ", "
                    code { (text::place(&access.place)) }
                    @if !access.locks.is_empty() { ", holding " (access.locks.join(", ")) }
                    (calls::folded(&access.place))
                }
            }
        }
    }
}
