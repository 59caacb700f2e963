//! `dpor list-executions`: which executions are listed, and whether their traces give their values.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Each thread writes its cell, then reads the other's.
///
/// Four events, two of each thread in program order: C(4,2) = 6 interleavings. Which value a read gets is
/// decided by two pairs (x=1 and read x, y=1 and read y), four ways; that both reads come first is a cycle
/// through program order. So 3 endings: r1=0 r2=1, r1=1 r2=0, and r1=1 r2=1, which four interleavings have.
const STORE_BUFFERING: &str = r#"
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
int r1, r2;
static void *left(void *unused) {
    atomic_store(&x, 1);
    r1 = atomic_load(&y);
    return unused;
}
static void *right(void *unused) {
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("r1", r1);
    dpor_observe("r2", r2);
    return 0;
}
"#;

/// Lists the executions, and returns what was run and its JSON report.
fn list(tool: &Tool, program: &Path, options: &[&str]) -> (Ran, Value) {
    let json = tool.path("list.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("list-executions");
    // Reports that nobody asked for go to the current folder.
    command.current_dir(tool.path(""));
    command.arg("--json").arg(&json).args(options).arg(program);
    let ran = tool.run(&mut command, "");
    let text = std::fs::read_to_string(&json).unwrap_or_else(|_| panic!("{}", ran.shown()));
    (ran, serde_json::from_str(&text).expect("JSON"))
}

fn listed(report: &Value) -> &[Value] {
    report["listed"].as_array().map_or(&[], Vec::as_slice)
}

/// What a trace of [`STORE_BUFFERING`] gives, by its order alone: a load reads the last store before it, or
/// the 0 that was there. Each thread has to do what it does, in its order.
fn replayed(trace: &Value) -> BTreeMap<&'static str, i64> {
    let mut memory = BTreeMap::from([("x", 0), ("y", 0)]);
    let mut read = BTreeMap::new();
    let mut stored = BTreeMap::from([("x", false), ("y", false)]);
    for step in trace.as_array().expect("a list") {
        let (thread, operation) = (&step["thread"], step["operation"].as_str());
        let (own, other, register) = match thread.as_u64() {
            Some(1) => ("x", "y", "r1"),
            Some(2) => ("y", "x", "r2"),
            _ => continue,
        };
        match operation.expect("an operation") {
            "atomic-store" => {
                assert_eq!(step["object"], own);
                assert_eq!(stored.insert(own, true), Some(false), "once");
                memory.insert(own, 1);
            }
            "atomic-load" => {
                assert_eq!(step["object"], other);
                assert!(stored[own], "a thread stores before it loads");
                assert_eq!(read.insert(register, memory[other]), None, "once");
                assert_eq!(step["value"], memory[other]);
            }
            _ => {}
        }
    }
    read
}

