//! `dpor-gcc`: programs that gcc instruments with ThreadSanitizer's calls (testsuite/gcc, and some of the test programs).

use dpor_testsuite::header;
use dpor_testsuite::trial::{programs, root, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says so, and returns false, if there is no gcc.
fn has_gcc(compiler: &str) -> bool {
    let is_there = { Command::new(compiler).arg("--version").output() }.is_ok();
    if !is_there {
        eprintln!("skipped: {compiler} is not installed, `apt install g++`");
    }
    is_there
}

/// All trials of a program, at each level that its headers name.
fn trials(file: &Path) -> Vec<Trial> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let headers = header::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let trial = |header: &header::Header, level: &String| Trial {
        file: file.to_owned(),
        header: header.clone(),
        level: level.clone(),
        llvm: 0,
        gcc: true,
        ways: Vec::new(),
        each: false,
        bless: false,
        shared_all: false,
        apart: false,
        environment: Vec::new(),
    };
    let of = |header: &header::Header| -> Vec<Trial> {
        { header.levels.iter() }
            .map(|level| trial(header, level))
            .collect()
    };
    headers.iter().flat_map(of).collect()
}

fn run(files: &[PathBuf]) {
    let trials: Vec<Trial> = files.iter().flat_map(|file| trials(file)).collect();
    let outcome = |trial: &Trial| {
        let why = trial.run().err()?;
        Some(format!("{}: {why}", trial.name()))
    };
    let wrong: Vec<String> = trials.iter().filter_map(outcome).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_its_own() {
    if !has_gcc("g++") {
        return;
    }
    let folder = root().join("testsuite/gcc");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(files.len() > 8);
    run(&files);
}

/// Programs that are as with clang, one of each kind; `cargo xtask gcc` runs all.
const AS_WITH_CLANG: [&str; 3] = ["litmus/sb.c", "mutex/attributes.c", "heap/use_after_free.c"];

#[test]
fn programs_that_are_as_with_clang() {
    if has_gcc("g++") {
        run(&AS_WITH_CLANG.map(|name| programs().join(name)));
    }
}
