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
    /// Write the verdict as JUnit XML: one test case, or one for each test
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page for browsers: findings with time lines and source
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the happens-before graph of the first finding for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
}

/// The format of a report.
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
        self.open_beside(false)
    }

    /// Opens the files as [`Wanted::open`] does, beside a report that may have taken standard output.
    ///
    /// # Errors
    /// One sentence.
    pub fn open_beside(&self, stdout_is_taken: bool) -> Result<Files, String> {
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
        let is_stdout = |(_, to): &(Format, Destination)| matches!(to, Destination::Stdout);
        Ok(Files {
            stdout_is_taken: stdout_is_taken || files.iter().any(is_stdout),
            files,
        })
    }

    /// The reports of one test of several, named after it; JUnit has all of them in one.
    ///
    /// # Errors
    /// One sentence: one of them is standard output.
    pub fn with_name(&self, name: &str) -> Result<Wanted, String> {
        let named = |file: &Option<PathBuf>| {
            let file = file.as_deref();
            file.map(|file| with_name(file, name)).transpose()
        };
        Ok(Wanted {
            json: named(&self.json)?,
            sarif: named(&self.sarif)?,
            junit: None,
            html: named(&self.html)?,
            dot: named(&self.dot)?,
        })
    }
}

/// Files that can be written.
#[derive(Debug)]
pub struct Files {
    files: Vec<(Format, Destination)>,
    /// True if standard output is taken, by one of the files or by another report.
    stdout_is_taken: bool,
}

impl Files {
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
            Some(position) => self.files.remove(position).1.write(&saved.text()?),
            None => Ok(()),
        }
    }

    /// Writes them, all that can be.
    ///
    /// # Errors
    /// One sentence: the first that could not.
    pub fn write(self, saved: &Saved, view: &View) -> Result<(), String> {
        let write = |(format, to): (Format, Destination)| to.write(&format.text(saved, view)?);
        let written: Vec<Result<(), String>> = self.files.into_iter().map(write).collect();
        written.into_iter().collect()
    }
}

/// `DIR/out.json` for the test `Queue.Empty` is `DIR/out.Queue.Empty.json`.
///
/// # Errors
/// One sentence: it is standard output.
fn with_name(file: &Path, name: &str) -> Result<PathBuf, String> {
    if file == Path::new("-") {
        return Err(
            "with --test-filter, only --junit can go to standard output: the others are a report for each test"
                .to_owned(),
        );
    }
    let mut named = file.file_stem().unwrap_or_default().to_os_string();
    named.push(format!(".{name}"));
    if let Some(extension) = file.extension() {
        named.push(".");
        named.push(extension);
    }
    Ok(file.with_file_name(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_per_test() {
        let check = |file: &str, expect: &str| {
            let named = with_name(Path::new(file), "Q.E").expect("a name");
            assert_eq!(named, Path::new(expect));
        };
        check("out.json", "out.Q.E.json");
        check("d/out.tests.xml", "d/out.tests.Q.E.xml");
        check("/d/out", "/d/out.Q.E");
        assert!(with_name(Path::new("-"), "Q.E").is_err());
    }
}
