//! Searches that draw executions: what they say, that what they find can be shown again, and that it does
//! not matter how many processes draw.

use dpor_report::{Finding, FindingKind, Report, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::path::Path;

const SEARCHES: [&str; 4] = ["random", "pct", "pos", "surw"];

/// Two threads of two stores to one place: 4! / (2! 2!) = 6 orders, all different.
const SIX: &str = "
#include <pthread.h>
#include <stdatomic.h>
_Atomic int x; // Nobody reads it: it must not be left out.
static void *twice(void *unused) { x = 1; x = 2; return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, twice, 0);
    pthread_create(&b, 0, twice, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

/// Two threads that lose an addition, one of them made by another thread; what is chosen, which of two
/// waiters is woken and a time-out take part; a warning in every execution (a mutex that is held at
/// the end of its thread) and outcomes.
const MANY_WAYS: &str = "
#include <assert.h>
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static _Atomic int x, woken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;
static void *add(void *unused) {
    int found = x;
    x = found + 1;
    return unused;
}
static void *wait_for(void *number) {
    struct timespec soon = {0};
    pthread_mutex_lock(&lock);
    waiting++;
    if (pthread_cond_timedwait(&changed, &lock, &soon) == 0) woken = *(int *)number;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *wake(void *unused) {
    pthread_mutex_lock(&lock);
    if (waiting == 2) pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *make(void *unused) {
    pthread_t made;
    pthread_mutex_lock(&kept);
    pthread_create(&made, 0, add, 0);
    pthread_join(made, 0);
    return unused;
}
int main(void) {
    int one = 1, two = 2;
    pthread_t all[5];
    pthread_create(&all[0], 0, make, 0);
    pthread_create(&all[1], 0, add, 0);
    pthread_create(&all[2], 0, wait_for, &one);
    pthread_create(&all[3], 0, wait_for, &two);
    pthread_create(&all[4], 0, wake, 0);
    for (int i = 0; i < 5; i++) pthread_join(all[i], 0);
    int chosen = dpor_choose(3);
    dpor_observe(\"x\", x);
    dpor_observe(\"woken\", woken);
    dpor_observe(\"chosen\", chosen);
    assert(!(x == 1 && woken == 2 && chosen == 2));
}
";

/// A thread crashes if it comes first, and another writes what it reads.
const CRASH: &str = "
#include <pthread.h>
#include <stdatomic.h>
_Atomic(int *) place;
int here;
static void *set(void *unused) { place = &here; return unused; }
static void *use(void *unused) { *place = 1; return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, set, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

/// A thread looks at two places in turn until one is set: no wait, as far as the checker can tell, so that a
/// thread with the highest priority would look for ever.
const SPIN: &str = "
#include <pthread.h>
#include <stdatomic.h>
_Atomic int a, b;
static void *set(void *unused) { b = 1; return unused; }
static void *look(void *unused) {
    while (!a && !b) {}
    return unused;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, look, 0);
    pthread_create(&second, 0, set, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
";

#[test]
fn a_loop_that_looks_in_vain_ends() {
    let tool = Tool::new("samples-spin");
    let program = tool.compile("spin", SPIN, &[]);
    for search in SEARCHES {
        let option = format!("--search={search}");
        let checked = check(&tool, &program, &[&option, "--samples=50"]);
        assert_eq!(checked.ran.code, 0, "{search} {}", checked.ran.shown());
        assert_eq!(checked.report.executions.complete, 50, "{search}");
    }
}

/// Without shorter ways to what was found: how far their time goes is another in every run.
fn check(tool: &Tool, program: &Path, options: &[&str]) -> Checked {
    tool.check(program, &[&["--minimize-time=0"], options].concat(), &[])
}

#[test]
fn without_a_finding() {
    let tool = Tool::new("samples-none");
    let program = tool.compile("six", SIX, &[]);
    for search in SEARCHES {
        let option = format!("--search={search}");
        let checked = check(&tool, &program, &[&option, "--samples=2000", "--seed=3"]);
        assert_eq!(checked.ran.code, 0, "{}", checked.ran.shown());
        let report = checked.report;
        assert_eq!(
            (report.verdict, report.search.as_str()),
            (Verdict::Incomplete, search)
        );
        assert!(report.reason.expect("a reason").contains("2,000 samples"));
        let samples = report.samples.expect("samples");
        assert_eq!(
            (samples.requested, samples.run, samples.seed),
            (2000, 2000, 3)
        );
        assert!(samples.finished);
        assert_eq!(samples.pct_depth, (search == "pct").then_some(3));
        // PCT of depth 3 changes priorities twice: all six orders, too.
        assert_eq!(
            (samples.traces_distinct, samples.traces_once),
            (6, 0),
            "{search}"
        );
        assert_eq!(samples.unseen_mass, 0.0);
        assert_eq!(report.executions.complete, 2000);
        let depth = if search == "pct" { ", depth 3" } else { "" };
        let line = format!(
            "no bug in 2,000 samples ({search}{depth}, seed 3): 6 distinct traces, estimated unseen mass 0.0 %\n"
        );
        assert!(
            checked.ran.stdout.ends_with(&line),
            "{}",
            checked.ran.shown()
        );
        assert!(!checked.ran.stdout.contains("verified"));
    }
}

/// One sample is seen once: nothing says that the next one was.
#[test]
fn what_was_not_seen() {
    let tool = Tool::new("samples-unseen");
    let program = tool.compile("six", SIX, &[]);
    let report = check(&tool, &program, &["--search=pos", "--samples=1"]).report;
    let samples = report.samples.expect("samples");
    assert_eq!((samples.traces_distinct, samples.traces_once), (1, 1));
    assert_eq!(samples.unseen_mass, 1.0);
}

#[test]
fn a_limit_is_no_success() {
    let tool = Tool::new("samples-limit");
    let program = tool.compile("six", SIX, &[]);
    for (limit, run) in [("--max-executions=50", 50), ("--max-events=4", 200)] {
        for workers in ["-j1", "-j2"] {
            let options = [
                "--search=random",
                "--samples=200",
                "--workers-after=0",
                workers,
                limit,
            ];
            let checked = check(&tool, &program, &options);
            assert_eq!(
                checked.ran.code,
                3,
                "{limit} {workers} {}",
                checked.ran.shown()
            );
            let samples = checked.report.samples.expect("samples");
            assert_eq!(
                (samples.run, samples.finished),
                (run, false),
                "{limit} {workers}"
            );
        }
    }
}

#[test]
fn what_cannot_be() {
    let tool = Tool::new("samples-wrong");
    let program = tool.compile("six", SIX, &[]);
    let wrong: [(&[&str], &str); 3] = [
        (
            &["--search=pos", "--samples=0"],
            "--samples: '0' is not a number from 1 on",
        ),
        (
            &["--search=pct", "--pct-depth=0"],
            "--pct-depth: '0' is not a depth",
        ),
        (
            &["--search=pos", "--save=left.dpor"],
            "--save and --resume need --search=optimal",
        ),
    ];
    for (options, message) in wrong {
        let mut command = tool.dpor("check");
        let ran = tool.run(command.args(options).arg(&program), "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(message), "{}", ran.shown());
    }
}

/// Without the driver the exit code says the same.
#[test]
fn by_itself() {
    let tool = Tool::new("samples-alone");
    let program = tool.compile("six", SIX, &[]);
    let mut command = std::process::Command::new(&program);
    command.env("DPOR_OPTIONS", "search=surw:samples=20");
    let ran = tool.run(&mut command, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stderr.contains("no bug in 20 samples"),
        "{}",
        ran.shown()
    );
}

/// Everything that a sample decided is in its schedule.
#[test]
fn findings_come_again() {
    let tool = Tool::new("samples-replay");
    let programs = [
        (
            tool.compile("many_ways", MANY_WAYS, &[]),
            FindingKind::Assertion,
        ),
        (tool.compile("crash", CRASH, &[]), FindingKind::Crash),
    ];
    for (program, kind) in &programs {
        for search in SEARCHES {
            let option = format!("--search={search}");
            let checked = check(&tool, program, &[&option]);
            assert_eq!(checked.ran.code, 42, "{search} {}", checked.ran.shown());
            let is_it = |finding: &Finding| finding.kind == *kind;
            let number = 1 + checked
                .report
                .findings
                .iter()
                .position(is_it)
                .expect("the bug");
            let which = format!("{}#{number}", checked.json.display());
            let ran = tool.run(tool.dpor("replay").arg(which), "");
            assert_eq!(ran.code, 42, "{search} {}", ran.shown());
            let samples = checked.report.samples.expect("samples");
            assert_eq!(samples.run, checked.report.executions.total());
            assert!(!samples.finished);
        }
    }
}

/// The part of a report that has to be the same.
fn view(report: &Report) -> String {
    let mut report = report.clone();
    for finding in &mut report.findings {
        finding.replay = String::new();
    }
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        report.verdict,
        report.reason,
        report.samples,
        report.executions,
        report.events,
        report.outcomes,
        report.outputs_distinct,
        report.findings
    )
}

/// One process and several, from the first sample on and from the middle: findings with their traces,
/// counts, traces.
#[test]
fn any_number_of_processes_draws_the_same() {
    let tool = Tool::new("samples-workers");
    let programs = [
        tool.compile("six", SIX, &[]),
        tool.compile("many_ways", MANY_WAYS, &[]),
        tool.compile("crash", CRASH, &[]),
    ];
    for program in &programs {
        for search in SEARCHES {
            let option = format!("--search={search}");
            for more in ["--keep-going", "--seed=2"] {
                let with = |how: &[&str]| {
                    let common = [option.as_str(), "--samples=500", more];
                    check(&tool, program, &[&common, how].concat()).report
                };
                let one = with(&[]);
                for how in [
                    ["-j2", "--workers-after=0"],
                    ["-j5", "--workers-after=0"],
                    ["-j3", "--workers-after=3"],
                ] {
                    let several = with(&how);
                    assert_eq!(
                        view(&one),
                        view(&several),
                        "{program:?} {search} {more} {how:?}"
                    );
                    assert_eq!(several.workers.to_string(), how[0][2..]);
                }
            }
        }
    }
}

/// Processes for each execution draw the same samples.
#[test]
fn fresh_processes_draw_the_same() {
    let tool = Tool::new("samples-restart");
    let program = tool.compile("many_ways", MANY_WAYS, &[]);
    for search in SEARCHES {
        let option = format!("--search={search}");
        let with = |how: &[&str]| {
            let common = [option.as_str(), "--samples=150", "--keep-going"];
            check(&tool, &program, &[&common, how].concat()).report
        };
        let one = view(&with(&[]));
        let restart = "--checkpoint=restart";
        assert_eq!(one, view(&with(&[restart])), "{search}");
        assert_eq!(
            one,
            view(&with(&[restart, "-j2", "--workers-after=0"])),
            "{search}"
        );
        assert_eq!(one, view(&with(&["--checkpoint=fork", "-j2"])), "{search}");
    }
}

#[test]
fn the_seed_decides() {
    let tool = Tool::new("samples-seed");
    let program = tool.compile("many_ways", MANY_WAYS, &[]);
    for search in SEARCHES {
        let option = format!("--search={search}");
        let with = |seed| {
            let options = [option.as_str(), "--samples=100", "-k", seed];
            view(&check(&tool, &program, &options).report)
        };
        assert_eq!(with("--seed=1"), with("--seed=1"), "{search}");
        assert_ne!(with("--seed=1"), with("--seed=2"), "{search}");
    }
}
