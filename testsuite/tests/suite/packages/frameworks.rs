//! examples/googletest, catch2, doctest and boost: each test in a search of its own.

use super::project::{has, Project};
use dpor_testsuite::limited::Ran;
use roxmltree::Document;

const GOOGLE_TEST: [(&str, &str); 3] = [
    ("cmake", "cmake"),
    ("make", "make"),
    ("/usr/include/gtest/gtest.h", "libgtest-dev"),
];
const CATCH2: [(&str, &str); 3] = [
    ("cmake", "cmake"),
    ("make", "make"),
    ("/usr/lib/cmake/Catch2", "catch2"),
];

const DOCTEST: [(&str, &str); 3] = [
    ("cmake", "cmake"),
    ("make", "make"),
    ("/usr/include/doctest/doctest.h", "doctest-dev"),
];
const BOOST: [(&str, &str); 3] = [
    ("cmake", "cmake"),
    ("make", "make"),
    ("/usr/include/boost/test/unit_test.hpp", "libboost-test-dev"),
];

/// Class, name, and the element that says how it went, of each test case.
fn cases(xml: &str) -> Vec<(String, String, String)> {
    let document = Document::parse(xml).unwrap_or_else(|why| panic!("{why}\n{xml}"));
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let case = |node: roxmltree::Node<'_, '_>| {
        let text = |name: &str| node.attribute(name).expect("an attribute").to_owned();
        let outcome = node.first_element_child().expect("an element");
        (
            text("classname"),
            text("name"),
            outcome.tag_name().name().to_owned(),
        )
    };
    cases.map(case).collect()
}

fn expected(table: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let row = |(class, name, outcome): &(&str, &str, &str)| {
        (
            (*class).to_owned(),
            (*name).to_owned(),
            (*outcome).to_owned(),
        )
    };
    table.iter().map(row).collect()
}

#[test]
#[allow(
    clippy::too_many_lines,
    reason = "one program and what is expected of each of its tests"
)]
fn google_test() {
    if !has(&GOOGLE_TEST) {
        return;
    }
    let project = Project::new("googletest", "googletest");
    project.cmake();
    let ran = project.works("ctest --test-dir build");
    assert!(
        ran.stdout.contains("0 tests failed out of 2"),
        "{}",
        ran.shown()
    );

    let check = "dpor check --junit tests.xml --json out.json build/tickets_test";
    let ran = project.shell(&format!("{check} --test-filter='*'"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // 6: two threads take one mutex twice each, 4!/(2!·2!).
    for line in [
        "Tickets.AreEnough: verified: all 6 executions",
        "Tickets.NoneAreLeftWithoutSellers: verified: all 1 execution",
        "Tickets.DISABLED_AreRefunded: disabled",
        "Tickets.AreScanned: skipped",
        "5 tests: 2 verified, 1 with a bug, 1 disabled, 1 skipped",
    ] {
        assert!(
            ran.stdout.lines().any(|said| said == line),
            "{line}: {}",
            ran.shown()
        );
    }
    let bug = "Tickets.LastIsSoldOnce: bug found: nonzero-exit, after ";
    assert!(ran.stdout.contains(bug), "{}", ran.shown());
    // What the framework says of the failure is shown; of what passes it is not.
    assert!(
        ran.stdout.contains("[  FAILED  ] Tickets.LastIsSoldOnce"),
        "{}",
        ran.shown()
    );
    assert!(!ran.stdout.contains("[       OK ]"), "{}", ran.shown());
    let xml = std::fs::read_to_string(project.path("tests.xml")).expect("the file");
    let expect = expected(&[
        ("Tickets", "AreEnough", "system-out"),
        ("Tickets", "LastIsSoldOnce", "failure"),
        ("Tickets", "NoneAreLeftWithoutSellers", "system-out"),
        ("Tickets", "AreScanned", "skipped"),
        ("Tickets", "DISABLED_AreRefunded", "skipped"),
    ]);
    assert_eq!(cases(&xml), expect, "{xml}");
    assert!(xml.contains("[  FAILED  ] Tickets.LastIsSoldOnce"), "{xml}");
    // One seller has to be left between its look and its sale.
    let report = std::fs::read_to_string(project.path("out.Tickets.LastIsSoldOnce.json"));
    let report: dpor_report::Report =
        serde_json::from_str(&report.expect("a report")).expect("JSON");
    let finding = &report.findings[0];
    assert!(finding.minimal && finding.preemptions == 1, "{finding:?}");
    assert!(finding.critical_step.is_some(), "{finding:?}");
    let ran = project.shell("dpor replay out.Tickets.LastIsSoldOnce.json");
    assert_eq!(ran.code, 42, "{}", ran.shown());

    // A report of the second test that cannot be written: what is known of the first is not lost.
    std::fs::create_dir(project.path("lost.Tickets.LastIsSoldOnce.json")).expect("a folder");
    let lost = check
        .replace("tests.xml", "some.xml")
        .replace("out.json", "lost.json");
    let ran = project.shell(&format!("{lost} --test-filter='*'"));
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("it is a folder"), "{}", ran.shown());
    assert!(
        ran.stdout.ends_with("1 test: 1 verified\n"),
        "{}",
        ran.shown()
    );
    let xml = std::fs::read_to_string(project.path("some.xml")).expect("the file");
    assert_eq!(cases(&xml), expect[..1], "{xml}");

    // The framework's own patterns; a bug in another test is not seen.
    let ran = project.works(&format!("{check} --test-filter='*-*LastIs*:*DISABLED*'"));
    assert!(
        ran.stdout.ends_with("3 tests: 2 verified, 1 skipped\n"),
        "{}",
        ran.shown()
    );
    // A shard that leaves the test out, or a filter of the environment, would verify nothing.
    let shard = "GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1 GTEST_FILTER=-* GTEST_LIST_TESTS=1";
    let ran = project.shell(&format!(
        "{shard} {check} --test-filter=Tickets.LastIsSoldOnce"
    ));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // A test that is disabled runs if the program is told so.
    let also = format!("{check} --test-filter='*Refunded' -- --gtest_also_run_disabled_tests");
    let ran = project.shell(&also);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(ran.stdout.contains("not written"), "{}", ran.shown());
    assert_eq!(
        project
            .shell(&also.replace(" -- ", " -- --gtest_brief=1 "))
            .code,
        42
    );

    for (filter, why) in [
        ("No*", "no test matches 'No*'"),
        ("*Refunded", "only disabled tests match"),
    ] {
        let ran = project.shell(&format!("{check} --test-filter='{filter}'"));
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(why), "{}", ran.shown());
    }
}

