//! `cargo xtask oracle`: the search against brute force, on many more programs than `test` takes.

use super::bench::append_row;
use crate::process;
use crate::stop::{Outcome, Stop};
use crate::tree;
use std::time::Instant;

const HEADING: &str = "# Search against brute force\n\n\
One row per run of `cargo xtask oracle`, which runs the test `explores_each_trace_once` of `runtime/explorer/tests/explorer/oracle.rs`, with debug assertions, on random programs from the given seed on.\n\
Each program is explored in three orders by the search, and by an enumerator that merges equal traces.\n\
A row is written only if no trace was missed and none was explored twice or cut.\n\n\
| date | programs | first seed | traces | missed | duplicate | redundant | seconds |\n\
|---|---|---|---|---|---|---|---|\n";

/// Options of `oracle`.
#[derive(clap::Args, Debug)]
pub struct Oracle {
    /// Random programs.
    #[arg(long, default_value_t = 100_000)]
    programs: u64,
    /// Seed of the first; each program has its own, counting up.
    #[arg(long, default_value_t = 1_000_000_000)]
    seed: u64,
}

impl Oracle {
    /// Runs the oracle test; a dated row in docs/oracle.md if all is well.
    ///
    /// # Errors
    /// If it fails.
    pub fn run(&self) -> Outcome {
        let start = Instant::now();
        let traces = search(self.programs, self.seed)?;
        let seconds = start.elapsed().as_secs();
        let (programs, seed) = (self.programs, self.seed);
        let row = format!("| {{date}} | {programs} | {seed} | {traces} | 0 | 0 | 0 | {seconds} |");
        append_row("docs/oracle.md", HEADING, &row)
    }
}

/// Runs the explorer's oracle test on so many programs; the number of their traces. With debug assertions, so that
/// what counts as a long log is short and short programs take both ways through it.
///
/// # Errors
/// If it fails, or says nothing about traces.
pub fn search(programs: u64, seed: u64) -> Outcome<u64> {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["test", "-p", "dpor-explorer"]);
    cargo.args(["--test", "explorer", "--", "--nocapture", "--exact"]);
    cargo.arg("oracle::explores_each_trace_once");
    cargo.env("DPOR_ORACLE_PROGRAMS", programs.to_string());
    cargo.env("DPOR_ORACLE_SEED", seed.to_string());
    cargo.env_remove("DPOR_ORACLE_FLAVOUR");
    let text = process::output_of(&mut cargo)?;
    println!("{text}");
    let done = format!("{programs} programs, ");
    text.lines()
        // The harness prints `test NAME ... ` before what a test prints.
        .filter_map(|line| line.split(&*done).nth(1))
        .find_map(|rest| rest.split(" traces").next()?.parse().ok())
        .ok_or_else(|| Stop::failed("the oracle did not say how many traces it compared"))
}
