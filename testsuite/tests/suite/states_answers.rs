//! What a search over states says besides its verdict: who may look for ever, states that come back, abstractions.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::Tool;

/// Two writers hand on a turn; a reader that comes while one is there goes back. Its two loops are one without a wait at
/// `-O2`, since the inner one ends where the outer begins.
const BACKS_OFF: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int writers, readers, tickets, served;
static void *work(void *unused) {
    for (;;) {
        atomic_fetch_add(&writers, 1);
        int mine = atomic_fetch_xor(&tickets, 1);
        while (atomic_load(&served) != mine) {}
        atomic_fetch_xor(&served, 1);
        atomic_fetch_sub(&writers, 1);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) pthread_create(&thread, 0, work, 0);
    for (;;) {
        for (;;) {
            while (atomic_load(&writers)) {}
            atomic_fetch_add(&readers, 1);
            if (!atomic_load(&writers)) break;
            atomic_fetch_sub(&readers, 1);
        }
        atomic_fetch_sub(&readers, 1);
    }
}
"#;

#[test]
fn who_looks_for_ever_where_no_wait_is_known_is_named() {
    let tool = Tool::new("states-looks");
    for level in ["-O0", "-O2"] {
        let program = tool.compile("backs_off", BACKS_OFF, &[level]);
        let checked = tool.check(&program, &["--no-starvation"], &[]);
        let (report, shown) = (&checked.report, checked.ran.shown());
        let holds = report.states.as_ref().map(|states| states.holds.concat());
        // Either the wait is known, and the reader starves; or it is named.
        match report.verdict {
            Verdict::Bug => assert_eq!(report.findings[0].kind, FindingKind::Starvation, "{shown}"),
            _ => assert!(
                holds.is_some_and(|holds| holds.contains("T0 may look again and again")),
                "{shown}"
            ),
        }
    }
}

