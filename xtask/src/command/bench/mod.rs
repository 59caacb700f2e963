//! `cargo xtask bench`: the table of programs with goals, and what a rollback in process is worth.
//!
//! Each program is checked several times and the median of the CPU seconds is taken: of the whole
//! command, starting included, as the goals have it. Wall time of a shared machine says nothing.
//! Peers that the environment names (`peers`) do the same programs in the same run.

mod cases;
pub mod measure;
mod peers;
mod row;

use super::build::Build;
use super::profile;
use crate::stop::{Context, Outcome, Stop};
use crate::{process, tree};
use cases::{Case, Goal, CASES};
use measure::{check, expect, median, Run};
use peers::Peer;
use row::{columns, geometric_mean, judge, Row, Search};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Options of `bench`.
#[derive(clap::Args, Debug)]
pub struct Bench {
    /// Append the numbers to docs/bench.md
    #[arg(long)]
    save: bool,
    /// Write the rows as JSON; standard output unless a file is named
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// All executions also where there are millions
    #[arg(long)]
    full: bool,
    /// Only programs whose names contain this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Checks of each program
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seconds after which the classic search gives up
    #[arg(long, default_value_t = 20)]
    classic_limit: u32,
    /// Seconds after which a peer gives up
    #[arg(long, default_value_t = 60)]
    peer_limit: u64,
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided", "unguided"])]
    prebuilt: bool,
    /// Measure a runtime that was compiled once, without a profile
    #[arg(long, conflicts_with = "profile_guided")]
    unguided: bool,
    #[command(flatten)]
    build: Build,
}

/// Builds the runtime as packages contain it (docs/decisions/0028), where the tool for that is there.
fn guide() -> Outcome {
    match profile::build() {
        Err(stop) if stop.code == 2 => {
            eprintln!("note: measured without a profile: {stop}");
            Ok(())
        }
        built => built,
    }
}

/// The numbers of a run of `bench`.
#[derive(Serialize)]
struct Table {
    rows: Vec<Row>,
    /// Geometric mean of `times_peer`, over the rows that have it.
    geometric_mean: Option<f64>,
    /// `None` where no peer did anything.
    faster_in_every_row: Option<bool>,
    /// Wall time with a fresh process per execution over that with rollback in process.
    restart_over_snapshot: Option<f64>,
}

impl Bench {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a program is not verified with its known count: then there is nothing to measure.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
            if !self.unguided && !self.build.profile_guided {
                guide()?;
            }
        }
        let table = self.measure()?;
        let text = text(&table);
        match &self.json {
            Some(file) => {
                eprint!("{text}");
                write_json(file, &table)?;
            }
            None => print!("{text}"),
        }
        if self.save {
            let heading = format!("\n## {}\n\n", today()?);
            append("docs/bench.md", &(heading + &text))?;
        }
        Ok(())
    }

    fn measure(&self) -> Outcome<Table> {
        let wanted = |case: &&Case| { self.only.iter() }.all(|only| case.name.contains(only));
        let peers = peers::named();
        let rows = { CASES.iter().filter(wanted) }.map(|case| self.row(case, &peers));
        let rows = rows.collect::<Outcome<Vec<Row>>>()?;
        let times = || rows.iter().filter_map(|row| row.times_peer);
        let mean = geometric_mean(times());
        Ok(Table {
            geometric_mean: mean,
            faster_in_every_row: mean.map(|_| times().all(|times| times > 1.0)),
            restart_over_snapshot: match self.only {
                Some(_) => None,
                None => Some(restart_over_snapshot()?),
            },
            rows,
        })
    }

    fn row(&self, case: &Case, peers: &[Peer]) -> Outcome<Row> {
        let program = measure::instrumented(case)?;
        let limit = case.limit.filter(|_| !self.full);
        let limit_option = limit.map(|limit| format!("--max-executions={limit}"));
        let options = |more: &[&'static str]| -> Vec<String> {
            let more = more.iter().map(|&option| option.to_owned());
            more.chain(limit_option.clone()).collect()
        };
        let run = |more: &[&'static str]| {
            let options = options(more);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            check(&program, &options)
        };

        let mut seconds = Vec::new();
        let mut last = None;
        for _ in 0..self.runs.max(1) {
            let Run { cpu, report } = run(&["--reductions=none"])?;
            expect(case.name, &report, limit.unwrap_or(case.executions))?;
            expect_blocked(case, &report)?;
            seconds.push(cpu);
            last = Some(report);
        }
        let report = last.expect("checked at least once");
        let seconds = median(&mut seconds);
        let executions = report.executions.total();

        let reduced = run(&[])?;
        // Reductions may leave out executions, and find nothing else.
        expect(
            case.name,
            &reduced.report,
            reduced.report.executions.complete,
        )?;
        let of_native = match case.goal {
            Goal::OfNative(_) => Some(measure::of_native(case, self.runs.max(1))?),
            _ => None,
        };
        let every_turn = match case.every_turn {
            Some(executions) => Some(with_every_turn(case, executions, &program)?),
            None => None,
        };
        let peers = self.peers(case, peers)?;
        let times_peer = peers::best(&peers).map(|peer| peer / seconds);
        let (goal, goal_met) = judge(case, seconds, executions, of_native, times_peer);
        let all_events = report.events + report.events_replayed;
        Ok(Row {
            program: case.name,
            executions,
            redundant: report.executions.redundant,
            blocked: report.executions.blocked,
            events: report.events,
            events_replayed: report.events_replayed,
            seconds,
            executions_per_second: executions as f64 / seconds,
            peak_rss_bytes: report.peak_rss_bytes,
            ns_per_event: seconds * 1e9 / all_events.max(1) as f64,
            restore_ns: report.checkpoints.restore_ns,
            classic: self.classic(case, &program, limit_option.as_deref())?,
            default_reductions: Some(searched(&reduced)),
            of_native,
            goal,
            goal_met,
            every_turn,
            peers,
            times_peer,
        })
    }

    /// What the peers make of a program; nothing of one that we do not finish, or that is for ourselves.
    fn peers(&self, case: &Case, peers: &[Peer]) -> Outcome<Vec<peers::Ran>> {
        if case.limit.is_some() || matches!(case.goal, Goal::OfNative(_)) {
            return Ok(Vec::new());
        }
        let source = measure::in_suite(case.source);
        let limit = Duration::from_secs(self.peer_limit);
        let ran = { peers.iter() }.map(|peer| peer.run(&source, case.define, self.runs, limit));
        ran.collect()
    }

    /// The classic search, if it comes to an end in its time.
    fn classic(&self, case: &Case, program: &Path, limit: Option<&str>) -> Outcome<Option<Search>> {
        let time = format!("--time-limit={}", self.classic_limit);
        let mut options = vec!["--search=classic", "--reductions=none", &time];
        options.extend(limit);
        let run = check(program, &options)?;
        let over = run.report.reason.as_ref();
        if over.is_some_and(|reason| reason.starts_with("time-limit")) {
            return Ok(None);
        }
        let complete = run.report.executions.complete;
        let all = case.every_turn.unwrap_or(case.executions);
        let expected = limit.map_or(all, |_| complete);
        expect(case.name, &run.report, expected)?;
        Ok(Some(searched(&run)))
    }
}

