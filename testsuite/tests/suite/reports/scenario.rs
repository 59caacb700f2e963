//! `--html` of tests of data structures (`dpor scenario`): what was asked, the calls over the time, the orders that come
//! nearest; as a parser reads it, and as Chromium shows it.

use super::browser::{drive_in, look_without_script, Window};
use super::html::{all, parse, text, texts, HOSTILE};
use super::made::{a_finding, a_report, trace};
use crate::scenarios::source;
use dpor_report::{
    CallState, Executions, Finding, FindingKind, OrderKind, OrderedCall, Report, Scenario,
    ScenarioCall, ScenarioOrder, Scenarios, Size, Verdict,
};
use dpor_testsuite::tool::{self, Tool};
use scraper::Html;
use serde_json::{json, Value};
use std::path::Path;

/// Of a call: thread, name, result, first and last moment.
fn call(thread: u32, name: &str, result: &str, from: u32, to: u32) -> ScenarioCall {
    ScenarioCall {
        thread,
        name: name.to_owned(),
        result: (!result.is_empty()).then(|| result.to_owned()),
        state: CallState::Returned,
        from,
        to,
    }
}

fn ordered(call: u32, result: &str, differs: bool) -> OrderedCall {
    OrderedCall {
        call,
        result: (!result.is_empty()).then(|| result.to_owned()),
        waits: false,
        differs,
    }
}

fn size(threads: u32, calls: u32, scenarios: u64, complete: u64, verdict: Verdict) -> Size {
    Size {
        threads,
        calls,
        scenarios,
        verdict,
        executions: Executions {
            complete,
            ..Executions::default()
        },
        states: None,
        seconds: 0.25,
    }
}

/// T1: push(1), which goes on until the end; T2: a call named `odd` that returns `odd`, then pop() = none, then one that it
/// never makes.
fn a_scenario(odd: &str) -> Report {
    let calls = vec![
        call(1, "push(1)", "", 0, 2),
        call(2, odd, odd, 0, 0),
        call(2, "pop()", "none", 1, 2),
        ScenarioCall {
            state: CallState::NotBegun,
            ..call(2, "last()", "", 2, 2)
        },
    ];
    let order = |kind, calls: &[OrderedCall]| ScenarioOrder {
        kind,
        calls: calls.to_vec(),
    };
    let nearest = [
        ordered(1, odd, false),
        ordered(0, "", false),
        ordered(2, odd, true),
    ];
    let other = [
        ordered(2, "none", false),
        ordered(1, odd, false),
        ordered(0, "", false),
    ];
    let finding = Finding {
        kind: FindingKind::NotLinearizable,
        scenario: Some(Box::new(Scenario {
            timed: true,
            calls,
            orders: vec![
                order(OrderKind::Nearest, &nearest),
                order(OrderKind::SequentiallyConsistent, &other),
            ],
        })),
        ..a_finding("no order of the calls", trace("T1 lock m\nT2 lock n"))
    };
    let mut report = a_report(finding);
    report.program = "./stack".to_owned();
    report.args = vec!["--dpor-scenario=2x2".to_owned(), "--mine".to_owned()];
    report.scenarios = Some(Scenarios {
        object: odd.to_owned(),
        check: "linearizable".to_owned(),
        calls: vec!["push(1)".to_owned(), odd.to_owned(), "pop()".to_owned()],
        sizes: vec![
            size(2, 1, 6, 1024, Verdict::Verified),
            size(2, 2, 72, 5, Verdict::Bug),
        ],
        not_finished: vec!["2x2".to_owned(), "3x2".to_owned()],
    });
    report
}

#[test]
fn what_was_asked_is_told() {
    let page = parse(&text(&a_scenario("Stack")));
    assert_eq!(texts(&page, "#asked-title"), ["Is Stack linearizable?"]);
    assert_eq!(texts(&page, "h1"), ["./stack --mine"]);
    assert_eq!(
        texts(&page, ".operations li"),
        ["push(1)", "Stack", "pop()"]
    );
    let cells = [
        "threads × calls",
        "answer",
        "scenarios",
        "executions",
        "time",
        "2 × 1",
        "proved",
        "6",
        "1,024",
        "0.25 s",
        "2 × 2",
        "no, see below",
        "72",
        "5",
        "0.25 s",
        "3 × 2",
        "not searched",
        "",
        "",
        "",
    ];
    assert_eq!(texts(&page, ".sizes :is(th, td)"), cells);
    let mut report = a_scenario("Stack");
    let scenarios = report.scenarios.as_mut().expect("scenarios");
    scenarios.check = "lock-free".to_owned();
    scenarios.sizes[0].states = Some(77);
    scenarios.sizes[1].verdict = Verdict::Incomplete;
    let page = parse(&text(&report));
    assert_eq!(texts(&page, "#asked-title"), ["Is Stack lock-free?"]);
    assert_eq!(texts(&page, ".sizes thead th")[3], "states");
    assert_eq!(texts(&page, ".sizes tbody td")[2], "77");
    assert_eq!(texts(&page, "td.answer")[1], "cut short: nothing is proved");
    // Other checks have none of it.
    let page = parse(&text(&a_report(a_finding("by hand", trace("T0 lock m")))));
    assert!(all(&page, ".asked, .diagram, .orders").is_empty());
}

