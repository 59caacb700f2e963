//! `cargo xtask samples`: executions until a bug is found, by search.
//!
//! The programs are `testsuite/programs/samples/`; each has one kind of bug.

use super::bench::measure::{check, compile_file};
use super::bench::{append, today};
use super::build::Build;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use dpor_report::{text, Verdict};
use std::path::Path;

/// Options of `samples`.
#[derive(clap::Args, Debug)]
pub struct Samples {
    /// Append the table to docs/samples.md
    #[arg(long)]
    save: bool,
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    /// Only programs whose names contain this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Seeds of each search that samples
    #[arg(long, value_name = "N", default_value_t = 20)]
    seeds: u64,
    /// Executions after which a search has not found the bug
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    most: u64,
    #[command(flatten)]
    build: Build,
}

const FOLDER: &str = "testsuite/programs/samples";
const SAMPLED: [&str; 4] = ["random", "pct", "pos", "surw"];

impl Samples {
    /// Builds, measures, prints.
    ///
    /// # Errors
    /// If a check says anything but that there is a bug, or that it found none.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        let mut table =
            "| program | optimal | random | pct | pos | surw |\n|---|--:|--:|--:|--:|--:|\n"
                .to_owned();
        for name in tree::programs_in(FOLDER)? {
            if self.only.iter().all(|only| name.contains(only)) {
                let row = self.row(&name)?;
                eprint!("{row}");
                table += &row;
            }
        }
        print!("{table}");
        match self.save {
            true => append("docs/samples.md", &self.section(&table)?),
            false => Ok(()),
        }
    }

    fn section(&self, table: &str) -> Outcome<String> {
        let (seeds, most) = (self.seeds, text::grouped(self.most));
        Ok(format!(
            "\n## {}\n\n{seeds} seeds, at most {most} executions each.\n\n{table}",
            today()?
        ))
    }

    fn row(&self, name: &str) -> Outcome<String> {
        let source = format!("{FOLDER}/{name}.c");
        let path = tree::root().join(&source);
        let header = std::fs::read_to_string(&path).while_doing(path.display())?;
        let flags = header
            .lines()
            .filter_map(|line| line.strip_prefix("//@ cflags: "));
        let flags: Vec<&str> = flags.flat_map(str::split_whitespace).collect();
        let program = compile_file(&format!("samples {name}"), &source, &flags)?;
        let most = format!("--max-executions={}", self.most);
        let optimal = self.first(&program, &[&most])?;
        let mut row = format!("| {name} | {}", self.shown(optimal));
        for search in SAMPLED {
            let search = format!("--search={search}");
            let samples = format!("--samples={}", self.most);
            let mut firsts = Vec::new();
            for seed in 1..=self.seeds {
                let seed = format!("--seed={seed}");
                firsts.push(self.first(&program, &[&search, &samples, &seed])?);
            }
            row += &format!(" | {}", self.median(firsts));
        }
        Ok(row + " |\n")
    }

    /// The execution that shows the bug. `None`: none of those that were run.
    fn first(&self, program: &Path, options: &[&str]) -> Outcome<Option<u64>> {
        let report = check(program, options)?.report;
        match report.verdict {
            Verdict::Bug => Ok(Some(report.executions.total())),
            Verdict::Incomplete if report.executions.total() == self.most => Ok(None),
            verdict => Err(Stop::failed(format!(
                "{} {options:?}: {verdict:?} after {} executions: {}",
                program.display(),
                report.executions.total(),
                report.reason.unwrap_or_default()
            ))),
        }
    }

    fn shown(&self, first: Option<u64>) -> String {
        match first {
            Some(first) => text::grouped(first),
            None => format!("> {}", text::grouped(self.most)),
        }
    }

    /// The middle one, the mean of two where their number is even, and how many found none.
    fn median(&self, mut firsts: Vec<Option<u64>>) -> String {
        let without = firsts.iter().filter(|first| first.is_none()).count();
        firsts.sort_by_key(|first| first.unwrap_or(u64::MAX));
        let (low, high) = (firsts[(firsts.len() - 1) / 2], firsts[firsts.len() / 2]);
        let both = low.zip(high).map(|(low, high)| (low + high) / 2);
        match without {
            0 => self.shown(both),
            n => format!("{} ({n} none)", self.shown(both)),
        }
    }
}
