//! The fewest preemptions that reach a finding, and the critical switch, of programs for which both are derived by
//! hand. (`--minimize-time`)

use dpor_report::{Finding, FindingKind};
use dpor_testsuite::tool::Tool;

const HEAD: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
";

const MAIN: &str = "
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(atomic_load(&y) == 0);
}
";

/// Where main waits, either thread may come first: no preemption. Once the second did, x is set for good.
const ORDER: &str = "
static void *first(void *p) { assert(atomic_load(&x) == 1); return p; }
static void *second(void *p) { atomic_store(&x, 1); return p; }
";

/// Between the load and the store of one thread the other has to load: it is left there although it could go on. If it
/// goes on instead, it has stored before the other loads.
const LOST: &str = "
static void *first(void *p) { atomic_store(&x, atomic_load(&x) + 1); return p; }
static void *second(void *p) {
    int before = atomic_load(&x);
    atomic_store(&x, before + 1);
    return p;
}
#define y x
";

/// 1 and then 2 are read: store, load, store, load. The first two are left although they could go on, the third is the
/// last of its thread. The critical switch is that to the second store: without it both loads read 1.
const TWICE: &str = "
static void *first(void *p) { atomic_store(&x, 1); atomic_store(&x, 2); return p; }
static void *second(void *p) {
    int a = atomic_load(&x), b = atomic_load(&x);
    assert(!(a == 1 && b == 2));
    return p;
}
";

/// Any two values that differ will do here: 0 and then 2, with one preemption, between the loads. The search goes back
/// from its first execution (both stores, both loads) to its last events, so that it comes to 1 and then 2 first, which
/// takes two (as above).
const DIFFERENT: &str = "
static void *first(void *p) { atomic_store(&x, 1); atomic_store(&x, 2); return p; }
static void *second(void *p) {
    int a = atomic_load(&x), b = atomic_load(&x);
    assert(a == b);
    return p;
}
";

/// Each thread has to have its first mutex before the other has its second: one is left although it could go on. The
/// switch away from it is the critical one: who has both mutexes gives both back.
const DEADLOCK: &str = "
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *both(pthread_mutex_t *m, pthread_mutex_t *n) {
    pthread_mutex_lock(m);
    pthread_mutex_lock(n);
    pthread_mutex_unlock(n);
    pthread_mutex_unlock(m);
    return 0;
}
static void *first(void *p) { return both(&a, &b); }
static void *second(void *p) { return both(&b, &a); }
";

/// The program [`TWICE`] with so many conflicting events before that no bound is explored whole in the time that there
/// is. The loads that fail are the last events, so that the search comes to them first.
const LONG: &str = "
static atomic_int z;
static void *first(void *p) {
    for (int i = 0; i < 300; i++) atomic_store(&z, i);
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return p;
}
static void *second(void *p) {
    for (int i = 0; i < 300; i++) (void)atomic_load(&z);
    int a = atomic_load(&x), b = atomic_load(&x);
    assert(!(a == 1 && b == 2));
    return p;
}
";

/// What a check finds first, and what it prints.
fn found(tool: &Tool, name: &str, threads: &str, options: &[&str]) -> (Finding, String) {
    let (head, threads) = (HEAD, threads.to_owned());
    let main = match threads.contains("#define y x") {
        true => MAIN.replace("atomic_load(&y) == 0", "atomic_load(&x) == 2"),
        false => MAIN.to_owned(),
    };
    let program = tool.compile(name, &format!("{head}{threads}{main}"), &[]);
    let checked = tool.check(&program, options, &[]);
    let finding = checked.report.findings[0].clone();
    // What is shown is what is replayed.
    let replayed = tool.run(tool.dpor("replay").arg(&checked.json), "");
    assert_eq!(replayed.code, 42, "{}", replayed.shown());
    (finding, checked.ran.stdout)
}

/// How many switches of a trace leave a thread that is not at its end: no thread of these programs but the main thread
/// has to wait, unless it stands before a lock.
fn preemptions(finding: &Finding) -> usize {
    let own: Vec<_> = { finding.trace.iter() }
        .filter(|step| step.thread > 0 && step.operation != "thread-start")
        .collect();
    let ends = |at: usize| {
        own[at + 1..]
            .iter()
            .all(|step| step.thread != own[at].thread)
    };
    let switches = (1..own.len()).filter(|&at| own[at].thread != own[at - 1].thread);
    switches.filter(|&at| !ends(at - 1)).count()
}