/// Bars begin behind the column of the name, and end where the next column begins.
#[test]
fn calls_are_bars_from_begin_to_end() {
    let page = parse(&text(&a_scenario("size()")));
    assert_eq!(texts(&page, ".lead"), ["T1", "T2"]);
    assert_eq!(
        texts(&page, ".call"),
        ["push(1)", "size() = size()", "pop() = none"]
    );
    let columns = |page: &Html| -> Vec<String> {
        let bars = all(page, ".call").into_iter();
        bars.map(|bar| bar.attr("style").expect("a place").to_owned())
            .collect()
    };
    let expect = ["grid-column:2/5", "grid-column:2/3", "grid-column:3/5"];
    assert_eq!(columns(&page), expect);
    assert_eq!(texts(&page, ".not-begun"), ["last() not begun"]);
    assert_eq!(
        texts(&page, ".axis"),
        ["time: bars that share a column overlap"]
    );
    let chains = [
        "size() = size()",
        "push(1)",
        "pop() = size()but T2 has none",
    ];
    let chains = chains.iter().zip(["T2 ", "T1 ", "T2 "]);
    let chains: Vec<String> = chains.map(|(call, by)| format!("{by}{call}")).collect();
    assert_eq!(texts(&page, ".orders:not(.explains) li"), chains);
    assert_eq!(texts(&page, ".differs"), [&*chains[2]]);
    let chains = ["T2 pop() = none", "T2 size() = size()", "T1 push(1)"];
    assert_eq!(texts(&page, ".explains li"), chains);

    // A call that waits goes on to the end, and no time is compared where none is kept.
    let mut report = a_scenario("size()");
    report.findings[0].kind = FindingKind::Deadlock;
    let scenario = report.findings[0].scenario.as_mut().expect("a scenario");
    scenario.timed = false;
    scenario.calls[1].state = CallState::Begun;
    scenario.orders[0].calls[2].waits = true;
    let page = parse(&text(&report));
    assert_eq!(texts(&page, ".call.open"), ["size() waits"]);
    assert_eq!(columns(&page)[1], "grid-column:2/5");
    let axis = "each thread's calls in their order; no time is compared";
    assert_eq!(texts(&page, ".axis"), [axis]);
    assert_eq!(texts(&page, ".differs"), ["T2 pop() waitsbut T2 has none"]);
    report.findings[0].kind = FindingKind::DataRace;
    let page = parse(&text(&report));
    assert_eq!(texts(&page, ".call.open"), ["size() has not returned"]);
}

/// Texts of the user's, with markup and of 200 characters without a blank.
fn odd_names() -> [String; 3] {
    let quoted = format!("say(\"{}\")", HOSTILE);
    [HOSTILE.to_owned(), "x".repeat(200), quoted]
}

#[test]
fn names_and_results_may_have_any_character() {
    for odd in odd_names() {
        let page = parse(&text(&a_scenario(&odd)));
        for place in ["#asked-title", ".operations", ".call", ".order", ".differs"] {
            let texts = texts(&page, place).concat();
            assert!(texts.contains(&odd), "{place}: {texts}");
        }
    }
}

/// What is drawn of the calls, in a window of this width.
const LOOK: &str = "{ over: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    cut: list('.call, .order li, .operations li, .not-begun', page).filter((it) => {
        const own = it.getBoundingClientRect();
        return list('*', it).map((part) => part.getBoundingClientRect()).some(({ left, right, bottom }) =>
            left < own.left - 1 || right > own.right + 1 || bottom > own.bottom + 1);
    }).map((it) => it.textContent.slice(0, 9)),
    bars: list('.call', page).map((it) => it.getBoundingClientRect()).map(({ left, right }) => [left, right]),
    injected: list('#injected, .asked script, .finding script', page).length }";

