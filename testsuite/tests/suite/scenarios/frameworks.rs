//! Tests of data structures as test cases of GoogleTest and Catch2. Where a framework is not installed there is nothing to test.

use super::command::source;
use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::{read, Tool};
use std::path::{Path, PathBuf};

/// The mailbox of the book without its own test, and what follows.
fn text(header: &str, tests: &str) -> String {
    let mailbox = std::fs::read_to_string(source("docs/programs/mailbox.cc")).expect("a file");
    let (structure, _) = mailbox.split_once("DPOR_SCENARIO(").expect("its test");
    format!(
        "#include <{header}>\n{structure}\
         static auto put = dpor::operation(\"put\", [](auto &box, int value) {{ return box.put(value); }}, dpor::values(1, 2));\n\
         static auto take = dpor::operation(\"take\", [](auto &box) {{ return box.take(); }});\n{tests}"
    )
}

/// Compiles a test program, with these flags besides.
fn compiled(tool: &Tool, name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let file = tool.path(&format!("{name}.cc"));
    std::fs::write(&file, text).expect("a file");
    let program = tool.path(name);
    let mut compiler = tool.compiler("dpor-c++");
    compiler
        .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror"])
        .arg(&file);
    let ran = tool.run(compiler.args(flags).arg("-o").arg(&program), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    program
}

fn each_test(tool: &Tool, program: &Path, json: &Path) -> Ran {
    let mut command = tool.dpor("check");
    command.current_dir(tool.path("")).arg("--json").arg(json);
    tool.run(command.args(["--test-filter", "*"]).arg(program), "")
}

fn natively(tool: &Tool, program: &Path) -> Ran {
    let mut command = std::process::Command::new(program);
    tool.run(command.env("DPOR_OPTIONS", "off=1"), "")
}

const GOOGLE_TEST: &str = "DPOR_SCENARIO_GTEST(Boxes, Work, Mailbox, put, take)\n\
    DPOR_SCENARIO_GTEST(Boxes, WorkForThree, Mailbox, dpor::size(3, 1), put, take)\n\
    DPOR_SCENARIO_GTEST(Boxes, KeepOrder, Mailbox, dpor::sequentially_consistent, put, take)\n\
    TEST(Others, Work) { EXPECT_EQ(1, 1); }\n";

#[test]
fn of_google_test() {
    if !Path::new("/usr/include/gtest/gtest.h").exists() {
        return;
    }
    let tool = Tool::new("scenario-gtest");
    let text = text("gtest/gtest.h", GOOGLE_TEST);
    let libraries = ["-lgtest", "-lgtest_main", "-pthread"];
    let right = compiled(&tool, "boxes", &text, &libraries);
    let json = tool.path("boxes.json");
    let ran = each_test(&tool, &right, &json);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stdout.contains("4 tests: 4 verified"),
        "{}",
        ran.shown()
    );
    // The sizes and the executions of `dpor scenario` itself: 24 of 2 x 1 and 1,982 of the rest of 2 x 2; 372 of 3 x 1.
    for line in [
        "Boxes.Work: verified: all 2,006 executions",
        "Boxes.WorkForThree: verified: all 372 executions",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.shown());
    }
    let broken: Vec<&str> = libraries.into_iter().chain(["-DIN_TWO_STEPS"]).collect();
    let broken = compiled(&tool, "broken", &text, &broken);
    let json = tool.path("broken.json");
    let ran = each_test(&tool, &broken, &json);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let said = "4 tests: 1 verified, 3 with a bug";
    assert!(ran.stdout.contains(said), "{}", ran.shown());
    let report = read(&tool.path("broken.Boxes.Work.json")).expect("a report");
    assert_eq!(report.findings[0].kind, FindingKind::NotLinearizable);
    let details = report.findings[0].details.join("\n");
    assert!(details.contains("nearest order: "), "{details}");
    // All tests in one search: behind the first two there are no calls that may wait.
    let ran = natively(&tool, &right);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stdout.contains("[  PASSED  ] 4 tests"),
        "{}",
        ran.shown()
    );
}

/// Without the checker a failure is the framework's: `always` fails in each schedule, and the next test runs.
#[test]
fn failures_without_the_checker_are_the_framework_s() {
    if !Path::new("/usr/include/gtest/gtest.h").exists() {
        return;
    }
    let tool = Tool::new("scenario-gtest-alone");
    let tests = "struct Own { bool made = true; };\n\
        static thread_local bool is_main = false;\nstatic bool mark = is_main = true;\n\
        DPOR_SCENARIO_GTEST(Own, Fails, Own, dpor::operation(\"get\", [](auto &) { return is_main; }))\n\
        TEST(Other, Works) { EXPECT_TRUE(mark); }\n";
    let program = compiled(
        &tool,
        "own",
        &text("gtest/gtest.h", tests),
        &[
            "-lgtest",
            "-lgtest_main",
            "-pthread",
            "-Wno-unused-variable",
        ],
    );
    let ran = natively(&tool, &program);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    for said in [
        "[  FAILED  ] Own.Fails",
        "no order of the calls",
        "[       OK ] Other.Works",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.shown());
    }
}

/// A deadlock of a test behind one whose calls may wait is one, in a search of both.
#[test]
fn who_waits_behind_a_scenario_waits_wrongly() {
    if !Path::new("/usr/include/gtest/gtest.h").exists() {
        return;
    }
    let tool = Tool::new("scenario-gtest-deadlock");
    let tests = "#include <condition_variable>\n#include <mutex>\n#include <thread>\n\
        DPOR_SCENARIO_GTEST(Boxes, Work, Mailbox, dpor::size(2, 1), take)\n\
        TEST(Others, Wait) { std::thread one([] { std::mutex m; std::condition_variable c; std::unique_lock l(m); c.wait(l); });\n\
        one.join(); }\n";
    let program = compiled(
        &tool,
        "waits",
        &text("gtest/gtest.h", tests),
        &[
            "-lgtest",
            "-lgtest_main",
            "-pthread",
            "-Wno-unused-variable",
        ],
    );
    let report = tool.check(&program, &[], &[]).report;
    assert_eq!(report.verdict, Verdict::Bug);
    assert_eq!(report.findings[0].kind, FindingKind::Deadlock);
    // Nothing is said of calls, of which there is none any more.
    let details = report.findings[0].details.join("\n");
    assert!(!details.contains("one after the other"), "{details}");
    let lines = report.findings[0].details.iter();
    assert!({ lines }.all(|line| !line.is_empty()));
}

#[test]
fn of_catch2() {
    if !Path::new("/usr/include/catch2/catch.hpp").exists() {
        return;
    }
    let tool = Tool::new("scenario-catch2");
    let tests = "DPOR_SCENARIO_CATCH2(\"boxes work\", Mailbox, dpor::size(2, 1), put, take)\n\
        TEST_CASE(\"others work\") { CHECK(1 == 1); }\n";
    let text = format!(
        "#define CATCH_CONFIG_MAIN\n{}",
        text("catch2/catch.hpp", tests)
    );
    let program = compiled(&tool, "boxes", &text, &["-pthread", "-DIN_TWO_STEPS"]);
    let ran = each_test(&tool, &program, &tool.path("boxes.json"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let said = "2 tests: 1 verified, 1 with a bug";
    assert!(ran.stdout.contains(said), "{}", ran.shown());
    let report = read(&tool.path("boxes.boxes_work.json"));
    let kinds = report.map(|report| report.findings[0].kind);
    assert_eq!(
        kinds.expect("a report"),
        FindingKind::NotLinearizable,
        "{}",
        ran.shown()
    );
}
