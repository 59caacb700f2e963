//! `dpor scenario`: which sizes are proved, what is reported, and what is refused.

use dpor_report::{CallState, FindingKind, Report, Verdict};
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::{read, Tool};
use std::path::{Path, PathBuf};

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

pub fn mailbox() -> PathBuf {
    source("docs/programs/mailbox.cc")
}

/// Runs the command, and returns its report, if there is one.
pub fn scenario(tool: &Tool, files: &[&Path], options: &[&str]) -> (Ran, Option<Report>) {
    let json = tool.path("scenario.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("scenario");
    command.current_dir(tool.path(""));
    command.args(files).arg("--json").arg(&json).args(options);
    let ran = tool.run(&mut command, "");
    (ran, read(&json).ok())
}

/// A C++ file in the tool's folder, with these arguments of `DPOR_SCENARIO`.
fn cell(tool: &Tool, name: &str, arguments: &str) -> PathBuf {
    let text = format!(
        "#include <atomic>\n#include <dpor/scenario.hpp>\n\
         struct Cell {{ std::atomic<int> value{{0}}; static inline int made = 0; int number = made++; }};\n\
         static auto get = dpor::operation(\"get\", [](auto &cell) {{ return cell.value.load(); }});\n\
         DPOR_SCENARIO(Cell, get, {arguments})\n"
    );
    let file = tool.path(name);
    std::fs::write(&file, text).expect("a file");
    file
}

const SET: &str = "dpor::operation(\"set\", [](auto &cell, int value) { cell.value = value; }";

#[test]
fn sizes_are_proved_one_after_the_other() {
    let tool = Tool::new("scenario-sizes");
    let (ran, report) = scenario(&tool, &[&mailbox()], &["--sizes", "2x1,3x1,2x2"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    // Three calls: 6 pairs, 10 triples; of lists of up to two calls (3 + 9), 78 pairs without those 6.
    let said =
        "verified: linearizable in all 88 scenarios of up to 2 threads × 2 calls and 3 × 1 (";
    assert!(ran.stdout.contains(said), "{}", ran.shown());
    let report = report.expect("a report");
    let scenarios = report.scenarios.expect("scenarios");
    assert_eq!(scenarios.object, "Mailbox");
    let counts: Vec<(String, u64)> = { scenarios.sizes.iter() }
        .map(|size| (size.word(), size.scenarios))
        .collect();
    let expected = [("2x1", 6), ("3x1", 10), ("2x2", 72)].map(|(word, n)| (word.to_owned(), n));
    assert_eq!(counts, expected);
    let all: u64 = scenarios
        .sizes
        .iter()
        .map(|size| size.executions.total())
        .sum();
    assert_eq!(report.executions.total(), all);
}

/// Each size is a check of its own; all are known if each of them is, whichever is the last.
#[test]
fn sizes_that_were_proved_before_are_known_one_by_one() {
    let tool = Tool::new("scenario-cached");
    let kept = tool.path("kept");
    let _ = std::fs::remove_dir_all(&kept);
    let cache = format!("--cache={}", kept.display());
    for (sizes, is_known, count) in [
        ("2x1", false, 6),
        ("2x1", true, 6),
        ("3x1,2x1", false, 16),
        ("2x1,3x1", true, 16),
        ("3x1", true, 10),
    ] {
        let options = [cache.as_str(), "--sizes", sizes];
        let (ran, report) = scenario(&tool, &[&mailbox()], &options);
        let report = report.expect("a report");
        assert_eq!(
            (ran.code, report.cached),
            (0, is_known),
            "{sizes}: {}",
            ran.shown()
        );
        let has = ran.stdout.ends_with(" (cached)\n");
        assert_eq!(has, is_known, "{sizes}: {}", ran.shown());
        let scenarios = report.scenarios.expect("scenarios").sizes;
        let all: u64 = scenarios.iter().map(|size| size.scenarios).sum();
        assert_eq!(all, count);
    }
}

#[test]
fn a_size_that_is_cut_short_is_not_proved() {
    let tool = Tool::new("scenario-time");
    let queue = source("testsuite/programs/scenarios/michael_scott.cc");
    let (ran, report) = scenario(&tool, &[&queue], &["--time", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let line = ran.stdout.lines().last().expect("a line");
    assert!(line.starts_with("verified: linearizable in all "), "{line}");
    assert!(line.ends_with(" and 4 × 1"), "{line}");
    assert!(line.contains("; nothing is proved of "), "{line}");
    let report = report.expect("a report");
    let scenarios = report.scenarios.expect("scenarios");
    let whole = scenarios
        .sizes
        .iter()
        .filter(|size| size.verdict == Verdict::Verified);
    let counted: u64 = whole.map(|size| size.executions.total()).sum();
    assert_eq!(
        report.executions.total(),
        counted,
        "those of what is proved"
    );
    // All of those that are asked for, or nothing is said to be verified.
    let (ran, report) = scenario(&tool, &[&queue], &["--time", "0.001", "--sizes", "2x2,3x2"]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(ran.stdout.contains("incomplete: --time"), "{}", ran.shown());
    assert_eq!(report.expect("a report").verdict, Verdict::Incomplete);
}

/// Calls that look at which others returned have more events than calls that mark it: an execution that shows what is wrong
/// is cut where the one that raised the doubt is not. That is no mistake of the checker's, and no proof.
#[test]
fn a_doubt_whose_executions_are_cut_is_incomplete() {
    let tool = Tool::new("scenario-cut");
    let mut doubted = 0;
    for events in 6..20 {
        let options = [
            "--cflags=-O2 -g -DIN_TWO_STEPS",
            "--sizes=2x1,2x2",
            &format!("--max-events={events}"),
        ];
        let (ran, _) = scenario(&tool, &[&mailbox()], &options);
        assert!(matches!(ran.code, 3 | 42), "{events}: {}", ran.shown());
        let is_told = ran
            .stdout
            .contains("and the executions that show it were cut");
        assert!(!is_told || ran.code == 3, "{events}: {}", ran.shown());
        doubted += usize::from(is_told);
    }
    assert!(doubted > 0, "no number of events lies between the two");
}

#[test]
fn a_bug_ends_it_and_can_be_replayed() {
    let tool = Tool::new("scenario-bug");
    let junit = tool.path("scenario.xml");
    let junit_option = format!("--junit={}", junit.display());
    let options = [
        "--cflags=-O2 -g -DIN_TWO_STEPS",
        "--sizes=3x1,2x1",
        &junit_option,
    ];
    let (ran, report) = scenario(&tool, &[&mailbox()], &options);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let report = report.expect("a report");
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::NotLinearizable);
    let details = finding.details.join("\n");
    for expected in ["T1: [put(", "nearest order: ", "(but T"] {
        assert!(details.contains(expected), "{expected}: {details}");
    }
    let text = std::fs::read_to_string(junit).expect("a file");
    assert_eq!(text.matches("<testcase").count(), 1, "{text}");
    assert_eq!(text.matches("<failure").count(), 1, "{text}");
    let mut replay = tool.dpor("replay");
    replay.arg(tool.path("scenario.json"));
    let ran = tool.run(&mut replay, "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(ran.stdout.contains("[not-linearizable]"), "{}", ran.shown());
}

#[test]
fn scenarios_that_are_the_same_are_run_once() {
    let tool = Tool::new("scenario-alike");
    let count = |name: &str, arguments: &str| {
        let file = cell(&tool, name, arguments);
        let (ran, report) = scenario(&tool, &[&file], &["--sizes=2x1"]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        report
            .expect("a report")
            .scenarios
            .expect("scenarios")
            .sizes[0]
            .scenarios
    };
    // get, set(1), set(2): pairs of three.
    assert_eq!(count("plain.cc", &format!("{SET}, dpor::values(1, 2))")), 6);
    // Without those that are others with 1 and 2 exchanged: get|get, get|set(1), set(1)|set(1), set(1)|set(2).
    assert_eq!(count("alike.cc", &format!("{SET}, dpor::alike(1, 2))")), 4);
    let differ = format!("dpor::threads_differ, {SET}, dpor::values(1, 2))");
    assert_eq!(count("differ.cc", &differ), 9);
    // No two threads set: get|get, get|set(1), get|set(2).
    let by_one = format!("{SET}, dpor::values(1, 2)).by_one_thread()");
    assert_eq!(count("by_one.cc", &by_one), 3);
}

#[test]
fn states_are_looked_at_when_all_calls_returned() {
    let tool = Tool::new("scenario-validate");
    let add =
        "dpor::operation(\"add\", [](auto &cell) { int now = cell.value; cell.value = now + 1; })";
    let validate = "dpor::validate(\"below two\", [](Cell &cell) { return cell.value < 2; })";
    let file = cell(&tool, "validate.cc", &format!("{add}, {validate}"));
    let (ran, report) = scenario(&tool, &[&file], &["--sizes=2x1"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let report = report.expect("a report");
    assert_eq!(report.findings[0].kind, FindingKind::Invariant);
    assert!(
        ran.stdout.contains("what should be so is not (below two)"),
        "{}",
        ran.shown()
    );
}

#[test]
fn what_is_no_such_test_is_refused() {
    let tool = Tool::new("scenario-refused");
    let plain = tool.path("plain.c");
    std::fs::write(&plain, "int main(void) { return 0; }\n").expect("a file");
    let (ran, report) = scenario(&tool, &[&plain], &[]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("no DPOR_SCENARIO"), "{}", ran.shown());
    assert!(report.is_none());
    // One call, with a different result each time that an object is made.
    let changing = "dpor::operation(\"which\", [](auto &cell) { return cell.number; })";
    let file = cell(&tool, "changing.cc", changing);
    let (ran, report) = scenario(&tool, &[&file], &["--sizes=2x1"]);
    assert_eq!(ran.code, 4, "{}", ran.shown());
    assert_eq!(report.expect("a report").verdict, Verdict::Unsupported);
    assert!(
        ran.stdout.contains("not the same each time"),
        "{}",
        ran.shown()
    );
}

/// What is told of calls of which one waits for ever has their order in time, although only a second search looks at that.
#[test]
fn calls_that_wait_for_ever_stand_in_time() {
    let tool = Tool::new("scenario-waits");
    let slot = source("testsuite/programs/scenarios/blocking.cc");
    let file = tool.path("lost.cc");
    let text = format!("#define LOST\n#include {slot:?}\n");
    std::fs::write(&file, text).expect("a file");
    let (ran, report) = scenario(&tool, &[&file], &["--sizes=2x1"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let finding = report.expect("a report").findings.remove(0);
    assert_eq!(finding.kind, FindingKind::Deadlock);
    let told = finding.scenario.expect("a scenario");
    let states: Vec<CallState> = told.calls.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Returned, CallState::Begun]);
    assert!(told.timed, "{}", ran.shown());
}

/// Where all findings are wanted, a finding has all scenarios searched again, and not its own alone: so many executions as where
/// calls look from the beginning.
#[test]
fn all_scenarios_are_searched_again_for_all_findings() {
    let tool = Tool::new("scenario-all");
    let counter = source("testsuite/programs/scenarios/counter.c");
    let text = std::fs::read_to_string(counter).expect("a file");
    let binary = tool.compile("counter", &text, &["-DSTALE"]);
    let executions = |options: &[&str]| {
        let options = [options, &["-k", "--minimize-time=0"]].concat();
        let report = tool
            .check(&binary, &options, &["--dpor-scenario=2x2"])
            .report;
        assert_eq!(report.verdict, Verdict::Bug);
        report.executions.total()
    };
    let look = executions(&["--reductions=commute,observers,counters"]);
    assert_eq!(executions(&[]), look);
}
