//! `--save` and `--resume`: a search in several parts is the search, and a file that does not fit is
//! refused. That it is so for every program of the test suite is part of its trials (programs.rs).

use dpor_report::{Report, Verdict};
use dpor_testsuite::processes::{
    children, send, until, LONG, LONGER_EXECUTIONS, LONG_EXECUTIONS, ORDERS,
};
use dpor_testsuite::tool::{self, Tool};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The kernel kills the process in the second of two executions, where it works for longer than it may.
const KILLED: &str = "
#include <pthread.h>
#include <sys/resource.h>
#include \"dpor.h\"
static void *work(void *unused) { return unused; }
int main(void) {
    struct rlimit limit = {1, 1};
    setrlimit(RLIMIT_CPU, &limit);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    if (dpor_choose(2)) for (volatile long i = 0;; i++) ;
    return 0;
}
";

/// Two threads take a lock and read a line each.
const READS: &str = "
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    char line[16];
    pthread_mutex_lock(&mutex);
    if (!fgets(line, sizeof line, stdin)) puts(\"none\");
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int t = 0; t < 2; t++) pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < 2; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// A check, to be started.
struct Run<'a> {
    tool: &'a Tool,
    program: &'a Path,
    json: PathBuf,
    command: Command,
}

fn run<'a>(tool: &'a Tool, program: &'a Path, options: &[&str]) -> Run<'a> {
    let json = program.with_extension("json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command.arg("--json").arg(&json).args(options);
    Run {
        tool,
        program,
        json,
        command,
    }
}

impl Run<'_> {
    fn save(mut self, file: &Path) -> Self {
        self.command.arg("--save").arg(file);
        self
    }

    fn resume(mut self, file: &Path) -> Self {
        self.command.arg("--resume").arg(file);
        self
    }

    fn report(mut self, stdin: &str) -> Report {
        self.command.arg(self.program);
        let ran = self.tool.run(&mut self.command, stdin);
        tool::read(&self.json).unwrap_or_else(|error| panic!("{error}: {}", ran.shown()))
    }

    /// The line that the command says instead of a report.
    fn refusal(mut self, stdin: &str) -> String {
        self.command.arg(self.program);
        let ran = self.tool.run(&mut self.command, stdin);
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.shown());
        ran.stderr
    }

    fn start(mut self) -> (Child, PathBuf) {
        self.command.arg(self.program);
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        (self.command.spawn().expect("dpor starts"), self.json)
    }
}

/// What must not depend on the parts.
fn essence(report: &Report) -> (dpor_report::Executions, Vec<String>, u64, Verdict) {
    let outcomes = report.outcomes.iter();
    let outcomes = outcomes.map(|o| format!("{:?}: {}", o.values, o.executions));
    let findings = report.findings.iter();
    let findings = findings.map(|f| format!("{} in {}", f.message, f.executions));
    (
        report.executions,
        outcomes.chain(findings).collect(),
        report.outputs_distinct,
        report.verdict,
    )
}

#[test]
fn many_parts_are_the_whole() {
    let tool = Tool::new("saved-parts");
    let program = tool.compile("orders", ORDERS, &[]);
    let whole = run(&tool, &program, &["-k", "--outcomes"]).report("");
    assert_eq!(whole.executions.complete, 1_540);
    assert_eq!(whole.executions.failed, 140);
    let file = tool.path("orders.dpor");
    let mut parts = 0;
    let last = loop {
        parts += 1;
        let workers = format!("-j{}", 1 + parts % 3);
        let options = ["-k", "--outcomes", "--max-executions=300", &workers];
        let next = run(&tool, &program, &options).save(&file);
        let report = match parts {
            1 => next.report(""),
            _ => next.resume(&file).report(""),
        };
        assert_eq!(report.resumed, 300 * (parts - 1));
        if report.reason.is_none() {
            break report;
        }
        assert_eq!(report.executions.total(), 300 * parts);
    };
    assert_eq!(parts, 6, "1,680 in parts of 300");
    assert_eq!(essence(&last), essence(&whole));
    // The file says now that nothing is left.
    let again = run(&tool, &program, &["-k", "--outcomes"]).resume(&file);
    let again = again.report("");
    assert_eq!(again.resumed, 1_680);
    assert_eq!(essence(&again), essence(&whole));
}

