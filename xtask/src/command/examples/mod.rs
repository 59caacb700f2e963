//! `cargo xtask examples`: the programs of examples/cxx, each with its bug and without it, and ThreadSanitizer beside it.

mod sizes;
mod tsan;

use super::bench::measure::{check, Run};
use super::bench::today;
use super::build::Build;
use crate::llvm::{self, Llvm};
use crate::section::write;
use crate::stop::{Outcome, Stop};
use crate::{checked, process, tree};
use dpor_report::{text, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;
use tsan::Runs;

/// Options of `examples`.
#[derive(clap::Args, Debug)]
pub struct Examples {
    /// Measure what was built before
    #[arg(long, conflicts_with_all = ["llvms", "profile_guided"])]
    prebuilt: bool,
    /// Runs of each program with ThreadSanitizer
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: u32,
    /// How much work of some kinds can be checked in a second and in a minute, instead → docs/sizes.md, README.md
    #[arg(long)]
    sizes: bool,
    #[command(flatten)]
    build: Build,
}

/// A program, and its bug in words.
const PROGRAMS: [(&str, &str); 11] = [
    ("bank", "looks at the balance, and takes from it later"),
    ("bounded_queue", "semaphores let two producers in at once"),
    (
        "thread_pool",
        "stops without the mutex that the workers wait with",
    ),
    ("cache", "readers change the order of recent use"),
    ("producers_consumers", "waits with `if` instead of `while`"),
    ("singleton", "the look without the lock is relaxed"),
    (
        "lock_free_stack",
        "deletes a node that another thread reads",
    ),
    (
        "work_stealing",
        "takes the last task without a compare-exchange",
    ),
    ("philosophers", "everybody takes the left fork first"),
    ("parallel_sort", "the halves share an element"),
    ("logger", "ends before it has written everything"),
];

/// The folder of the programs, from the root of the repository.
const FOLDER: &str = "examples/cxx";
const PAGE: &str = "docs/eleven.md";
const HEADING: &str = "## Eleven programs beside ThreadSanitizer";

/// What was measured of a program.
struct Measured {
    name: &'static str,
    bug: &'static str,
    /// Checks of it with its bug and without it.
    checks: [Run; 2],
    /// Runs with ThreadSanitizer, likewise.
    runs: [Runs; 2],
}

impl Measured {
    fn is_found(&self) -> bool {
        self.checks[0].report.verdict == Verdict::Bug
    }

    fn is_verified(&self) -> bool {
        self.checks[1].report.verdict == Verdict::Verified
    }

    fn row(&self) -> String {
        let [buggy, fixed] = &self.checks;
        let mut row = format!("| `{}` | {}", self.name, self.bug);
        for run in [buggy, fixed] {
            let said = match run.report.verdict {
                Verdict::Verified => "verified".to_owned(),
                _ => checked::said(&run.report),
            };
            let executions = text::grouped(run.report.executions.total());
            row += &format!(" | {said} | {executions} | {:.2}", run.cpu);
        }
        let [buggy, fixed] = self.runs.map(Runs::shown);
        row + &format!(" | {buggy} | {fixed} |\n")
    }
}

impl Examples {
    /// Builds, measures, and writes the sections of the page and of the README.
    ///
    /// # Errors
    /// If a program cannot be built, or a check does not find its bug or does not verify it without.
    pub fn run(&self) -> Outcome {
        if !self.prebuilt {
            self.build.run()?;
        }
        if self.sizes {
            let section = sizes::measure(&today()?)?;
            return write("README.md", sizes::HEADING, &section, Some("## Further"));
        }
        let clang = llvm::installed().into_iter().next();
        let clang = clang.ok_or_else(|| Stop::cannot("no LLVM is installed"))?;
        tsan::provide(&clang)?;
        let ours = make("dpor", "-O2", &tree::tool("dpor-c++").display().to_string())?;
        let theirs = format!("{} -fsanitize=thread", clang.tool("clang++").display());
        let theirs = make("tsan", "-O1", &theirs)?;
        let mut all = Vec::new();
        for (name, bug) in PROGRAMS {
            let measured = self.measured(name, bug, &ours, &theirs)?;
            eprint!("{}", measured.row());
            all.push(measured);
        }
        let std_semaphores = check(&ours.join("bounded_queue-std"), &[])?;
        let std_semaphores = checked::said(&std_semaphores.report);
        let today = today()?;
        let section = self.section(&today, &clang, &all, &std_semaphores);
        write(PAGE, HEADING, &section, None)?;
        let section = self.readme(&today, &all);
        write("README.md", HEADING, &section, Some("## Further"))?;
        let as_expected = |one: &&Measured| one.is_found() && one.is_verified();
        match all.iter().find(|one| !as_expected(one)) {
            None => Ok(()),
            Some(one) => Err(Stop::failed(format!(
                "not as expected: {}",
                one.row().trim()
            ))),
        }
    }

    fn measured(
        &self,
        name: &'static str,
        bug: &'static str,
        ours: &Path,
        theirs: &Path,
    ) -> Outcome<Measured> {
        let fixed = format!("{name}-fixed");
        Ok(Measured {
            name,
            bug,
            checks: [
                check(&ours.join(name), &[])?,
                check(&ours.join(&fixed), &[])?,
            ],
            runs: [
                tsan::run(&theirs.join(name), self.runs)?,
                tsan::run(&theirs.join(&fixed), self.runs)?,
            ],
        })
    }

    /// The section of the page.
    fn section(&self, today: &str, clang: &Llvm, all: &[Measured], std_semaphores: &str) -> String {
        let rows: String = all.iter().map(Measured::row).collect();
        let runs = self.runs;
        format!(
            "{HEADING}\n\n\
             Written by `cargo xtask examples` on {today}; clang {}, g++'s libstdc++. {}\n\n\
             | program | its bug | found | executions | seconds | fixed | executions | seconds | ThreadSanitizer: hits of {runs} | fixed |\n\
             |---|---|---|--:|--:|---|--:|--:|--:|--:|\n{rows}\n\
             The fixed queue with the library's semaphores (`-DFIXED -DSTD_SEMAPHORES`): {std_semaphores}.\n",
            clang.major,
            self.summary(all),
        )
    }

    /// The section of the README.
    fn readme(&self, today: &str, all: &[Measured]) -> String {
        format!(
            "{HEADING}\n\n\
             Programs as people write them in C++, each with a bug and without it: [a bank, a thread pool, a lock-free stack, …]({PAGE}). \
             Written by `cargo xtask examples` on {today}:\n\n{}",
            self.table(all),
        )
    }

    /// What the rows come to, in a sentence.
    fn summary(&self, all: &[Measured]) -> String {
        let sums = Sums::of(all);
        let alone = match sums.failed {
            0 => String::new(),
            n => format!(", {n} of them only because the program failed"),
        };
        format!(
            "dpor finds {} of {} bugs and verifies {} of the fixed programs; ThreadSanitizer in {} runs of each sees {} of the bugs{alone}.",
            sums.found, sums.all, sums.verified, self.runs, sums.hit
        )
    }

    /// The same as a table.
    fn table(&self, all: &[Measured]) -> String {
        let (sums, runs) = (Sums::of(all), self.runs);
        let alone = match sums.failed {
            0 => String::new(),
            n => format!(" ({n} of them only because the program failed)"),
        };
        format!(
            "| | bugs found | fixed |\n|---|---|---|\n\
             | `dpor check` | {} of {} | {} verified |\n\
             | ThreadSanitizer, {runs} runs of each | {} of {}{alone} | {} with a hit |\n",
            sums.found, sums.all, sums.verified, sums.hit, sums.all, sums.accused
        )
    }
}

/// Numbers of programs.
struct Sums {
    all: usize,
    /// Those whose bug was found.
    found: usize,
    /// Those that were verified once they were fixed.
    verified: usize,
    /// Those with a run that showed their bug with ThreadSanitizer.
    hit: usize,
    /// Those of them of which there was no report.
    failed: usize,
    /// Those that ThreadSanitizer reported something of although they were fixed.
    accused: usize,
}

impl Sums {
    fn of(all: &[Measured]) -> Sums {
        let count = |is: fn(&Measured) -> bool| all.iter().filter(|one| is(one)).count();
        Sums {
            all: all.len(),
            found: count(Measured::is_found),
            verified: count(Measured::is_verified),
            hit: count(|one| one.runs[0].is_hit()),
            failed: count(|one| one.runs[0].is_hit() && one.runs[0].reported == 0),
            accused: count(|one| one.runs[1].is_hit()),
        }
    }
}

/// Builds all programs in a folder of their own; the folder.
fn make(name: &str, level: &str, compiler: &str) -> Outcome<PathBuf> {
    let folder = tree::scratch(&format!("examples/{name}"));
    let mut make = Command::new("make");
    make.args(["--always-make", "-C"])
        .arg(tree::root().join(FOLDER));
    make.arg(format!("OUT={}", folder.display()));
    make.arg(format!("CXX={compiler}"));
    make.arg(format!("CXXFLAGS=-std=c++20 {level} -g -pthread"));
    process::run(&mut make)?;
    Ok(folder)
}
