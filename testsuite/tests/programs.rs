//! Every program under `programs/`, each of its revisions at each of its levels as `deal` says.
//!
//! `DPOR_TEST_LLVM="19 22"` names the versions that get all programs (default: the built ones
//! from 19 on); others that were built get those whose header says `smoke`.
//! `DPOR_TEST_EACH=1`: every version, and every way to check, of which otherwise one each is dealt.
//! `DPOR_BLESS=1` rewrites golden reports. Counts are only ever edited by hand.
#![forbid(unsafe_code)]

use dpor_testsuite::deal::{self, Version};
use dpor_testsuite::{header, trial};
use libtest_mimic::{Arguments, Failed, Trial as Test};
use std::path::Path;
use std::process::ExitCode;

/// From here on an LLVM is tested in full: it registers through the pass's own shim.
const FULL_FROM: u32 = 19;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One more than processors: a trial is a chain of processes that wait for each other.
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    arguments.test_threads.get_or_insert(processors + 1);
    let mut tests = Vec::new();
    let versions = versions();
    if versions.is_empty() {
        tests.push(Test::test("built", || {
            Err(Failed::from(
                "nothing in target/dpor; run `cargo xtask build` first",
            ))
        }));
    }
    for file in deal::files() {
        add(&file, &versions, &mut tests);
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// Versions the pass was built for.
fn versions() -> Vec<Version> {
    let Ok(folder) = std::fs::read_dir(trial::product().join("lib/dpor")) else {
        return Vec::new();
    };
    let chosen = std::env::var("DPOR_TEST_LLVM").ok().map(|text| {
        text.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect::<Vec<u32>>()
    });
    let mut all: Vec<u32> = folder
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            name.to_str()?.strip_prefix("llvm-")?.parse().ok()
        })
        .filter(|major| chosen.as_ref().is_none_or(|chosen| chosen.contains(major)))
        .collect();
    all.sort_unstable();
    let version = |llvm| Version {
        llvm,
        is_full: chosen.is_some() || llvm >= FULL_FROM,
    };
    all.into_iter().map(version).collect()
}

fn add(file: &Path, versions: &[Version], tests: &mut Vec<Test>) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match header::parse(&text) {
        Ok(headers) => {
            for trial in deal::trials(file, &headers, versions, deal::is_each()) {
                tests.push(Test::test(trial.name(), move || Ok(trial.run()?)));
            }
        }
        Err(error) => {
            let message = format!("{}: {error}", file.display());
            let name = file.display().to_string();
            tests.push(Test::test(name, move || Err(Failed::from(message))));
        }
    }
}
