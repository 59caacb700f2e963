//! Checkpoints and what they save. That all kinds find the same is part of every program's trials (programs.rs).

use dpor_report::Verdict;
use dpor_testsuite::tool::Tool;
use std::path::Path;
use std::time::{Duration, Instant};

const STATE: &str = include_str!("../../checkpoints/state.c");
const PAGES: &str = include_str!("../../checkpoints/pages.c");

/// Half a second of work before the second thread; then two threads of six additions whose results are
/// used: 12! / 6!^2 = 924 executions.
const LONG_START: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int cell;
static int seen[2];
static void *work(void *mine) {
    for (int i = 0; i < 6; i++) *(int *)mine += atomic_fetch_add(&cell, 1);
    return mine;
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void) {
    pthread_t one, two;
    for (double begin = now(); now() < begin + 0.5;) {}
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

/// One hundred thousand events of one thread, then two threads of four additions whose results are used:
/// 8! / 4!^2 = 70 executions, whose branches are among the last events.
const LATE_BRANCHES: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell, other;
static int seen[2];
static void *nothing(void *unused) { return unused; }
static void *work(void *mine) {
    for (int i = 0; i < 4; i++) *(int *)mine += atomic_fetch_add(&cell, 1);
    return mine;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, nothing, 0);
    pthread_join(one, 0);
    for (int i = 0; i < 100000; i++) atomic_fetch_add(&other, 1);
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

#[test]
fn what_comes_before_the_second_thread_runs_once() {
    let tool = Tool::new("checkpoints-once");
    let binary = tool.compile("long_start", LONG_START, &[]);
    for checkpoint in ["snapshot", "fork", "restart"] {
        let begin = Instant::now();
        let option = format!("--checkpoint={checkpoint}");
        let report = tool.check(&binary, &[&option], &[]).report;
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.executions.complete, 924);
        // 924 times half a second would be 462 s.
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{:?}",
            begin.elapsed()
        );
    }
}

#[test]
fn what_comes_before_late_branches_is_hardly_repeated() {
    let tool = Tool::new("checkpoints-late");
    let binary = tool.compile("late_branches", LATE_BRANCHES, &[]);
    for checkpoint in ["snapshot", "fork"] {
        let option = format!("--checkpoint={checkpoint}");
        let report = tool.check(&binary, &[&option], &[]).report;
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.executions.complete, 70);
        // Of 70 times as many. The first checkpoint comes when repeating has cost more than taking one, which is
        // after two or four times on a machine that does nothing else or a lot.
        let all = 70 * 100_000;
        assert!(
            report.events_replayed * 10 < all,
            "{checkpoint}: {}",
            report.events_replayed
        );
    }
}

/// Each execution writes to another megabyte of 100, so that copies of all that was written cost more and
/// more, and a fork no more than at first. Two threads of six sections of one mutex: 12! / 6!^2 = 924, so that it is
/// looked four times which costs less; of five, 10! / 5!^2 = 252. What a fork costs depends on the machine, and on what
/// else it does: where one way takes four times the processor time of the other, the dearer one must not be chosen.
#[test]
fn forks_take_over_where_they_are_cheaper() {
    let tool = Tool::new("checkpoints-forks");
    let heap = ["-DHEAP_MB=100", "-DREWRITE_MB=1", "-DSCATTERED=1"];
    let scattered = [&["-DT=2", "-DS=6"][..], &heap].concat();
    let scattered = tool.compile("scattered", STATE, &scattered);
    let small = tool.compile("small", STATE, &["-DT=2", "-DS=5"]);
    let check = |binary: &Path, executions: u64, options: &[&str]| {
        let report = tool.check(binary, options, &[]).report;
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.executions.complete, executions);
        report
    };
    let seconds = |option: &str| check(&scattered, 924, &[option]).seconds.cpu;
    let copies = seconds("--checkpoint=snapshot");
    let forks = seconds("--checkpoint=fork");
    let wrong = match copies / forks {
        ratio if ratio > 4.0 => Some("snapshot"),
        ratio if ratio < 0.25 => Some("fork"),
        _ => None,
    };
    for workers in ["-j1", "-j2"] {
        for (binary, executions) in [(&scattered, 924), (&small, 252)] {
            let report = check(binary, executions, &[workers]);
            let taken = (report.checkpoint.as_str(), report.checkpoints.forks > 0);
            let expected = [("snapshot", false), ("fork", true)];
            assert!(expected.contains(&taken), "{taken:?}");
            // Where there is little memory, copies are cheap. With workers each sees half of the executions.
            if binary == &small {
                assert_eq!(taken, expected[0]);
            } else if workers == "-j1" {
                assert_ne!(Some(taken.0), wrong, "{copies} s and {forks} s");
            }
        }
    }
}

#[test]
fn checkpoints_take_no_more_memory_than_they_may() {
    let tool = Tool::new("checkpoints-memory");
    let binary = tool.compile("late_branches_limited", LATE_BRANCHES, &[]);
    let mut replayed = Vec::new();
    // None, two of some 20 KB each, all.
    for bytes in ["0", "50000", "1000000000"] {
        let option = format!("--checkpoint-memory={bytes}");
        let report = tool.check(&binary, &[&option], &[]).report;
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.executions.complete, 70);
        let checkpoints = report.checkpoints;
        match bytes {
            // All but the root.
            "0" => assert_eq!(checkpoints.evicted + 1, checkpoints.taken),
            "50000" => assert!((1..checkpoints.taken - 1).contains(&checkpoints.evicted)),
            _ => assert_eq!(checkpoints.evicted, 0),
        }
        replayed.push(report.events_replayed);
    }
    assert!(replayed.is_sorted_by(|a, b| a > b), "{replayed:?}");
}

/// Programs that write thousands of pages in all the ways there are: what each execution makes of all of them is the
/// same whether states are taken back from copies or by beginning anew.
#[test]
fn all_pages_are_as_if_the_program_had_begun_anew() {
    let tool = Tool::new("checkpoints-pages");
    for seed in 1..=8 {
        let seed = format!("-DSEED={seed}");
        // 6! / 3!^2 executions.
        let binary = tool.compile("pages", PAGES, &[&seed, "-DT=2", "-DS=3"]);
        let outcomes = |checkpoint: &str| {
            let checkpoint = format!("--checkpoint={checkpoint}");
            let options = ["--reductions=none", "--outcomes", &checkpoint];
            let report = tool.check(&binary, &options, &[]).report;
            assert_eq!(report.verdict, Verdict::Verified, "{seed} {checkpoint}");
            assert_eq!(report.executions.complete, 20, "{seed} {checkpoint}");
            report.outcomes
        };
        assert_eq!(outcomes("snapshot"), outcomes("restart"), "{seed}");
    }
}