#[test]
fn a_signal_and_a_time_limit_leave_the_rest() {
    let tool = Tool::new("saved-limits");
    let program = tool.compile("long_limits", LONG, &[]);
    let file = tool.path("long_limits.dpor");
    drop(std::fs::remove_file(&file));
    let first = run(&tool, &program, &["--time-limit=0.3", "-j2"]);
    let first = first.save(&file).report("");
    assert_eq!(first.verdict, Verdict::Incomplete);
    let mut so_far = first.executions.total();
    assert!(so_far > 0 && so_far < LONG_EXECUTIONS);
    for (signal, workers) in [("-INT", "-j3"), ("-TERM", "-j1")] {
        let next = run(&tool, &program, &[workers]).save(&file).resume(&file);
        let (mut driver, json) = next.start();
        until("program", || children(driver.id()).first().copied());
        std::thread::sleep(Duration::from_millis(400));
        assert!(send(signal, driver.id()));
        driver.wait().expect("it ends");
        let report = tool::read(&json).expect("a report");
        assert_eq!(report.verdict, Verdict::Incomplete, "{:?}", report.reason);
        assert_eq!(report.resumed, so_far);
        assert!(report.executions.total() >= so_far);
        so_far = report.executions.total();
    }
    let last = run(&tool, &program, &["-j2"]).resume(&file).report("");
    assert_eq!(last.resumed, so_far);
    assert_eq!(last.verdict, Verdict::Verified, "{:?}", last.reason);
    assert_eq!(last.executions.complete, LONG_EXECUTIONS);
    assert_eq!(last.executions.total(), LONG_EXECUTIONS);
}

#[test]
fn a_check_that_is_killed_leaves_what_was_written_last() {
    let tool = Tool::new("saved-killed");
    let program = tool.compile("long_killed", LONG, &[]);
    let file = tool.path("long_killed.dpor");
    drop(std::fs::remove_file(&file));
    let (mut driver, _) = run(&tool, &program, &["-j2"]).save(&file).start();
    let process = until("program", || children(driver.id()).first().copied());
    until("file", || file.exists().then_some(()));
    assert!(send("-KILL", process));
    assert!(send("-KILL", driver.id()));
    driver.wait().expect("it ends");
    let report = run(&tool, &program, &["-j2"]).resume(&file).report("");
    assert!(report.resumed > 0);
    assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
    assert_eq!(report.executions.total(), LONG_EXECUTIONS);
}

/// Workers are killed, one after the other, more often than a check puts up with if nothing is done in
/// between; nothing would be if each time the search began anew.
#[test]
fn others_go_on_where_workers_were_killed() {
    let tool = Tool::new("saved-workers");
    let program = tool.compile("long_workers", LONG, &["-DLAST=4"]);
    let (mut driver, json) = run(&tool, &program, &["-j3", "--workers-after=0"]).start();
    let coordinator = until("program", || children(driver.id()).first().copied());
    let mut killed = 0;
    // The first before anything was kept, so that one is killed on the fastest machine.
    let mut pause = Duration::from_millis(300);
    while driver.try_wait().expect("it is ours").is_none() {
        std::thread::sleep(pause);
        pause = Duration::from_millis(1_500);
        if let Some(&worker) = children(coordinator).get(killed % 3) {
            // It may have ended just now.
            killed += usize::from(send("-KILL", worker));
        }
    }
    let report = tool::read(&json).expect("a report");
    assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
    assert_eq!(report.executions.complete, LONGER_EXECUTIONS);
    assert_eq!(report.executions.total(), LONGER_EXECUTIONS);
    assert_eq!(report.resumed, 0, "it is one check");
    let rounds = report.sharing.expect("there are several").rounds;
    assert!(
        rounds > 1,
        "{killed} workers were killed, and there is {rounds} round"
    );
}

