//! The JSON report, which `dpor replay` and `dpor show` read back.

use dpor_report::{Finding, Saved};
use serde::Serialize;
use std::path::{Path, PathBuf};

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
    let saved = read(&file)?;
    Ok((saved, file, number))
}

/// The finding of a number, from 1, in the report of this file.
///
/// # Errors
/// One sentence: there is none.
pub fn finding<'a>(saved: &'a Saved, file: &Path, number: usize) -> Result<&'a Finding, String> {
    let findings = &saved.report.findings;
    let finding = number.checked_sub(1).and_then(|index| findings.get(index));
    finding.ok_or_else(|| {
        let count = dpor_report::text::counted(findings.len() as u64, "finding");
        let file = file.display();
        format!("{file} has {count}; there is no number {number}")
    })
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
