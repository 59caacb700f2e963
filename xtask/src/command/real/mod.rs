//! `cargo xtask real`: programs of others as they are, built by their own build systems.
//!
//! Each is fetched as a source package of Debian's, built with `CC=dpor-cc CXX=dpor-c++`, and explored on a
//! small input; libraries have a driver of a few lines. Then a bug is planted, and must be found. The program's
//! own tests are run natively. Sources are fetched, never committed; what was found is written to docs/real.md.

pub mod build;
mod explore;
pub mod program;
pub mod programs;
pub mod seed;
mod suite;

use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use explore::{Rows, EXECUTIONS, SECONDS, SEED_SECONDS};

/// Options of `real`.
#[derive(clap::Args, Debug)]
pub struct Real {
    /// Only these programs; of the others docs/real.md keeps what it says.
    only: Vec<String>,
    /// Their own tests alone; the other tables stay as they are.
    #[arg(long)]
    suites: bool,
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
}

impl Real {
    /// Fetches, builds, checks, and writes the tables.
    ///
    /// # Errors
    /// If a package cannot be had or built, or a result is not the expected one.
    pub fn run(&self) -> Outcome {
        let asked = explore::named(&programs::ALL, &self.only)?;
        if !self.no_build {
            super::build::Build::default().run()?;
        }
        let file = tree::root().join("docs/real.md");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        let mut rows = Rows::default();
        for program in &programs::ALL {
            let is_asked = asked.iter().any(|asked| asked.name == program.name);
            let kept = keep(&before, program.name);
            match is_asked && !self.suites {
                true => explore::explore(program, &mut rows)?,
                false => {
                    rows.runs += &kept.runs;
                    rows.seeds += &kept.seeds;
                }
            }
            match is_asked {
                true => suite::test(program, &mut rows)?,
                false => rows.suites += &kept.suites,
            }
        }
        std::fs::write(&file, page(&rows)).while_doing(file.display())?;
        match rows.wrong {
            0 => Ok(()),
            wrong => Err(Stop::failed(format!("{wrong} results are not as expected"))),
        }
    }
}

/// The rows of a program as they were.
fn keep(page: &str, name: &str) -> Rows {
    let (runs, rest) = page.split_once(PLANTED).unwrap_or((page, ""));
    let (seeds, suites) = rest.split_once(SUITES).unwrap_or((rest, ""));
    let begin = format!("| {name} | ");
    let of = |table: &str| -> String {
        let lines = table.lines().filter(|line| line.starts_with(&begin));
        lines.map(|line| format!("{line}\n")).collect()
    };
    Rows {
        runs: of(runs),
        seeds: of(seeds),
        suites: of(suites),
        wrong: 0,
    }
}

/// The headings of the second table and of the third.
const PLANTED: &str = "## With a bug that was planted";
const SUITES: &str = "## Their own tests";

fn page(rows: &Rows) -> String {
    format!(
        "# Programs as they are\n\n\
         Written by `cargo xtask real`; each row says of which day it is.\n\n\
         Source packages of Debian's, without its patches, each built by its own build system with `CC=dpor-cc CXX=dpor-c++`; `xtask/src/command/real/programs/` says how. Libraries are explored under a driver of ours (`drivers/` there).\n\n\
         ## As they are\n\n\
         `dpor check -k --max-executions {EXECUTIONS} --time-limit {SECONDS} PROGRAM -- ARGUMENTS`. The inputs are lines of text. Operations are those of the first execution; executions/s were measured on two cores that were not idle. Outputs are compared byte by byte.\n\n\
         | program | source | command | threads | operations | executions | executions/s | distinct outputs | found | remark | day |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{}\n\
         {PLANTED}\n\n\
         `dpor check --time-limit {SEED_SECONDS}`, up to the first finding.\n\n\
         | program | source | bug | command | options | found | executions | seconds | day |\n\
         |---|---|---|---|---|---|---|---|---|\n{}\n\
         {SUITES}\n\n\
         Of the instrumented build, with `DPOR_OPTIONS=off=1`: with real threads, as the program is without the checker. Where they fail, those of the plain build are run as well: what fails there, too, is the program's.\n\n\
         | program | source | command | result | plain build | remark | day |\n\
         |---|---|---|---|---|---|---|\n{}",
        rows.runs, rows.seeds, rows.suites
    )
}
