//! Schedules as files: `dpor replay REPORT --save-schedule FILE`, `dpor replay FILE`; and what becomes of
//! them when the program is built anew.

use dpor_report::FindingKind;
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use std::path::{Path, PathBuf};

/// Both threads may read before one of them writes.
const LOST: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int balance;
static void *deposit(void *amount) {
    int before = atomic_load(&balance);
    atomic_store(&balance, before + (int)(long)amount);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, (void *)10);
    pthread_create(&b, 0, deposit, (void *)20);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&balance) == 30);
}
";

/// What a check of a program found, as a file.
fn saved(tool: &Tool, name: &str) -> (PathBuf, PathBuf) {
    let program = tool.compile(name, LOST, &[]);
    let checked = tool.check(&program, &[], &[]);
    let finding = &checked.report.findings[0];
    assert_eq!(finding.kind, FindingKind::Assertion);
    let file = tool.path(&format!("{name}.schedule"));
    drop(std::fs::remove_file(&file));
    let mut save = tool.dpor("replay");
    save.arg(&checked.json).arg("--save-schedule").arg(&file);
    let ran = tool.run(&mut save, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.shown());
    (program, file)
}

fn replay(tool: &Tool, file: &Path) -> Ran {
    tool.run(tool.dpor("replay").arg(file), "")
}

fn events(text: &str) -> Vec<&str> {
    let (_, events) = text.split_once("\nevents\n").expect("events");
    events.lines().collect()
}

#[test]
fn a_schedule_is_text_that_replays() {
    let tool = Tool::new("schedules_text");
    let (_, file) = saved(&tool, "lost");
    let text = std::fs::read_to_string(&file).expect("the file");
    let events = events(&text);
    // Both creations, then, in one of two orders, two loads and two stores; starts and joins come by
    // themselves.
    let operations = |line: &&str| {
        line.split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    let all: Vec<String> = events.iter().map(operations).collect();
    let count = |name: &str| all.iter().filter(|operation| *operation == name).count();
    assert_eq!(events.len(), 12, "{text}");
    assert_eq!(
        [
            count("thread-create"),
            count("thread-start"),
            count("thread-join")
        ],
        [2, 2, 2]
    );
    assert_eq!(
        [count("atomic-load"), count("atomic-store"), count("exit")],
        [3, 2, 1]
    );
    assert_eq!(
        events.iter().filter(|line| line.starts_with('(')).count(),
        4,
        "{text}"
    );
    let ran = replay(&tool, &file);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(
        ran.stdout
            .contains("bug found: assertion, after 1 execution"),
        "{}",
        ran.shown()
    );
    assert!(!ran.stdout.contains("another build"), "{}", ran.shown());
}

#[test]
fn another_order_is_another_execution() {
    let tool = Tool::new("schedules_order");
    let (_, file) = saved(&tool, "ordered");
    let text = std::fs::read_to_string(&file).expect("the file");
    let mut lines: Vec<&str> = text.lines().collect();
    // The first load after the other thread's store: no update is lost.
    let at = |operation: &str, lines: &[&str]| {
        let is_it = |line: &&str| line.contains(operation);
        lines.iter().position(is_it).expect("such an event")
    };
    let load = at("atomic-load", &lines);
    let thread = lines[load].split_whitespace().next().expect("a thread");
    let (mine, others): (Vec<&str>, Vec<&str>) = lines[load..load + 4]
        .iter()
        .partition(|line| line.starts_with(thread));
    lines.splice(load..load + 4, mine.into_iter().chain(others));
    let other = tool.path("other.schedule");
    std::fs::write(&other, lines.join("\n") + "\n").expect("the file can be written");
    let ran = replay(&tool, &other);
    assert_ne!(ran.code, 42, "{}", ran.shown());
    assert_ne!(ran.code, 0, "{}", ran.shown());
}

#[test]
fn a_file_that_is_none_is_refused() {
    let tool = Tool::new("schedules_none");
    let file = tool.path("none.schedule");
    std::fs::write(&file, "dpor schedule 1\nfinding  crash\nevents\nT1  lock\n").expect("a file");
    let ran = replay(&tool, &file);
    let said = format!(
        "dpor: error: {}:4: 'T1  lock' is no event of a schedule\n",
        file.display()
    );
    assert_eq!((ran.code, ran.stderr), (2, said));
}

#[test]
fn another_build_follows_as_far_as_lines_match() {
    let tool = Tool::new("schedules_rebuilt");
    let (program, file) = saved(&tool, "rebuilt");
    // `main` has a line and an event more. Of the 8 events that are decided, those of the threads (2 loads,
    // 2 stores) are where they were, those of main (2 creations, a load, the exit) are not.
    let more = LOST.replace("    pthread_t a, b;\n", "    pthread_t a, b;\n\n");
    let more = more.replace(
        "    assert",
        "    atomic_fetch_add(&balance, 0);\n    assert",
    );
    assert_eq!(tool.compile("rebuilt", &more, &[]), program);
    let ran = replay(&tool, &file);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(ran.stderr.contains("is another build"), "{}", ran.shown());
    let note = { ran.stdout.lines() }.find(|line| line.starts_with("note: the schedule"));
    let note = note.unwrap_or_else(|| panic!("{}", ran.shown()));
    for part in [
        "of its 8 events 4 came at the same line",
        ", 4 at another (first T0 thread-create at ",
        ", 1 came that it does not have (first T0 atomic-rmw at ",
    ] {
        assert!(note.contains(part), "no '{part}' in {note}");
    }
    // Without the bug there is nothing to be found, and that is no success.
    let fixed = LOST.replace("== 30", "<= 30");
    assert_eq!(tool.compile("rebuilt", &fixed, &[]), program);
    let ran = replay(&tool, &file);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert!(
        ran.stdout.contains("did not come (first T0 exit at "),
        "{}",
        ran.shown()
    );
    // The build that it is of again.
    assert_eq!(tool.compile("rebuilt", LOST, &[]), program);
    let ran = replay(&tool, &file);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(!ran.stderr.contains("another build"), "{}", ran.shown());
}

#[test]
fn an_edited_schedule_is_told_by_the_field_that_differs() {
    let tool = Tool::new("schedules_edited");
    let (_, file) = saved(&tool, "edited");
    let text = std::fs::read_to_string(&file).expect("the file");
    let edits = [
        (
            "atomic-load ",
            "atomic-store ",
            "operation: it is atomic-load, and atomic-store in the schedule",
        ),
        ("edited.c:", "other.c:", "file: it is "),
        (
            "  deposit",
            "  withdraw",
            "function: it is deposit, and withdraw in the schedule",
        ),
        (
            "T0    thread-create  T2",
            "T0    thread-create  T1",
            "object: it is T2, and T1 in the schedule",
        ),
    ];
    for (before, after, expect) in edits {
        let (head, events) = text.split_once("\nevents\n").expect("events");
        let edited = events.replace(before, after);
        assert_ne!(edited, events, "{before}: {text}");
        let odd = tool.path("odd.schedule");
        std::fs::write(&odd, format!("{head}\nevents\n{edited}")).expect("written");
        let ran = replay(&tool, &odd);
        assert_eq!(ran.code, 4, "{before}: {}", ran.shown());
        let reason = ran
            .stdout
            .lines()
            .find(|line| line.starts_with("unsupported: not as recorded"));
        let reason = reason.unwrap_or_else(|| panic!("{before}: {}", ran.shown()));
        assert!(reason.contains("the schedule was edited"), "{reason}");
        assert!(
            reason.contains(&format!("differs in its {expect}")),
            "{reason}"
        );
    }
}
