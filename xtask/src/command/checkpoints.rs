//! `cargo xtask checkpoints`: ways of taking a state back, on programs from tiny to large.
//!
//! All are `testsuite/checkpoints/state.c`, whose header says what can be set.

use super::bench::measure::{check, compile_file};
use super::bench::{append, today};
use super::build::Build;
use crate::stop::{Outcome, Stop};
use dpor_report::Verdict;

/// Options of `checkpoints`.
#[derive(clap::Args, Debug)]
pub struct Checkpoints {
    /// Append the table to docs/checkpoints.md
    #[arg(long)]
    save: bool,
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    /// Only programs whose names contain this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    #[command(flatten)]
    build: Build,
}

const STRATEGIES: [&str; 4] = ["auto", "snapshot", "fork", "restart"];

/// A name, what is defined, and the number of executions: (T S)! / (S!)^T, T threads of S sections.
type Case = (&'static str, &'static [&'static str], u64);

/// Three threads of two sections: 6! / 2^3 = 90. Of three: 9! / 6^3 = 1,680. Two of two: 4! / 2^2 = 6.
const CASES: [Case; 10] = [
    ("tiny", &[], 90),
    ("1 MB, unchanged", &["-DHEAP_MB=1"], 90),
    ("100 MB, unchanged", &["-DHEAP_MB=100"], 90),
    ("1 GB, unchanged", &["-DHEAP_MB=1024"], 90),
    (
        "100 MB, 1 MB written",
        &["-DHEAP_MB=100", "-DREWRITE_MB=1"],
        90,
    ),
    (
        "100 MB, all written",
        &["-DT=2", "-DHEAP_MB=100", "-DREWRITE_MB=100"],
        6,
    ),
    (
        "100 MB, another 1 MB each time",
        &["-DS=3", "-DHEAP_MB=100", "-DREWRITE_MB=1", "-DSCATTERED=1"],
        1680,
    ),
    ("200 mutexes and pipes", &["-DOBJECTS=200"], 90),
    ("20,000 stores before", &["-DPREFIX=20000"], 90),
    ("a second of work before", &["-DSTARTUP=500000000"], 90),
];

const COLUMNS: &str =
    "| program | checkpoint | executions | replayed | restore, us | CPU, s | CPU ms per execution | MB |\n|---|---|--:|--:|--:|--:|--:|--:|\n";

impl Checkpoints {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a program is not verified with its known number of executions.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        let mut table = COLUMNS.to_owned();
        for case in &CASES {
            if self.only.iter().all(|only| case.0.contains(only)) {
                table += &rows(case)?;
            }
        }
        print!("{table}");
        match self.save {
            true => append(
                "docs/checkpoints.md",
                &format!("\n## {}\n\n{table}", today()?),
            ),
            false => Ok(()),
        }
    }
}

fn rows(&(name, defines, executions): &Case) -> Outcome<String> {
    let file = format!("state {name}");
    let program = compile_file(&file, "testsuite/checkpoints/state.c", defines)?;
    let mut rows = String::new();
    for strategy in STRATEGIES {
        let option = format!("--checkpoint={strategy}");
        let run = check(&program, &["--reductions=none", &option])?;
        let report = &run.report;
        if report.verdict != Verdict::Verified || report.executions.total() != executions {
            return Err(Stop::failed(format!(
                "{name}, {strategy}: {} executions, expected {executions}; verdict {:?}",
                report.executions.total(),
                report.verdict
            )));
        }
        let all = report.events + report.events_replayed;
        let restore = report.checkpoints.restore_ns;
        rows += &format!(
            "| {name} | {strategy} | {executions} | {:.0} % | {} | {:.3} | {:.3} | {} |\n",
            100.0 * report.events_replayed as f64 / all.max(1) as f64,
            restore.map_or("-".to_owned(), |ns| format!("{:.1}", ns / 1e3)),
            run.cpu,
            1e3 * run.cpu / executions as f64,
            report.peak_rss_bytes >> 20,
        );
    }
    Ok(rows)
}