/// Each of two threads goes round for ever, and what they look at has few values.
const COMES_BACK: &str = r#"
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n, m;
static void *work(void *unused) {
    for (;;) {
        dpor_progress();
        if (n < 2) atomic_fetch_add(&n, 1); else atomic_store(&m, 1);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (;;) {
        dpor_progress();
        if (atomic_load(&n) == 2) atomic_store(&n, 0);
        if (m) atomic_store(&m, 0);
    }
}
"#;

/// The same, and one counts what it does.
const GROWS: &str = "static volatile unsigned long rounds;\n";

#[test]
fn where_loops_were_cut_states_that_come_back_are_named() {
    let tool = Tool::new("states-named");
    let program = tool.compile("comes_back", COMES_BACK, &["-O1"]);
    let says = |checked: &dpor_testsuite::tool::Checked| {
        let notes = checked.report.notes.iter();
        let mut found = notes.filter(|note| note.starts_with("its states come back"));
        found.next().cloned()
    };
    let checked = tool.check(&program, &["--loop-bound=2"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Incomplete,
        "{}",
        checked.ran.shown()
    );
    let said = says(&checked).unwrap_or_else(|| panic!("{}", checked.ran.shown()));
    assert!(said.contains("dpor check --states "), "{said}");
    // What is named does what is said of it.
    let checked = tool.check(&program, &["--states"], &[]);
    let states = checked
        .report
        .states
        .as_ref()
        .map_or(0, |states| states.states);
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{}",
        checked.ran.shown()
    );
    assert!(said.contains(&format!("({states} states in ")), "{said}");

    let grows = format!(
        "{GROWS}{}",
        COMES_BACK.replace("if (m)", "rounds++; if (m)")
    );
    let program = tool.compile("grows", &grows, &["-O1"]);
    let checked = tool.check(&program, &["--loop-bound=2"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Incomplete,
        "{}",
        checked.ran.shown()
    );
    assert_eq!(says(&checked), None);
}

#[test]
fn runs_are_not_asked_for_under_an_abstraction() {
    let tool = Tool::new("states-abstract-runs");
    let text = COMES_BACK
        .replace(
            "static void *work",
            "static void all(void *into) { *(int *)into = n + 4 * m; }\nstatic void *work",
        )
        .replace(
            "    pthread_t thread;",
            "    dpor_abstraction(sizeof(int), all);\n    pthread_t thread;",
        );
    let program = tool.compile("abstract", &text, &["-O1"]);
    let checked = tool.check(&program, &["--states"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{}",
        checked.ran.shown()
    );
    assert!(
        checked
            .ran
            .stdout
            .contains("verified under the abstraction of 4 bytes"),
        "{}",
        checked.ran.shown()
    );
    let checked = tool.check(&program, &["--no-starvation"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Unsupported,
        "{}",
        checked.ran.shown()
    );
    // More bytes than there is room for.
    let text = text.replace("dpor_abstraction(sizeof(int)", "dpor_abstraction(1 << 20");
    let program = tool.compile("large", &text, &["-O1"]);
    let mut command = tool.dpor("check");
    let ran = tool.run(command.arg("--states").arg(&program), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("more than 65,536 bytes"),
        "{}",
        ran.shown()
    );
}

/// What nothing else tells apart: the state before the second thread exists, and each of two threads in the middle of its
/// turn or not. From the first one step leads on, from each other one of each thread.
#[test]
fn nothing_else_tells_states_apart() {
    let tool = Tool::new("states-abstract-alone");
    let path = "programs/states/abstraction_all.c";
    let text = std::fs::read_to_string(path).expect("the program is there");
    for level in ["-O0", "-O2"] {
        let program = tool.compile("alone", &text, &[level]);
        for keeps in ["--states", "--states=exact"] {
            let checked = tool.check(&program, &[keeps], &[]);
            let states = checked.report.states.as_ref().expect("they were visited");
            let shown = checked.ran.shown();
            assert_eq!((states.states, states.steps), (5, Some(9)), "{shown}");
            assert!(states.abstraction_alone, "{shown}");
            let said = "verified under the abstraction of 12 bytes alone (spot-checked 4,";
            assert!(checked.ran.stdout.contains(said), "{shown}");
        }
    }
}

/// Who asks for a lock again and again, and who counts what was asked under it, for ever: the states have no end. If nobody
/// asks, nothing is counted, and the other may not get the lock.
const COUNTS_FOR_EVER: &str = r#"
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int served, asked;
DPOR_PROPOSITION(answered, served > 0)
static void *serve(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (atomic_load(&asked)) atomic_fetch_add(&served, 1);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        atomic_store(&asked, 1);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        atomic_store(&asked, 0);
        pthread_mutex_unlock(&mutex);
    }
}
"#;

/// A graph that has no end is asked whenever it has doubled: the run is found among few states, and is one.
#[test]
fn what_goes_wrong_beside_a_counter_is_found() {
    let tool = Tool::new("states-early");
    let program = tool.compile("counts_for_ever", COUNTS_FOR_EVER, &["-O2"]);
    let questions: [(&[&str], FindingKind); 3] = [
        (&["--no-starvation"], FindingKind::Starvation),
        (&["--ltl", "F answered"], FindingKind::Ltl),
        (&["--non-progress"], FindingKind::NonProgress),
    ];
    for (question, kind) in questions {
        let limits = ["--max-states", "1000000", "--time-limit", "120"];
        let checked = tool.check(&program, &[question, &limits].concat(), &[]);
        let (report, shown) = (&checked.report, checked.ran.shown());
        assert_eq!(report.verdict, Verdict::Bug, "{shown}");
        assert_eq!(report.findings[0].kind, kind, "{shown}");
        let states = report.states.as_ref().map(|states| states.states);
        assert!(states.is_some_and(|states| states < 20_000), "{shown}");
        let mut replay = tool.dpor("replay");
        let again = tool.run(replay.arg(format!("{}#1", checked.json.display())), "");
        assert_eq!(again.code, 42, "{}", again.shown());
    }
}