#[test]
fn what_kills_twice_is_reported() {
    let tool = Tool::new("saved-twice");
    let program = tool.compile("killed", KILLED, &[]);
    let options = ["-j2", "--workers-after=0", "--step-limit=10"];
    let report = run(&tool, &program, &options).report("");
    assert_eq!(report.verdict, Verdict::Incomplete);
    let reason = report.reason.expect("it says why");
    assert!(
        reason.contains("killed twice") && reason.contains("0/1"),
        "{reason}"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let tool = Tool::new("saved-refused");
    let program = tool.compile("refused", ORDERS, &[]);
    let other = tool.compile("refused_other", LONG, &[]);
    let file = tool.path("refused.dpor");
    let first = run(&tool, &program, &["-k", "--max-executions=50"]);
    assert_eq!(first.save(&file).report("").executions.total(), 50);
    let good = std::fs::read(&file).expect("it was written");
    let changed = tool.path("changed.dpor");
    let refused = |bytes: &[u8], options: &[&str], expect: &str| {
        std::fs::write(&changed, bytes).expect("it can be written");
        let said = run(&tool, &program, options).resume(&changed).refusal("");
        assert!(said.contains(expect), "{said}");
    };
    refused(&good[..good.len() - 1], &["-k"], "is damaged");
    refused(&good[..40], &["-k"], "is damaged");
    refused(b"", &["-k"], "is no saved search");
    refused(b"{}\n", &["-k"], "is no saved search");
    let newer = [b"dpor search 9\n", &good[14..]].concat();
    refused(&newer, &["-k"], "another version");
    for at in [good.len() - 1, good.len() - 200] {
        let mut flipped = good.clone();
        flipped[at] ^= 4;
        refused(&flipped, &["-k"], "is damaged");
    }
    refused(&good, &["-k", "--reductions=none"], "option reductions");
    refused(&good, &["-k", "--search=classic"], "need --search=optimal");
    refused(&good, &["-k", "--reductions=symmetry"], "symmetry");
    refused(&good, &["-k", "--commit-files"], "--commit-files");
    let said = run(&tool, &other, &["-k"]).resume(&file).refusal("");
    assert!(said.contains("another program"), "{said}");
    let mut with_arguments = run(&tool, &program, &["-k"]).resume(&file);
    with_arguments.command.arg(&program).args(["--", "more"]);
    let ran = tool.run(&mut with_arguments.command, "");
    assert!(
        ran.code == 2 && ran.stderr.contains("other arguments"),
        "{}",
        ran.shown()
    );
    let missing = tool.path("missing.dpor");
    let said = run(&tool, &program, &[]).resume(&missing).refusal("");
    assert!(said.contains("cannot read"), "{said}");
    let nowhere = tool.path("no_folder/x.dpor");
    // Before anything is explored.
    let said = run(&tool, &program, &["-k"]).save(&nowhere).refusal("");
    assert!(said.contains("cannot write"), "{said}");
}

#[test]
fn the_input_has_to_be_the_same() {
    let tool = Tool::new("saved-input");
    let program = tool.compile("reads", READS, &[]);
    let file = tool.path("reads.dpor");
    let first = run(&tool, &program, &["--max-executions=1"]);
    assert_eq!(first.save(&file).report("a\nb\n").executions.total(), 1);
    let said = run(&tool, &program, &[]).resume(&file).refusal("a\nc\n");
    assert!(said.contains("standard input"), "{said}");
    let report = run(&tool, &program, &[]).resume(&file).report("a\nb\n");
    assert_eq!(report.verdict, Verdict::Verified);
    assert_eq!((report.executions.total(), report.resumed), (2, 1));
}