#[test]
fn catch2() {
    if !has(&CATCH2) {
        return;
    }
    let project = Project::new("catch2", "catch2");
    project.cmake();
    let ran = project.works("ctest --test-dir build");
    assert!(
        ran.stdout.contains("0 tests failed out of 2"),
        "{}",
        ran.shown()
    );

    let check = "dpor check --junit tests.xml build/counter_test --test-filter";
    let ran = project.shell(&format!("{check} '*'"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(
        ran.stdout.ends_with("3 tests: 2 verified, 1 with a bug\n"),
        "{}",
        ran.shown()
    );
    let expect = expected(&[
        (
            "build/counter_test",
            "two threads count, each in one step",
            "system-out",
        ),
        (
            "build/counter_test",
            "two threads count, each in two steps",
            "failure",
        ),
        ("build/counter_test", "a new counter is zero", "system-out"),
    ]);
    let xml = std::fs::read_to_string(project.path("tests.xml")).expect("the file");
    assert_eq!(cases(&xml), expect, "{xml}");
    // Tags are patterns, too.
    let ran = project.shell(&format!("{check} '[counter]~*two steps' --reductions=none"));
    assert_eq!(ran.code, 0, "{}", ran.shown());
    // Two threads add once each, and orders of additions are not merged: 2.
    let line = "two threads count, each in one step: verified: all 2 executions\n";
    assert!(ran.stdout.starts_with(line), "{}", ran.shown());
}

/// Whether these are lines of what was said.
fn has_lines(ran: &Ran, lines: &[&str]) {
    for line in lines {
        let is_there = ran.stdout.lines().any(|said| said == *line);
        assert!(is_there, "{line}: {}", ran.shown());
    }
}

/// Tests for several values and types, and one that skips itself for one of the values.
#[test]
fn google_tests_for_values_and_types() {
    if !has(&GOOGLE_TEST) {
        return;
    }
    let project = Project::new("googletest-values", "googletest");
    project.cmake();
    let check = "dpor check --junit tests.xml build/parametrised_test --test-filter";
    let ran = project.shell(&format!("{check} '*'"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // 6 as in the other program.
    has_lines(
        &ran,
        &[
            "Left/0.IsWhatWasThere: verified: all 1 execution",
            "Left/1.IsWhatWasThere: verified: all 1 execution",
            "All/Sold.NoMoreThanThereAre/0: skipped",
            "All/Sold.NoMoreThanThereAre/2: verified: all 6 executions",
            "Named/Sold.NoMoreThanThereAre/Of2: verified: all 6 executions",
            "6 tests: 4 verified, 1 with a bug, 1 skipped",
        ],
    );
    let bug = "All/Sold.NoMoreThanThereAre/1: bug found: nonzero-exit, after ";
    assert!(ran.stdout.contains(bug), "{}", ran.shown());
    // The place is that of the check, not where the framework ends.
    assert!(
        ran.stdout.contains("parametrised_test.cc:19:3"),
        "{}",
        ran.shown()
    );
    let xml = std::fs::read_to_string(project.path("tests.xml")).expect("the file");
    let expect = expected(&[
        ("Left/0", "IsWhatWasThere", "system-out"),
        ("Left/1", "IsWhatWasThere", "system-out"),
        ("All/Sold", "NoMoreThanThereAre/0", "skipped"),
        ("All/Sold", "NoMoreThanThereAre/1", "failure"),
        ("All/Sold", "NoMoreThanThereAre/2", "system-out"),
        ("Named/Sold", "NoMoreThanThereAre/Of2", "system-out"),
    ]);
    assert_eq!(cases(&xml), expect, "{xml}");
    // A framework that keeps back what was skipped is asked again, in each way it can be told so.
    for (before, behind) in [
        ("", "-- --gtest_brief=1"),
        ("", "-- --gtest_brief"),
        ("GTEST_BRIEF=1 ", ""),
        ("GTEST_COLOR=yes ", ""),
    ] {
        let ran = project.shell(&format!("{before}{check} '*/0:-Left*' {behind}"));
        assert_eq!(ran.code, 0, "{}", ran.shown());
        has_lines(
            &ran,
            &[
                "All/Sold.NoMoreThanThereAre/0: skipped",
                "1 test: 1 skipped",
            ],
        );
    }
}

#[test]
fn doctest() {
    if !has(&DOCTEST) {
        return;
    }
    let project = Project::new("doctest", "doctest");
    project.cmake();
    let ran = project.works("ctest --test-dir build");
    assert!(
        ran.stdout.contains("0 tests failed out of 2"),
        "{}",
        ran.shown()
    );
    let check = "dpor check --reductions=none build/counter_test --test-filter";
    let ran = project.shell(&format!("{check} '*'"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // Two threads add once each, and orders of additions are not merged: 2; each of the two subcases runs both: 2·2.
    has_lines(
        &ran,
        &[
            "two threads count, each in one step: verified: all 2 executions",
            "two threads count from what is there: verified: all 4 executions",
            "a new counter is zero<int>: verified: all 1 execution",
            "a counter is saved: disabled",
            "6 tests: 4 verified, 1 with a bug, 1 disabled",
        ],
    );
    assert!(
        ran.stdout.contains("counter_test.cc:21:3"),
        "{}",
        ran.shown()
    );
    // The framework's own patterns.
    let ran = project.works(&format!("{check} 'two*from*,*zero<int>'"));
    assert!(
        ran.stdout.ends_with("2 tests: 2 verified\n"),
        "{}",
        ran.shown()
    );
    // A test that is skipped runs if the program is told so.
    let ran = project.shell(&format!("{check} '*saved' -- --no-skip"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    for (filter, why) in [
        ("none*", "no test matches"),
        ("*saved", "only disabled tests"),
    ] {
        let ran = project.shell(&format!("{check} '{filter}'"));
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(why), "{}", ran.shown());
    }
    // To doctest, the first name means both.
    project.works("echo 'TEST_CASE(\"a*b\") {} TEST_CASE(\"aXb\") {}' >> counter_test.cc; cmake --build build");
    let ran = project.shell(&format!("{check} 'a*b'"));
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("the test 'a*b' cannot be run alone"),
        "{}",
        ran.shown()
    );
}

#[test]
fn boost_test() {
    if !has(&BOOST) {
        return;
    }
    let project = Project::new("boost", "boost");
    project.cmake();
    let ran = project.works("ctest --test-dir build");
    assert!(
        ran.stdout.contains("0 tests failed out of 2"),
        "{}",
        ran.shown()
    );
    let check = "dpor check --reductions=none build/counter_test --test-filter";
    let ran = project.shell(&format!("{check} '*' --junit tests.xml"));
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // Two threads add once each, and orders of additions are not merged: 2.
    has_lines(
        &ran,
        &[
            "counting.in_one_step: verified: all 2 executions",
            "from._0: verified: all 2 executions",
            "from._1: verified: all 2 executions",
            "zero<int>: verified: all 1 execution",
            "loaded: skipped",
            "saved: disabled",
            "8 tests: 5 verified, 1 with a bug, 1 disabled, 1 skipped",
        ],
    );
    assert!(
        ran.stdout.contains("counter_test.cc:28:3"),
        "{}",
        ran.shown()
    );
    assert!(!ran.stdout.contains('\x1b'), "{}", ran.shown());
    let xml = std::fs::read_to_string(project.path("tests.xml")).expect("the file");
    let skipped =
        |(_, name, how): &(String, String, String)| (how == "skipped").then(|| name.clone());
    let skipped: Vec<String> = cases(&xml).iter().filter_map(skipped).collect();
    assert_eq!(skipped, ["loaded", "saved"], "{xml}");
    // What it says of itself may be told, and what follows `--` is not the framework's.
    for behind in [
        "--log_level=nothing",
        "-l nothing",
        "--color_output=yes",
        "-- --run_test=saved",
    ] {
        let ran = project.shell(&format!("{check} 'counting/*one*:loaded' -- {behind}"));
        assert_eq!(ran.code, 0, "{behind}: {}", ran.shown());
        let lines = [
            "counting.in_one_step: verified: all 2 executions",
            "loaded: skipped",
        ];
        has_lines(&ran, &lines);
    }
    for (filter, behind, why) in [
        ("none", "", "no test matches"),
        ("saved", "", "only disabled tests"),
        ("@slow", "", "neither labels"),
        ("*", "-- --run_test=zero*", "leave out '--run_test=zero*'"),
    ] {
        let ran = project.shell(&format!("{check} '{filter}' {behind}"));
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(why), "{}", ran.shown());
    }
}

/// What version 3 of Catch2 says and exits with, where only an older one may be installed: `SKIP` in a test, and four checks
/// that failed in one that is called so.
const CATCH2_3: &str = r#"#include <stdio.h>
#include <string.h>
int main(int count, char **args) {
  int fails = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(args[i], "--help") == 0) { puts("list all/matching test cases"); return 0; }
    if (strcmp(args[i], "--list-tests") == 0) { puts(fails ? "fails" : "loaded"); return 0; }
    if (strcmp(args[i], "fails") == 0) fails = 1;
  }
  printf("x.cc:3: SKIPPED:\n\n====\ntest cases: 1 | 1 %s\nassertions: - none -\n", fails ? "failed" : "skipped");
  return 4;
}
"#;

#[test]
fn a_test_of_catch2_3_that_skips_itself() {
    let project = Project::new("catch2-3", "catch2");
    std::fs::write(project.path("skip.c"), CATCH2_3).expect("the source can be written");
    project.works("dpor-cc -g skip.c -o skip");
    let ran = project.shell("dpor check ./skip --test-filter '*'");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    has_lines(&ran, &["loaded: skipped", "1 test: 1 skipped"]);
    // The status by itself says nothing.
    let ran = project.shell("dpor check ./skip --test-filter 'fails'");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    has_lines(&ran, &["1 test: 1 with a bug"]);
}

#[test]
fn a_test_that_cannot_be_run_alone_is_none_that_passes() {
    if !has(&CATCH2) {
        return;
    }
    let project = Project::new("catch2-alone", "catch2");
    // To Catch2, both specifications mean both.
    let source = "#if __has_include(<catch2/catch_all.hpp>)\n#include <catch2/catch_all.hpp>\n#else\n\
                  #include <catch2/catch.hpp>\n#endif\nTEST_CASE(\"same\") {}\nTEST_CASE(\"Same\") {}\n";
    std::fs::write(project.path("counter_test.cc"), source).expect("the source can be written");
    project.cmake();
    let ran = project.shell("dpor check build/counter_test --test-filter '*'");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("the test 'same' cannot be run alone"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_program_without_a_framework_is_refused() {
    let project = Project::new("no-framework", "account");
    let ran = project.shell("dpor check --test-filter '*' deposit_test.c account.c");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    let why = "is no test program of GoogleTest, Catch2, doctest or Boost.Test";
    assert!(ran.stderr.contains(why), "{}", ran.shown());
}
