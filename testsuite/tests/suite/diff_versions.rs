//! `dpor diff OLD NEW`: what only one of two versions has, although lines moved, and what is not known of either.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use serde_json::Value;
use std::collections::BTreeSet;

/// Two threads that add to n, one after the other's update or between its parts, and take a lock for `total`.
const OLD: &str = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
int total, other;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused) {
    int seen = n;
    n = seen + 1;
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    other = 1;
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    dpor_observe(\"n\", n);
}
";

/// The program after a change: each of `what` is replaced, and two lines are put in front.
fn changed(text: &str, what: &[(&str, &str)]) -> String {
    let mut new = format!("// changed\n\n{text}");
    for (from, to) in what {
        assert!(new.contains(from), "{from}");
        new = new.replace(from, to);
    }
    new
}

/// `dpor diff ARGUMENTS --json=…` in the folder of the test.
fn diff(tool: &Tool, arguments: &[&str]) -> (Ran, Value) {
    let json = tool.path("diff.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("diff");
    command.envs(tool.clangs()).current_dir(tool.path(""));
    let ran = tool.run(command.args(arguments).arg("--json").arg(&json), "");
    let told = std::fs::read_to_string(&json).unwrap_or_else(|_| "null".to_owned());
    (ran, serde_json::from_str(&told).expect("JSON"))
}

/// Writes two sources, old.c and new.c.
fn write(tool: &Tool, old: &str, new: &str) {
    std::fs::write(tool.path("old.c"), old).expect("a source");
    std::fs::write(tool.path("new.c"), new).expect("a source");
}

/// `removed n=1`, `introduced data-race total`, for each of a list.
fn told(comparison: &Value, list: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = comparison[list].as_array().expect("a list").iter();
    let mut told: Vec<String> = all
        .map(|one| {
            let what = match one["outcome"]["values"]["n"].as_i64() {
                Some(n) => format!("n={n}"),
                None => text(&one["finding"]["object"]["name"]),
            };
            format!("{} {} {what}", text(&one["effect"]), text(&one["kind"]))
        })
        .collect();
    told.sort();
    told
}

const ALL: &str = "--plain=explore";

#[test]
fn what_a_patch_removes_and_adds() {
    let tool = Tool::new("versions-patch");
    let new = changed(
        OLD,
        &[
            ("    int seen = n;\n    n = seen + 1;\n", "    n++;\n"),
            ("    pthread_mutex_lock(&m);\n", ""),
            ("    pthread_mutex_unlock(&m);\n", ""),
        ],
    );
    write(&tool, OLD, &new);
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(comparison["between"], "versions");
    assert_eq!(
        told(&comparison, "differences"),
        [
            "introduced data-race total",
            "removed outcome-difference n=1"
        ]
    );
    assert!(told(&comparison, "doubtful").is_empty(), "{}", ran.shown());
    // The race on `other` is three lines up in the new version.
    let both = comparison["both"].as_array().expect("a list");
    let names: Vec<_> = both.iter().map(|race| &race["object"]["name"]).collect();
    assert_eq!(names, ["other"], "{}", ran.shown());
    let last = ran.stdout.lines().last().unwrap_or_default();
    let expect =
        "old.c and new.c differ: the change removes 1 outcome, adds 1 finding (data-race); \
                  1 finding is in both";
    assert_eq!(last, expect, "{}", ran.shown());
}

#[test]
fn both_schedules_are_kept_and_run_again() {
    let tool = Tool::new("versions-replay");
    let new = changed(
        OLD,
        &[("    int seen = n;\n    n = seen + 1;\n", "    n++;\n")],
    );
    write(&tool, OLD, &new);
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    let replays = comparison["differences"][0]["replays"].as_array();
    let replays = replays.expect("a list").iter();
    for (replay, n) in replays.zip(["reads n: 1", "reads n: 2"]) {
        let replay = replay.as_str().expect("a command");
        assert!(
            ran.stdout.contains(&format!("  replay: {replay}\n")),
            "{}",
            ran.shown()
        );
        let report = replay.strip_prefix("dpor replay ").expect("a replay");
        let mut command = tool.dpor("replay");
        command.envs(tool.clangs()).current_dir(tool.path(""));
        let again = tool.run(command.arg(report), "");
        assert_eq!(again.code, 42, "{}", again.shown());
        assert!(again.stdout.contains(n), "{}", again.shown());
    }
}

#[test]
fn what_a_version_was_not_explored_for_is_no_difference() {
    let tool = Tool::new("versions-incomplete");
    let new = changed(
        OLD,
        &[("    int seen = n;\n    n = seen + 1;\n", "    n++;\n")],
    );
    write(&tool, OLD, &new);
    for side in ["old", "new"] {
        let source = tool.path(&format!("{side}.c"));
        let source = std::fs::read_to_string(source).expect("a source");
        tool.compile(side, &source, &["-pthread"]);
    }
    // Neither is explored completely.
    let limit = [ALL, "--max-executions", "1"];
    let (ran, comparison) = diff(&tool, &[&["old", "new"], &limit[..]].concat());
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(
        told(&comparison, "differences").is_empty(),
        "{}",
        ran.shown()
    );
    // A race hides orders, so that nobody knows what the version with the race lacks; the other lacks it for sure.
    let old = OLD.replace("    other = 1;\n", "");
    write(
        &tool,
        &old,
        &changed(
            OLD,
            &[("    int seen = n;\n    n = seen + 1;\n", "    n++;\n")],
        ),
    );
    let (ran, comparison) = diff(&tool, &["old.c", "new.c"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(
        told(&comparison, "differences"),
        ["introduced data-race other"]
    );
    assert_eq!(
        told(&comparison, "doubtful"),
        ["removed outcome-difference n=1"]
    );
    let (ran, comparison) = diff(&tool, &["new.c", "old.c"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(
        told(&comparison, "differences"),
        ["removed data-race other"]
    );
    assert_eq!(
        told(&comparison, "doubtful"),
        ["introduced outcome-difference n=1"]
    );
}

#[test]
fn what_bounds_and_samples_leave_out_is_no_difference() {
    let tool = Tool::new("versions-bounds");
    let racy = changed(
        OLD,
        &[("    int seen = n;\n    n = seen + 1;\n", "    n++;\n")],
    );
    write(&tool, OLD, &racy);
    // n=1 needs a preemption, and the race on `other` ends no sample.
    for bound in [
        &["--bound", "0"][..],
        &["--search", "random", "--samples", "3"],
    ] {
        let arguments = [&["old.c", "new.c", ALL], bound].concat();
        let (ran, comparison) = diff(&tool, &arguments);
        assert_eq!(ran.code, 3, "{}", ran.shown());
        assert!(
            told(&comparison, "differences").is_empty(),
            "{}",
            ran.shown()
        );
    }
}

#[test]
fn lines_that_moved_are_no_difference() {
    let tool = Tool::new("versions-moved");
    let racy = OLD
        .replace("pthread_mutex_lock(&m);", ";")
        .replace("pthread_mutex_unlock(&m);", ";");
    // A function more before, and the racing one behind main.
    let (head, rest) = racy.split_once("static void *add").expect("a function");
    let (body, main) = rest.split_once("int main").expect("main");
    let new = format!(
        "{head}static void *add(void *);\nint unused(void) {{\n    total++;\n    return other;\n}}\n\
         int main{main}static void *add{body}"
    );
    write(&tool, &racy, &new);
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(comparison["both"].as_array().map(Vec::len), Some(2));
    // What the change wrote is new, though kind, object and function are the same.
    write(&tool, &racy, &racy.replace("total++", "total += 2"));
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(
        told(&comparison, "differences"),
        ["introduced data-race total", "removed data-race total"]
    );
}

#[test]
fn a_source_that_was_edited_since_says_nothing() {
    let tool = Tool::new("versions-edited");
    let racy = OLD
        .replace("pthread_mutex_lock(&m);", ";")
        .replace("pthread_mutex_unlock(&m);", ";");
    let source = |text: &str| tool.compile("x", text, &["-pthread"]);
    let keep = |name: &str| std::fs::rename(tool.path("x"), tool.path(name)).expect("a program");
    source(&racy);
    keep("before");
    // The same text: lines are the same, wherever the text is now.
    source(&racy);
    keep("after");
    let (ran, comparison) = diff(&tool, &["before", "after", ALL]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(comparison["both"].as_array().map(Vec::len), Some(2));
    source(&changed(&racy, &[]));
    keep("after");
    let (ran, comparison) = diff(&tool, &["before", "after", ALL]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(
        told(&comparison, "differences").is_empty(),
        "{}",
        ran.shown()
    );
    assert_eq!(told(&comparison, "doubtful").len(), 2, "{}", ran.shown());
    assert!(
        ran.stdout
            .contains("may be what before has: data race on total"),
        "{}",
        ran.shown()
    );
}

#[test]
fn two_sources_are_versions_if_each_has_a_main() {
    let tool = Tool::new("versions-sources");
    // One program of two sources, at two levels.
    let (head, main) = OLD.split_once("int main").expect("main");
    let add = head.replace("static void *add", "void *add");
    let main = format!(
        "#include <dpor.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         extern atomic_int n;\nvoid *add(void *);\nint main{main}"
    );
    write(&tool, &add, &main);
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(comparison["between"], "levels");
    assert_eq!(comparison["levels"], serde_json::json!(["-O0", "-O2"]));
    write(&tool, OLD, OLD);
    let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(comparison["levels"], serde_json::json!(["old.c", "new.c"]));
    let (ran, _) = diff(&tool, &["old.c", "old.c", ALL]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("old.c is given twice"),
        "{}",
        ran.shown()
    );
}

/// A program of two threads that do such operations on x and y, and its outcomes.
fn random_program(random: &mut Random) -> String {
    let mut text = "#include <dpor.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
                    atomic_int x, y;\nint seen[2];\n"
        .to_owned();
    for thread in 0..2 {
        text += &format!("static void *f{thread}(void *unused) {{\n    int r = 0;\n");
        for _ in 0..3 {
            let (one, other) = if random.below(2) == 0 {
                ("x", "y")
            } else {
                ("y", "x")
            };
            text += match random.below(4) {
                0 => format!("    r += {one};\n"),
                1 => format!("    {one} = r + {};\n", thread + 1),
                2 => format!("    {one}++;\n"),
                _ => format!("    {one} = {other};\n"),
            }
            .as_str();
        }
        text += &format!("    seen[{thread}] = r;\n    return unused;\n}}\n");
    }
    text + "int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, f0, 0);\n    f1(0);\n    \
            pthread_join(t, 0);\n    dpor_observe(\"n\", seen[0] * 1000 + seen[1] * 100 + x * 10 + y);\n}\n"
}

/// All outcomes of a source, from a check of its own.
fn outcomes(tool: &Tool, name: &str) -> BTreeSet<i64> {
    let json = tool.path("check.json");
    let mut command = tool.dpor("check");
    command.envs(tool.clangs()).current_dir(tool.path(""));
    let ran = tool.run(command.args(["--outcomes", name, "--json"]).arg(&json), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let text = std::fs::read_to_string(&json).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let outcomes = report["outcomes"].as_array().expect("outcomes").iter();
    let values = outcomes.map(|outcome| outcome["values"]["n"].as_i64().expect("a value"));
    values.collect()
}

#[test]
fn what_only_one_has_is_what_two_checks_tell() {
    let tool = Tool::new("versions-oracle");
    let mut random = Random(32);
    let (mut removed_any, mut added_any) = (false, false);
    for _ in 0..5 {
        let old = random_program(&mut random);
        // One operation of a thread is left out, and comes back at its end.
        let lines: Vec<&str> = old.lines().collect();
        let begins = { lines.iter() }
            .position(|line| line.starts_with("static"))
            .expect("f0")
            + 2;
        let mut lines: Vec<&str> = lines.clone();
        let moved = lines.remove(begins + usize::try_from(random.below(2)).expect("small"));
        lines.insert(begins + 2, moved);
        write(&tool, &old, &lines.join("\n"));
        let [before, after] = ["old.c", "new.c"].map(|name| outcomes(&tool, name));
        let (ran, comparison) = diff(&tool, &["old.c", "new.c", ALL]);
        let expect = |effect: &str, all: &BTreeSet<i64>, without: &BTreeSet<i64>| {
            let rest = all.difference(without);
            let told = rest.map(|n| format!("{effect} outcome-difference n={n}"));
            told.collect::<Vec<String>>()
        };
        let (added, removed) = (
            expect("introduced", &after, &before),
            expect("removed", &before, &after),
        );
        removed_any |= !removed.is_empty();
        added_any |= !added.is_empty();
        let code = if before == after { 0 } else { 42 };
        let mut all = [added, removed].concat();
        all.sort();
        assert_eq!(
            told(&comparison, "differences"),
            all,
            "{old}\n{}",
            ran.shown()
        );
        assert_eq!(ran.code, code, "{}", ran.shown());
    }
    assert!(removed_any && added_any, "the programs do not differ");
}
