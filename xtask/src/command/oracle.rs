//! `cargo xtask oracle`: the search against brute force, on many more programs than `test` takes.

use super::bench::append_row;
use crate::process;
use crate::stop::Outcome;
use crate::tree;
use std::time::Instant;

const HEADING: &str = "# Search against brute force\n\n\
One row per run of `cargo xtask oracle`: random programs, each explored by the search and by an enumerator that merges equal traces.\n\
A row is written only if no trace was missed and none was explored twice or cut.\n\n\
| date | programs | missed | duplicate | redundant | seconds |\n\
|---|---|---|---|---|---|\n";

/// Options of `oracle`.
#[derive(clap::Args, Debug)]
pub struct Oracle {
    /// Random programs.
    #[arg(long, default_value_t = 100_000)]
    programs: u64,
}

impl Oracle {
    /// Runs the oracle tests; a dated row in docs/oracle.md if all is well.
    ///
    /// # Errors
    /// If a test fails.
    pub fn run(&self) -> Outcome {
        let start = Instant::now();
        search(self.programs, None)?;
        let seconds = start.elapsed().as_secs();
        let programs = self.programs;
        let row = format!("| {{date}} | {programs} | 0 | 0 | 0 | {seconds} |");
        append_row("docs/oracle.md", HEADING, &row)
    }
}

/// Runs the explorer's oracle tests on so many programs.
///
/// # Errors
/// If a test fails.
pub fn search(programs: u64, seed: Option<u64>) -> Outcome {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args([
        "test",
        "--release",
        "-p",
        "dpor-explorer",
        "--test",
        "oracle",
    ]);
    cargo.args(["--", "--include-ignored", "--nocapture"]);
    cargo.env("DPOR_ORACLE_PROGRAMS", programs.to_string());
    if let Some(seed) = seed {
        cargo.env("DPOR_ORACLE_SEED", seed.to_string());
    }
    process::run(&mut cargo)
}
