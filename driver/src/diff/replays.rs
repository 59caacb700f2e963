//! Schedules of differences in reports of their own, one for each version, so that `dpor replay` runs them again.

use super::build::Built;
use super::judge::Comparison;
use crate::report::destination::Destination;
use crate::report::json;
use crate::say;
use crate::schedule::build_of;
use crate::words::quoted;
use dpor_report::{Finding, Report, Saved, Verdict};
use std::path::{Path, PathBuf};

/// Differences whose schedules are kept (chosen: those that are shown).
const KEPT_MAX: usize = 20;

/// Writes the schedules of one side into the current folder, and says in the differences how to run them again. `report`:
/// what the check of that side said.
pub fn keep(comparison: &mut Comparison, side: usize, built: &Built, report: &Report) {
    let name = name_of(&comparison.program);
    let file = PathBuf::from(format!("{name}.{}.dpor.json", ["old", "new"][side]));
    let all = { comparison.differences.iter_mut() }.chain(&mut comparison.doubtful);
    let mut kept: Vec<Finding> = Vec::new();
    for difference in all.take(KEPT_MAX) {
        let words = &difference.words[side];
        let is_it = |finding: &&Finding| !words.is_empty() && finding.schedule == *words;
        let known = kept.iter().position(|finding| is_it(&finding));
        let number = known.or_else(|| {
            let finding = report.findings.iter().find(is_it)?;
            kept.push(finding.clone());
            Some(kept.len() - 1)
        });
        if let Some(number) = number {
            let file = quoted(&file.display().to_string());
            difference.replays[side] = format!("dpor replay {file}#{}", number + 1);
        }
    }
    if kept.is_empty() {
        return;
    }
    let numbered = (1..).zip(&mut kept);
    numbered.for_each(|(number, finding): (usize, _)| {
        let file = quoted(&file.display().to_string());
        finding.replay = format!("dpor replay {file}#{number}");
    });
    let (sources, cflags) = match &built.target {
        crate::flags::Target::Program(_) => (Vec::new(), Vec::new()),
        crate::flags::Target::Sources { files, cflags } => (files.clone(), cflags.clone()),
    };
    let saved = Saved {
        report: Report {
            program: built.name(),
            findings: kept,
            verdict: Verdict::Bug,
            ..report.clone()
        },
        sources,
        cflags,
        build: build_of(&built.program.path),
        listed: Vec::new(),
    };
    let text = json::text(&saved).map(|text| match &built.home {
        // It is run again where it can be built again.
        Some(home) => moved(&text, &built.root, home),
        None => text,
    });
    let written = text.and_then(|text| Destination::open(&file)?.write(&text));
    if let Err(why) = written {
        say::line(&format!(
            "dpor: note: {why}; there are no schedules to replay"
        ));
        let all = { comparison.differences.iter_mut() }.chain(&mut comparison.doubtful);
        all.for_each(|difference| difference.replays[side].clear());
    }
}

/// The text with paths below one folder as those below another.
fn moved(text: &str, from: &Path, to: &Path) -> String {
    let [from, to] = [from, to].map(|folder| folder.display().to_string() + "/");
    text.replace(&from, &to)
}

/// `x` for `dir/x` and `dir/x.c`.
fn name_of(program: &str) -> String {
    let path = Path::new(program);
    let name = match crate::flags::is_source(path) {
        true => path.file_stem(),
        false => path.file_name(),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}
