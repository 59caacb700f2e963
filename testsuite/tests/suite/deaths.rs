//! Deaths of the checked process that one program with a header cannot show: from outside, without a
//! trace left, with input. The others are in `testsuite/programs/bugs/`, and the checker's own faults in
//! mutations.rs.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::processes::ENDLESS;
use dpor_testsuite::tool::{self, Tool};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Overwrites what the checker writes down of its schedule, and its heap.
const WITHOUT_A_TRACE: &str = "
#include <pthread.h>
#include <string.h>
static char *const journal = (char *)0x70000000000, *const heap = (char *)0x80000000000;
static void *work(void *unused) { return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    memset(journal, 0x41, 4096);
    memset(heap, 0x41, 400);
    pthread_join(thread, 0);
    return 0;
}
";

/// Dies if the first line of its input says so, of a load that sees the store.
const READS: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static char *const heap = (char *)0x80000000000;
static atomic_int cell;
static void *work(void *unused) { atomic_store(&cell, 1); return unused; }
int main(void) {
    pthread_t thread;
    char line[16] = \"\";
    fgets(line, sizeof line, stdin);
    pthread_create(&thread, 0, work, 0);
    if (atomic_load(&cell) && !strcmp(line, \"die\\n\")) memset(heap, 0x41, 400);
    pthread_join(thread, 0);
    return 0;
}
";

/// The process that a command started and that explores, once it is there.
fn child_of(command: u32) -> u32 {
    let path = format!("/proc/{command}/task/{command}/children");
    let begin = Instant::now();
    loop {
        let children = std::fs::read_to_string(&path).unwrap_or_default();
        if let Some(first) = children.split_whitespace().next() {
            return first.parse().expect("a number");
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "no child");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a process has the borrowed threads: exploration began.
fn explores(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    threads.is_ok_and(|threads| threads.count() > 1)
}

#[test]
fn a_process_that_is_killed_is_not_accused() {
    let tool = Tool::new("deaths-killed");
    let binary = tool.compile("long", ENDLESS, &[]);
    let json = tool.path("report.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.args(["-k", "--json"]).arg(&json).arg(&binary);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("dpor starts");
    let program = child_of(child.id());
    let begin = Instant::now();
    while !explores(program) {
        if begin.elapsed() > Duration::from_secs(30) {
            drop(child.kill());
            panic!("it never began");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    let kill = Command::new("kill")
        .args(["-KILL", &program.to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("dpor ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let report = tool::read(&json).expect("a whole report");
    assert_eq!(report.verdict, Verdict::Incomplete);
    let reason = report.reason.unwrap_or_default();
    assert_eq!(reason, "killed by SIGKILL from outside");
    assert!(report.findings.is_empty());
}

#[test]
fn a_program_that_leaves_no_trace_is_not_called_verified() {
    let tool = Tool::new("deaths-no-trace");
    let binary = tool.compile("without", WITHOUT_A_TRACE, &[]);
    for how in ["snapshot", "restart"] {
        let mut command = tool.dpor("check");
        command.arg(format!("--checkpoint={how}")).arg(&binary);
        let ran = tool.run(&mut command, "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        let said = ran.stderr.contains("overwrote what was written down");
        assert!(said, "{}", ran.shown());
    }
}

#[test]
fn a_process_started_again_reads_the_same_input() {
    let tool = Tool::new("deaths-input");
    let binary = tool.compile("reads", READS, &[]);
    let json = tool.path("report.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.args(["-k", "--json"]).arg(&json).arg(&binary);
    let ran = tool.run(&mut command, "die\nnot\n");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let report = tool::read(&json).expect("a whole report");
    assert_eq!(report.findings.len(), 1, "{}", ran.shown());
    assert_eq!(report.findings[0].kind, FindingKind::ProcessDeath);
    let mut replay = tool.dpor("replay");
    let ran = tool.run(replay.arg(&json), "die\nnot\n");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    // With other input it does something else, and that is no bug.
    let mut replay = tool.dpor("replay");
    let ran = tool.run(replay.arg(&json), "live\n");
    assert_ne!(ran.code, 42, "{}", ran.shown());
}
