//! pigz, a parallel gzip: its output must not depend on the interleaving.

use super::{check, source, Part};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, process, tree};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const EXECUTIONS: &str = "2000";

/// Builds and checks pigz.
///
/// # Errors
/// If it cannot be fetched or built.
pub fn run() -> Outcome<Part> {
    if !apt::has("zlib1g-dev") {
        apt::install(&["zlib1g-dev"])?;
    }
    let source = source::fetch("pigz")?;
    let mut make = Command::new("make");
    make.arg("-C").arg(&source).arg("pigz");
    let tool = tree::tool("dpor-cc");
    process::run(make.arg(format!("CC={}", tool.display())))?;
    let input = input(&source)?;
    let option = format!("--max-executions={EXECUTIONS}");
    let arguments = ["-p", "3", "-b", "32", "-k", "-c", &input];
    let report = check(&source.join("pigz"), &[&option, "--output=all"], &arguments)?;
    let outputs: BTreeSet<&str> = report.output.iter().map(|o| o.stdout.as_str()).collect();
    let good = outputs.len() == 1 && report.findings.is_empty() && report.executions.total() > 1;
    let version = source.file_name().unwrap_or_default().to_string_lossy();
    let text = format!(
        "\n## {version}\n\n\
         Unmodified, `make CC=dpor-cc`, `dpor check --max-executions {EXECUTIONS} ./pigz -- -p 3 -b 32 -k -c FILE` with a FILE of 100,000 bytes.\n\n\
         | verdict | reason | executions | distinct outputs | findings | executions/s |\n|---|---|---|---|---|---|\n\
         | {} | {} | {} | {} | {} | {:.0} |\n",
        report.verdict,
        report.reason.as_deref().unwrap_or(""),
        report.executions.total(),
        outputs.len(),
        report.findings.len(),
        report.executions_per_second,
    );
    Ok(Part {
        text,
        wrong: usize::from(!good),
    })
}

/// A file of several blocks that compresses, but not to nothing: numbers in words of text.
fn input(folder: &Path) -> Outcome<String> {
    let path = folder.join("input.txt");
    let mut text = String::new();
    let mut number: u32 = 1;
    while text.len() < 100_000 {
        // A multiplicative generator: the same file everywhere.
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text += &format!("line {}\n", number >> 12);
    }
    text.truncate(100_000);
    std::fs::write(&path, text).while_doing(path.display())?;
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Stop::cannot("the folder's name is not UTF-8"))
}