#[test]
fn bars_overlap_where_calls_do_and_nothing_is_cut() {
    let tool = Tool::new("reports-scenario-page");
    for (number, odd) in (0..).zip(odd_names()) {
        let page = text(&a_scenario(&odd));
        for width in [390, 1280] {
            let window = Window {
                size: (width, 900),
                is_dark: false,
            };
            let name = format!("odd{number}-{width}");
            let Some(value) = look_without_script(&tool, &name, &page, window, LOOK) else {
                return;
            };
            assert_eq!(value["over"], 0, "{name}: {value}");
            assert_eq!(
                (&value["cut"], &value["injected"]),
                (&json!([]), &json!(0)),
                "{name}"
            );
            let bars: Vec<(f64, f64)> =
                serde_json::from_value(value["bars"].clone()).expect("bars");
            let [push, first, second] = bars[..] else {
                panic!("{bars:?}")
            };
            // push goes on while both others do, which come one after the other.
            assert!(push.0 <= first.0 && first.1 < second.0, "{bars:?}");
            assert!(
                (push.1 - second.1).abs() < 1.0 && push.1 > second.0,
                "{bars:?}"
            );
        }
    }
}

#[test]
fn it_is_legible_in_light_and_dark() {
    let tool = Tool::new("reports-scenario-contrast");
    let mut report = a_scenario("size()");
    let scenario = report.findings[0].scenario.as_mut().expect("a scenario");
    scenario.calls[2].state = CallState::Begun;
    let page = text(&report);
    for is_dark in [false, true] {
        let window = Window {
            size: (1280, 900),
            is_dark,
        };
        let name = if is_dark { "dark" } else { "light" };
        let Some(value) = drive_in(&tool, name, &page, window, "contrast()") else {
            return;
        };
        assert_eq!(value, json!([]), "{name}");
    }
}

