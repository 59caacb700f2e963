//! `dpor-gcc`: programs that gcc instruments with ThreadSanitizer's calls (testsuite/gcc, and some of the test programs).

use dpor_report::FindingKind;
use dpor_testsuite::header;
use dpor_testsuite::tool::Tool;
use dpor_testsuite::trial::{product, programs, root, Trial};
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

const RACE: &str = "#include <pthread.h>
static int counter;
static void *add(void *unused) {
    counter++; // line 4
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Compiles and links in one step or two, and finds the race at its line.
fn finds_the_race(tool: &Tool, compile: &mut Command, link: Option<&mut Command>) {
    for command in [Some(compile), link].into_iter().flatten() {
        let ran = tool.run(command, "");
        assert!(ran.code == 0 && ran.stderr.is_empty(), "{}", ran.shown());
    }
    let checked = tool.check(&tool.path("race"), &[], &[]);
    let [finding] = &checked.report.findings[..] else {
        panic!("{}", checked.ran.shown());
    };
    let lines: Vec<u32> = finding
        .accesses
        .iter()
        .map(|access| access.place.line)
        .collect();
    assert_eq!(
        (finding.kind, &lines[..]),
        (FindingKind::DataRace, &[4, 4][..])
    );
}

#[test]
fn link_time_optimization_and_the_option_itself() {
    if !has_gcc("gcc") {
        return;
    }
    let tool = Tool::new("gcc-link");
    let (source, object, binary) = (tool.path("race.c"), tool.path("race.o"), tool.path("race"));
    std::fs::write(&source, RACE).expect("the source can be written");
    let gcc = |options: &[&str]| {
        let mut gcc = tool.compiler("dpor-gcc");
        gcc.args(["-O2", "-g", "-pthread"]).args(options);
        gcc
    };
    let mut compile = gcc(&["-flto", "-c", "-o"]);
    compile.arg(&object).arg(&source);
    let mut link = gcc(&["-flto", "-o"]);
    finds_the_race(&tool, &mut compile, Some(link.arg(&binary).arg(&object)));
    // What is asked for is what is done anyway, and the library that is linked is ours.
    let mut at_once = gcc(&["-fsanitize=thread", "-pipe", "-o"]);
    finds_the_race(&tool, at_once.arg(&binary).arg(&source), None);
    // Another compiler's, through the same assembler.
    let mut clang = tool.clang();
    clang.args([
        "-O2",
        "-g",
        "-fsanitize=thread",
        "-fno-integrated-as",
        "-c",
        "-B",
    ]);
    clang
        .arg(product().join("lib/dpor/gcc/"))
        .arg("-o")
        .arg(&object);
    let mut link = gcc(&["-o"]);
    finds_the_race(
        &tool,
        clang.arg(&source),
        Some(link.arg(&binary).arg(&object)),
    );
}

#[test]
fn a_schedule_leads_through_another_build() {
    if !has_gcc("gcc") {
        return;
    }
    let tool = Tool::new("gcc-schedule");
    let (source, binary) = (tool.path("race.c"), tool.path("race"));
    let build = |text: &str, level: &str| {
        std::fs::write(&source, text).expect("the source can be written");
        let mut gcc = tool.compiler("dpor-gcc");
        gcc.args([level, "-g", "-pthread", "-o"])
            .arg(&binary)
            .arg(&source);
        let ran = tool.run(&mut gcc, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    };
    build(RACE, "-O2");
    let checked = tool.check(&binary, &[], &[]);
    let schedule = tool.path("schedule");
    let mut save = tool.dpor("replay");
    save.arg("--save-schedule")
        .arg(&schedule)
        .arg(&checked.json);
    assert_eq!(tool.run(&mut save, "").code, 0);
    build(&format!("\n\n{RACE}"), "-O0");
    let ran = tool.run(tool.dpor("replay").arg(&schedule), "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(ran.stdout.contains("race.c:6"), "{}", ran.shown());
}
