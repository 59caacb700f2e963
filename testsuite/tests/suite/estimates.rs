//! How long a check takes by its own estimate, and what it does where that is too long.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::processes::ENDLESS;
use dpor_testsuite::tool::{Checked, Tool};
use std::path::{Path, PathBuf};

/// Four threads that take a lock three times: 12! / (3!)^4 = 369,600 orders, each another trace. With `-DBUG`
/// it fails where the last thread comes first, which is in the last quarter of the search and in a quarter
/// of the executions that are drawn uniformly.
const LOCK: &str = "
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int taken;
static void *take(void *number) {
    for (int k = 0; k < 3; k++) {
        pthread_mutex_lock(&lock);
#ifdef BUG
        assert(taken != 0 || *(int *)number != 3);
#endif
        taken++;
        pthread_mutex_unlock(&lock);
    }
    return number;
}
int main(void) {
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int k = 0; k < 4; k++) pthread_create(&threads[k], 0, take, &numbers[k]);
    for (int k = 0; k < 4; k++) pthread_join(threads[k], 0);
}
";
const ALL: u64 = 369_600;

/// Two threads, one lock each: two orders.
const TWO: &str = "
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

fn lock(test: &str) -> (Tool, PathBuf) {
    let tool = Tool::new(test);
    let program = tool.compile("lock", LOCK, &[]);
    (tool, program)
}

fn check(tool: &Tool, program: &Path, options: &[&str]) -> Checked {
    tool.check(program, options, &[])
}

/// The estimate, which contains the truth; `run` executions were run.
fn contains_all(report: &Report, run: u64) {
    let estimate = report.estimate.expect("known");
    assert_eq!(report.executions.total(), run);
    assert!(run <= estimate.low && estimate.low <= ALL, "{estimate:?}");
    assert!(ALL <= estimate.high, "{estimate:?}");
    let band = estimate.low..=estimate.high;
    assert!(band.contains(&estimate.executions), "{estimate:?}");
    // At the rate so far.
    let rate = report.executions_per_second;
    let left = (estimate.executions - run) as f64 / rate;
    assert!(
        (estimate.seconds_left / left - 1.0).abs() < 0.2,
        "{estimate:?} {rate}"
    );
}

#[test]
fn a_search_that_a_limit_ends_says_what_was_left() {
    let (tool, program) = lock("estimates-limit");
    let limit = "--max-executions=40000";
    let checked = check(&tool, &program, &[limit, "-j1"]);
    assert_eq!(checked.ran.code, 3, "{}", checked.ran.shown());
    contains_all(&checked.report, 40_000);
    // What two workers have seen when the limit is reached is another part each time, and may be too little to say
    // anything. One of them may be told to end in the midst of its last execution, which is not counted then.
    let is_right = || {
        let Checked { ran, report, .. } = check(&tool, &program, &[limit, "-j2"]);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        let run = report.executions.total();
        assert!((39_999..=40_000).contains(&run), "{run}");
        report.estimate.is_some_and(|estimate| {
            assert!(run <= estimate.low, "{estimate:?}");
            (estimate.low..=estimate.high).contains(&ALL)
        })
    };
    assert!((0..5).any(|_| is_right()));
    // Too little to say anything.
    let checked = check(&tool, &program, &["--max-executions=200"]);
    assert_eq!(checked.report.estimate, None);
    let json = std::fs::read_to_string(&checked.json).expect("written");
    assert!(json.contains("\"estimate\": null"), "{json}");
    // Searches that are not estimated.
    for options in [
        &["--search=dfs"][..],
        &["--search=classic"],
        &["--bound=1"],
        &["--iterative"],
        &["--search=random", "--samples=5000"],
    ] {
        let options = [options, &["--max-executions=2000"]].concat();
        let checked = check(&tool, &program, &options);
        assert_eq!(checked.report.estimate, None, "{options:?}");
    }
}

/// Searches that first see a small part of their tree, or many sizes of siblings; what was run, and how many there are.
/// Executions that are blocked count, in the number that was run and in the estimate.
#[test]
fn the_number_is_in_the_band_where_threads_retry() {
    let tool = Tool::new("estimates-band");
    let every_turn = &["--reductions=none,every-turn"][..];
    let queue = include_str!("../../programs/turns/queue.c");
    let stack = include_str!("../../programs/turns/stack.c");
    let bounded = include_str!("../../programs/pthread/bounded_stack.c");
    for (name, text, flags, options, run, all) in [
        (
            "queue",
            queue,
            &["-DPUT=3", "-DTAKE=1"][..],
            every_turn,
            36_802,
            122_676,
        ),
        (
            "queue",
            queue,
            &["-DPUT=4", "-DTAKE=1"],
            &[],
            22_570,
            225_700,
        ),
        ("stack", stack, &["-DPUSH=3", "-DPOP=3"], &[], 2_408, 8_028),
        ("bounded", bounded, &["-DN=10"], &[], 1_847, 184_756),
    ] {
        let program = tool.compile(name, text, flags);
        let most = format!("--max-executions={run}");
        let report = check(&tool, &program, &[options, &[&*most]].concat()).report;
        assert_eq!(report.executions.total(), run);
        let estimate = report.estimate.expect("known");
        let band = estimate.low..=estimate.high;
        assert!(band.contains(&all), "{name} {flags:?}: {estimate:?}");
        assert!(
            estimate.high < 80 * estimate.low,
            "{name} {flags:?}: {estimate:?}"
        );
    }
}

