//! Saves a report, so that its findings can be replayed, and prints it.

use crate::flags::{is_source, Check, Scope, Target};
use crate::report::destination::Destination;
use crate::report::files::Files;
use crate::report::{self, json, View};
use crate::say;
use crate::words::quoted;
use dpor_report::{Listed, Report, Saved, Verdict};
use std::path::{Path, PathBuf};

/// Saves the report and prints it; gives both what was saved and how it was shown. `listed` and `build` are
/// for the JSON report.
///
/// # Errors
/// One sentence: what cannot be written.
pub fn finish(
    mut report: Report,
    check: &Check,
    mut files: Files,
    listed: Vec<Listed>,
    build: String,
) -> Result<(Report, View), String> {
    // A report on standard output or in a pipe has no name that `dpor replay` could be given.
    let file = files.json_file();
    let needs_file = file.is_none() && report.verdict == Verdict::Bug;
    let (sources, cflags) = match &check.target {
        Target::Program(_) => (Vec::new(), Vec::new()),
        Target::Sources { files, cflags } => (files.clone(), cflags.clone()),
    };
    let program = match &check.target {
        Target::Program(path) => std::slice::from_ref(path),
        Target::Sources { files, .. } => files,
    };
    // The report is UTF-8: it cannot say which program it is of.
    let is_nameable = program.iter().all(|path| path.to_str().is_some());
    if !is_nameable && !report.findings.is_empty() {
        let note = "a report names its program in UTF-8, which this one's path is not: it cannot be replayed";
        report.notes.push(note.to_owned());
    }
    let own = (needs_file && is_nameable).then(|| default_file(&report.program, &check.scope));
    if let Some(file) = file.or(own.as_deref()).filter(|_| is_nameable) {
        name_replays(&mut report, file);
    }
    let mut saved = Saved {
        report,
        sources,
        cflags,
        build,
        listed,
    };
    if let Some(own) = &own {
        let written = Destination::open(own).and_then(|to| to.write(&json::text(&saved)?));
        if let Err(why) = written {
            say::line(&format!("dpor: note: {why}; there is no report to replay"));
            forget_replays(&mut saved.report);
        }
    }
    let kept = files.write_json_file(&saved);
    if kept.is_err() {
        forget_replays(&mut saved.report);
    }
    let mut view = View::new(&saved.report, check.message_format);
    if let Scope::Test { name, .. } = &check.scope {
        view.test = Some(name.clone());
    }
    report::print(&saved.report, &view, files.take_stdout())?;
    files.write(&saved, &view)?;
    kept?;
    Ok((saved.report, view))
}

/// There is no file to replay them from.
fn forget_replays(report: &mut Report) {
    let findings = report.findings.iter_mut();
    findings.for_each(|finding| finding.replay.clear());
}

/// `x.dpor.json` in the current folder, for `dir/x` and for `dir/x.c`; `x.TEST.dpor.json` for a test of it.
fn default_file(program: &str, scope: &Scope) -> PathBuf {
    let path = Path::new(program);
    let name = match is_source(path) {
        true => path.file_stem(),
        false => path.file_name(),
    };
    let name = name.unwrap_or_default().to_string_lossy();
    match scope {
        Scope::Test { file_name, .. } => PathBuf::from(format!("{name}.{file_name}.dpor.json")),
        Scope::Program | Scope::Tests(_) | Scope::Scenarios => {
            PathBuf::from(format!("{name}.dpor.json"))
        }
    }
}

fn name_replays(report: &mut Report, file: &Path) {
    for (number, finding) in (1..).zip(&mut report.findings) {
        finding.replay = format!(
            "dpor replay {}#{number}",
            quoted(&file.display().to_string())
        );
    }
}
