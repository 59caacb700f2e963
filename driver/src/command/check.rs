//! `dpor check`: compile if needed, look at the program, run it, report.

use super::each_test;
use crate::advice::Advice;
use crate::auto;
use crate::cluster::{self, Company};
use crate::compile::{self, Compiled};
use crate::death;
use crate::exit::{self, Exit};
use crate::flags::{Check, Scope, Target};
use crate::install::Installation;
use crate::launch::{self, Ended, Stdout, Word};
use crate::limits;
use crate::listing::Listed;
use crate::minimize::{self, Before};
use crate::names;
use crate::program::{self, Program};
use crate::progress::Display;
use crate::report::destination::Destination;
use crate::report::files::Files;
use crate::report::json::Saved;
use crate::report::{self, plain, View};
use crate::say;
use crate::schedule::build_of;
use crate::words::quoted;
use dpor_abi::options::Options;
use dpor_report::{text, Progress, Report, Verdict};
use std::path::{Path, PathBuf};

/// Runs the check; the exit code says the verdict.
///
/// # Errors
/// One sentence: nothing is known about the program.
pub fn run(mut check: Check) -> Result<Exit, String> {
    if let Scope::Tests(pattern) = &check.scope {
        return each_test::run(&check, pattern);
    }
    if !check.mpi {
        return lead(check, None);
    }
    check.options = launch::with_room_of_ranks(&check.options);
    let mut company = Company::join()?;
    if company.rank > 0 {
        let program = Installation::of_this_command()
            .and_then(|installation| prepare(&installation, &check.target));
        let program = program.and_then(|program| {
            program.ok_or_else(|| "[dpor internal bug] a program is no source".to_owned())
        });
        let program = program.as_ref().map(|(program, _)| program);
        let program = program.map_err(Clone::clone);
        cluster::help(program, &check.args, &check.options, &mut company);
        return Ok(exit::VERIFIED);
    }
    let exit = lead(check, Some(&mut company));
    company.finish();
    exit
}

/// Runs the check of this process, or of those that it leads.
fn lead(check: Check, company: Option<&mut Company>) -> Result<Exit, String> {
    let Some(Explored {
        mut report,
        files,
        build,
        _compiled,
    }) = explore(&check, company)?
    else {
        return Ok(exit::USAGE);
    };
    complete(&mut report, &check);
    let exit = report::exit_code(&report);
    finish(report, &check, files, Vec::new(), build)?;
    Ok(exit)
}

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
    if let Some(company) = company {
        // The other ranks need not wait for what one process does.
        company.finish();
    }
    minimize::minimize(&mut report, program, args, &options, before);
    let due = report.estimate;
    let due = due.and_then(|estimate| advice.of(check, estimate, report.seconds.wall));
    if let Some(due) = due {
        say::line(&due);
    }
    Ok(report)
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

/// What the end of the program means.
///
/// # Errors
/// One sentence, if the runtime failed.
pub fn to_report(ended: Ended, program: &Program, options: &Options) -> Result<Report, String> {
    if let Some(report) = death::killed(&ended, options) {
        return Ok(report);
    }
    let Ended {
        word,
        status,
        wall,
        journal,
        ..
    } = ended;
    let before_the_second_thread = matches!(word, Word::Plain);
    match word {
        Word::Report(mut report, loaded) => {
            names::complete(&mut report, &loaded);
            if ended.out_of_time && report.reason.as_deref() == Some(plain::INTERRUPTED) {
                report.reason = Some(plain::time_is_up(options));
            }
            Ok(*report)
        }
        Word::Failure(why) => Err(death::failure(why)),
        Word::Absent | Word::Plain | Word::Lost if ended.out_of_time => {
            let mut report = plain::interrupted(options, wall, ended.progress);
            let mut reason = plain::time_is_up(options);
            if before_the_second_thread {
                reason += ", before the program had a second thread,";
            }
            report.reason = Some(reason);
            Ok(report)
        }
        Word::Absent | Word::Plain | Word::Lost if ended.interrupted && !status.success() => {
            Ok(plain::interrupted(options, wall, ended.progress))
        }
        Word::Absent => Err(limits::explain(format!(
            "{} ended ({status}) before the checker's runtime was there: nothing of it was checked",
            program.path.display()
        ))),
        Word::Plain => {
            let mut report = plain::single_threaded(options, wall, status);
            let name = program.path.file_name().unwrap_or_default();
            report.scope.instrumented = vec![name.to_string_lossy().into_owned()];
            report.scope.uninstrumented = program.libraries.clone();
            if program.without_assertions {
                report.notes.push(text::WITHOUT_ASSERTIONS.to_owned());
            }
            Ok(report)
        }
        Word::Lost => Err(death::unexplained(status, &journal)),
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
        let written = Destination::open(own).and_then(|to| to.write(&saved.text()?));
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
    let name = match crate::flags::is_source(path) {
        true => path.file_stem(),
        false => path.file_name(),
    };
    let name = name.unwrap_or_default().to_string_lossy();
    match scope {
        Scope::Test { file_name, .. } => PathBuf::from(format!("{name}.{file_name}.dpor.json")),
        Scope::Program | Scope::Tests(_) => PathBuf::from(format!("{name}.dpor.json")),
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
