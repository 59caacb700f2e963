//! One finding in the manner of rustc: headline, source lines with the accesses marked, notes,
//! then the trace.

use super::names_of_threads::name;
use super::source::Source;
use super::{calls, table, View};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use dpor_report::{phrases, text, Access, Finding, Place, Severity};

/// A marked place: where, what is written at it.
struct Mark<'a> {
    place: &'a Place,
    label: String,
}

/// The finding and its trace; ends with a newline.
pub fn finding(finding: &Finding, severity: Severity, view: &View) -> String {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let kind = finding.kind.to_string();
    let marks = marks(finding);
    let mut group = Group::with_title(level.primary_title(&finding.message).id(kind));
    for (file, marks) in by_file(&marks) {
        group = match Source::find(file, &view.folder) {
            Some(source) => excerpt(group, file, &source, &marks),
            None => origins(group, &marks),
        };
    }
    for note in notes(finding) {
        group = group.element(Level::NOTE.message(note));
    }
    let renderer = match view.styled {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    // A longer line of source is cut around what is marked in it.
    let renderer = renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(view.width);
    format!(
        "{}\n{}",
        renderer.render(&[group]),
        table::trace(finding, view.full, view.width, view.styled)
    )
}

/// The accesses, or the last event of the trace if the finding has none.
fn marks(finding: &Finding) -> Vec<Mark<'_>> {
    let accesses = finding.accesses.iter().map(|access| Mark {
        place: &access.place,
        label: label(&name(&finding.threads, access.thread), access),
    });
    let marks: Vec<Mark<'_>> = accesses.collect();
    match (marks.is_empty(), finding.trace.last()) {
        (true, Some(step)) => vec![Mark {
            place: &step.place,
            label: name(&finding.threads, step.thread),
        }],
        _ => marks,
    }
}

/// `T1 (f): write in f, holding m`.
pub fn label(thread: &str, access: &Access) -> String {
    let mut label = format!("{thread}: {}", phrases::label(access));
    if !access.place.function.is_empty() {
        label += &format!(" in {}", access.place.function);
    }
    if !access.locks.is_empty() {
        label += &format!(", holding {}", access.locks.join(", "));
    }
    label
}

/// Marks by file, in the order of their first appearance.
fn by_file<'a>(marks: &'a [Mark<'a>]) -> Vec<(&'a str, Vec<&'a Mark<'a>>)> {
    let mut files: Vec<(&str, Vec<&Mark<'_>>)> = Vec::new();
    for mark in marks {
        let file = mark.place.file.as_str();
        match files.iter_mut().find(|(name, _)| *name == file) {
            Some((_, marks)) => marks.push(mark),
            None => files.push((file, vec![mark])),
        }
    }
    files
}

fn excerpt<'a>(group: Group<'a>, file: &str, source: &Source, marks: &[&Mark<'_>]) -> Group<'a> {
    let mut snippet = Snippet::source(source.text.clone())
        .path(file.to_owned())
        .fold(true);
    let mut lost = Vec::new();
    for (number, mark) in marks.iter().enumerate() {
        match source.span(mark.place.line, mark.place.column) {
            Some(span) => {
                let kind = match number {
                    0 => AnnotationKind::Primary,
                    _ => AnnotationKind::Context,
                };
                snippet = snippet.annotation(kind.span(span).label(mark.label.clone()));
            }
            None => lost.push(*mark),
        }
    }
    let group = match lost.len() == marks.len() {
        true => group,
        false => group.element(snippet),
    };
    origins(group, &lost)
}

/// Places without source text.
fn origins<'a>(mut group: Group<'a>, marks: &[&Mark<'_>]) -> Group<'a> {
    for mark in marks {
        let place = mark.place;
        if place.file.is_empty() {
            group = group.element(Level::NOTE.message(mark.label.clone()));
            continue;
        }
        let mut origin = Origin::path(place.file.clone());
        if place.line > 0 {
            origin = origin.line(place.line as usize);
        }
        if place.column > 0 {
            origin = origin.char_column(place.column as usize);
        }
        let label = Level::NOTE.message(mark.label.clone());
        group = group.element(origin).element(label);
    }
    group
}

/// The object, the calls that led to accesses, and what else there is to say.
fn notes(finding: &Finding) -> Vec<String> {
    let mut notes = notes_without_calls(finding);
    let accesses = finding.accesses.iter();
    let calls = accesses.filter_map(|access| calls::note(finding, access));
    // Behind the object.
    let at = usize::from(finding.object.is_some());
    notes.splice(at..at, calls);
    notes
}

/// The object, and what else there is to say.
pub fn notes_without_calls(finding: &Finding) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(object) = &finding.object {
        let mut note = object.name.clone();
        if object.size > 0 {
            note += &format!(", {}", text::counted(object.size, "byte"));
        }
        let at = object.file.as_ref();
        let at = at.map(|file| format!("{file}:{}", object.line));
        let (of, at) = (object.block_of.as_str(), at.as_deref());
        note += &match (of, at) {
            ("", None) => String::new(),
            ("", Some(at)) => format!(", of {at}"),
            (of, None) => format!(", in the heap (type {of})"),
            (of, Some(at)) => format!(", in the heap (type {of}, allocated at {at})"),
        };
        notes.push(note);
    }
    notes.extend(finding.details.iter().cloned());
    notes
}