/// The operation of the critical switch and of the step before it, and what they are on.
fn critical(finding: &Finding) -> [String; 2] {
    let at = finding.critical_step.expect("a critical switch") as usize;
    assert_ne!(finding.trace[at].thread, finding.trace[at - 1].thread);
    [at - 1, at].map(|at| {
        let step = &finding.trace[at];
        let value = step
            .value
            .map_or(String::new(), |value| format!(" = {value}"));
        format!("{} {}{value}", step.operation, step.object)
    })
}

#[test]
fn none_where_a_wait_is_enough() {
    let tool = Tool::new("minimal_none");
    let (finding, shown) = found(&tool, "order", ORDER, &[]);
    assert_eq!((finding.minimal, finding.preemptions), (true, 0));
    // Creations and beginnings of both threads, then the load: the thread that stores could come instead.
    assert_eq!(finding.critical_step, Some(4));
    assert_eq!(finding.trace[4].operation, "atomic-load");
    assert!(
        shown.contains("\nfewest preemptions that reach it: 0\n"),
        "{shown}"
    );
    let row = shown.lines().find(|line| line.starts_with("*  5 "));
    assert!(row.is_some_and(|row| row.contains("reads x: 0")), "{shown}");
}

#[test]
fn one_for_a_lost_update() {
    let tool = Tool::new("minimal_one");
    let (finding, shown) = found(&tool, "lost", LOST, &[]);
    assert_eq!((finding.minimal, finding.preemptions), (true, 1));
    assert_eq!(preemptions(&finding), 1);
    assert_eq!(
        critical(&finding),
        ["atomic-load x = 0", "atomic-load x = 0"]
    );
    assert!(
        shown.contains("\nfewest preemptions that reach it: 1\n") && shown.contains("\n*   6 "),
        "{shown}"
    );
}

#[test]
fn two_for_two_different_loads() {
    let tool = Tool::new("minimal_two");
    let (finding, _) = found(&tool, "twice", TWICE, &[]);
    assert_eq!((finding.minimal, finding.preemptions), (true, 2));
    assert_eq!(preemptions(&finding), 2);
    assert_eq!(
        critical(&finding),
        ["atomic-load x = 1", "atomic-store x = 2"]
    );
}

#[test]
fn one_for_a_deadlock() {
    let tool = Tool::new("minimal_deadlock");
    let (finding, _) = found(&tool, "deadlock", DEADLOCK, &[]);
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert_eq!((finding.minimal, finding.preemptions), (true, 1));
    let [before, at] = critical(&finding);
    let mut locks = [before.as_str(), at.as_str()];
    locks.sort_unstable();
    assert_eq!(locks, ["lock a", "lock b"]);
}

/// Without minimizing it has two: otherwise this would not show anything.
#[test]
fn fewer_than_were_found() {
    let tool = Tool::new("minimal_fewer");
    let (finding, shown) = found(&tool, "different", DIFFERENT, &["--minimize-time=0"]);
    assert_eq!((finding.minimal, finding.preemptions), (false, 2));
    assert_eq!(
        (finding.preemptions_at_least, finding.critical_step),
        (None, None)
    );
    assert!(
        !shown.contains("fewest") && !shown.contains("critical"),
        "{shown}"
    );
    for options in [
        &[][..],
        &["-j2", "--workers-after=0"],
        &["--search=random"],
        &["--search=dfs"],
        &["-k"],
    ] {
        // So long that a busy machine does not matter.
        let options = &[options, &["--minimize-time=60"]].concat();
        let (finding, _) = found(&tool, "different", DIFFERENT, options);
        assert_eq!(
            (finding.minimal, finding.preemptions),
            (true, 1),
            "{options:?}"
        );
        assert_eq!(preemptions(&finding), 1, "{options:?}");
        assert_eq!(
            critical(&finding),
            ["atomic-load x = 0", "atomic-store x = 1"],
            "{options:?}"
        );
    }
}