/// The search that leaves no turn out, whose number of executions is known.
fn with_every_turn(case: &Case, executions: u64, program: &Path) -> Outcome<Search> {
    let run = check(program, &["--reductions=none,every-turn"])?;
    expect(case.name, &run.report, executions)?;
    Ok(searched(&run))
}

/// Fails unless as many executions are blocked as are known to be.
fn expect_blocked(case: &Case, report: &dpor_report::Report) -> Outcome {
    match report.executions.blocked {
        found if found == case.blocked => Ok(()),
        found => Err(Stop::failed(format!(
            "{}: {found} blocked executions, expected {}",
            case.name, case.blocked
        ))),
    }
}

fn searched(run: &Run) -> Search {
    Search {
        executions: run.report.executions.total(),
        redundant: run.report.executions.redundant,
        blocked: run.report.executions.blocked,
        seconds: run.cpu,
    }
}

/// Wall time of lock 3x3: CPU time of restarted executions is spread over processes.
fn restart_over_snapshot() -> Outcome<f64> {
    let lock = CASES.iter().find(|case| case.name == "lock 4x3");
    let small = Case {
        name: "lock 3x3",
        define: "-DT=3",
        executions: 1_680,
        ..*lock.expect("it is in the table")
    };
    let program = measure::instrumented(&small)?;
    let best = |checkpoint| -> Outcome<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let run = check(&program, &["--reductions=none", checkpoint])?;
            expect(small.name, &run.report, small.executions)?;
            best = best.min(run.report.seconds.wall);
        }
        Ok(best)
    };
    Ok(best("--checkpoint=restart")? / best("--checkpoint=snapshot")?)
}

fn text(table: &Table) -> String {
    let mut text = columns();
    for row in &table.rows {
        text += &row.markdown();
        text.push('\n');
    }
    let failures = table.rows.iter().flat_map(|row| {
        let failed = |ran: &peers::Ran| {
            let why = ran.failure.as_ref()?;
            Some(format!("- {} on `{}`: {why}\n", ran.peer, row.program))
        };
        row.peers.iter().filter_map(failed)
    });
    let failures: String = failures.collect();
    if !failures.is_empty() {
        text += &format!("\nPeers that failed:\n\n{failures}");
    }
    if let (Some(mean), Some(every)) = (table.geometric_mean, table.faster_in_every_row) {
        let every = match every {
            true => "in every row",
            false => "but not in every row",
        };
        text += &format!(
            "\nGeometric mean over the rows with a peer: {mean:.1} times faster, {every}.\n"
        );
    }
    if let Some(ratio) = table.restart_over_snapshot {
        text += &format!(
            "Lock 3x3 with a fresh process for each execution: {ratio:.0} times the wall time.\n"
        );
    }
    text
}

fn write_json(file: &Path, table: &Table) -> Outcome {
    let json = serde_json::to_string_pretty(table).while_doing("the rows as JSON")?;
    if file == Path::new("-") {
        println!("{json}");
        return Ok(());
    }
    std::fs::write(file, json + "\n").while_doing(file.display())
}

/// Appends to a file of this folder.
///
/// # Errors
/// If it cannot be written.
pub fn append(file: &str, text: &str) -> Outcome {
    let path = tree::root().join(file);
    let old = std::fs::read_to_string(&path).while_doing(path.display())?;
    std::fs::write(&path, old + text).while_doing(path.display())
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

/// The present day, as `2026-11-20`.
///
/// # Errors
/// If `date` does not run.
pub fn today() -> Outcome<String> {
    process::output_of(Command::new("date").arg("+%F"))
}
