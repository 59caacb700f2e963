//! `cargo xtask soak --minutes N`: the oracle with new seeds and the programs, again and again.

use super::bench::append_row;
use super::build::Build;
use super::{oracle, test};
use crate::process;
use crate::stop::{Context, Outcome};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const HEADING: &str = "# Soak\n\n\
One row per run of `cargo xtask soak`: rounds of the oracle with a new seed and of all test programs, without a failure.\n\n\
| date | minutes | rounds | first seed |\n\
|---|---|---|---|\n";

/// Random programs of one round: about a minute on two cores.
const PROGRAMS: u64 = 20_000;

/// Options of `soak`.
#[derive(clap::Args, Debug)]
pub struct Soak {
    /// No new round begins after this.
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Seed of the first round; each program has its own, counting up. The time if not given.
    #[arg(long)]
    seed: Option<u64>,
}

impl Soak {
    /// Runs rounds until the time is over.
    ///
    /// # Errors
    /// The first failure; its seed was printed.
    pub fn run(&self) -> Outcome {
        Build::default().run()?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .while_doing("reading the clock")?;
        let first = self.seed.unwrap_or(now.as_secs());
        let start = Instant::now();
        let mut rounds = 0;
        while start.elapsed() < Duration::from_secs(self.minutes * 60) {
            println!("soak: round {rounds}, seed {}", first + rounds * PROGRAMS);
            for kind in [oracle::Kind::Traces, oracle::Kind::States] {
                oracle::search(kind, PROGRAMS, first + rounds * PROGRAMS)?;
            }
            process::run(test::programs(None).env("DPOR_TEST_EACH", "1"))?;
            rounds += 1;
        }
        let minutes = start.elapsed().as_secs() / 60;
        let row = format!("| {{date}} | {minutes} | {rounds} | {first} |");
        append_row("docs/soak.md", HEADING, &row)
    }
}
