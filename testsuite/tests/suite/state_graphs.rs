//! `--graph`: states and steps, drawn.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two threads that set a flag of their own for ever, of which the second may leave it.
const FLAGS: &str = "#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int one, other;
DPOR_PROPOSITION(is_set, one)
DPOR_INVARIANT(not_both, !(one && other == 2))
static void *work(void *unused) {
    for (;;)
        atomic_store(&other, dpor_choose(2));
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (;;) {
        atomic_store(&one, 1);
        atomic_store(&one, 0);
    }
}
";

struct Drawn {
    text: String,
    nodes: Vec<String>,
    edges: Vec<String>,
}

/// The graph's file, if there is one.
fn drawn(file: &Path) -> Option<Drawn> {
    let text = std::fs::read_to_string(file).ok()?;
    let lines = |is_edge: bool| {
        let own = text.lines().filter(|line| line.starts_with("  s"));
        let own = own.filter(|line| line.contains(" -> ") == is_edge);
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    let (nodes, edges) = (lines(false), lines(true));
    Some(Drawn { text, nodes, edges })
}

/// A check with these options that draws, and where to.
fn check(tool: &Tool, program: &Path, options: &[&str]) -> (Checked, PathBuf) {
    let file = tool.path("states.dot");
    let _ = std::fs::remove_file(&file);
    let name = file.to_str().expect("a name").to_owned();
    let options = [options, &["--graph", &name]].concat();
    (tool.check(program, &options, &[]), file)
}

/// Both ends of an edge.
fn ends(edge: &str) -> (&str, &str) {
    let mut words = edge.split_whitespace();
    let from = words.next().expect("a state");
    (from, words.nth(1).expect("a state"))
}

#[test]
fn nodes_and_edges_are_those_of_the_verdict() {
    let tool = Tool::new("state-graphs");
    let program = tool.compile("flags", FLAGS, &[]);
    let (checked, file) = check(&tool, &program, &["--states", "--reductions=none"]);
    let states = checked.report.states.expect("states were remembered");
    let drawn = drawn(&file).expect("it is small");
    assert_eq!(drawn.nodes.len() as u64, states.states);
    assert_eq!(Some(drawn.edges.len() as u64), states.steps, "of one round");
    // A step's words, and the line of the file, whose folder may be in front.
    let with = |words: &str, line: u32| {
        let is_it = |edge: &&String| {
            edge.contains(&format!("\"{words} (")) && edge.contains(&format!("flags.c:{line})\""))
        };
        drawn.edges.iter().filter(is_it).count()
    };
    let of = |text: &str| drawn.text.matches(text).count();
    // Each thread can always go on once it is there, the second one in two ways where it chooses.
    for line in [16, 17] {
        assert!(with("T0 writes one", line) > 1, "{}", drawn.text);
    }
    let chooses = with("T1 chooses 0", 9);
    assert!(chooses > 1, "{}", drawn.text);
    assert_eq!(chooses, with("T1 chooses 1", 9));
    assert_eq!(with("T0 starts T1", 14), 1);
    // The proposition holds before the second store of the loop, and the invariant everywhere.
    let set = { drawn.nodes.iter() }.filter(|node| node.contains("is_set"));
    assert_eq!(set.count(), with("T0 writes one", 17));
    assert_eq!(of("not_both"), 0);
    assert_eq!(of("peripheries") + of("doublecircle") + of("#"), 0);
    let dot = Path::new("/usr/bin/dot");
    if !dot.exists() {
        println!("skipped: graphviz");
        return;
    }
    let ran = tool.run(Command::new(dot).arg("-Tsvg").arg(&file), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let count = |class: &str| ran.stdout.matches(&format!("class=\"{class}\"")).count();
    assert_eq!(count("node"), drawn.nodes.len());
    assert_eq!(count("edge"), drawn.edges.len());
}

/// The loop of a finding is drawn as one: who leaves a state of it comes back.
#[test]
fn the_run_of_a_finding_has_a_colour() {
    let tool = Tool::new("state-graphs-run");
    let program = tool.compile("flags", FLAGS, &[]);
    let options = ["--ltl", "F G is_set", "--fair=none"];
    let (checked, file) = check(&tool, &program, &options);
    assert_eq!(checked.report.findings[0].kind, FindingKind::Ltl);
    let drawn = drawn(&file).expect("it is small");
    let around = drawn
        .edges
        .iter()
        .filter(|edge| edge.contains("penwidth=3"));
    let around: Vec<(&str, &str)> = around.map(|edge| ends(edge)).collect();
    let sorted = |end: fn(&(&str, &str)) -> String| around.iter().map(end).collect::<BTreeSet<_>>();
    assert!(!around.is_empty());
    assert_eq!(
        sorted(|edge| edge.0.to_owned()),
        sorted(|edge| edge.1.to_owned())
    );
    // The way begins at the first state, or the loop does.
    let coloured = { drawn.edges.iter() }.filter(|edge| edge.contains("#8250df"));
    assert!(
        coloured.into_iter().any(|edge| ends(edge).0 == "s0"),
        "{}",
        drawn.text
    );
}

/// A state where both wait is red, and has two borders as each end.
#[test]
fn ends_and_findings_are_marked() {
    let tool = Tool::new("state-graphs-ends");
    let text = "#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, 0);
    return 0;
}
";
    let program = tool.compile("philosophers", text, &[]);
    let (checked, file) = check(&tool, &program, &["--states", "-k"]);
    assert_eq!(checked.report.findings[0].kind, FindingKind::Deadlock);
    let drawn = drawn(&file).expect("it is small");
    let ends: Vec<&String> = { drawn.nodes.iter() }
        .filter(|node| node.contains("doublecircle"))
        .collect();
    let red = ends.iter().filter(|node| node.contains("#c00000"));
    assert_eq!(red.count(), 1, "{}", drawn.text);
    assert!(ends.len() > 1, "the process also ends: {}", drawn.text);
    // One finding stops a search that is not told to go on.
    let (checked, file) = check(&tool, &program, &["--states"]);
    let note = "the graph of states is not finished: no file was written (--graph)";
    assert_eq!(checked.report.notes, [note]);
    assert!(!file.exists());
}

#[test]
fn what_cannot_be_drawn_is_no_file() {
    let tool = Tool::new("state-graphs-none");
    let text = "#include <pthread.h>
#include <stdatomic.h>
static atomic_int counted;
static void *work(void *unused) {
    while (atomic_fetch_add(&counted, 1) < 2000) {}
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    return 0;
}
";
    let program = tool.compile("counted", text, &[]);
    let (checked, file) = check(&tool, &program, &["--states"]);
    assert_eq!(checked.report.verdict, Verdict::Verified);
    let note = "states are too many to draw, of which there are at most 2,000: no file was written (--graph)";
    let notes = &checked.report.notes;
    assert!(notes.len() == 1 && notes[0].ends_with(note), "{notes:?}");
    assert!(!file.exists());
    let mut command = tool.dpor("check");
    let ran = tool.run(command.args(["--graph", "x.dot"]).arg(&program), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    let sentence = "--graph is for a search that remembers states: --states";
    assert!(ran.stderr.contains(sentence), "{}", ran.shown());
    let mut command = tool.dpor("show");
    let ran = tool.run(command.arg(&checked.json).args(["--graph", "-"]), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("has no graph of states"),
        "{}",
        ran.shown()
    );
}
