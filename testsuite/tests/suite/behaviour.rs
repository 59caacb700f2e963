//! What needs more than one program and one check: signals, libraries, streams, replays.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::processes::ENDLESS;
use dpor_testsuite::tool::{self, Tool};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Interrupts a long check after `signal` and returns exit code, output, and the report.
fn interrupt(signal: &str) {
    let tool = Tool::new(&format!("behaviour-{signal}"));
    let binary = tool.compile("long", ENDLESS, &[]);
    let json = tool.path("report.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.arg("--json").arg(&json).arg(&binary);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("dpor starts");
    std::thread::sleep(Duration::from_millis(1500));
    let begin = Instant::now();
    let kill = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("dpor ends");
    assert!(begin.elapsed() < Duration::from_secs(10));
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("interrupted"), "{text}");
    let report = tool::read(&json).expect("a whole report");
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.executions.complete > 0, "{:?}", report.executions);
}

#[test]
fn sigint_ends_with_what_was_explored() {
    interrupt("INT");
}

#[test]
fn sigterm_ends_with_what_was_explored() {
    interrupt("TERM");
}

#[test]
fn a_library_that_is_not_instrumented_is_named() {
    let tool = Tool::new("behaviour-library");
    let library = tool.path("libplain_counter.so");
    let source = tool.path("counter.c");
    std::fs::write(&source, "int count;\nint next(void) { return ++count; }\n").expect("written");
    let mut clang = tool.clang();
    clang.args(["-shared", "-fPIC", "-O2", "-o"]);
    let ran = tool.run(clang.arg(&library).arg(&source), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    // Each execution must find the library's counter as it was.
    let text = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
int next(void);
atomic_int cell;
static void *work(void *unused) { atomic_store(&cell, 1); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = atomic_load(&cell);
    dpor_assert(next() == 1);
    pthread_join(thread, 0);
    dpor_observe(\"seen\", seen);
    return 0;
}
";
    let library = library.to_string_lossy();
    let folder = tool.path("");
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    let binary = tool.compile("user", text, &[&library, &rpath]);
    let checked = tool.check(&binary, &["--outcomes"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{}",
        checked.ran.shown()
    );
    assert_eq!(checked.report.executions.complete, 2);
    let scope = &checked.report.scope;
    assert!(scope.instrumented.iter().any(|o| o == "user"), "{scope:?}");
    let plain = |o: &String| o == "libplain_counter.so";
    assert!(scope.uninstrumented.iter().any(plain), "{scope:?}");
    assert!(!scope.instrumented.iter().any(plain), "{scope:?}");
}

/// Two threads whose sum of what they read is the exit status.
const ALONE: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int cell;
static void *work(void *unused) { atomic_store(&cell, 1); return unused; }
int main(int count, char **arguments) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (count < 2) pthread_join(thread, 0);
    int seen = atomic_load(&cell);
    if (count > 1) pthread_join(thread, 0);
    printf(\"seen %d\\n\", seen);
    return !seen;
}
";

#[test]
fn run_by_itself_a_program_explores_when_it_has_a_second_thread() {
    let tool = Tool::new("behaviour-alone");
    let binary = tool.compile("alone", ALONE, &[]);
    let alone = |options: &str, args: &[&str]| {
        let mut command = Command::new(&binary);
        command.args(args).env_remove("DPOR_OPTIONS");
        if !options.is_empty() {
            command.env("DPOR_OPTIONS", options);
        }
        tool.run(&mut command, "")
    };
    let good = alone("", &[]);
    assert_eq!(
        (good.code, good.stdout.as_str()),
        (0, "seen 1\n"),
        "{}",
        good.shown()
    );
    let bad = alone("", &["either"]);
    assert_eq!(bad.code, 42, "{}", bad.shown());
    assert!(bad.stderr.contains("nonzero-exit"), "{}", bad.shown());
    // With real threads, and joined first: no other outcome.
    let native = alone("off=1", &[]);
    assert_eq!((native.code, native.stdout.as_str()), (0, "seen 1\n"));
    assert_eq!(native.stderr, "");
    let limited = alone("max-executions=1:output=none", &[]);
    assert_eq!(limited.stdout, "", "{}", limited.shown());
    let wrong = alone("no-such-key=1", &[]);
    assert_eq!(wrong.code, 2, "{}", wrong.shown());
    assert_eq!(wrong.stderr.lines().count(), 1, "{}", wrong.shown());
    // To a driver of another version it is no end of the program's.
    let told = alone("no-such-key=1:channel=1", &[]);
    assert_eq!(told.code, 2, "{}", told.shown());
    assert!(told.stdout.contains("\"failure\""), "{}", told.shown());
    assert_eq!(told.stderr, "");
}

#[test]
fn main_return_exit_races_with_the_rest() {
    let tool = Tool::new("behaviour-main-return");
    let text = "
#include <pthread.h>
#include <stdlib.h>
static void *work(void *unused) { abort(); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    return 0;
}
";
    let binary = tool.compile("returns", text, &[]);
    let run = tool.check(&binary, &["-k"], &[]).report;
    let kinds = |report: &dpor_report::Report| {
        let mut all: Vec<_> = report.findings.iter().map(|f| f.kind).collect();
        all.sort_by_key(|kind| kind.to_string());
        all
    };
    assert_eq!(
        kinds(&run),
        [FindingKind::Abort, FindingKind::MainExitsEarly]
    );
    let mut command = tool.dpor("check");
    command.arg("--main-return=exit").arg(&binary);
    let exit = tool.run(&mut command, "");
    // The return races with the thread: in one of the two orders the abort comes first.
    assert_eq!(exit.code, 42, "{}", exit.shown());
}

#[test]
fn time_is_the_same_in_every_execution_and_in_the_replay() {
    let tool = Tool::new("behaviour-time");
    // The clock decides what is done, so a replay under another clock would do something else.
    let text = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
atomic_int even, odd;
static void *work(void *unused) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    for (int bit = 0; bit < 20; bit++) atomic_store(time.tv_nsec >> bit & 1 ? &odd : &even, bit);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    dpor_assert(atomic_load(&even) != 7 && atomic_load(&odd) != 7);
    pthread_join(thread, 0);
    return 0;
}
";
    let binary = tool.compile("clock", text, &[]);
    let checked = tool.check(&binary, &[], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Bug,
        "{}",
        checked.ran.shown()
    );
    let mut command = tool.dpor("replay");
    let replay = tool.run(command.arg(format!("{}#1", checked.json.display())), "");
    assert_eq!(replay.code, 42, "{}", replay.shown());
}
