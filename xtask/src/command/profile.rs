//! `build --profile-guided`: the runtime, compiled for how it is used.
//!
//! The runtime is built with counters, checks the programs below, and is built again with what it
//! counted. Which branches a search takes is the same in nearly all programs, and no attribute in
//! the source could say it as well.

use crate::process::{self, place};
use crate::stop::{Context, Outcome, Stop};
use crate::{apt, tree};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program below `testsuite/programs/`, its size, and options of the check.
type Training = (&'static str, &'static str, &'static [&'static str]);

/// Small searches of every kind: locks, atomics, plain memory, waiting, long traces, wide trees.
/// Each takes less than a second with counters.
const TRAINING: &[Training] = &[
    ("pthread/lock.c", "-DT=3", &["--reductions=none"]),
    ("pthread/lock.c", "-DT=4", &["--max-executions=20000"]),
    ("pthread/fsbench.c", "-DN=20", &[]),
    (
        "pthread/producers_consumers.c",
        "-DN=2",
        &["--max-executions=20000"],
    ),
    ("pthread/bounded_stack.c", "-DN=5", &[]),
    ("pthread/ticket_lock_handoff.c", "-DN=5", &[]),
    (
        "atomics/load_store.c",
        "-DR=3",
        &["--max-executions=20000", "--reductions=none"],
    ),
    ("atomics/indexer.c", "-DN=13", &[]),
    ("atomics/lastzero.c", "-DN=10", &[]),
    ("atomics/fib_bench.c", "-DN=4", &["--reductions=none"]),
    ("atomics/writers.c", "-DN=6", &["--reductions=none"]),
    ("atomics/readers.c", "-DN=9", &[]),
    // What several workers share.
    (
        "atomics/load_store.c",
        "-DR=3",
        &[
            "-j2",
            "--max-executions=30000",
            "--workers-after=0",
            "--reductions=none",
        ],
    ),
    (
        "pthread/lock.c",
        "-DT=4",
        &["-j2", "--max-executions=30000", "--workers-after=0"],
    ),
];

/// Builds the runtime with a profile and puts it into the product, whose other parts are there.
///
/// # Errors
/// What is missing, does not compile, or does not run.
pub fn build() -> Outcome {
    let profdata = profdata()?;
    let scratch = tree::scratch("profile");
    let counts = scratch.join("counts");
    if counts.exists() {
        std::fs::remove_dir_all(&counts).while_doing(counts.display())?;
    }
    let counting = format!("-Cprofile-generate={}", counts.display());
    let counting = runtime(
        &scratch.join("counting"),
        &counting,
        &["--features=training"],
    )?;
    for training in TRAINING {
        train(&scratch, &counting, training)?;
    }
    let profile = scratch.join("runtime.profdata");
    let mut merge = Command::new(profdata);
    process::run(merge.arg("merge").arg("-o").arg(&profile).arg(&counts))?;
    let using = format!("-Cprofile-use={}", profile.display());
    let library = runtime(&scratch.join("using"), &using, &[])?;
    place(&library, &tree::product().join("lib/libdpor_rt.so"))
}

/// Compiles the runtime, and nothing that runs on the way, with one more flag; the library.
fn runtime(target: &Path, flag: &str, more: &[&str]) -> Outcome<PathBuf> {
    let host = of_rustc("host")?;
    let flags = match std::env::var("RUSTFLAGS") {
        Ok(flags) => format!("{flags} {flag}"),
        Err(_) => flag.to_owned(),
    };
    let mut cargo = process::cargo();
    cargo.current_dir(tree::root()).env("RUSTFLAGS", flags);
    cargo.args([
        "build",
        "--release",
        "-p",
        "dpor-runtime",
        "--target",
        &host,
    ]);
    process::run(cargo.args(more).arg("--target-dir").arg(target))?;
    Ok(target.join(host).join("release/libdpor_rt.so"))
}

fn train(scratch: &Path, library: &Path, (source, size, options): &Training) -> Outcome {
    let program = scratch.join("program");
    let mut compile = Command::new(tree::tool("dpor-cc"));
    compile.args(["-O2", "-g", "-pthread", size]);
    compile.arg(tree::root().join("testsuite/programs").join(source));
    process::run(compile.arg("-o").arg(&program))?;
    let folder = library.parent().expect("a library lies in a folder");
    let mut check = Command::new(tree::tool("dpor"));
    check.env("LD_LIBRARY_PATH", folder);
    check.arg("check").args(*options).arg(&program);
    check.stdout(Stdio::null()).stderr(Stdio::null());
    // 3: cut by --max-executions.
    match process::exit_code(&mut check)? {
        0 | 3 => Ok(()),
        code => Err(Stop::failed(format!(
            "{}: exit code {code}",
            process::shown(&check)
        ))),
    }
}

/// The tool that reads counters of rustc's LLVM, installed if it is missing.
fn profdata() -> Outcome<PathBuf> {
    let version = of_rustc("LLVM version")?;
    let major = version.split('.').next().unwrap_or(&version).to_owned();
    let tool = PathBuf::from(format!("/usr/lib/llvm-{major}/bin/llvm-profdata"));
    if !tool.exists() {
        let package = format!("llvm-{major}");
        apt::install(&[&package])?;
    }
    match tool.exists() {
        true => Ok(tool),
        false => Err(Stop::cannot(format!(
            "llvm-profdata of LLVM {major}, with which rustc was built, is missing"
        ))),
    }
}

/// A line of `rustc -vV`.
fn of_rustc(what: &str) -> Outcome<String> {
    let about = process::output_of(Command::new("rustc").arg("-vV"))?;
    let line = about
        .lines()
        .find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
    line.map(str::to_owned)
        .ok_or_else(|| Stop::cannot(format!("rustc -vV does not say '{what}'")))
}
