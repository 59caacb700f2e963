//! `cargo xtask test [FILTER]`: everything, counted.
//!
//! The last line is `N passed, N failed, N skipped`. Skipped is what an optional tool is missing
//! for: a test says so in a line `skipped: NAME`, with NAME the package that has the tool. On a
//! machine of our own (`CI=true`, or root) such packages are installed first, and with `CI=true`
//! a skip that apt could have avoided is a failure.
//!
//! The head says what will be done and about how long it takes; a line a minute, what runs. Then
//! come a table of seconds, the names of failed tests, and the counts.
//!
//! The product has the profile `ci`, which links fast; `--everything` takes the released one. All
//! tests of the workspace are one build of cargo's, and the passes are built beside it.

pub mod binaries;
mod plan;
mod progress;
mod queue;

use super::build::{self, Profile};
use crate::counts::Counts;
use crate::llvm::{Llvm, Major};
use crate::process;
use crate::stop::Outcome;
use crate::table::Table;
use crate::{apt, openmp, tree};
use binaries::Binary;
use progress::Progress;
use queue::Job;
use std::process::Command;
use std::time::Duration;

/// Versions whose pass is tested in full.
const FULL: [Major; 2] = [19, 22];
/// Versions whose pass gets the tests with `smoke` in their names.
const SMOKE: [Major; 2] = [16, 15];

/// Packages of tools that tests of the driver and its reports use, if they are there.
const TOOLS: [&str; 21] = [
    "g++",
    "make",
    "cmake",
    "meson",
    "ninja-build",
    "autoconf",
    "automake",
    "valgrind",
    "graphviz",
    "gdb",
    "chromium",
    "libgtest-dev",
    "vim-nox",
    "emacs-nox",
    "catch2",
    "doctest-dev",
    "libboost-test-dev",
    "pkg-config",
    "dpkg-dev",
    "spin",
    "lbt",
];

/// Options of `test`.
#[derive(clap::Args, Debug, Default)]
pub struct Test {
    /// Only tests whose name contains this.
    filter: Option<String>,
    /// The released product, and each test program in every way: for nights.
    #[arg(long)]
    everything: bool,
}

impl Test {
    /// Builds everything and runs every test.
    ///
    /// # Errors
    /// If it does not build or a test fails.
    pub fn run(&self) -> Outcome {
        let mut table = Table::default();
        let mut counts = Counts::default();
        let progress = Progress::new();
        if is_ci() || apt::is_root() {
            let ((), wall) = progress.during("packages", provide);
            table.add("packages", wall, None);
        }
        let llvms = build::prepare()?;
        let majors: Vec<Major> = llvms.iter().map(|llvm| llvm.major).collect();
        println!(
            "{}",
            plan::head(self.everything, self.filter.as_deref(), &majors)
        );
        progress.told(|| {
            let jobs = self.build(&llvms, &progress, &mut counts, &mut table)?;
            let (tests, others) = std::thread::scope(|scope| {
                let others = scope.spawn(|| self.others(&progress));
                let tests = queue::run(jobs, &progress, &mut counts, &mut table);
                (tests, joined(others))
            });
            tests?;
            others
                .into_iter()
                .try_for_each(|other| other.count(&mut counts, &mut table))
        })?;
        for line in table.lines(progress.elapsed()) {
            println!("{line}");
        }
        counts.finish(is_ci())
    }

    /// Builds all there is; the tests to run, the longest first.
    fn build(
        &self,
        llvms: &[Llvm],
        progress: &Progress,
        counts: &mut Counts,
        table: &mut Table,
    ) -> Outcome<Vec<Job>> {
        let profile = match self.everything {
            true => Profile::Release,
            false => Profile::Ci,
        };
        let product = || build::build_workspace(profile);
        let tests = || -> Outcome<Vec<Binary>> {
            let mut cargo = process::cargo();
            cargo.current_dir(tree::root());
            cargo.args(["build", "--workspace", "--all-targets"]);
            // Programs that a test starts would find it before the product's.
            cargo.args(["--exclude", "dpor-runtime"]);
            let found = binaries::build(&mut cargo)?;
            let breakable = tree::target().join("debug/libdpor_rt_breakable.so");
            process::place(&breakable, &tree::target().join("breakable/libdpor_rt.so"))?;
            Ok(found)
        };
        let passes = || -> Outcome<Vec<(Major, Vec<Binary>)>> {
            let built = llvms.iter().map(|llvm| {
                let mut cargo = build::pass_cargo(llvm, "test");
                cargo.args(["--profile", profile.name(), "--no-run"]);
                let found = binaries::build(&mut cargo)?;
                build::place_pass(llvm, profile)?;
                Ok((llvm.major, found))
            });
            built.collect()
        };
        // Side by side: each has crates near its end for which everything else has to wait, and a core with it.
        let (product, tests, passes) = std::thread::scope(|scope| {
            let passes = scope.spawn(|| progress.during("build of the passes", passes));
            let tests = scope.spawn(|| progress.during("build of the tests", tests));
            let product = progress.during("build of the product", product);
            (product, joined(tests), joined(passes))
        });
        table.add("build of the product", product.1, None);
        table.add("build of the tests", tests.1, None);
        table.add("build of the passes", passes.1, None);
        product.0?;
        let passes = passes.0?;
        let (compiled, wall) = progress.during("build of the OpenMP runtime", openmp::build);
        table.add("build of the OpenMP runtime", wall, None);
        compiled?;
        let mut jobs: Vec<Job> = Vec::new();
        for binary in tests.0? {
            let mut command = binary.command();
            if self.everything {
                command.env("DPOR_TEST_EACH", "1");
            }
            let name = binary.name.clone();
            jobs.push(self.job(name, command, None));
        }
        jobs.extend(self.passes(passes, llvms, counts));
        jobs.sort_by_key(|job| {
            let name = job.name.split(',').next().unwrap_or_default();
            std::cmp::Reverse(plan::seconds(name))
        });
        Ok(jobs)
    }

