//! Every program under `programs/`, with every compiler version that the pass was built for.
//!
//! `DPOR_TEST_LLVM="19 22"` names the versions that get all programs (default: the built ones
//! from 19 on); others that were built get those whose header says `smoke`.
//! A C++ program takes a second to compile: each of its levels is compiled by one of the full versions, the
//! levels of the next revision by the others. `DPOR_TEST_EACH=1`: by all.
//! `DPOR_BLESS=1` rewrites golden reports. Counts are only ever edited by hand.
#![forbid(unsafe_code)]

use dpor_testsuite::header;
use dpor_testsuite::trial::{self, Trial};
use libtest_mimic::{Arguments, Failed, Trial as Test};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// From here on an LLVM is tested in full: it registers through the pass's own shim.
const FULL_FROM: u32 = 19;

/// So many executions are explored with the newest compiler only.
const LARGE: u64 = 30_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut tests = Vec::new();
    let versions = versions();
    if versions.is_empty() {
        tests.push(Test::test("built", || {
            Err(Failed::from(
                "nothing in target/dpor; run `cargo xtask build` first",
            ))
        }));
    }
    for file in files(&trial::programs()) {
        add(&file, &versions, &mut tests);
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// Versions the pass was built for and whether each gets everything.
fn versions() -> Vec<(u32, bool)> {
    let Ok(folder) = std::fs::read_dir(trial::product().join("lib/dpor")) else {
        return Vec::new();
    };
    let chosen = std::env::var("DPOR_TEST_LLVM").ok().map(|text| {
        text.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect::<Vec<u32>>()
    });
    let mut all: Vec<(u32, bool)> = folder
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            name.to_str()?.strip_prefix("llvm-")?.parse().ok()
        })
        .filter(|major| chosen.as_ref().is_none_or(|chosen| chosen.contains(major)))
        .map(|major| (major, chosen.is_some() || major >= FULL_FROM))
        .collect();
    all.sort_unstable();
    all
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return all;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "c" || e == "cc") {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn add(file: &Path, versions: &[(u32, bool)], tests: &mut Vec<Test>) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let headers = match header::parse(&text) {
        Ok(headers) => headers,
        Err(error) => {
            let message = format!("{}: {error}", file.display());
            let name = file.display().to_string();
            tests.push(Test::test(name, move || Err(Failed::from(message))));
            return;
        }
    };
    let is_full = |&(llvm, full): &(u32, bool)| full.then_some(llvm);
    let all_full: Vec<u32> = versions.iter().filter_map(is_full).collect();
    // With the others the kinds of checkpoint are compared.
    let newest = all_full.iter().skip(1).last();
    let is_dealt = file.extension().is_some_and(|extension| extension == "cc")
        && std::env::var_os("DPOR_TEST_EACH").is_none();
    for (revision, header) in headers.into_iter().enumerate() {
        let total = header.executions.map_or(0, |executions| executions.total());
        for (llvm, full) in versions.iter().copied() {
            if !full && !header.smoke {
                continue;
            }
            // What a compiler makes of a program its small searches show.
            if total > LARGE && newest.is_some_and(|&newest| newest != llvm) {
                continue;
            }
            for (number, level) in header.levels.iter().enumerate() {
                let whose = all_full.iter().cycle().nth(revision + number);
                if is_dealt && header.levels.len() > 1 && full && whose != Some(&llvm) {
                    continue;
                }
                let trial = Trial {
                    file: file.to_owned(),
                    header: header.clone(),
                    level: level.clone(),
                    llvm,
                    bless: std::env::var_os("DPOR_BLESS").is_some(),
                    shared_all: false,
                    workers: Some(&llvm) == newest
                        || std::env::var_os("DPOR_TEST_WORKERS").is_some(),
                };
                tests.push(Test::test(trial.name(), move || Ok(trial.run()?)));
            }
        }
    }
}
