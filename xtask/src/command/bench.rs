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
One row per run of `cargo xtask bench --save`; the best of three runs each.\n\
`lock 4x3` is 4 threads that lock and unlock one mutex 3 times (369,600 executions), `lock 3x3` has 1,680.\n\n\
| date | lock 4x3, executions/s | lock 3x3 snapshot, executions/s | lock 3x3 restart, executions/s | snapshot / restart |\n\
|---|---|---|---|---|\n";

impl Bench {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a program is not verified with its known count: then there is nothing to measure.
    pub fn run(&self) -> Outcome {
        Build::default().run()?;
        let large = best(&compile(4)?, "snapshot", 369_600)?;
        let small = compile(3)?;
        let snapshot = best(&small, "snapshot", 1_680)?;
        let restart = best(&small, "restart", 1_680)?;
        let ratio = snapshot / restart;
        println!("lock 4x3:          {large:>9.0} executions/s");
        println!("lock 3x3 snapshot: {snapshot:>9.0} executions/s");
        println!("lock 3x3 restart:  {restart:>9.0} executions/s");
        println!("snapshot / restart: {ratio:.1}");
        if self.save {
            let row =
                format!("| {{date}} | {large:.0} | {snapshot:.0} | {restart:.0} | {ratio:.1} |");
            append_row("docs/bench.md", HEADING, &row)?;
        }
        Ok(())
    }
}

fn compile(threads: u32) -> Outcome<PathBuf> {
    let program = tree::scratch("bench").join(format!("lock_{threads}"));
    let mut compile = Command::new(tree::tool("dpor-cc"));
    compile.args(["-O2", "-g", &format!("-DT={threads}")]);
    compile.arg(tree::root().join("testsuite/programs/pthread/lock.c"));
    process::run(compile.arg("-o").arg(&program))?;
    Ok(program)
}

/// Most executions per second of wall time in [`RUNS`] runs.
fn best(program: &Path, checkpoint: &str, expect: u64) -> Outcome<f64> {
    let json = program.with_extension("json");
    let mut best = 0.0f64;
    for _ in 0..RUNS {
        let mut check = Command::new(tree::tool("dpor"));
        check.args(["check", "--reductions=none", "--json"]);
        check.arg(&json).arg(format!("--checkpoint={checkpoint}"));
        process::output_of(check.arg(program))?;
        let text = std::fs::read_to_string(&json).while_doing(json.display())?;
        let report: Report = serde_json::from_str(&text).while_doing(json.display())?;
        if report.executions.complete != expect {
            return Err(Stop::failed(format!(
                "{}: {} executions, expected {expect}",
                program.display(),
                report.executions.complete
            )));
        }
        best = best.max(expect as f64 / report.seconds.wall.max(1e-9));
    }
    Ok(best)
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