#[test]
fn each_ending_is_listed_with_a_trace_that_gives_it() {
    let tool = Tool::new("list-endings");
    let program = tool.compile("sb", STORE_BUFFERING, &[]);
    let (ran, report) = list(&tool, &program, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let mut values: Vec<&Value> = listed(&report).iter().map(|one| &one["values"]).collect();
    values.sort_by_key(|values| values.to_string());
    let expect = [
        json!({"r1": 0, "r2": 1}),
        json!({"r1": 1, "r2": 0}),
        json!({"r1": 1, "r2": 1}),
    ];
    assert_eq!(values, expect.iter().collect::<Vec<_>>());
    for one in listed(&report) {
        assert_eq!(json!(replayed(&one["trace"])), one["values"]);
        assert_eq!(one["executions"], 1);
        assert!(one.get("execution").is_none());
        let of_thread = |thread: &Value| thread["function"].as_str().map(str::to_owned);
        let threads = one["threads"].as_array().expect("a list");
        let functions: Vec<_> = threads.iter().filter_map(of_thread).collect();
        assert_eq!(functions, ["main", "left", "right"]);
    }
    assert_eq!(report["findings"], json!([]));
    assert_eq!(ran.stdout.matches("trace (").count(), 3, "{}", ran.stdout);
    let last = "3 different endings in 3 complete executions\nverified: all 3 executions\n";
    assert!(ran.stdout.ends_with(last), "{}", ran.stdout);
    // Every interleaving: 6 of them (above), more with those of creations and joins; the endings stay.
    let (_, all) = list(&tool, &program, &["--search=dfs", "-j2"]);
    let sum = |report: &Value| -> u64 {
        let executions = listed(report).iter().map(|one| &one["executions"]);
        executions.filter_map(Value::as_u64).sum()
    };
    assert_eq!(listed(&all).len(), 3);
    assert!(sum(&all) >= 6);
    assert_eq!(json!(sum(&all)), all["executions"]["complete"]);
}

#[test]
fn an_outcome_is_picked() {
    let tool = Tool::new("list-outcome");
    let program = tool.compile("sb", STORE_BUFFERING, &[]);
    let (ran, report) = list(&tool, &program, &["--outcome", "r2=0 r1=1"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let [one] = listed(&report) else {
        panic!("{}", ran.shown());
    };
    assert_eq!(
        replayed(&one["trace"]),
        BTreeMap::from([("r1", 1), ("r2", 0)])
    );
    assert!(ran
        .stdout
        .starts_with("ending 1, 1 execution: r1=1  r2=0\ntrace ("));
    // The text has the same order: the right thread is done before the left one stores.
    let at = |text: &str| ran.stdout.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(at("reads x: 0") < at("writes x: 1"));
    // One value leaves two endings; what no execution has leaves none.
    let (_, report) = list(&tool, &program, &["--outcome=r1=1"]);
    assert_eq!(listed(&report).len(), 2);
    for never in ["r1=0 r2=0", "r3=0"] {
        let (ran, report) = list(&tool, &program, &["--outcome", never]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        assert_eq!(listed(&report).len(), 0);
        let line = "0 of 3 different endings listed";
        assert!(ran.stdout.starts_with(line), "{}", ran.stdout);
    }
}

#[test]
fn the_first_executions_are_listed_one_by_one() {
    let tool = Tool::new("list-first");
    let program = tool.compile("sb", STORE_BUFFERING, &[]);
    for checkpoint in ["snapshot", "fork", "restart"] {
        let checkpoint = format!("--checkpoint={checkpoint}");
        let (ran, report) = list(&tool, &program, &["--first=2", &checkpoint]);
        // There is a third one.
        assert_eq!(ran.code, 3, "{}", ran.shown());
        let numbers: Vec<&Value> = { listed(&report).iter() }
            .map(|one| &one["execution"])
            .collect();
        assert_eq!(numbers, [1, 2]);
        for one in listed(&report) {
            assert_eq!(json!(replayed(&one["trace"])), one["values"]);
        }
    }
    let (ran, report) = list(&tool, &program, &["--first=3"]);
    assert_eq!((ran.code, listed(&report).len()), (0, 3), "{}", ran.shown());
    // Of interleavings some end alike: each is listed, where by endings it would be three at most.
    let (_, report) = list(&tool, &program, &["--first=6", "--search=dfs"]);
    assert_eq!(listed(&report).len(), 6);
    let traces: std::collections::BTreeSet<String> = { listed(&report).iter() }
        .map(|one| one["trace"].to_string())
        .collect();
    assert_eq!(traces.len(), 6);
}

#[test]
fn a_bug_is_shown_as_a_check_shows_it() {
    let tool = Tool::new("list-bug");
    // Two orders of the exchange: the thread's first fails, main's first passes and prints.
    let text = r#"
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int turn;
static void *work(void *unused) {
    dpor_assert(atomic_exchange(&turn, 1) != 0);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    atomic_exchange(&turn, 2);
    pthread_join(t, 0);
    printf("passed\n");
    return 0;
}
"#;
    let program = tool.compile("bug", text, &[]);
    let (ran, report) = list(&tool, &program, &["-k"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let kinds: Vec<&Value> = { report["findings"].as_array().expect("a list").iter() }
        .map(|finding| &finding["kind"])
        .collect();
    assert_eq!(kinds, ["assertion"]);
    let [one] = listed(&report) else {
        panic!("{}", ran.shown());
    };
    assert_eq!(
        (&one["stdout"], &one["executions"]),
        (&json!("passed\n"), &json!(1))
    );
    assert!(
        ran.stdout.contains("  output: \"passed\\n\"\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("error[assertion]"), "{}", ran.stdout);
    // The finding can be replayed from the report of the list.
    let mut replay = tool.dpor("replay");
    replay.arg(tool.path("list.json"));
    assert_eq!(tool.run(&mut replay, "").code, 42);
}

#[test]
fn one_thread_is_nothing_to_list() {
    let tool = Tool::new("list-one");
    let text = "#include <stdio.h>\nint main(void) { printf(\"alone\\n\"); return 0; }\n";
    let program = tool.compile("one", text, &[]);
    let (ran, report) = list(&tool, &program, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(listed(&report).len(), 0);
    for part in ["alone\n", "nothing to list\n", "never had a second thread"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn wrong_use_is_said() {
    let tool = Tool::new("list-wrong");
    for (words, expect) in [
        (&["/no/such/program"][..], "no such file"),
        (&["--outcome=r1", "x"], "'r1' is not NAME=VALUE"),
        (&["--first=0", "x"], "--first"),
        (&["--first=1", "--outcome=a=1", "x"], "cannot be used with"),
        (&["--resume=s", "x"], "--resume: not with"),
        (&[], "required"),
    ] {
        let ran = tool.run(tool.dpor("list-executions").args(words), "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(expect), "{words:?}: {}", ran.stderr);
    }
}

/// A thread that only computes is set aside after 20,000 accesses, then after twice as many each time, up to 64 times;
/// another event begins anew. By hand: 5 million accesses go beyond the sums 20,000 · (1, 3, 7, 15, 31, 63, 127, 191),
/// and 100,000 beyond 20,000 and 60,000.
#[test]
fn who_only_computes_is_set_aside_seldom() {
    let tool = Tool::new("list-computes");
    let text = r#"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int last;
static void write_until(int count) {
    for (int k = 0; k < count; k++) {
        last = k;
        __asm__ volatile("" ::: "memory");
    }
}
static void *work(void *unused) {
    write_until(5000000);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    write_until(100000);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
"#;
    let program = tool.compile("computes", text, &[]);
    let (ran, report) = list(&tool, &program, &[]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let [one] = listed(&report) else {
        panic!("{}", ran.shown())
    };
    let steps = one["trace"].as_array().expect("a list").iter();
    let operations: Vec<&str> = { steps.filter(|step| step["thread"] == 1) }
        .filter_map(|step| step["operation"].as_str())
        .collect();
    let yields = |operations: &[&str]| operations.iter().filter(|one| **one == "yield").count();
    let lock = operations.iter().position(|one| *one == "lock");
    let (before, after) = operations.split_at(lock.expect("an event"));
    assert_eq!((yields(before), yields(after)), (8, 2), "{operations:?}");
}
