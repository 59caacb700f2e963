//! `cargo xtask first-bug`: how long `dpor check` takes, from its call to its end, where there is a bug.
//!
//! The programs are `testsuite/programs/first_bug/`, one for each kind of bug that people ask for first. Where the time
//! goes is told by three more numbers: that of the search, of the whole command without minimization, and of a check of a
//! program with one thread that does nothing wrong.

use super::bench::measure::{check, compile_at, compile_file, median};
use super::bench::today;
use super::build::Build;
use crate::section;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use dpor_report::{Report, Verdict};
use std::path::Path;
use std::time::Instant;

/// Options of `first-bug`.
#[derive(clap::Args, Debug)]
pub struct FirstBug {
    /// Write the table to docs/samples.md
    #[arg(long)]
    save: bool,
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    /// Checks of each program
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
    #[command(flatten)]
    build: Build,
}

const FOLDER: &str = "testsuite/programs/first_bug";
const HEADING: &str = "## The first bug, in seconds";
/// The goal.
const SECONDS_MAX: f64 = 0.1;

/// Medians of several checks.
struct Times {
    wall: f64,
    cpu: f64,
    search: f64,
    report: Report,
}

impl FirstBug {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a check finds no bug.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        let load = std::fs::read_to_string("/proc/loadavg").while_doing("/proc/loadavg")?;
        let load = load.split(' ').next().unwrap_or_default().to_owned();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let nothing = compile_at("first bug none", "pthread/lock.c", "-DT=1")?;
        let start = self.times(&nothing, &[])?;
        let mut table = "| program | found | execution | wall, s | at most 0.1 | CPU, s | search, s | without minimization, s |\n|---|---|--:|--:|---|--:|--:|--:|\n".to_owned();
        for name in tree::programs_in(FOLDER)? {
            let row = self.row(&name)?;
            eprint!("{row}");
            table += &row;
        }
        let section = format!(
            "{HEADING}\n\nWritten by `cargo xtask first-bug --save` on {}: `dpor check` as it is, of the programs of `{FOLDER}/`, medians of {}, on {processors} processors with a load of {load} when it began (more than {processors}: it shared them). *Search* ends with the finding; what comes after it repeats the schedule with fewer preemptions, then once more for calls and names. A check of a program with nothing to find took {:.3} s, {:.3} of the processor.\n\n{table}",
            today()?,
            self.runs,
            start.wall,
            start.cpu,
        );
        print!("{section}");
        match self.save {
            true => section::write("docs/samples.md", HEADING, &section, None),
            false => Ok(()),
        }
    }

    fn row(&self, name: &str) -> Outcome<String> {
        let program = compile_file(
            &format!("first bug {name}"),
            &format!("{FOLDER}/{name}.c"),
            &[],
        )?;
        let usual = self.times(&program, &[])?;
        let report = &usual.report;
        let found = { report.findings.first() }.filter(|_| report.verdict == Verdict::Bug);
        let Some(found) = found else {
            return Err(Stop::failed(format!("{name}: {:?}", report.verdict)));
        };
        let short = self.times(&program, &["--minimize-time=0"])?;
        Ok(format!(
            "| {name} | {} | {} | {:.3} | {} | {:.3} | {:.3} | {:.3} |\n",
            found.kind,
            report.executions.total(),
            usual.wall,
            if usual.wall <= SECONDS_MAX {
                "yes"
            } else {
                "no"
            },
            usual.cpu,
            usual.search,
            short.wall,
        ))
    }

    fn times(&self, program: &Path, options: &[&str]) -> Outcome<Times> {
        let (mut wall, mut cpu, mut search) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..self.runs.max(1) {
            let begun = Instant::now();
            let run = check(program, options)?;
            wall.push(begun.elapsed().as_secs_f64());
            cpu.push(run.cpu);
            search.push(run.report.seconds.wall);
            last = Some(run.report);
        }
        Ok(Times {
            wall: median(&mut wall),
            cpu: median(&mut cpu),
            search: median(&mut search),
            report: last.expect("checked at least once"),
        })
    }
}
