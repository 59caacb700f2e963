//! `-j N`: several processes on one search find what one finds. That they do on every program of the
//! test suite is part of its trials (programs.rs); here is what one program with a header cannot show.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::processes::{children, send, until, LONG, LONGER_EXECUTIONS, LONG_EXECUTIONS};
use dpor_testsuite::tool::{self, Tool};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Reads its input, prints, and crashes in the executions in which the first thread comes last: of the
/// six orders of three threads that take a lock once, two.
const READS_PRINTS_CRASHES: &str = "
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[3], n;
static void *work(void *mine) {
    char line[16] = \"\";
    pthread_mutex_lock(&mutex);
    order[n++] = *(int *)mine;
    if (fgets(line, sizeof line, stdin)) printf(\"%d reads %s\", *(int *)mine, line);
    if (n == 3 && *(int *)mine == 0) *(volatile int *)8 = 0;
    pthread_mutex_unlock(&mutex);
    return 0;
}
int main(void) {
    pthread_t threads[3];
    static int numbers[3] = {0, 1, 2};
    for (int t = 0; t < 3; t++) pthread_create(&threads[t], 0, work, &numbers[t]);
    for (int t = 0; t < 3; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// Bytes that one worker sees accessed by halves and another as a whole: which are one object can only
/// be known once they are put together. A choice of eight decides, so that eight items of work exist at
/// once; after it two threads store to the variable, in two orders.
const SEEN_DIFFERENTLY: &str = "
#include <pthread.h>
#include <stdint.h>
#include \"dpor.h\"
static union { uint64_t whole; uint32_t half[2]; } cell;
static int choice;
static void *one(void *unused) {
    if (choice % 2) __atomic_store_n(&cell.whole, 1, __ATOMIC_SEQ_CST);
    else __atomic_store_n(&cell.half[0], 1, __ATOMIC_SEQ_CST);
    return unused;
}
static void *two(void *unused) {
    uint32_t seen = __atomic_load_n(&cell.half[1], __ATOMIC_SEQ_CST);
    dpor_observe(\"seen\", seen);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    choice = dpor_choose(8);
    dpor_observe(\"choice\", choice);
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
";

/// A program in which the first execution, when no worker is there yet, does not touch the cell: it is one worker alone
/// that learns in the midst of a round.
const SEEN_LATE: &str = "
#include <pthread.h>
#include <stdint.h>
#include \"dpor.h\"
static union { uint64_t whole; uint32_t half[2]; } cell;
static int choice;
static void *one(void *unused) {
    if (choice) __atomic_store_n(&cell.half[0], 1, __ATOMIC_SEQ_CST);
    return unused;
}
static void *two(void *unused) {
    uint64_t seen = choice ? __atomic_load_n(&cell.whole, __ATOMIC_SEQ_CST) : 2;
    dpor_observe(\"seen\", seen);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    choice = dpor_choose(8);
    dpor_observe(\"choice\", choice);
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
";

/// Makes a file that must not be there, in a search that learns something on the way (as [`SEEN_LATE`]).
const MAKES_A_FILE: &str = "
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
#include \"dpor.h\"
static union { uint64_t whole; uint32_t half[2]; } cell;
static int choice;
static void *one(void *unused) {
    if (choice) __atomic_store_n(&cell.half[0], 1, __ATOMIC_SEQ_CST);
    return unused;
}
int main(int count, char **names) {
    pthread_t thread;
    choice = dpor_choose(4);
    int file = open(names[1], O_CREAT | O_EXCL | O_WRONLY, 0644);
    assert(file >= 0);
    write(file, \"made\", 4);
    close(file);
    pthread_create(&thread, 0, one, 0);
    if (choice) __atomic_load_n(&cell.whole, __ATOMIC_SEQ_CST);
    pthread_join(thread, 0);
    return 0;
}
";

/// Two threads read a byte each, but not in the first execution: only the coordinator can read, and all
/// that it learns by it is what was read.
const READS_LATE: &str = "
#include <pthread.h>
#include <unistd.h>
#include \"dpor.h\"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    char byte = 0;
    pthread_mutex_lock(&mutex);
    dpor_observe(\"read\", read(0, &byte, 1) + byte);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    if (dpor_choose(2) == 0) return 0;
    for (int t = 0; t < 2; t++) pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < 2; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// Writes plainly, under a lock, to what a compare-exchange under the same lock expects; not in the first
/// execution, so that it is workers who learn which memory a compare-exchange looks at. What it finds where
/// the locks are taken the other way round can only be said by who knows of the plain write.
const EXCHANGES_LATE: &str = "
#include <pthread.h>
#include \"dpor.h\"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *one(void *unused) {
    __atomic_load_n(&y, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&mutex);
    x = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *two(void *unused) {
    int expected = 1;
    pthread_mutex_lock(&mutex);
    __atomic_compare_exchange_n(&x, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&mutex);
    __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    if (dpor_choose(4) == 0) return 0;
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    for (int t = 0; t < 2; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// Options of a search that is shared from its beginning.
fn together(workers: u32) -> [String; 2] {
    [format!("-j{workers}"), "--workers-after=0".to_owned()]
}

fn check(tool: &Tool, program: &str, workers: u32, more: &[&str], stdin: &str) -> Report {
    let json = tool.path(&format!("{program}_{workers}.json"));
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.args(together(workers)).args(more);
    command.arg("--json").arg(&json).arg(tool.path(program));
    let ran = tool.run(&mut command, stdin);
    tool::read(&json).unwrap_or_else(|error| panic!("{error}: {}", ran.shown()))
}

fn kinds(report: &Report) -> BTreeSet<(String, u64)> {
    let findings = report.findings.iter();
    findings
        .map(|f| (f.kind.to_string(), f.executions))
        .collect()
}

#[test]
fn workers_read_print_and_crash_as_one_process_does() {
    let tool = Tool::new("workers-reads");
    tool.compile("reads", READS_PRINTS_CRASHES, &[]);
    for workers in [1, 2, 5] {
        let report = check(&tool, "reads", workers, &["-k"], "a\nb\n");
        assert_eq!(report.workers, workers);
        assert_eq!(report.verdict, Verdict::Bug);
        assert_eq!(
            (report.executions.complete, report.executions.failed),
            (4, 2)
        );
        let crash = (FindingKind::Crash.to_string(), 2);
        assert_eq!(kinds(&report), BTreeSet::from([crash]));
        // The first two to take the lock read, and only they print.
        assert_eq!(
            report.outputs_distinct, 4,
            "of the executions that do not crash"
        );
    }
}

#[test]
fn the_same_executions_on_any_number_of_workers() {
    let tool = Tool::new("workers-counts");
    tool.compile("long_counts", LONG, &[]);
    for workers in [2, 7] {
        let report = check(&tool, "long_counts", workers, &[], "");
        assert_eq!(report.verdict, Verdict::Verified);
        assert_eq!(report.executions.complete, LONG_EXECUTIONS);
        assert_eq!(report.executions.total(), LONG_EXECUTIONS);
        let sharing = report.sharing.expect("there are several");
        assert!(sharing.items_moved > 0, "{sharing:?}");
    }
}

#[test]
fn limits_count_all_workers_together() {
    let tool = Tool::new("workers-limits");
    tool.compile("long_limits", LONG, &[]);
    let report = check(&tool, "long_limits", 3, &["--max-executions=5000"], "");
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(report.executions.total(), 5000);
    let report = check(&tool, "long_limits", 3, &["--time-limit=0.2"], "");
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.reason.is_some_and(|why| why.contains("time-limit")));
}

#[test]
fn what_workers_see_differently_is_put_together() {
    let tool = Tool::new("workers-differently");
    tool.compile("differently", SEEN_DIFFERENTLY, &[]);
    // For each choice both orders: the load sees 0 in both, but they are two executions where store
    // and load touch the same bytes, which they do in every search that knows of `whole`.
    for workers in [1, 2, 4] {
        let report = check(&tool, "differently", workers, &["--outcomes"], "");
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.complete, 16, "with {workers}");
        assert_eq!(report.outcomes.len(), 8);
        assert!(report
            .outcomes
            .iter()
            .all(|outcome| outcome.executions == 2));
    }
}

#[test]
fn what_one_worker_learns_begins_the_round_anew() {
    let tool = Tool::new("workers-late");
    tool.compile("late", SEEN_LATE, &[]);
    // One execution with choice 0; for each of the others the load sees the store or does not.
    for workers in [1, 2, 4] {
        let report = check(&tool, "late", workers, &["--outcomes"], "");
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.complete, 1 + 7 * 2, "with {workers}");
        assert_eq!(report.outcomes.len(), 1 + 7 * 2);
        let rounds = report.sharing.map_or(2, |sharing| sharing.rounds);
        assert!(rounds > 1, "nothing was learnt");
    }
}

#[test]
fn input_is_read_by_the_coordinator_alone() {
    let tool = Tool::new("workers-input");
    tool.compile("reads_late", READS_LATE, &[]);
    // One execution without threads, two with the lock in either order.
    for workers in [1, 2] {
        let report = check(&tool, "reads_late", workers, &[], "ab");
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.complete, 3, "with {workers}");
        let json = tool.path("reads_late.json");
        let mut command = tool.dpor("check");
        command.args(together(workers)).arg("--json").arg(&json);
        // Descriptor 0 cannot be read.
        command.stdin(std::fs::File::open("/").expect("a folder"));
        command.arg(tool.path("reads_late"));
        let ended = command.output().expect("dpor runs");
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(tool::read(&json).expect("a report").executions.complete, 3);
    }
}

#[test]
fn what_a_compare_exchange_looks_at_is_learnt_by_all() {
    let tool = Tool::new("workers-exchanges");
    tool.compile("exchanges_late", EXCHANGES_LATE, &[]);
    // For each choice but one: thread one takes the lock first, and then its load comes before the
    // store; or thread two does, and the load comes before the store or after it.
    for workers in [1, 2, 4] {
        let report = check(&tool, "exchanges_late", workers, &[], "");
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.complete, 1 + 3 * 3, "with {workers}");
    }
}

#[test]
fn files_are_written_once_the_search_is_over() {
    let tool = Tool::new("workers-files");
    let binary = tool.compile("makes_a_file", MAKES_A_FILE, &[]);
    let file = tool.path("made");
    let options = ["-j2", "--workers-after=0", "--commit-files"];
    drop(std::fs::remove_file(&file));
    let report = tool
        .check(&binary, &options, &[&file.to_string_lossy()])
        .report;
    assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
    assert_eq!(report.executions.complete, 1 + 3 * 2);
    assert_eq!(std::fs::read_to_string(&file).expect("written"), "made");
}

/// Starts a check of [`LONG`] and calls `act` with the number of the program's process, the
/// coordinator, once there are as many workers; the report, and whether anything is left over.
fn disturbed(tool: &Tool, name: &str, workers: u32, act: impl Fn(u32, &[u32])) -> Report {
    let binary = tool.compile(name, LONG, &[]);
    let json = tool.path(&format!("{name}.json"));
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.args(together(workers)).arg("--json").arg(&json);
    command
        .arg(binary)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut driver = command.spawn().expect("dpor starts");
    let coordinator = until("program", || children(driver.id()).first().copied());
    let all = until("workers", || {
        let all = children(coordinator);
        (all.len() == workers as usize).then_some(all)
    });
    act(coordinator, &all);
    driver.wait().expect("it ends");
    let gone = |process: &u32| !std::path::Path::new(&format!("/proc/{process}")).exists();
    until("end of the workers", || all.iter().all(gone).then_some(()));
    tool::read(&json).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_worker_that_is_killed_changes_no_number() {
    let tool = Tool::new("workers-killed");
    for round in 0..3u64 {
        let report = disturbed(&tool, "long_killed", 3, |_, workers| {
            std::thread::sleep(Duration::from_millis(40 + 90 * round));
            assert!(send("-KILL", workers[round as usize]));
        });
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.complete, LONG_EXECUTIONS);
        assert_eq!(report.executions.total(), LONG_EXECUTIONS);
    }
}

#[test]
fn an_interrupt_ends_all_workers() {
    let tool = Tool::new("workers-interrupted");
    for to_worker in [false, true] {
        let report = disturbed(&tool, "long_interrupted", 3, |coordinator, workers| {
            std::thread::sleep(Duration::from_millis(100));
            let whom = if to_worker { workers[1] } else { coordinator };
            assert!(send("-INT", whom));
        });
        assert_eq!(report.verdict, Verdict::Incomplete);
        assert!(report.reason.is_some_and(|why| why.contains("interrupted")));
        assert!(report.executions.total() < LONG_EXECUTIONS);
    }
}

/// Without `-j`, a search that is seen to go on has a worker for each processor; `-j 1`, and short searches, keep to one.
#[test]
fn workers_come_where_they_pay() {
    let tool = Tool::new("workers-pay");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    // 14! / (3!^3 5!), 3.4 million, of which nobody waits for more than a few seconds; and those that are all explored.
    let longer = tool.compile("longer", LONG, &["-DLAST=5"]);
    let whole = tool.compile("whole", LONG, &["-DLAST=4"]);
    let short = tool.compile("short", LONG, &["-DLAST=1"]);
    let check = |program: &Path, options: &[&str]| tool.check(program, options, &[]).report;
    let shared = check(&longer, &["--time-limit=6"]);
    assert_eq!(shared.workers as usize, processors.min(64));
    assert_eq!(shared.verdict, Verdict::Incomplete);
    // What a replay is told is not this machine's.
    let of_machine = "workers-if-it-pays=0";
    assert!(shared.options.contains(of_machine), "{}", shared.options);
    let alone = check(&longer, &["--time-limit=2", "-j1"]);
    assert_eq!((alone.workers, alone.verdict), (1, Verdict::Incomplete));
    // The first so many are those of one process.
    let first = check(&longer, &["--time-limit=6", "--max-executions=10000000"]);
    assert_eq!(first.workers, 1);
    // 10! / 3!^3 orders, over before the first look.
    let short = check(&short, &[]);
    assert_eq!((short.workers, short.executions.complete), (1, 16_800));
    assert!(short.options.contains(of_machine), "{}", short.options);
    let whole = check(&whole, &[]);
    assert_eq!(whole.executions.complete, LONGER_EXECUTIONS);
    assert_eq!(whole.verdict, Verdict::Verified);
}
