//! The JSON report, which `dpor replay` and `dpor show` read back.

use dpor_report::{Ending, Finding, Report, Step, Thread};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The contents of the file: the report, and how its program was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// What `dpor check` compiled; empty if it was given a program.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "lossily"
    )]
    pub sources: Vec<PathBuf>,
    /// Options of the compiler for these sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cflags: Vec<String>,
    /// Which build of the program it was, as schedules have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// What `dpor list-executions` listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Listed>,
}

/// Executions that ended alike, or one execution (`--json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The values observed and the output written; the number of the execution if it is listed alone.
    #[serde(flatten)]
    pub ending: Ending,
    /// Number of executions that ended so.
    pub executions: u64,
    /// Events of the first of them; empty if they were not kept.
    pub trace: Vec<Step>,
    /// The threads in it, with the functions they began with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
}

impl Saved {
    /// Reads a report.
    ///
    /// # Errors
    /// One sentence.
    pub fn read(path: &Path) -> Result<Saved, String> {
        let shown = path.display();
        let data = std::fs::read(path).map_err(|why| match why.kind() {
            std::io::ErrorKind::NotFound => format!("no such file: {shown}"),
            _ => format!("{shown} cannot be read: {why}"),
        })?;
        let saved: Saved = serde_json::from_slice(&data)
            .map_err(|why| format!("{shown} is not a JSON report of dpor: {why}"))?;
        match saved.report.tool == "dpor" {
            true => Ok(saved),
            false => Err(format!(
                "{shown} is a report of {}, not of dpor",
                saved.report.tool
            )),
        }
    }

    /// Reads the report of `FILE` or `FILE#N`: with its file, and the number if there is one.
    ///
    /// # Errors
    /// One sentence.
    pub fn locate(argument: &str) -> Result<(Saved, PathBuf, Option<usize>), String> {
        let (file, number) = match argument.rsplit_once('#') {
            // A file whose own name has the sign.
            _ if Path::new(argument).is_file() => (PathBuf::from(argument), None),
            None => (PathBuf::from(argument), None),
            Some((file, number)) => match number.parse() {
                Ok(number) if number > 0 => (PathBuf::from(file), Some(number)),
                _ => {
                    return Err(format!(
                        "'{number}' is not the number of a finding (from 1)"
                    ))
                }
            },
        };
        let saved = Saved::read(&file)?;
        Ok((saved, file, number))
    }

    /// The finding of a number, from 1.
    ///
    /// # Errors
    /// One sentence: there is none.
    pub fn finding(&self, file: &Path, number: usize) -> Result<&Finding, String> {
        let findings = &self.report.findings;
        let finding = number.checked_sub(1).and_then(|index| findings.get(index));
        finding.ok_or_else(|| {
            let count = dpor_report::text::counted(findings.len() as u64, "finding");
            let file = file.display();
            format!("{file} has {count}; there is no number {number}")
        })
    }

    /// The file's text.
    ///
    /// # Errors
    /// One sentence.
    pub fn text(&self) -> Result<String, String> {
        text(self)
    }
}

/// Paths as the rest of a report has them.
fn lossily<S: serde::Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// The text of a report's file.
///
/// # Errors
/// One sentence.
pub fn text(report: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(report)
        .map_err(|why| format!("[dpor internal bug] the report is no JSON: {why}"))?;
    Ok(text + "\n")
}
