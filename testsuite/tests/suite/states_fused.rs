//! `--fuse`: several steps of a thread as one, together with what else `--states` can do.

use crate::kept_states::text;
use dpor_report::{FindingKind, States, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::path::Path;

fn states(checked: &Checked) -> States {
    let states = checked.report.states.clone();
    states.unwrap_or_else(|| panic!("{}", checked.ran.shown()))
}

fn verified(tool: &Tool, program: &Path, options: &[&str]) -> States {
    let checked = tool.check(program, options, &[]);
    let (verdict, shown) = (checked.report.verdict, checked.ran.shown());
    assert_eq!(verdict, Verdict::Verified, "{shown}");
    states(&checked)
}

/// What is right stays so with fewer states, compared exactly or by fingerprints, near or far.
#[test]
fn what_is_right_has_fewer_states() {
    let tool = Tool::new("states-fused");
    for (name, flags) in [
        ("peterson", &["-O2"][..]),
        ("peterson", &["-O0"]),
        ("ring", &["-O2"]),
        ("queue", &["-O2"]),
        ("philosophers", &["-O2", "-DORDERED"]),
        ("freed_elsewhere", &["-O2"]),
        ("ticket", &["-O2"]),
    ] {
        let program = tool.compile(&format!("{name}{}", flags[0]), &text(name), flags);
        let single = verified(&tool, &program, &["--states"]);
        let fused = verified(&tool, &program, &["--states", "--fuse", "8"]);
        assert!(fused.states < single.states, "{name}: {fused:?} {single:?}");
        let exact = verified(&tool, &program, &["--states=exact", "--fuse", "8"]);
        assert_eq!((exact.states, exact.steps), (fused.states, fused.steps));
        let far = ["--states", "--fuse", "8", "--max-depth", "1000000"];
        let far = verified(&tool, &program, &far);
        assert_eq!((far.states, far.steps), (fused.states, fused.steps));
        let one = verified(&tool, &program, &["--states", "--fuse", "1"]);
        assert_eq!((one.states, one.steps), (single.states, single.steps));
    }
}

/// Both values of what an invariant reads, the middle of a critical section among them, are looked at in between.
const COUNTS: &str = r#"
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile int count;
static atomic_int other, handed;
DPOR_INVARIANT(few, count < MOST)
static void *work(void *unused) {
    for (;;) {
        while (!atomic_load(&handed)) {}
        atomic_store(&handed, 0);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (;;) {
        count++;
        atomic_store(&other, 1);
        count--;
        atomic_store(&other, 0);
        atomic_store(&handed, 1);
    }
}
"#;

#[test]
fn invariants_are_looked_at_in_between() {
    let tool = Tool::new("states-fused-invariant");
    let options = ["--states", "--fuse", "8"];
    let right = tool.compile("right", COUNTS, &["-O2", "-DMOST=2"]);
    let fused = verified(&tool, &right, &options);
    assert!(fused.states < verified(&tool, &right, &["--states"]).states);
    let wrong = tool.compile("wrong", COUNTS, &["-O2", "-DMOST=1"]);
    let found = tool.check(&wrong, &options, &[]);
    assert_eq!(found.report.verdict, Verdict::Bug, "{}", found.ran.shown());
    let mut replay = tool.dpor("replay");
    let again = tool.run(replay.arg(format!("{}#1", found.json.display())), "");
    assert_eq!(again.code, 42, "{}", again.shown());
}

/// What executions leave is compared at their ends, which are there.
#[test]
fn ends_are_compared() {
    let tool = Tool::new("states-fused-ends");
    let options = ["--states", "--deterministic", "--fuse", "8"];
    let sum = tool.compile("sum", &text("deterministic"), &["-DSUM"]);
    verified(&tool, &sum, &options);
    let twice = tool.compile("twice", &text("deterministic"), &["-DTWICE"]);
    let found = tool.check(&twice, &options, &[]);
    assert_eq!(found.report.verdict, Verdict::Bug, "{}", found.ran.shown());
    let kind = found.report.findings[0].kind;
    assert_eq!(kind, FindingKind::Nondeterminism);
}

#[test]
fn an_abstraction_is_refused() {
    let tool = Tool::new("states-fused-abstraction");
    let program = tool.compile("abstraction", &text("abstraction"), &["-O2"]);
    let checked = tool.check(&program, &["--states", "--fuse", "8"], &[]);
    let (verdict, shown) = (checked.report.verdict, checked.ran.shown());
    assert_eq!(verdict, Verdict::Unsupported, "{shown}");
    let reason = checked.report.reason.as_deref();
    let said = "--fuse and dpor_abstraction exclude each other";
    assert!(reason.is_some_and(|why| why.contains(said)), "{shown}");
}

#[test]
fn what_excludes_it_is_said() {
    let tool = Tool::new("states-fused-refused");
    let program = tool.compile("ring", &text("ring"), &[]);
    let cases: [(&[&str], &str); 8] = [
        (&[], "--fuse is for a search over states: with --states"),
        (&["--no-starvation"], "--fuse keeps no states in between"),
        (&["--non-progress"], "--fuse keeps no states in between"),
        (
            &["--ltl", "G !deadlock"],
            "--fuse keeps no states in between",
        ),
        (
            &["--states=bitstate"],
            "--fuse and --states=bitstate exclude",
        ),
        (&["--states", "--bound", "1"], "--fuse and --bound exclude"),
        (
            &["--states", "--reductions=none"],
            "--fuse and --reductions=none exclude",
        ),
        (
            &["--states", "--graph", "x.dot"],
            "--fuse and --graph exclude",
        ),
    ];
    for (options, sentence) in cases {
        let mut command = tool.dpor("check");
        let ran = tool.run(
            command.args(options).args(["--fuse", "8"]).arg(&program),
            "",
        );
        assert_eq!(ran.code, 2, "{options:?}: {}", ran.shown());
        assert!(
            ran.stderr.contains(sentence),
            "{options:?}: {}",
            ran.shown()
        );
    }
}