#[test]
fn what_is_over_needs_no_estimate() {
    let tool = Tool::new("estimates-over");
    let program = tool.compile("two", TWO, &[]);
    for search in ["--search=optimal", "--search=auto"] {
        let checked = check(&tool, &program, &[search, "--time-limit=100"]);
        assert_eq!(checked.ran.code, 0, "{}", checked.ran.shown());
        assert_eq!(checked.ran.stdout, "verified: all 2 executions\n");
        assert_eq!(checked.ran.stderr, "");
        assert_eq!(checked.report.estimate, None);
        assert_eq!(checked.report.samples, None);
        assert_eq!(format!("--search={}", checked.report.search), search);
    }
}

#[test]
fn a_search_that_goes_on_counts_what_was_run_before() {
    let (tool, program) = lock("estimates-resumed");
    let file = tool.path("left");
    let file = file.to_str().expect("UTF-8");
    let save = format!("--save={file}");
    // One worker: what several have explored when the limit is reached is another part each time.
    let first = check(&tool, &program, &["-j1", "--max-executions=30000", &save]);
    assert_eq!(first.ran.code, 3, "{}", first.ran.shown());
    contains_all_of_resumed(&first.report);
    let resume = format!("--resume={file}");
    let second = check(&tool, &program, &["-j1", "--max-executions=30000", &resume]);
    assert_eq!(second.report.resumed, first.report.executions.total());
    contains_all_of_resumed(&second.report);
}

fn contains_all_of_resumed(report: &Report) {
    let estimate = report.estimate.expect("known");
    assert!(report.executions.total() <= estimate.low, "{estimate:?}");
    assert!(
        (estimate.low..=estimate.high).contains(&ALL),
        "{estimate:?}"
    );
}

#[test]
fn a_time_limit_that_is_too_short_is_said_once() {
    // The process is told how far it is five times a second, if it runs at all.
    let tool = Tool::new("estimates-hint");
    let program = tool.compile("endless", ENDLESS, &[]);
    let checked = check(&tool, &program, &["--time-limit=2"]);
    assert_eq!(checked.ran.code, 3, "{}", checked.ran.shown());
    let hint = format!(
        "to draw some of them: dpor check --search=surw --samples=10000 --time-limit=2 {}\n",
        program.display()
    );
    let said = &checked.ran.stderr;
    assert!(said.starts_with("note: the search has about "), "{said}");
    assert!(said.ends_with(&hint) && said.lines().count() == 1, "{said}");
}

#[test]
fn samples_where_the_limits_are_not_enough() {
    let (tool, program) = lock("estimates-auto");
    // Several workers are asked a few times a second how far they are, so theirs has to take longer.
    let endless = tool.compile("endless", ENDLESS, &[]);
    for (workers, program, limit) in [("-j1", &program, 60_000), ("-j2", &endless, 1_000_000)] {
        let most = format!("--max-executions={limit}");
        let options = ["--search=auto", &most, "--samples=500", workers];
        let Checked { ran, report, .. } = check(&tool, program, &options);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        assert_eq!(
            (report.verdict, &*report.search),
            (Verdict::Incomplete, "auto")
        );
        assert!(report.gave_up);
        let samples = report.samples.expect("drawn");
        assert_eq!((samples.run, samples.finished), (500, true));
        assert_eq!(samples.search.as_deref(), Some("surw"));
        let explored = report.executions.total() - 500;
        assert!((256..limit).contains(&explored), "{explored}");
        let estimate = report.estimate.expect("that is why");
        assert!(estimate.low >= explored, "{explored} {estimate:?}");
        assert!(
            ran.stdout
                .contains("no bug in 500 samples (surw, seed 0): "),
            "{}",
            ran.stdout
        );
        assert!(!ran.stdout.contains("verified"), "{}", ran.stdout);
    }
    // Half of the limit is used up, and nothing is known: 100 executions are too few.
    let options = ["--search=auto", "--max-executions=200", "--samples=50"];
    let Checked { ran, report, .. } = check(&tool, &program, &options);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!((report.executions.total(), report.estimate), (150, None));
    // More samples than the limit allows are not as asked.
    let options = ["--search=auto", "--max-executions=200", "--samples=500"];
    let Checked { ran, report, .. } = check(&tool, &program, &options);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert_eq!(report.executions.total(), 200);
    assert!(!report.samples.expect("drawn").finished);
    // The other limit.
    let options = ["--search=auto", "--time-limit=1", "--samples=50"];
    let Checked { ran, report, .. } = check(&tool, &endless, &options);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(report.gave_up && report.estimate.is_some());
    assert_eq!(report.samples.expect("drawn").run, 50);
    // Without a number it is used up, and that is as asked.
    let Checked { ran, report, .. } = check(&tool, &endless, &["--search=auto", "--time-limit=3"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let samples = report.samples.expect("drawn");
    assert!(samples.finished && samples.requested == samples.run);
    assert!(report.seconds.wall > 2.5, "{}", report.seconds.wall);
}

#[test]
fn what_samples_find_can_be_replayed() {
    let tool = Tool::new("estimates-bug");
    let program = tool.compile("bug", LOCK, &["-DBUG"]);
    let options = ["--search=auto", "--max-executions=2000"];
    let Checked { ran, report, json } = check(&tool, &program, &options);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(report.findings[0].kind, FindingKind::Assertion);
    assert!(report.gave_up && report.executions.total() > 1_000);
    let mut replay = tool.dpor("replay");
    let replayed = tool.run(replay.arg(&json), "");
    assert_eq!(replayed.code, 42, "{}", replayed.shown());
    assert!(replayed.stdout.contains("assertion"), "{}", replayed.stdout);
}

#[test]
fn by_itself_a_program_explores_only() {
    let tool = Tool::new("estimates-alone");
    let program = tool.compile("two", TWO, &[]);
    let mut command = std::process::Command::new(&program);
    command.env("DPOR_OPTIONS", "search=auto");
    let ran = tool.run(&mut command, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stderr.ends_with("verified: all 2 executions\n"),
        "{}",
        ran.shown()
    );
}
