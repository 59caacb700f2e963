//! The reports that are written beside the text, each in a format of its own.

use super::destination::Destination;
use super::{dot, html, json, junit, sarif, state_graph, View};
use crate::flags::Wanted;
use dpor_report::Saved;
use std::path::Path;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Sarif,
    Junit,
    Html,
    Dot,
    Graph,
}

impl Format {
    /// What the file says; `None`: there is nothing to say, and no file.
    fn text(self, saved: &Saved, view: &View) -> Result<Option<String>, String> {
        let text = match self {
            Format::Json => json::text(saved)?,
            Format::Sarif => sarif::text(&saved.report, view)?,
            Format::Junit => junit::text(&saved.report, view)?,
            Format::Html => html::text(&saved.report, view),
            Format::Dot => dot::text(&saved.report, view),
            Format::Graph => return Ok(state_graph::text(&saved.report, view)),
        };
        Ok(Some(text))
    }
}

fn all_of(wanted: &Wanted) -> impl Iterator<Item = (Format, &Path)> {
    let all = [
        (Format::Json, &wanted.json),
        (Format::Sarif, &wanted.sarif),
        (Format::Junit, &wanted.junit),
        (Format::Html, &wanted.html),
        (Format::Dot, &wanted.dot),
        (Format::Graph, &wanted.graph),
    ];
    all.into_iter()
        .filter_map(|(format, path)| Some((format, path.as_deref()?)))
}

/// Files that can be written.
#[derive(Debug)]
pub struct Files {
    files: Vec<(Format, Destination)>,
    /// True if standard output is taken, by one of the files or by another report.
    stdout_is_taken: bool,
}

impl Files {
    /// Makes sure that all files asked for can be written.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(wanted: &Wanted) -> Result<Files, String> {
        Files::open_beside(wanted, false)
    }

    /// Opens the files that are wanted beside a report that may have taken standard output.
    ///
    /// # Errors
    /// One sentence.
    pub fn open_beside(wanted: &Wanted, stdout_is_taken: bool) -> Result<Files, String> {
        let mut paths: Vec<&Path> = Vec::new();
        let mut files = Vec::new();
        for (format, path) in all_of(wanted) {
            if paths.contains(&path) {
                return Err(match path == Path::new("-") {
                    true => "only one report can go to standard output".to_owned(),
                    false => format!("only one report can go to {}", path.display()),
                });
            }
            paths.push(path);
            files.push((format, Destination::open(path)?));
        }
        let is_stdout = |(_, to): &(Format, Destination)| matches!(to, Destination::Stdout);
        Ok(Files {
            stdout_is_taken: stdout_is_taken || files.iter().any(is_stdout),
            files,
        })
    }

    /// Whether standard output is taken, so that nothing else may go there.
    pub fn take_stdout(&self) -> bool {
        self.stdout_is_taken
    }

    /// The JSON report, if it is a file that can be read again: no stream.
    pub fn json_file(&self) -> Option<&Path> {
        self.files
            .iter()
            .find_map(|(format, to)| match (format, to) {
                (Format::Json, Destination::File(path, _)) => Some(path.as_path()),
                _ => None,
            })
    }

    /// Writes the JSON report, before the text promises that it can be replayed.
    ///
    /// # Errors
    /// One sentence.
    pub fn write_json_file(&mut self, saved: &Saved) -> Result<(), String> {
        let is_it = |(format, to): &(Format, Destination)| {
            *format == Format::Json && matches!(to, Destination::File(..))
        };
        match self.files.iter().position(is_it) {
            Some(position) => self.files.remove(position).1.write(&json::text(saved)?),
            None => Ok(()),
        }
    }

    /// Writes them, all that can be.
    ///
    /// # Errors
    /// One sentence: the first that could not.
    pub fn write(self, saved: &Saved, view: &View) -> Result<(), String> {
        let write = |(format, to): (Format, Destination)| match format.text(saved, view)? {
            Some(text) => to.write(&text),
            None => Ok(()),
        };
        let written: Vec<Result<(), String>> = self.files.into_iter().map(write).collect();
        written.into_iter().collect()
    }
}