    fn job(&self, name: String, mut command: Command, smoke: Option<&str>) -> Job {
        command.args(self.filter.as_deref().or(smoke));
        command.arg("--show-output");
        Job { name, command }
    }

    fn passes(
        &self,
        mut built: Vec<(Major, Vec<Binary>)>,
        llvms: &[Llvm],
        counts: &mut Counts,
    ) -> Vec<Job> {
        let mut jobs = Vec::new();
        for major in FULL.into_iter().chain(SMOKE) {
            let Some(at) = built.iter().position(|(built, _)| *built == major) else {
                counts.skip(&format!("clang-{major}"));
                continue;
            };
            let smoke = SMOKE.contains(&major).then_some("smoke");
            for binary in built.swap_remove(at).1 {
                let mut command = binary.command();
                let llvm = llvms.iter().find(|llvm| llvm.major == major);
                command.envs(llvm.into_iter().flat_map(Llvm::environment));
                jobs.push(self.job(format!("{}, LLVM {major}", binary.name), command, smoke));
            }
        }
        jobs
    }

    /// Tests that are no test binaries, one after the other.
    fn others(&self, progress: &Progress) -> Vec<Other> {
        let filter = self.filter.as_deref();
        let all: [(&str, &str, Check); 3] = [
            ("documentation", "rustdoc", super::documentation::check),
            ("instructions", "valgrind", super::instructions::check),
            ("miri", "miri", super::miri::check),
        ];
        let wanted = all
            .into_iter()
            .filter(|(name, ..)| filter.is_none_or(|filter| name.contains(filter)));
        wanted
            .map(|(name, package, check)| {
                let (wrong, wall) = progress.during(name, check);
                Other {
                    name,
                    package,
                    wrong,
                    wall,
                }
            })
            .collect()
    }
}

/// The faults that a test found, in words; `None`: its tool is not there.
type Wrong = Option<Vec<String>>;

/// A function that runs such a test.
type Check = fn() -> Outcome<Wrong>;

/// A test that is no test binary, which ran.
struct Other {
    name: &'static str,
    /// The package that has the test's tool.
    package: &'static str,
    wrong: Outcome<Wrong>,
    wall: Duration,
}

impl Other {
    fn count(self, counts: &mut Counts, table: &mut Table) -> Outcome {
        match self.wrong? {
            None => counts.skip(self.package),
            Some(wrong) if wrong.is_empty() => counts.pass(),
            Some(wrong) => counts.fail(&wrong.join("; ")),
        }
        table.add(self.name, self.wall, Some(1));
        Ok(())
    }
}

/// What a thread returned.
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    let panics = |panic| std::panic::resume_unwind(panic);
    thread.join().unwrap_or_else(panics)
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Installs what optional tests need, as far as apt has it.
fn provide() {
    let mut wanted: Vec<String> = TOOLS.map(str::to_owned).to_vec();
    for major in FULL.into_iter().chain(SMOKE) {
        wanted.extend(build::packages(major));
    }
    let missing: Vec<&str> = wanted
        .iter()
        .map(String::as_str)
        .filter(|package| !apt::has(package) && apt::offers(package))
        .collect();
    if missing.is_empty() {
        return;
    }
    // What then is still missing shows up as a skip.
    if let Err(stop) = apt::install(&missing) {
        eprintln!("xtask: {stop}");
    }
}

/// `cargo test` on all crates, always all of them: fewer would be built with other features.
fn workspace(arguments: &[&str]) -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root());
    cargo.args(["test", "--workspace"]).args(arguments);
    cargo
}

/// The test suite of programs alone.
pub fn programs(filter: Option<&str>) -> Command {
    let mut cargo = workspace(&["--test", "programs"]);
    cargo.args(filter);
    cargo
}
