//! The lines of the source around the places of a finding.

use crate::report::source::Source;
use crate::report::View;
use dpor_report::{phrases, Finding, Place};
use maud::{html, Markup};
use std::collections::{BTreeMap, BTreeSet};

/// Lines shown before and after one that the finding refers to (chosen: the head of a short function).
const AROUND: u32 = 5;

/// Excerpts of all files of a finding.
pub struct Excerpts {
    /// Begins the names of their elements.
    id: String,
    files: Vec<File>,
}

struct File {
    name: String,
    /// The lines by number; `None` if the file was not found.
    lines: Option<BTreeMap<u32, Line>>,
}

#[derive(Default)]
struct Line {
    text: String,
    /// What the finding says of it.
    marks: Vec<String>,
}

impl Excerpts {
    /// Reads the files.
    pub fn new(id: &str, finding: &Finding, view: &View) -> Excerpts {
        let mut files: Vec<File> = Vec::new();
        for (name, wanted) in wanted(finding) {
            let source = Source::find(name, &view.folder);
            let mut lines = source.map(|source| excerpt(&source, &wanted));
            for access in &finding.accesses {
                let is_here = access.place.file == name;
                let line = lines.iter_mut().filter(|_| is_here);
                let line = line.filter_map(|lines| lines.get_mut(&access.place.line));
                for line in line {
                    let mark = format!("T{}: {}", access.thread, phrases::label(access));
                    line.marks.push(mark);
                }
            }
            let name = name.to_owned();
            files.push(File { name, lines });
        }
        Excerpts {
            id: id.to_owned(),
            files,
        }
    }

    /// Whether the finding has no places.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The name of the element of a place's line, if it is shown.
    pub fn line_id(&self, place: &Place) -> Option<String> {
        let number = self.files.iter().position(|file| file.name == place.file)?;
        let lines = self.files[number].lines.as_ref()?;
        let is_shown = lines.contains_key(&place.line);
        is_shown.then(|| self.id_of(number, place.line))
    }

    /// The text of a place's line without its indentation, if it is shown and not empty.
    pub fn text_of(&self, place: &Place) -> Option<&str> {
        let file = self.files.iter().find(|file| file.name == place.file)?;
        let line = file.lines.as_ref()?.get(&place.line)?;
        Some(line.text.trim()).filter(|text| !text.is_empty())
    }

    fn id_of(&self, file: usize, line: u32) -> String {
        format!("{}-s{}-l{line}", self.id, file + 1)
    }

    /// A list of lines for each run of lines.
    pub fn markup(&self) -> Markup {
        html! {
            div.source role="region" aria-label="Source" tabindex="0" {
                @for (number, file) in self.files.iter().enumerate() {
                    h3 { (file.name) }
                    @match &file.lines {
                        None => p.note { "the file was not found when this page was made" },
                        Some(lines) => @for run in runs(lines) { (self.run(number, &run)) },
                    }
                }
            }
        }
    }

    fn run(&self, file: usize, run: &[(u32, &Line)]) -> Markup {
        let first = run.first().map_or(1, |(line, _)| *line);
        html! {
            ol.code start=(first) {
                @for (number, line) in run {
                    li id=(self.id_of(file, *number)) .marked[!line.marks.is_empty()] {
                        span.number aria-hidden="true" { (number) }
                        code { (line.text) }
                        @if !line.marks.is_empty() { span.mark { (line.marks.join("; ")) } }
                    }
                }
            }
        }
    }
}

/// The lines that a finding refers to, by file in the order of their first appearance: accesses
/// first, then events, then the declaration of the object.
fn wanted(finding: &Finding) -> Vec<(&str, BTreeSet<u32>)> {
    let accesses = finding.accesses.iter().map(|access| &access.place);
    let steps = finding.trace.iter().map(|step| &step.place);
    let places = accesses.chain(steps);
    let places = places.map(|place| (place.file.as_str(), place.line));
    let object = finding.object.iter();
    let object = object.filter_map(|object| Some((object.file.as_deref()?, object.line)));
    let mut files: Vec<(&str, BTreeSet<u32>)> = Vec::new();
    for (name, line) in places.chain(object).filter(|(name, _)| !name.is_empty()) {
        match files.iter_mut().find(|(file, _)| *file == name) {
            Some((_, lines)) => drop(lines.insert(line)),
            None => files.push((name, BTreeSet::from([line]))),
        }
    }
    files
}

fn excerpt(source: &Source, wanted: &BTreeSet<u32>) -> BTreeMap<u32, Line> {
    let is_near = |number: u32| {
        let near = number.saturating_sub(AROUND).max(1)..=number.saturating_add(AROUND);
        wanted.range(near).next().is_some()
    };
    let lines = (1..).zip(source.text.lines());
    let near = lines.filter(|(number, _)| is_near(*number));
    let line = |text: &str| Line {
        text: text.to_owned(),
        marks: Vec::new(),
    };
    near.map(|(number, text)| (number, line(text))).collect()
}

/// Lines that follow one another.
fn runs(lines: &BTreeMap<u32, Line>) -> Vec<Vec<(u32, &Line)>> {
    let mut runs: Vec<Vec<(u32, &Line)>> = Vec::new();
    for (number, line) in lines {
        let last = runs.last_mut();
        match last.filter(|run| run.last().is_some_and(|(before, _)| before + 1 == *number)) {
            Some(run) => run.push((*number, line)),
            None => runs.push(vec![(*number, line)]),
        }
    }
    runs
}
