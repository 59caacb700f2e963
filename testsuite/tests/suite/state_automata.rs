//! Searches over states that are asked by automata of other translators, and by propositions that need no line in the program.

use crate::states::{enumerated, PETERSON};
use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::Tool;
use std::path::PathBuf;

/// Automata of negations, as `ltl2tgba` writes them, and the formulas: the first holds, the second does not.
const NEVER: [(&str, &str); 2] = [
    (
        "G F !first_wants",
        "HOA: v1
name: \"FGfirst_wants\"
States: 2
Start: 0
AP: 1 \"first_wants\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc stutter-invariant
--BODY--
State: 0
[t] 0
[0] 1
State: 1 {0}
[0] 1
--END--
",
    ),
    (
        "G !first_wants",
        "HOA: v1
States: 2
Start: 1
AP: 1 \"first_wants\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc complete
properties: deterministic stutter-invariant
--BODY--
State: 0
[t] 0 {0}
State: 1
[0] 0
[!0] 1
--END--
",
    ),
];

/// A file in the tool's folder that says so.
fn written(tool: &Tool, text: &str) -> PathBuf {
    let file = tool.path("never.hoa");
    std::fs::write(&file, text).expect("the folder is there");
    file
}

/// An automaton of the negation and the formula say the same, of the same graph; one that does not say that repetitions
/// make no difference is asked of the whole graph.
#[test]
fn an_automaton_is_asked_as_its_formula_is() {
    let tool = Tool::new("states-automaton");
    let program = tool.compile("peterson", PETERSON, &[]);
    for ((formula, text), verdict) in NEVER.into_iter().zip([Verdict::Verified, Verdict::Bug]) {
        let asked = |option: &str, value: &str| {
            let options = [option, value, "--races=off"];
            tool.check(&program, &options, &[]).report
        };
        let file = written(&tool, text);
        let file = file.to_str().expect("a name");
        let of_formula = asked("--ltl", formula);
        let of_file = asked("--automaton", file);
        assert_eq!(of_formula.verdict, verdict, "{formula}");
        assert_eq!(of_file.verdict, verdict, "{formula}");
        let visited = |report: &dpor_report::Report| {
            let states = report.states.clone().expect("states were remembered");
            (states.states, states.steps, states.rounds)
        };
        assert_eq!(visited(&of_file), visited(&of_formula));
        match verdict {
            Verdict::Verified => {
                let holds = of_file.states.clone().expect("there are some").holds;
                let said = format!("{file} (FGfirst_wants) accepts none of all weakly fair runs");
                assert_eq!(holds, [said]);
            }
            _ => {
                let finding = &of_file.findings[0];
                assert_eq!(finding.kind, FindingKind::Ltl);
                assert!(finding
                    .message
                    .starts_with(&format!("{file} accepts a run: ")));
                // It ends in a loop, as that of the formula does.
                assert!(finding.loop_begins.is_some());
            }
        }
        written(&tool, &text.replace(" stutter-invariant", ""));
        let whole = asked("--automaton", file);
        assert_eq!(whole.verdict, verdict, "{formula}");
        let states = whole.states.expect("states were remembered");
        assert_eq!(states.rounds, 1);
        assert_eq!(states.states, enumerated().0 + 1);
    }
}

/// Two threads, of which the second ends and is joined; main holds a lock meanwhile and sets a variable while it does.
const JOINS: &str = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int own, set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
DPOR_PROPOSITION(is_set, set)
__attribute__((noinline)) static void comes(void) {
    atomic_store(&own, 1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void *work(void *unused) {
    comes();
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    atomic_store(&set, 1);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    atomic_store(&set, 0);
    return 0;
}
";

/// What holds follows from the program by hand.
#[test]
fn built_in_propositions_speak_of_threads() {
    let tool = Tool::new("states-built-in");
    let program = tool.compile("joins", JOINS, &[]);
    let cases = [
        ("F ended(main)", true),
        ("F ended(T1)", true),
        // It may be over before main sets the variable.
        ("F (!ended(T1) && is_set)", false),
        // Who is joined stays ended; main ends last.
        ("G (ended(T1) -> G ended(T1))", true),
        ("G (ended(main) -> ended(T1))", true),
        ("G !ended(T1)", false),
        // Main may take the lock, and set the variable, before thread 1 comes, and after it stands there.
        ("G !(enabled(T1) && is_set && in(comes, T1))", false),
        ("G !(!enabled(T1) && is_set && in(comes, T1))", false),
        // Only the lock lets it wait, and it is in this function where it does.
        (
            "G (in(comes, T1) || enabled(T1) || ended(T1) || !is_set)",
            true,
        ),
        ("F in(comes, T1)", true),
        ("G !in(comes, main)", true),
        ("F in(main, main) && G !in(main, T1)", true),
        ("G !deadlock", true),
    ];
    for (formula, holds) in cases {
        let report = tool.check(&program, &["--ltl", formula], &[]).report;
        let verdict = if holds {
            Verdict::Verified
        } else {
            Verdict::Bug
        };
        assert_eq!(report.verdict, verdict, "{formula}");
        // A place where a thread never is may be a slip of the pen.
        let is_nowhere = formula.contains("G !in(");
        assert_eq!(report.notes.len(), usize::from(is_nowhere), "{formula}");
    }
    let report = tool
        .check(&program, &["--ltl", "G !in(coms, T1)"], &[])
        .report;
    let note = "in(coms,T1) holds at no state: is there such a thread or function?";
    assert_eq!(report.notes, [note]);
    // A deadlock is a finding by itself; with -k, formulas may speak of it.
    let hangs = JOINS.replace(
        "    pthread_mutex_unlock(&mutex);\n    pthread_join",
        "    pthread_join",
    );
    let program = tool.compile("hangs", &hangs, &[]);
    let report = tool
        .check(
            &program,
            &["-k", "--ltl", "G !(deadlock && !ended(T1))"],
            &[],
        )
        .report;
    let kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Deadlock, FindingKind::Ltl]);
}

#[test]
fn what_is_no_automaton_is_refused_in_a_sentence() {
    let tool = Tool::new("states-no-automaton");
    let program = tool.compile("peterson", PETERSON, &[]);
    let (_, never) = NEVER[0];
    let unknown = never.replace("\"first_wants\"", "\"other\"");
    let rabin = never.replace("1 Inf(0)", "2 Fin(0) & Inf(1)");
    let large = format!("{never}/*{}*/", "*".repeat(40_000));
    let cases = [
        (
            Some("never { skip }"),
            "line 1: `HOA: v1` is missing at the beginning",
        ),
        (
            Some(&rabin),
            "line 7: only generalized Büchi acceptance is supported",
        ),
        (
            Some(&unknown),
            "line 5: there is no proposition `other`: the program states first_wants",
        ),
        (Some(&large), "more than 40000 bytes"),
        (None, "No such file"),
    ];
    for (text, sentence) in cases {
        let file = match text {
            Some(text) => written(&tool, text),
            None => "missing.hoa".into(),
        };
        let mut command = tool.dpor("check");
        let ran = tool.run(command.arg("--automaton").arg(&file).arg(&program), "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(sentence), "{}", ran.shown());
        assert!(ran.stderr.contains("--automaton: "), "{}", ran.shown());
    }
}
