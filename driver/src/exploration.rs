//! One search of a check: the program is compiled if needed, looked at and explored.

use crate::advice::{self, Advice};
use crate::auto;
use crate::cache::Case;
use crate::cluster::Company;
use crate::compile::{self, Compiled};
use crate::finite;
use crate::flags::{Check, Scope, Target};
use crate::framework::failure;
use crate::input::Input;
use crate::install::Installation;
use crate::launch::{self, Stdout};
use crate::minimize::{self, Before};
use crate::program::{self, Program};
use crate::progress::Display;
use crate::report::files::Files;
use crate::report::moments::since_common;
use crate::say;
use crate::schedule::build_of;
use crate::suppress::Suppressing;
use dpor_abi::options::Options;
use dpor_report::{Progress, Report, Verdict};

/// What the search said.
#[derive(Debug)]
pub struct Explored {
    /// Without what only the command line knows ([`complete`]).
    pub report: Report,
    /// Where reports go.
    pub files: Files,
    /// Which build of the program it is.
    pub build: String,
    /// The program, if it was compiled.
    pub _compiled: Option<Compiled>,
}

/// Runs the program; `None` if the compiler has said why there is none.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn explore(check: &Check, company: Option<&mut Company>) -> Result<Option<Explored>, String> {
    let installation = Installation::of_this_command()?;
    let files = Files::open(&check.reports)?;
    let Some((program, compiled)) = prepare(&installation, &check.target)? else {
        return Ok(None);
    };
    let stdout = match files.take_stdout() {
        true => Stdout::ToStderr,
        false => Stdout::Inherit,
    };
    let report = search(check, &program, stdout, company)?;
    Ok(Some(Explored {
        report,
        files,
        build: build_of(&program.path),
        _compiled: compiled,
    }))
}

/// Runs the program that [`prepare`] made; what it said, without what only the command line knows.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn search(
    check: &Check,
    program: &Program,
    stdout: Stdout<'_>,
    company: Option<&mut Company>,
) -> Result<Report, String> {
    let case = Case::of(check, program, stdout);
    if let Some(known) = case.as_ref().and_then(Case::known) {
        return Ok(known);
    }
    let program = &Program {
        record: case.as_ref().and_then(Case::record),
        ..program.clone()
    };
    let mut report = search_anew(check, program, stdout, company)?;
    let why_not = case.map(|case| case.keep(&report));
    if let (Some(Err(why)), true) = (why_not, check.options.verbose) {
        let note = format!("the verdict is not kept for later checks: {why}");
        report.notes.push(note);
    }
    report.clock_was_read = false;
    Ok(report)
}

fn search_anew(
    check: &Check,
    program: &Program,
    stdout: Stdout<'_>,
    mut company: Option<&mut Company>,
) -> Result<Report, String> {
    let display = Display::new(check.progress);
    let mut advice = Advice::default();
    let options = Options {
        progress: !matches!(display, Display::Off) || check.options.time_limit_seconds > 0.0,
        ..check.options.clone()
    };
    let mut show = |progress: Progress| {
        display.show(progress);
        let estimate = progress.total.estimate();
        let due = estimate.and_then(|estimate| advice.of(check, estimate, progress.seconds));
        if let Some(due) = due {
            display.say(&due);
        }
    };
    let (args, show) = (&check.args, &mut show);
    let before = Before::now();
    let input = Input::now();
    let report = auto::explore(
        program,
        args,
        &options,
        stdout,
        show,
        company.as_deref_mut(),
    );
    display.end();
    let mut report = report?;
    let is_shared = company.is_some();
    if let Some(company) = company {
        // The other ranks need not wait for what one process does.
        company.finish();
    }
    let command = advice::by_states(check);
    let how = (command.as_str(), input);
    if let Some(note) = finite::note(&report, program, args, &options, how, is_shared) {
        report.notes.push(note);
    }
    let mut suppressing = Suppressing::new(&check.suppressions);
    suppressing.take(&mut report);
    report.put_errors_first();
    minimize::minimize(&mut report, program, args, &options, before);
    // Now all stacks are known.
    suppressing.take(&mut report);
    suppressing.finish(&mut report, !matches!(check.scope, Scope::Test { .. }));
    if !check.options.full {
        shorten_traces(&mut report);
    }
    failure::locate(&mut report, program);
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let more = advice::at_end(&report, check, cores);
    report.notes.extend(more);
    report.alike.clear();
    let due = report.estimate;
    let due = due.and_then(|estimate| advice.of(check, estimate, report.seconds.wall));
    if let Some(due) = due {
        say::line(&due);
    }
    Ok(report)
}

/// Leaves out of the traces what a report does not keep.
pub fn shorten_traces(report: &mut Report) {
    for finding in &mut report.findings {
        let needed = since_common(finding);
        finding.shorten(&needed);
    }
}

/// The program to start, and the folder it was compiled to; `None` if the compiler has said why
/// there is none.
///
/// # Errors
/// One sentence.
pub fn prepare(
    installation: &Installation,
    target: &Target,
) -> Result<Option<(Program, Option<Compiled>)>, String> {
    let lib = installation.lib();
    match target {
        Target::Program(path) => Ok(Some((program::inspect(path, &lib)?, None))),
        Target::Sources { files, cflags } => match compile::compile(installation, files, cflags) {
            Ok(compiled) => {
                let program = program::inspect(&compiled.program, &lib)?;
                Ok(Some((program, Some(compiled))))
            }
            Err(compile::Failure::Said(why)) => Err(why),
            Err(compile::Failure::Compiler) => Ok(None),
        },
    }
}

/// Adds what only the command line knows.
pub fn complete(report: &mut Report, check: &Check) {
    let program = match &check.target {
        Target::Program(path) => path,
        Target::Sources { files, .. } => &files[0],
    };
    report.program = program.display().to_string();
    report.args = check.args.clone();
    // The runtime adds what a replay has to know (the clocks); a program that never had a second
    // thread reports nothing.
    if report.options.is_empty() {
        report.options = launch::with_room(&check.options).to_string();
    }
    let is_verified = report.verdict == Verdict::Verified;
    if check.options.warnings_as_errors && is_verified && !report.findings.is_empty() {
        report.verdict = Verdict::Bug;
    }
}