/// A put that looks first and writes then; its result has what ends lines, attributes and records.
const ODD_PROGRAM: &str = "#include <atomic>
#include <dpor/scenario.hpp>
#include <string>
struct Box {
    std::atomic<int> letter{0};
    std::string put(std::string what) {
        if (letter != 0) return \"no\";
        letter = 1;
        return what + \"\\n\\x1e<b>\\x1f\\x1b'\\\"&\" + std::string(200, 'y');
    }
};
DPOR_SCENARIO(Box, dpor::operation(\"put\", [](auto &box, std::string what) { return box.put(what); },
    dpor::values(std::string(\"</script>\\n\\x1e\\x1f\"))))
";

/// The report has what the page is made of, so that `dpor show` makes the same page of it.
#[test]
fn a_page_is_made_of_a_saved_report() {
    let tool = Tool::new("reports-scenario-saved");
    let file = tool.path("box.cc");
    std::fs::write(&file, ODD_PROGRAM).expect("a file");
    let (json, html) = (tool.path("box.json"), tool.path("box.html"));
    let mut command = tool.dpor("scenario");
    command
        .arg(&file)
        .arg("--sizes=2x1")
        .arg("--json")
        .arg(&json);
    let ran = tool.run(command.arg("--html").arg(&html), "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let report = tool::read(&json).expect("a report");
    let scenarios = report.scenarios.as_ref().expect("scenarios");
    let name = "put(\"</script>\n\u{1e}\u{1f}\")";
    assert_eq!(scenarios.calls, [name]);
    let made = report.findings[0].scenario.as_deref().expect("a scenario");
    let result = format!(
        "\"</script>\n\u{1e}\u{1f}\n\u{1e}<b>\u{1f}\u{1b}'\"&{}\"",
        "y".repeat(200)
    );
    assert!(made.timed);
    // Both put, and each finds the box empty: they overlap.
    let expect = [1, 2].map(|thread| call(thread, name, &result, 0, 0));
    assert_eq!(made.calls, expect);
    // One after the other the second is refused, whoever it is.
    let orders: Vec<Vec<OrderedCall>> = made
        .orders
        .iter()
        .map(|order| order.calls.clone())
        .collect();
    let order = |first: u32| {
        vec![
            ordered(first, &result, false),
            ordered(1 - first, "\"no\"", true),
        ]
    };
    assert_eq!(orders, [order(0), order(1)]);
    let ran = tool.run(tool.dpor("show").arg(&json).arg("--html=-"), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let first = std::fs::read_to_string(html).expect("a page");
    assert_eq!(ran.stdout, first);
    let page = parse(&first);
    assert_eq!(all(&page, ".call").len(), 2);
    assert_eq!(all(&page, ".differs").len(), 2);
}

/// Every kind of finding that a scenario has, with the calls as they stand there.
#[test]
fn other_findings_have_the_calls_too() {
    let tool = Tool::new("reports-scenario-kinds");
    let write = |name: &str, body: &str| {
        let file = tool.path(&format!("{name}.cc"));
        let text = format!(
            "#include <dpor/scenario.hpp>\n#include <mutex>\nstruct It {{ {body} }};\n\
             DPOR_SCENARIO(It, dpor::operation(\"add\", [](auto &it) {{ it.add(); }}))\n"
        );
        std::fs::write(&file, text).expect("a file");
        file
    };
    let check = |name: &str, file: &Path, options: &[&str]| -> Finding {
        let json = tool.path(&format!("{name}.json"));
        let mut command = tool.dpor("scenario");
        command
            .arg(file)
            .arg("--sizes=2x1")
            .arg("--json")
            .arg(&json)
            .args(options);
        let ran = tool.run(&mut command, "");
        assert_eq!(ran.code, 42, "{}", ran.shown());
        tool::read(&json).expect("a report").findings.remove(0)
    };
    let shown = |finding: &Finding| -> Vec<(u32, String, CallState)> {
        let scenario = finding.scenario.as_deref().expect("a scenario");
        let calls = scenario.calls.iter();
        calls
            .map(|call| (call.thread, call.name.clone(), call.state))
            .collect()
    };
    let both = |name: &str, state| [1, 2].map(|thread| (thread, name.to_owned(), state));
    // Two writes without order.
    let race = check(
        "race",
        &write("race", "int n = 0; void add() { n++; }"),
        &[],
    );
    assert_eq!(race.kind, FindingKind::DataRace);
    let names: Vec<String> = shown(&race).into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["add()", "add()"]);
    assert_eq!(race.scenario.expect("a scenario").orders, []);
    // A put that does not wake who takes: there is an order in which that call returns.
    let slot = source("testsuite/programs/scenarios/blocking.cc");
    let stuck = check("stuck", &slot, &["--cflags=-O2 -g -DLOST"]);
    assert_eq!(stuck.kind, FindingKind::Deadlock);
    let mut calls = shown(&stuck);
    calls.sort_by(|a, b| a.1.cmp(&b.1));
    let calls: Vec<_> = calls
        .iter()
        .map(|(_, name, state)| (&**name, *state))
        .collect();
    let expect = [
        ("put(1)", CallState::Returned),
        ("take()", CallState::Begun),
    ];
    assert_eq!(calls, expect);
    let scenario = stuck.scenario.as_deref().expect("a scenario");
    let nearest = &scenario.orders[0].calls;
    let results: Vec<_> = { nearest.iter() }
        .map(|call| (call.result.as_deref(), call.waits, call.differs))
        .collect();
    assert_eq!(results, [(None, false, false), (Some("1"), false, true)]);
    // A lock is not obstruction-free: who waits for it is in a call.
    let locked = write(
        "waits",
        "std::mutex m; void add() { std::lock_guard guard(m); }",
    );
    let options = ["--progress-guarantee=obstruction-free"];
    let waits = check("waits", &locked, &options);
    assert_eq!(waits.kind, FindingKind::NonProgress);
    let scenario = waits.scenario.as_deref().expect("a scenario");
    assert!(!scenario.timed);
    assert_eq!(shown(&waits), both("add()", CallState::Begun));
}

#[test]
fn reports_of_before_have_no_scenario() {
    let mut report = a_scenario("size()");
    report.findings[0].scenario = None;
    let value: Value = serde_json::to_value(&report).expect("JSON");
    assert!(value["findings"][0].get("scenario").is_none());
    let back: Report = serde_json::from_value(value).expect("a report");
    assert_eq!(back, report);
    assert!(all(&parse(&text(&back)), ".diagram").is_empty());
}

/// A sum that begins before an addition and ends behind another one, which came one after the other; as the program's comment
/// says, it finds the second alone.
#[test]
fn moments_tell_which_calls_overlap() {
    let tool = Tool::new("reports-scenario-moments");
    let striped = source("testsuite/programs/scenarios/striped.cc");
    let json = tool.path("striped.json");
    let mut command = tool.dpor("scenario");
    command
        .arg(striped)
        .arg("--sizes=3x1")
        .arg("--json")
        .arg(&json);
    let ran = tool.run(&mut command, "");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let finding = tool::read(&json).expect("a report").findings.remove(0);
    let scenario = finding.scenario.expect("a scenario");
    assert!(scenario.timed);
    let expect = [
        call(1, "add(0)", "", 0, 0),
        call(2, "add(1)", "", 1, 1),
        call(3, "sum()", "2", 0, 1),
    ];
    assert_eq!(scenario.calls, expect);
    let last = scenario.orders.last().expect("an order");
    assert_eq!(last.kind, OrderKind::SequentiallyConsistent);
    let order = [
        ordered(1, "", false),
        ordered(2, "2", false),
        ordered(0, "", false),
    ];
    assert_eq!(last.calls, order);
}
