//! Checking a program that was built, and the rows that say so.

use super::build::{Build, Compilers};
use super::program::{Input, Program, Run, Seed};
use super::seed;
use crate::checked::{check, is_error, said};
use crate::command::bench::today;
use crate::stop::{Context, Outcome, Stop};
use crate::{process, text};
use dpor_report::{Report, Verdict};
use std::path::Path;
use std::process::Command;

/// Number of executions at which a run is cut, and of seconds.
pub const EXECUTIONS: &str = "10000";
pub const SECONDS: &str = "120";
/// Number of seconds in which a planted bug must be found.
pub const SEED_SECONDS: &str = "300";

/// What a run must show, if it is not the whole: this many executions, or as much CPU time as it may have.
const EXECUTIONS_MIN: u64 = 1000;
const CPU_SECONDS_MIN: f64 = 100.0;
/// Numbers of threads and of operations that there must be to explore.
const THREADS_MIN: u32 = 2;
const OPERATIONS_MIN: u64 = 100;

/// Rows of the tables.
#[derive(Default)]
pub struct Rows {
    pub runs: String,
    pub seeds: String,
    pub suites: String,
    /// Results that are not as expected.
    pub wrong: usize,
}

/// All runs of a program, and its bug.
///
/// # Errors
/// If it cannot be built, or a check gives no report.
pub fn explore(program: &Program, rows: &mut Rows) -> Outcome {
    let build = Build::new(program, Compilers::ours())?;
    let made = build.made();
    inputs(program, &made)?;
    for run in program.runs {
        let (row, is_right) = explore_one(&build, &made, run)?;
        println!("{row}");
        rows.runs += &row;
        rows.wrong += usize::from(!is_right);
    }
    seed::plant(program.seed.edits, &build.folder)?;
    build.make()?;
    let (row, is_right) = find(&build, &made, &program.seed)?;
    println!("{row}");
    rows.seeds += &row;
    rows.wrong += usize::from(!is_right);
    Ok(())
}

fn inputs(program: &Program, made: &Path) -> Outcome {
    let folder = made.parent().unwrap_or(Path::new("."));
    for input in program.inputs {
        match input {
            Input::Text { name, bytes } => {
                let path = folder.join(name);
                std::fs::write(&path, text::lines(*bytes)).while_doing(path.display())?;
            }
            Input::Output { name, arguments } => {
                let path = folder.join(name);
                let file = std::fs::File::create(&path).while_doing(path.display())?;
                let mut command = Command::new(made);
                command.args(*arguments).current_dir(folder).stdout(file);
                process::run(command.env("DPOR_OPTIONS", "off=1"))?;
            }
        }
    }
    Ok(())
}

fn explore_one(build: &Build, made: &Path, run: &Run) -> Outcome<(String, bool)> {
    let first = check(
        made,
        &["--max-executions=1", "--output=none"],
        run.arguments,
    )?;
    let limits = [
        "-k",
        "--output=none",
        &format!("--max-executions={EXECUTIONS}"),
        &format!("--time-limit={SECONDS}"),
    ];
    let report = check(made, &limits, run.arguments)?;
    let is_right = is_enough(&first, &report) && found(&report) == run.found;
    let mark = if is_right { "" } else { "**" };
    let row = format!(
        "| {} | {} | `{}` | {} | {} | {} | {:.0} | {} | {mark}{}{mark} | {} | {} |\n",
        build.program.name,
        build.version,
        command(made, run.arguments),
        report.threads_max,
        first.events,
        report.executions.total(),
        report.executions_per_second,
        report.outputs_distinct,
        said(&report),
        run.remark,
        today()?,
    );
    Ok((row, is_right))
}

/// The findings as the table of programs has them: kinds of errors, then kinds of warnings in parentheses.
fn found(report: &Report) -> String {
    let mut kinds: Vec<String> = { report.findings.iter() }
        .map(|finding| match is_error(finding) {
            true => finding.kind.to_string(),
            false => format!("({})", finding.kind),
        })
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds.join(" ")
}

fn errors(report: &Report) -> impl Iterator<Item = String> + '_ {
    let errors = report.findings.iter().filter(|finding| is_error(finding));
    errors.map(|finding| finding.kind.to_string())
}

fn is_enough(first: &Report, report: &Report) -> bool {
    let executions = report.executions.total();
    let is_limited = report.verdict == Verdict::Incomplete || report.verdict == Verdict::Bug;
    let is_long = executions >= EXECUTIONS_MIN || report.seconds.cpu >= CPU_SECONDS_MIN;
    let is_large = first.threads_max >= THREADS_MIN && first.events >= OPERATIONS_MIN;
    is_large && (report.verdict == Verdict::Verified || is_limited && is_long)
}

fn find(build: &Build, made: &Path, seed: &Seed) -> Outcome<(String, bool)> {
    let limit = format!("--time-limit={SEED_SECONDS}");
    let options = [&["--output=none", &limit], seed.options].concat();
    let report = check(made, &options, seed.arguments)?;
    let is_right = errors(&report).any(|kind| kind == seed.found);
    let mark = if is_right { "" } else { "**" };
    let row = format!(
        "| {} | {} | {} | `{}` | {} | {mark}{}{mark} | {} | {:.1} | {} |\n",
        build.program.name,
        build.version,
        seed.what,
        command(made, seed.arguments),
        seed.options.join(" "),
        said(&report),
        report.executions.total(),
        report.seconds.wall,
        today()?,
    );
    Ok((row, is_right))
}

fn command(made: &Path, arguments: &[&str]) -> String {
    let name = made.file_name().unwrap_or_default().to_string_lossy();
    let words = std::iter::once(&*name).chain(arguments.iter().copied());
    words.collect::<Vec<_>>().join(" ")
}

/// The programs that are asked for.
///
/// # Errors
/// If there is none of that name.
pub fn named<'a>(all: &'a [Program], names: &[String]) -> Outcome<Vec<&'a Program>> {
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        let program = all.iter().find(|program| program.name == name);
        program.ok_or_else(|| Stop::cannot(format!("no program {name}")))
    };
    names.iter().map(find).collect()
}