/// The report still has the counts of the check alone.
#[test]
fn the_rest_of_the_report_stays() {
    let tool = Tool::new("minimal_rest");
    let program = tool.compile("rest", &format!("{HEAD}{DIFFERENT}{MAIN}"), &[]);
    let reports = ["--minimize-time=0", "--minimize-time=60"].map(|time| {
        let report = tool.check(&program, &["-k", time], &[]).report;
        let findings = report.findings.iter();
        let findings = findings.map(|f| (f.kind, f.message.clone(), f.executions));
        let findings: Vec<_> = findings.collect();
        (
            report.verdict,
            report.executions,
            report.events,
            report.search,
            findings,
        )
    });
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn the_time_runs_out() {
    let tool = Tool::new("minimal_time");
    let (finding, shown) = found(&tool, "long", LONG, &["--minimize-time=0.3"]);
    assert!(!finding.minimal);
    assert_eq!(finding.critical_step, None);
    // It takes two (as above), so that less than two are known not to reach it, or none.
    let least = finding.preemptions_at_least.expect("the time was up");
    assert!(least <= 2 && finding.preemptions >= 2, "{least}");
    let line = format!(
        "at least {least}, at most {} preemptions (--minimize-time)",
        finding.preemptions
    );
    assert!(shown.contains(&line), "{shown}");
}

/// A program that reads what can be read once only finds something else the second time: nothing is said then.
#[test]
fn what_was_read_is_gone() {
    let tool = Tool::new("minimal_stdin");
    let reads = "
#include <stdio.h>
static int wanted = -1;
static void *first(void *p) { atomic_store(&x, 1); return p; }
static void *second(void *p) { assert(atomic_load(&x) != wanted); return p; }
#define main main_after
";
    let main = "
#undef main
int main(void) {
    if (scanf(\"%d\", &wanted) != 1) wanted = 7;
    return main_after();
}
";
    let program = tool.compile("reads", &format!("{HEAD}{reads}{MAIN}{main}"), &[]);
    let (json, number) = (tool.path("reads.json"), tool.path("number"));
    std::fs::write(&number, "1").expect("the file can be written");
    let minimal = |how: &str| {
        drop(std::fs::remove_file(&json));
        let dpor = tool.dpor("check").get_program().to_owned();
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", how])
            .env("DPOR", dpor)
            .env("PROGRAM", &program);
        shell
            .env("JSON", &json)
            .env("NUMBER", &number)
            .env_remove("DPOR_OPTIONS");
        let ran = tool.run(&mut shell, "");
        assert_eq!(ran.code, 42, "{}", ran.shown());
        let text = std::fs::read_to_string(&json).expect("the report");
        let report: dpor_report::Report = serde_json::from_str(&text).expect("a report");
        assert_eq!(report.findings.len(), 1);
        report.findings[0].minimal
    };
    let check = "\"$DPOR\" check --json \"$JSON\" \"$PROGRAM\"";
    assert!(
        minimal(&format!("{check} < \"$NUMBER\"")),
        "a file can be read again"
    );
    assert!(!minimal(&format!("echo 1 | {check}")), "a pipe cannot");
    // Nothing was read of a pipe that has the same as before.
    let plain = tool.compile("plain", &format!("{HEAD}{ORDER}{MAIN}"), &[]);
    let check = check.replace("$PROGRAM", &plain.display().to_string());
    assert!(minimal(&format!(": | {check}")), "nothing was there");
}

/// What is only warned of, and a second error, are shown as the search came to them, with the calls that led there.
#[test]
fn the_first_error_alone_is_minimized() {
    let tool = Tool::new("minimal_first");
    let program = "
static pthread_mutex_t m;
__attribute__((noinline)) static void make(void) { pthread_mutex_init(&m, 0); }
static void *first(void *p) {
    make();
    atomic_store(&x, atomic_load(&x) + 1);
    return p;
}
static void *second(void *p) {
    int before = atomic_load(&x);
    atomic_store(&x, before + 1);
    return p;
}
";
    let text = format!("{HEAD}{program}{}", MAIN.replace("(&y) == 0", "(&x) == 2"));
    let binary = tool.compile("first", &text, &[]);
    let report = tool
        .check(&binary, &["-k", "--minimize-time=60"], &[])
        .report;
    let (errors, warnings): (Vec<_>, Vec<_>) = { report.findings.iter() }
        .partition(|finding| finding.severity() == dpor_report::Severity::Error);
    assert_eq!((errors.len(), warnings.len()), (1, 1));
    assert!(errors[0].minimal && errors[0].critical_step.is_some());
    assert_eq!(warnings[0].kind, FindingKind::NotDestroyed);
    assert!(!warnings[0].minimal && warnings[0].critical_step.is_none());
    let mut places = warnings[0].accesses.iter().map(|access| &access.place);
    let calls = places
        .next()
        .map(|place| place.stack.iter().map(|frame| &*frame.function));
    let calls: Vec<&str> = calls.into_iter().flatten().collect();
    assert!(calls.starts_with(&["make", "first"]), "{calls:?}");
}
