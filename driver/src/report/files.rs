//! The reports that are written beside the text, each in a format of its own.

use super::destination::Destination;
use super::json::Saved;
use super::{dot, html, junit, sarif, View};
use std::path::{Path, PathBuf};

/// The files asked for.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Wanted {
    /// Write the report as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0, for code scanning and editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the verdict as JUnit XML: one test case
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page for browsers: findings with time lines and source
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the happens-before graph of the first finding for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Sarif,
    Junit,
    Html,
    Dot,
}

impl Format {
    fn text(self, saved: &Saved, view: &View) -> Result<String, String> {
        match self {
            Format::Json => saved.text(),
            Format::Sarif => sarif::text(&saved.report, view),
            Format::Junit => junit::text(&saved.report, view),
            Format::Html => Ok(html::text(&saved.report, view)),
            Format::Dot => Ok(dot::text(&saved.report, view)),
        }
    }
}

impl Wanted {
    fn all(&self) -> impl Iterator<Item = (Format, &Path)> {
        let all = [
            (Format::Json, &self.json),
            (Format::Sarif, &self.sarif),
            (Format::Junit, &self.junit),
            (Format::Html, &self.html),
            (Format::Dot, &self.dot),
        ];
        all.into_iter()
            .filter_map(|(format, path)| Some((format, path.as_deref()?)))
    }

    /// Makes sure that all of them can be written.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(&self) -> Result<Files, String> {
        let mut paths: Vec<&Path> = Vec::new();
        let mut files = Vec::new();
        for (format, path) in self.all() {
            if paths.contains(&path) {
                return Err(match path == Path::new("-") {
                    true => "only one report can go to standard output".to_owned(),
                    false => format!("only one report can go to {}", path.display()),
                });
            }
            paths.push(path);
            files.push((format, Destination::open(path)?));
        }
        Ok(Files(files))
    }
}

/// Files that can be written.
#[derive(Debug)]
pub struct Files(Vec<(Format, Destination)>);

impl Files {
    /// Whether one of them is standard output, where then nothing else may go.
    pub fn take_stdout(&self) -> bool {
        let is_stdout = |(_, to): &(Format, Destination)| matches!(to, Destination::Stdout);
        self.0.iter().any(is_stdout)
    }

    /// Writes them, all that can be.
    ///
    /// # Errors
    /// One sentence: the first that could not.
    pub fn write(self, saved: &Saved, view: &View) -> Result<(), String> {
        let write = |(format, to): (Format, Destination)| to.write(&format.text(saved, view)?);
        let written: Vec<Result<(), String>> = self.0.into_iter().map(write).collect();
        written.into_iter().collect()
    }
}
