//! `cargo xtask estimates`: compares what a check says of its own length with how long it is.
//!
//! The programs are those of `cargo xtask bench`, in sizes that take some seconds, and some that retry. Each is checked to its end,
//! and again up to 1, 3, 10 and 30 % of its executions.

use super::bench::measure::{check, compile_at};
use super::bench::{append, today};
use super::build::Build;
use crate::stop::{Outcome, Stop};
use dpor_report::{text, Estimate, Verdict};
use std::path::Path;

/// Options of `estimates`.
#[derive(clap::Args, Debug)]
pub struct Estimates {
    /// Append the table to docs/estimates.md
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

/// A program: its name, source, size, and the options of its checks.
struct Case(
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// Every reduction off; the second one also keeps turns in vain (docs/decisions/0094).
const NONE: &[&str] = &["--reductions=none"];
const EVERY_TURN: &[&str] = &["--reductions=none,every-turn"];

/// The programs of the benchmarks, but for the one with two executions; then programs of which many executions are
/// blocked.
const CASES: [Case; 24] = [
    Case("3 threads x 3", "atomics/load_store.c", "-DR=3", &[]),
    Case("lock 4x3", "pthread/lock.c", "-DT=4", &[]),
    Case("indexer 16", "atomics/indexer.c", "-DN=16", &[]),
    Case("fsbench 26", "pthread/fsbench.c", "-DN=26", &[]),
    Case("lastzero 15", "atomics/lastzero.c", "-DN=15", &[]),
    Case("fib_bench 5", "atomics/fib_bench.c", "-DN=5", &[]),
    Case("14 writers, 1 reader", "atomics/writers.c", "-DN=14", &[]),
    Case("readers 17", "atomics/readers.c", "-DN=17", &[]),
    Case("ticket lock 9", "await/locks.c", "-DTICKET=9", &[]),
    Case(
        "lock handed on 8",
        "pthread/ticket_lock_handoff.c",
        "-DN=8",
        &[],
    ),
    Case("bounded stack 10", "pthread/bounded_stack.c", "-DN=10", &[]),
    Case(
        "circular buffer 10",
        "pthread/circular_buffer.c",
        "-DN=10",
        &[],
    ),
    Case(
        "bounded buffer 3+3",
        "pthread/producers_consumers.c",
        "-DN=3",
        &[],
    ),
    Case("test and set 4", "turns/test_and_set.c", "-DN=4", &[]),
    Case("queue 3+1", QUEUE, "-DPUT=3 -DTAKE=1", &[]),
    Case("queue 3+1, `none`", QUEUE, "-DPUT=3 -DTAKE=1", NONE),
    Case(
        "queue 3+1, `every-turn`",
        QUEUE,
        "-DPUT=3 -DTAKE=1",
        EVERY_TURN,
    ),
    Case("queue 3+2", QUEUE, "-DPUT=3 -DTAKE=2", &[]),
    Case("queue 4+1", QUEUE, "-DPUT=4 -DTAKE=1", &[]),
    Case("queue 4+1, `none`", QUEUE, "-DPUT=4 -DTAKE=1", NONE),
    Case("stack 3+3", STACK, "-DPUSH=3 -DPOP=3", &[]),
    Case("stack 3+3, `none`", STACK, "-DPUSH=3 -DPOP=3", NONE),
    Case(
        "stack 3+2, `every-turn`",
        STACK,
        "-DPUSH=3 -DPOP=2",
        EVERY_TURN,
    ),
    Case(
        "stack 3+3, `every-turn`",
        STACK,
        "-DPUSH=3 -DPOP=3",
        EVERY_TURN,
    ),
];
const QUEUE: &str = "turns/queue.c";
const STACK: &str = "turns/stack.c";

/// Parts of the work, in percent.
const PARTS: [u64; 4] = [1, 3, 10, 30];
/// The goal: at the first number's percent of the work the estimate is within this factor of the truth, in this share
/// of the programs.
const GOAL: (u64, f64, f64) = (10, 3.0, 0.8);

/// Sums over all rows.
#[derive(Default)]
struct Sums {
    programs: u32,
    met: u32,
    said: u32,
    in_band: u32,
    /// Logarithms of most / least.
    widths: f64,
}

impl Estimates {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a check says anything but how far it came.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        let mut sums = Sums::default();
        let mut table = "| program | executions | at 1 % | 3 % | 10 % | 30 % | 10 % within 3 |\n|---|--:|--:|--:|--:|--:|---|\n".to_owned();
        for case in &CASES {
            if self.only.iter().all(|only| case.0.contains(only)) {
                let row = row(case, &mut sums)?;
                eprint!("{row}");
                table += &row;
            }
        }
        let share = f64::from(sums.met) / f64::from(sums.programs.max(1));
        table += &format!(
            "\nWithin a factor of {} at {} % of the work: {} of {} programs; the goal, 8 of 10, is {}.\nThe number was in the band in {} of {} cases; most / least is {:.1} in the geometric mean.\n",
            GOAL.1,
            GOAL.0,
            sums.met,
            sums.programs,
            if share >= GOAL.2 { "met" } else { "missed" },
            sums.in_band,
            sums.said,
            (sums.widths / f64::from(sums.said.max(1))).exp(),
        );
        print!("{table}");
        match self.save {
            true => append(
                "docs/estimates.md",
                &format!("\n## {}\n\n{table}", today()?),
            ),
            false => Ok(()),
        }
    }
}

fn row(case: &Case, sums: &mut Sums) -> Outcome<String> {
    let Case(name, source, define, options) = case;
    let file = format!("estimates {}", name.replace('`', ""));
    let program = compile_at(&file, source, define)?;
    let report = check(&program, options)?.report;
    let all = report.executions.total();
    if report.verdict != Verdict::Verified {
        return Err(Stop::failed(format!("{name}: {:?}", report.verdict)));
    }
    let mut row = format!("| {name} | {}", text::grouped(all));
    let mut is_met = false;
    for part in PARTS {
        let estimate = at(&program, options, all * part / 100)?;
        row += &format!(" | {}", shown(estimate));
        let Some(estimate) = estimate else { continue };
        sums.said += 1;
        sums.in_band += u32::from((estimate.low..=estimate.high).contains(&all));
        sums.widths += (estimate.high as f64 / estimate.low as f64).ln();
        let ratio = estimate.executions as f64 / all as f64;
        is_met |= part == GOAL.0 && (1.0 / GOAL.1..=GOAL.1).contains(&ratio);
    }
    sums.programs += 1;
    sums.met += u32::from(is_met);
    Ok(row + if is_met { " | yes |\n" } else { " | no |\n" })
}

/// The estimate that a check gives after so many executions.
fn at(program: &Path, options: &[&str], executions: u64) -> Outcome<Option<Estimate>> {
    let most = format!("--max-executions={}", executions.max(1));
    let report = check(program, &[options, &[&*most]].concat())?.report;
    match report.verdict == Verdict::Incomplete && report.executions.total() == executions.max(1) {
        true => Ok(report.estimate),
        false => Err(Stop::failed(format!(
            "{}: {:?} after {} executions",
            program.display(),
            report.verdict,
            report.executions.total()
        ))),
    }
}

/// An estimate as the table has it: `150,000 (80,000 to 400,000)`.
fn shown(estimate: Option<Estimate>) -> String {
    let said = estimate.map(|estimate| estimate.total());
    let said = said.as_deref().unwrap_or("not known");
    said.strip_prefix("about ").unwrap_or(said).to_owned()
}
