//! `cargo xtask bench`: executions per second, and what a rollback in process is worth.
//!
//! Wall time of a shared machine varies; the best of three runs is taken, because noise only adds.

use super::build::Build;
use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use dpor_report::Report;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `bench`.
#[derive(clap::Args, Debug)]
pub struct Bench {
    /// Append the numbers to docs/bench.md.
    #[arg(long)]
    save: bool,
}

const RUNS: u32 = 3;
const HEADING: &str = "# Speed\n\n\
One block of rows per run of `cargo xtask bench --save`: of three runs of each program the one with the least CPU time.\n\
The programs are in `testsuite/programs/`, built with `-O2 -g`, and each must end `verified` with its known number of executions.\n\
`restart` runs each execution in a process of its own, forked at the root; the row `snapshot / restart` is the ratio of the two above it, from one run.\n\
The machine is shared with other work, so wall time is longer than CPU time, and CPU time varies, too.\n\n\
| date | program | checkpoint | executions | wall, s | CPU, s | executions per CPU second |\n\
|---|---|---|---|---|---|---|\n";

/// One line of the table.
struct Case {
    name: &'static str,
    source: &'static str,
    define: &'static str,
    checkpoint: &'static str,
    executions: u64,
}

const fn case(
    name: &'static str,
    source: &'static str,
    define: &'static str,
    executions: u64,
) -> Case {
    Case {
        name,
        source,
        define,
        checkpoint: "snapshot",
        executions,
    }
}

const CASES: [Case; 6] = [
    case("lock 4x3", "pthread/lock.c", "-DT=4", 369_600),
    case("lastzero 15", "atomics/lastzero.c", "-DN=15", 147_456),
    case("indexer 15", "atomics/indexer.c", "-DN=15", 4_096),
    case("fsbench 22", "pthread/fsbench.c", "-DN=22", 512),
    case("lock 3x3", "pthread/lock.c", "-DT=3", 1_680),
    Case {
        checkpoint: "restart",
        ..case("lock 3x3", "pthread/lock.c", "-DT=3", 1_680)
    },
];

/// Seconds of one run.
struct Times {
    wall: f64,
    cpu: f64,
}

impl Bench {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a program is not verified with its known count: then there is nothing to measure.
    pub fn run(&self) -> Outcome {
        Build::default().run()?;
        let mut rows = Vec::new();
        let mut walls = Vec::new();
        for case in &CASES {
            let times = best(case)?;
            walls.push(times.wall);
            rows.push(row(case, &times));
        }
        // The CPU time of a restarted run is spread over processes; wall time has all of it.
        if let [.., snapshot, restart] = walls[..] {
            let ratio = restart / snapshot;
            rows.push(format!(
                "| {{date}} | lock 3x3 | snapshot / restart | | {ratio:.1} | | |"
            ));
        }
        for row in &rows {
            println!("{}", row.replace("| {date} ", ""));
            if self.save {
                append_row("docs/bench.md", HEADING, row)?;
            }
        }
        Ok(())
    }
}

fn row(case: &Case, times: &Times) -> String {
    let Times { wall, cpu } = times;
    let speed = case.executions as f64 / cpu.max(1e-9);
    let (name, checkpoint, executions) = (case.name, case.checkpoint, case.executions);
    format!(
        "| {{date}} | {name} | {checkpoint} | {executions} | {wall:.3} | {cpu:.3} | {speed:.0} |"
    )
}

fn compile(case: &Case) -> Outcome<PathBuf> {
    let program = tree::scratch("bench").join(case.name.replace(' ', "_"));
    let source = tree::root().join("testsuite/programs").join(case.source);
    let mut compile = Command::new(tree::tool("dpor-cc"));
    compile.args(["-O2", "-g", case.define]).arg(source);
    process::run(compile.arg("-o").arg(&program))?;
    Ok(program)
}

/// The run with the least CPU time of [`RUNS`].
fn best(case: &Case) -> Outcome<Times> {
    let program = compile(case)?;
    let mut best: Option<Times> = None;
    for _ in 0..RUNS {
        let report = check(&program, case.checkpoint)?;
        let executions = report.executions.complete;
        if executions != case.executions {
            return Err(Stop::failed(format!(
                "{}: {executions} executions, expected {}",
                case.name, case.executions
            )));
        }
        let (wall, cpu) = (report.seconds.wall, report.seconds.cpu);
        if best.as_ref().is_none_or(|best| cpu < best.cpu) {
            best = Some(Times { wall, cpu });
        }
    }
    best.ok_or_else(|| Stop::failed("nothing was run"))
}

fn check(program: &Path, checkpoint: &str) -> Outcome<Report> {
    let json = program.with_extension("json");
    let mut check = Command::new(tree::tool("dpor"));
    check.args(["check", "--reductions=none", "--json"]);
    check.arg(&json).arg(format!("--checkpoint={checkpoint}"));
    process::output_of(check.arg(program))?;
    let text = std::fs::read_to_string(&json).while_doing(json.display())?;
    serde_json::from_str(&text).while_doing(json.display())
}

/// Appends a row to a dated table in docs/, made with `heading` if it is not there. `{date}` in the
/// row becomes today's.
///
/// # Errors
/// If the file cannot be written.
pub fn append_row(file: &str, heading: &str, row: &str) -> Outcome {
    let path = tree::root().join(file);
    let mut text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) => heading.to_owned(),
    };
    text += &row.replace("{date}", &today()?);
    text.push('\n');
    std::fs::write(&path, text).while_doing(path.display())
}

/// `2026-11-20`.
///
/// # Errors
/// If `date` does not run.
pub fn today() -> Outcome<String> {
    process::output_of(Command::new("date").arg("+%F"))
}
