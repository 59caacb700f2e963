//! `dpor scenario --emit`: the program that is written shows the finding under the checker, follows its schedule, and is an
//! ordinary program without the checker.

use super::command::{mailbox, scenario, source};
use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::tool::{read, Tool};
use dpor_testsuite::trial;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Emits `name` from a test that has a finding; the report of that.
fn emitted(tool: &Tool, files: &[&Path], options: &[&str], name: &str) -> Report {
    let file = tool.path(name);
    drop(std::fs::remove_file(&file));
    let emit = format!("--emit={}", file.display());
    let options: Vec<&str> = options.iter().copied().chain([emit.as_str()]).collect();
    let (ran, report) = scenario(tool, files, &options);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(
        ran.stdout.contains("emitted: dpor check "),
        "{}",
        ran.shown()
    );
    report.expect("a report")
}

/// What `dpor check` says of the sources.
fn checked(tool: &Tool, files: &[&Path], options: &[&str]) -> Report {
    let json = tool.path("emitted.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.current_dir(tool.path("")).args(files);
    let ran = tool.run(command.arg("--json").arg(&json).args(options), "");
    read(&json).unwrap_or_else(|why| panic!("{why}: {}", ran.shown()))
}

/// Compiles the sources without the checker, with every warning, and runs the program; its exit code.
fn plainly(tool: &Tool, compiler: &str, files: &[&Path], flags: &[&str]) -> i32 {
    let program = tool.path("plain");
    let mut command = Command::new(compiler);
    command.args([
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-DDPOR_DISABLE",
        "-pthread",
    ]);
    command.arg("-I").arg(trial::product().join("include"));
    let ran = tool.run(command.args(flags).args(files).arg("-o").arg(&program), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    tool.run(&mut Command::new(&program), "").code
}

#[test]
fn the_program_of_a_cxx_scenario_fails_in_the_same_way() {
    let tool = Tool::new("scenario-emit");
    let broken = "--cflags=-O2 -g -DIN_TWO_STEPS";
    let found = emitted(&tool, &[&mailbox()], &[broken], "found.cc");
    let file = tool.path("found.cc");
    let text = std::fs::read_to_string(&file).expect("a file");
    // Two threads put the same letter: two orders, in each of which the second fails.
    for line in [
        "    {{1, \"put(1)\", \"true\"}, {2, \"put(1)\", \"false\"}},\n",
        "    {{2, \"put(1)\", \"true\"}, {1, \"put(1)\", \"false\"}},\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(text.matches("    {{").count(), 2, "{text}");
    let report = checked(&tool, &[&file], &[broken]);
    assert_eq!(report.findings[0].kind, FindingKind::NotLinearizable);
    assert_eq!(report.findings[0].message, found.findings[0].message);
    let mut replay = tool.dpor("replay");
    let ran = tool.run(replay.arg(tool.path("found.schedule")), "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(ran.stdout.contains("after 1 execution"), "{}", ran.shown());
    assert!(ran.stdout.contains("[not-linearizable]"), "{}", ran.shown());
    // The same scenario of the mailbox that is right. By hand: what each thread finds in the mask (0 or the other's bit), with
    // either exchange first: a thread that finds the other's bit comes second, so four of them.
    let report = checked(&tool, &[&file], &["--cflags=-O2 -g"]);
    assert_eq!(report.verdict, Verdict::Verified);
    assert_eq!(report.executions.total(), 4);
    assert_eq!(plainly(&tool, "g++", &[&file], &["-std=c++17"]), 0);
}

#[test]
fn the_program_of_a_c_scenario_fails_in_the_same_way() {
    let tool = Tool::new("scenario-emit-c");
    let [slot, test] = ["slot.c", "slot_scenario.c"].map(|name| source("docs/programs").join(name));
    let found = emitted(&tool, &[&slot, &test], &["--sizes=4x1"], "stuck.c");
    assert_eq!(found.findings[0].kind, FindingKind::Deadlock);
    let file = tool.path("stuck.c");
    let report = checked(&tool, &[&file, &slot], &[]);
    assert_eq!(report.findings[0].kind, FindingKind::Deadlock);
    // Some threads may wait, and those that must not are told with the calls.
    assert!(report.executions.total() > 1);
    let details = report.findings[0].details.join("\n");
    assert!(details.contains("nearest order: "), "{details}");
    let compiled = tool.path("compiled.o");
    let compiled = compiled.to_str().expect("UTF-8");
    let mut command = Command::new("gcc");
    command.args([
        "-Wall",
        "-Wextra",
        "-Werror",
        "-DDPOR_DISABLE",
        "-c",
        "-o",
        compiled,
        "-I",
    ]);
    command.arg(trial::product().join("include"));
    let ran = tool.run(command.arg(&file), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
}

/// The slot has put(1), put(2) and get(): of the six pairs of calls, those of two puts, or of two gets, leave one or both of
/// them waiting in each order. By hand: four pairs.
#[test]
fn calls_that_wait_are_in_the_orders() {
    let tool = Tool::new("scenario-emit-waits");
    let [slot, test] = ["slot.c", "slot_scenario.c"].map(|name| source("docs/programs").join(name));
    let program = tool.path("slot");
    let mut compiler = tool.compiler("dpor-cc");
    let ran = tool.run(compiler.args([&slot, &test]).arg("-o").arg(&program), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let mut waiting = 0;
    for number in 0..6 {
        let mut command = Command::new(&program);
        command.args(["--dpor-scenario=2x1", &format!("--dpor-emit={number}")]);
        let ran = tool.run(command.env("DPOR_OPTIONS", "off=1"), "");
        let body = ran.stdout.strip_prefix("dpor scenario begins\n");
        let body = body.and_then(|text| text.strip_suffix("dpor scenario ends\n"));
        let body = body.unwrap_or_else(|| panic!("{}", ran.shown()));
        if !body.contains(", 0}") {
            continue;
        }
        waiting += 1;
        let file = tool.path("waits.c");
        let include = format!(
            "#define DPOR_SCENARIO_FIXED\n#include \"{}\"\n",
            test.display()
        );
        std::fs::write(&file, include + body).expect("a file");
        // Threads that may wait at the end: none of that is found.
        let report = checked(&tool, &[&file, &slot], &[]);
        assert_eq!(report.verdict, Verdict::Verified, "{body}");
        assert!(report.executions.deadlocked > 0, "{body}");
    }
    assert_eq!(waiting, 4);
}

#[test]
fn other_questions_have_other_orders() {
    let tool = Tool::new("scenario-emit-orders");
    let striped = source("testsuite/programs/scenarios/striped.cc");
    // Results that only the order in time does not allow: the program has to keep that, too.
    let found = emitted(&tool, &[&striped], &["--sizes=3x1"], "time.cc");
    let details = found.findings[0].details.join("\n");
    assert!(details.contains("sequentially consistent: "), "{details}");
    let time = tool.path("time.cc");
    let report = checked(&tool, &[&time], &[]);
    assert_eq!(report.findings[0].kind, FindingKind::NotLinearizable);
    let text = std::fs::read_to_string(&time).expect("a file");
    assert_eq!(text.matches("    {{").count(), 6, "three calls: {text}");
    // An order of the threads' own that no run of one has.
    let weaker = text.replace("\"linearizable\"", "\"sequentially-consistent\"");
    std::fs::write(&time, weaker).expect("a file");
    assert_eq!(checked(&tool, &[&time], &[]).verdict, Verdict::Verified);
    let options = ["--check=sequentially-consistent", "--sizes=2x2"];
    emitted(&tool, &[&striped], &options, "orders.cc");
    let text = std::fs::read_to_string(tool.path("orders.cc")).expect("a file");
    assert!(
        text.contains("(\"sequentially-consistent\", 2, calls"),
        "{text}"
    );
    let report = checked(&tool, &[&tool.path("orders.cc")], &[]);
    assert_eq!(report.findings[0].kind, FindingKind::NotLinearizable);
}

/// A C++ test in the tool's folder: `get` returns something else to a second thread, whatever the schedule.
fn always(tool: &Tool) -> PathBuf {
    let text = "#include <dpor/scenario.hpp>\n#include <string>\n#include <thread>\n\
        struct Cell { std::thread::id by = std::this_thread::get_id(); };\n\
        DPOR_SCENARIO(Cell, dpor::operation(\"get\", [](auto &cell, std::string) {\n\
        return cell.by == std::this_thread::get_id() ? std::string(\"a \\\"b\\\\\") : \"other\"; },\n\
        dpor::values(std::string(\"\\n\"))))\n";
    let file = tool.path("always.cc");
    std::fs::write(&file, text).expect("a file");
    file
}

#[test]
fn without_the_checker_it_is_an_ordinary_test() {
    let tool = Tool::new("scenario-emit-plain");
    let file = always(&tool);
    emitted(&tool, &[&file], &["--sizes=2x1"], "plain.cc");
    let emitted = tool.path("plain.cc");
    let text = std::fs::read_to_string(&emitted).expect("a file");
    assert!(
        text.contains("\"get(\\\"\\012\\\")\", \"\\\"a \\\"b\\\\\\\"\"}"),
        "{text}"
    );
    // Abort.
    assert_eq!(plainly(&tool, "g++", &[&emitted], &[]), 128 + 6);
    // Orders that are not those of the object are refused, and no thread runs.
    std::fs::write(&emitted, text.replace("\"\\\"a ", "\"\\\"A ")).expect("a file");
    assert_eq!(plainly(&tool, "g++", &[&emitted], &[]), 4);
    assert_eq!(
        checked(&tool, &[&emitted], &[]).verdict,
        Verdict::Unsupported
    );
}

#[test]
fn what_cannot_be_written_is_said() {
    let tool = Tool::new("scenario-emit-refused");
    let program = tool.path("mailbox");
    let mut compiler = tool.compiler("dpor-c++");
    let ran = tool.run(compiler.arg(mailbox()).arg("-o").arg(&program), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let refused = |files: &[&Path], emit: &str, expect: &str| {
        let (ran, _) = scenario(&tool, files, &["--sizes=2x1", &format!("--emit={emit}")]);
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(expect), "{}", ran.shown());
    };
    refused(&[&program], "x.cc", "give the sources");
    refused(&[&mailbox()], "x.c", "both have to be C, or C++");
    refused(&[&mailbox()], "x.txt", "no C or C++ source");
    // Nothing is found: nothing is written.
    let (ran, _) = scenario(&tool, &[&mailbox()], &["--sizes=2x1", "--emit=none.cc"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(!tool.path("none.cc").exists());
}
