//! `dpor scenario --progress-guarantee wait-free`: objects of which it is known by hand.

use super::command::scenario;
use super::promised::broken;
use dpor_report::{Report, Verdict};
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use std::path::Path;

#[test]
fn objects_have_what_they_have_by_hand() {
    let tool = Tool::new("scenario-wait-free");
    let program = tool.compile("wait_free", include_str!("wait_free.c"), &[]);
    for of in [
        wait_free_objects,
        lists_that_are_others_twice,
        objects_that_are_not,
        states_without_end,
        ends_that_are_not_told,
    ] {
        of(&tool, &program);
    }
}

/// - `exchanged`, `turned`, `marked`, `stored`: one step of the processor's for each call, whatever others do.
/// - `empty`: a call without any step; it must not be a step without end either.
/// - `tried_twice`: it gives up.
/// - `helped`: a caller's exchange fails if the other's succeeded. The second one that the other begins behind the request
///   makes the caller's turn as well.
fn wait_free_objects(tool: &Tool, program: &Path) {
    for (name, sizes) in [
        ("exchanged", "2x1,3x1,2x2"),
        ("turned", "2x1,2x2"),
        ("marked", "2x1,3x1"),
        ("stored", "2x1,2x2"),
        ("empty", "2x1,2x2"),
        ("tried_twice", "2x1,3x1"),
        ("helped", "2x1"),
    ] {
        let said = broken(tool, program, "wait-free", sizes, &[name]);
        assert_eq!(said, None, "{name}");
    }
}

/// Of two calls there are two lists of one, of two calls those that are no call twice, 2² - 2, and of three 2³ - 2. Pairs of the
/// 2, 4 and 10 lists: 3, 10, 55; threes of the first four: 20, four of them of the lists of one.
fn lists_that_are_others_twice(tool: &Tool, program: &Path) {
    let options = [
        "--progress-guarantee=wait-free",
        "--sizes=2x1,2x2,2x3,3x1,3x2",
        "--",
        "exchanged",
    ];
    let (ran, report) = scenario(tool, &[program], &options);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let scenarios = report.and_then(|report| report.scenarios);
    let sizes = scenarios.expect("a report of scenarios").sizes;
    let counts: Vec<u64> = sizes.iter().map(|size| size.scenarios).collect();
    assert_eq!(counts, [3, 10 - 3, 55 - 10, 4, 20 - 4]);
    assert!(
        ran.stdout
            .contains(" calls and 3 × 2, made again and again ("),
        "{}",
        ran.shown()
    );
}

/// What is said, and whose calls are in it; and whether the object is lock-free.
///
/// - `toggled`: who loses the exchange tries again, and may lose for ever; who wins ends its call.
/// - `toggled_and_marked`: the same, with marks of the object's own, which are no ends of calls.
/// - `toggled_or_not`: with calls that end without a step before.
/// - `stacked`: Treiber's stack: a push and a pop of a node, exchanges that are tried again.
/// - `reread`: the reader reads anew as long as the version changes; the publisher, who is the first thread, never waits.
/// - `owned`: two that write and look in turn both lose.
/// - `unhelped`: `helped` without help.
/// - `locked`, `spinning`: who stops with the lock in its hands stops the other.
fn objects_that_are_not(tool: &Tool, program: &Path) {
    let loses = [
        "the call of T2 never ends, while calls of T1 end again and again",
        "the call of T1 never ends, while calls of T2 end again and again",
    ];
    let both = [
        "the call of T1 never ends, nor does that of T2",
        "the call of T1 never ends, while calls of T2 end again and again",
    ];
    let waits = ["T2 waits for T1", "T1 waits for T2"];
    let spins = [
        "waits for what another thread does",
        "runs alone, and its call never ends",
    ];
    for (name, sizes, expected, call, is_lock_free) in [
        ("toggled", "2x1", loses, "toggle() has begun", true),
        (
            "toggled_and_marked",
            "2x1",
            loses,
            "toggle() has begun",
            true,
        ),
        ("toggled_or_not", "2x2", loses, "toggle() has begun", true),
        ("stacked", "2x1", loses, "(1) has begun", true),
        ("reread", "2x1", [loses[0]; 2], "T2: read() has begun", true),
        ("owned", "2x1", both, "T1: own(", false),
        ("unhelped", "2x1", loses, " has begun", true),
        ("locked", "2x1", waits, "lock() has begun", false),
        ("spinning", "2x1", spins, "spin() has begun", false),
    ] {
        let said = broken(tool, program, "wait-free", sizes, &[name]);
        let said = said.unwrap_or_else(|| panic!("{name} is wait-free"));
        assert!(said.starts_with("not wait-free: "), "{name}: {said}");
        assert!(
            expected.iter().any(|one| said.contains(one)) && said.contains(call),
            "{name}: {said}"
        );
        let said = broken(tool, program, "lock-free", "2x1", &[name]);
        assert_eq!(said.is_none(), is_lock_free, "{name}: {said:?}");
    }
}

/// What is said of two threads with a call each.
fn asked(tool: &Tool, program: &Path, name: &str, time: &str) -> (Ran, Report) {
    let options = [
        "--progress-guarantee=wait-free",
        "--sizes=2x1",
        time,
        "--",
        name,
    ];
    let (ran, report) = scenario(tool, &[program], &options);
    (ran, report.expect("a report"))
}

/// A number that grows has no end of states: nothing is proved. What goes round in the part that was seen is found all the same.
fn states_without_end(tool: &Tool, program: &Path) {
    let (ran, report) = asked(tool, program, "grown", "--time=0.5");
    assert_eq!(report.verdict, Verdict::Incomplete, "{}", ran.shown());
    let helps = "operations that undo each other, and small numbers that wrap, have an end";
    assert!(ran.stdout.contains(helps), "{}", ran.shown());
    let (ran, report) = asked(tool, program, "toggled_and_grown", "--time=60");
    assert_eq!(report.verdict, Verdict::Bug, "{}", ran.shown());
    let message = &report.findings[0].message;
    assert!(message.contains("end again and again"), "{message}");
}

/// Headers of an earlier version do not know what is asked: no end of a call is told, and nothing is proved.
fn ends_that_are_not_told(tool: &Tool, program: &Path) {
    let (ran, report) = asked(tool, program, "unasked", "--time=60");
    assert_eq!(report.verdict, Verdict::Unsupported, "{}", ran.shown());
    assert!(
        ran.stdout.contains("does not tell when its calls end"),
        "{}",
        ran.shown()
    );
}
