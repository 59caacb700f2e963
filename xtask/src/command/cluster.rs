//! `cargo xtask cluster`: a dpor with MPI, and what only MPI shows: its tests, every program of the test suite
//! by several ranks, and how the ranks share one search → docs/cluster.md.

use super::bench::append_row;
use super::build::Build;
use crate::apt;
use crate::counts::Counts;
use crate::process;
use crate::stop::{Context, Outcome, Stop};
use crate::tree;
use std::process::Command;

const HEADING: &str = "# Clusters\n\n\
One row per run of `cargo xtask cluster`: tests that need MPI (two to eight ranks of one machine, two hosts that are network namespaces over TCP, ranks that are killed, limits), programs of the test suite that so many ranks explore as one process does, and one search by so many ranks: `testsuite/programs/pthread/long.c` with three turns, 369,600 executions.\n\
All ranks are on one machine, with more of them than cores: what is shown is that they find the same, not how fast they are.\n\n\
| date | MPI | tests | programs | ranks | seconds of 1, 2, 4, 8 ranks | items moved | messages per 1,000 executions |\n\
|---|---|--:|--:|--:|---|---|---|\n";

/// The search that is timed, its executions, and how it is made.
const PROGRAM: &str = "testsuite/programs/pthread/long.c";

/// What MPI and rsmpi's build need.
const PACKAGES: [&str; 4] = ["openmpi-bin", "libopenmpi-dev", "pkg-config", "iproute2"];

/// Options of `cluster`.
#[derive(clap::Args, Debug)]
pub struct Cluster {
    /// By how many ranks the programs of the test suite are explored.
    #[arg(long, default_value_t = 3)]
    ranks: u32,
    /// Without the programs of the test suite, which take half an hour.
    #[arg(long)]
    no_programs: bool,
}

impl Cluster {
    /// Builds, tests, and appends a row.
    ///
    /// # Errors
    /// It does not build, or a test fails.
    pub fn run(&self) -> Outcome {
        Build::with_mpi().run()?;
        let mut counts = Counts::default();
        let mut tests = process::cargo();
        tests.current_dir(tree::root());
        tests.args(["test", "-p", "dpor-testsuite", "--test", "suite", "--"]);
        tests.args(["--ignored", "--test-threads=1", "mpi::"]);
        counts.add("MPI", &mut tests)?;
        let tested = counts.ran();
        if !self.no_programs {
            let mut programs = super::test::programs(None);
            // Two mpiruns that begin and end at the same time remove each other's folders.
            programs
                .args(["--", "--test-threads=1"])
                .env("DPOR_TEST_MPI", self.ranks.to_string())
                .env("DPOR_TEST_LLVM", "19");
            counts.add("programs by ranks", &mut programs)?;
        }
        let programs = counts.ran() - tested;
        let shared = share()?;
        let row = format!(
            "| {{date}} | {} | {tested} | {programs} | {} | {shared} |",
            version()?,
            self.ranks
        );
        counts.finish(false)?;
        append_row("docs/cluster.md", HEADING, &row)
    }
}

/// Installs what a dpor with MPI is built with, if it is missing; where libclang is.
///
/// # Errors
/// The line to run, where we may not install.
pub fn provide() -> Outcome<String> {
    let mut missing: Vec<&str> = PACKAGES.into_iter().filter(|p| !apt::has(p)).collect();
    if libclang().is_none() {
        missing.push("libclang-dev");
    }
    if !missing.is_empty() {
        apt::install(&missing)?;
    }
    libclang()
        .ok_or_else(|| Stop::cannot("libclang was installed, but /usr/lib/llvm-*/lib has none"))
}

/// The folder of a libclang, which rsmpi reads MPI's headers with.
fn libclang() -> Option<String> {
    if let Ok(folder) = std::env::var("LIBCLANG_PATH") {
        return Some(folder);
    }
    let versions = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let folders = versions
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm-"))
        .map(|entry| entry.path().join("lib"));
    let is_it = |name: &str| {
        name.starts_with("libclang.so")
            || (name.starts_with("libclang-") && !name.starts_with("libclang-cpp"))
    };
    let has_it = |folder: &std::path::PathBuf| {
        std::fs::read_dir(folder).is_ok_and(|files| {
            files
                .flatten()
                .any(|file| is_it(&file.file_name().to_string_lossy()))
        })
    };
    let mut found: Vec<std::path::PathBuf> = folders.filter(has_it).collect();
    found.sort();
    Some(found.pop()?.display().to_string())
}

fn version() -> Outcome<String> {
    let said = process::output_of(Command::new("mpirun").arg("--version"))?;
    let first = said.lines().next().unwrap_or_default();
    Ok(first.replace("mpirun (", "").replace(')', ""))
}

/// Seconds, items and messages of one search by 1, 2, 4, 8 ranks.
fn share() -> Outcome<String> {
    let folder = tree::product().with_file_name("cluster");
    std::fs::create_dir_all(&folder).while_doing(folder.display())?;
    let (program, json) = (folder.join("long"), folder.join("long.json"));
    let bin = tree::product().join("bin");
    let mut compile = Command::new(bin.join("dpor-cc"));
    compile.args(["-O2", "-g", "-DTIMES=3", "-o"]);
    process::run(compile.arg(&program).arg(tree::root().join(PROGRAM)))?;
    let mut columns = [Vec::new(), Vec::new(), Vec::new()];
    for ranks in ["1", "2", "4", "8"] {
        let mut check = Command::new("mpirun");
        check
            .args(["--oversubscribe", "--quiet", "-n", ranks])
            .arg(bin.join("dpor"))
            .args(["check", "--mpi", "--output=none", "--json"])
            .arg(&json)
            .arg(&program)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        process::run(&mut check)?;
        let report = std::fs::read_to_string(&json).while_doing(json.display())?;
        let report: serde_json::Value =
            serde_json::from_str(&report).while_doing(json.display())?;
        if report["executions"]["complete"] != 369_600 {
            return Err(Stop::failed(format!(
                "{ranks} ranks explored {}",
                report["executions"]
            )));
        }
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or_default();
        columns[0].push(format!("{:.2}", number(&report["seconds"]["wall"])));
        columns[1].push(format!("{}", number(&report["sharing"]["items_moved"])));
        columns[2].push(format!(
            "{:.2}",
            number(&report["sharing"]["messages_per_1000"])
        ));
    }
    Ok(columns.map(|column| column.join(", ")).join(" | "))
}
