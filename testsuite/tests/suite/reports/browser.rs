//! `--html` in headless Chromium: a script at the end of the page clicks and presses keys as a user
//! would, and writes down what it sees.
//!
//! All that the page does it does at once, within the event: nothing waits for a time.

use super::html::{odd_report, HOSTILE};
use super::made::{a_finding, a_report, trace, WAIT};
use super::programs::{report, RACE};
use dpor_driver::flags::MessageFormat;
use dpor_driver::report::{html, View};
use dpor_report::{Report, Step};
use dpor_testsuite::tool::{self, Tool};
use scraper::Html;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const CHROMIUM: &str = "/usr/bin/chromium";
/// What the scripts share: keys, clicks, what is selected, geometry and colours.
const DRIVER: &str = include_str!("browser.js");

/// The value of a JavaScript expression on the page on a large screen, in light or dark; `None` without Chromium.
fn drive(tool: &Tool, name: &str, page: &str, is_dark: bool, expression: &str) -> Option<Value> {
    let window = Window { is_dark, ..WINDOW };
    drive_in(tool, name, page, window, expression)
}

/// What a page is shown in.
#[derive(Clone, Copy)]
pub struct Window {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// True if the user likes light text on dark ground.
    pub is_dark: bool,
}

/// That of a large screen.
pub const WINDOW: Window = Window {
    size: (1400, 1000),
    is_dark: false,
};

/// The same in a frame of the window's size: Chromium's own windows have a least width, and something above the page.
pub fn drive_in(
    tool: &Tool,
    name: &str,
    page: &str,
    window: Window,
    expression: &str,
) -> Option<Value> {
    let script = format!("<script>{DRIVER}\ndriven(() => ({expression}));</script></body>");
    let driven = page.replacen("</body>", &script, 1);
    // Errors of the page's own script are seen as well.
    let watch = "<body><script>window.onerror = (why) => (window.wrong ??= []).push(why);</script>";
    let driven = driven.replacen("<body>", watch, 1);
    let take = "document.documentElement.dataset.driven = page.documentElement.dataset.driven";
    let outer = in_frame(&driven, window, "allow-scripts allow-same-origin", take);
    dump(tool, name, &outer, window)
}

/// The value of a JavaScript expression about the page, `page`, which is in a frame without scripts; `None` without
/// Chromium.
pub fn look_without_script(
    tool: &Tool,
    name: &str,
    page: &str,
    window: Window,
    expression: &str,
) -> Option<Value> {
    let look = format!("driven(() => ({expression}))");
    let outer = in_frame(page, window, "allow-same-origin", &look);
    dump(tool, name, &outer, window)
}

/// A page with a frame that has another page, and may do what `sandbox` says; then, `act`.
fn in_frame(page: &str, window: Window, sandbox: &str, act: &str) -> String {
    let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
    let (width, height) = window.size;
    format!(
        "<!doctype html><meta charset=utf-8><script>{DRIVER}\n\
         const loaded = (frame) => {{ const page = frame.contentDocument; {act}; }};</script>\
         <body><iframe width={width} height={height} style='border: 0' sandbox='{sandbox}' onload='loaded(this)'\
         srcdoc=\"{quoted}\"></iframe></body>"
    )
}

/// What a page's test left, once the page is loaded.
fn dump(tool: &Tool, name: &str, driven: &str, window: Window) -> Option<Value> {
    if !Path::new(CHROMIUM).exists() {
        println!("skipped: chromium");
        return None;
    }
    let file = tool.path(&format!("{name}-driven.html"));
    std::fs::write(&file, driven).expect("the page can be written");
    let profile = tool.path("profile");
    drop(std::fs::remove_dir_all(&profile));
    let mut chromium = Command::new(CHROMIUM);
    chromium.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
    ]);
    chromium.args(["--no-first-run", "--dump-dom"]);
    chromium.arg("--window-size=1600,1200");
    chromium.arg(format!("--user-data-dir={}", profile.display()));
    // 0 is dark and 1 is light.
    chromium.arg(format!(
        "--blink-settings=preferredColorScheme={}",
        u8::from(!window.is_dark)
    ));
    chromium.arg(format!("file://{}", file.display()));
    let ran = tool.run(&mut chromium, "");
    let page = Html::parse_document(&ran.stdout);
    let value = page.root_element().attr("data-driven");
    let value = value.unwrap_or_else(|| panic!("nothing was driven: {}", ran.shown()));
    let value: Value = serde_json::from_str(value).expect("JSON");
    assert_eq!(value["wrong"], json!([]), "{name}");
    Some(value["value"].clone())
}

fn text(report: &Report) -> String {
    html::text(report, &View::new(report, MessageFormat::Human))
}

/// Two threads that take two mutexes in opposite orders.
const DEADLOCK: &str = "#include <pthread.h>
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void *forwards(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}
static void *backwards(void *unused) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, forwards, 0);
    pthread_create(&b, 0, backwards, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// The parts of the page that are selected with an event of the deadlock: its number, its line, the locks held.
fn selected(number: usize, steps: &[Step]) -> Value {
    let mut held: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for step in &steps[..=number] {
        let locks = held.entry(step.thread).or_default();
        match step.operation.as_str() {
            "lock" => locks.push(&step.object),
            "unlock" => locks.retain(|lock| *lock != step.object),
            _ => {}
        }
    }
    held.retain(|_, locks| !locks.is_empty());
    let mut locks: Vec<String> = held
        .iter()
        .map(|(thread, locks)| format!("T{thread}: {}", locks.join(", ")))
        .collect();
    if locks.is_empty() {
        locks.push("none".to_owned());
    }
    let line = DEADLOCK.lines().nth(steps[number].place.line as usize - 1);
    let id = format!("f1-e{}", number + 1);
    json!({ "event": [id], "line": [line], "locks": locks, "focus": id })
}

#[test]
fn a_deadlock_is_stepped_through() {
    let tool = Tool::new("reports-browser-deadlock");
    let json = tool.path("deadlock.json");
    let option = format!("--json={}", json.display());
    let (ran, page) = report(&tool, "html", "deadlock", DEADLOCK, &[&option]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let steps = tool::read(&json).expect("a report").findings[0]
        .trace
        .clone();
    // Everything once down with j, and up again with the arrow.
    let script = format!(
        "{{ down: repeat({0}, () => press('j')), seen: seen(), up: repeat({0}, () => press('ArrowUp')) }}",
        steps.len() - 1
    );
    let Some(value) = drive(&tool, "steps", &page, false, &script) else {
        return;
    };
    let all: Vec<Value> = (0..steps.len())
        .map(|number| selected(number, &steps))
        .collect();
    assert_eq!(value["down"], json!(all[1..]));
    // At the top of the page the foot of the time line is out of sight.
    assert_eq!(value["seen"], json!([true, true]));
    let mut up = all[..steps.len() - 1].to_vec();
    up.reverse();
    assert_eq!(value["up"], json!(up));

    let lock = |thread: u32| {
        let is_lock = |step: &Step| step.thread == thread && step.operation == "lock";
        steps.iter().position(is_lock).expect("a lock")
    };
    // A click; keys with Control, and others, are the browser's; Home and End go to the ends and no
    // further.
    let (clicked, last) = (lock(2), steps.len() + 3);
    let script = format!(
        "[click('#f1-e{}'), press('j', {{ ctrlKey: true }}), press('x'), press('End'), press('j'),
          press('Home'), press('k'), press('ArrowDown')]",
        clicked + 1
    );
    let value = drive(&tool, "keys", &page, false, &script).expect("Chromium");
    let at = |number: usize| selected(number, &steps);
    for (nth, number) in [
        (0, clicked),
        (1, clicked),
        (2, clicked),
        (5, 0),
        (6, 0),
        (7, 1),
    ] {
        assert_eq!(value[nth], at(number), "{nth}");
    }
    // The last of the three waits, which are no events, is main's for the end of T1.
    for nth in [3, 4] {
        let expect = json!({ "event": [format!("f1-a{last}")], "locks": ["T1: first", "T2: second"],
            "line": ["    pthread_join(a, 0);"], "focus": format!("f1-a{last}") });
        assert_eq!(value[nth], expect, "{nth}");
    }
}

#[test]
fn keys_go_from_finding_to_finding() {
    let tool = Tool::new("reports-browser-race");
    // Two variables, each with races.
    let program = RACE.replace("    return unused;", "    other++;\n    return unused;");
    let json = tool.path("race.json");
    let option = format!("--json={}", json.display());
    let (ran, page) = report(&tool, "html", "race", &program, &["-k", &option]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let findings = tool::read(&json).expect("a report").findings.len();
    assert!(findings >= 2, "{}", ran.shown());
    let script = format!(
        "{{ keys: [press('p'), press('n'), press('j'), press('p'), press('j'), press('n')].map((s) => s.focus),
            contrast: contrast(),
            end: repeat({findings}, () => press('n')).at(-1).focus }}"
    );
    let Some(value) = drive(&tool, "keys", &page, false, &script) else {
        return;
    };
    assert_eq!(value["contrast"], json!([]));
    // There is none before the first; each finding keeps its place.
    let expect = [
        Value::Null,
        json!("f2-e1"),
        json!("f2-e2"),
        json!("f1-e1"),
        json!("f1-e2"),
        json!("f2-e2"),
    ];
    assert_eq!(value["keys"], json!(expect));
    assert_eq!(
        value["end"],
        format!("f{findings}-e1").replace("f2-e1", "f2-e2")
    );
}

#[test]
fn boxes_and_arrows_are_where_they_belong() {
    let tool = Tool::new("reports-browser-layout");
    let page = text(&a_report(a_finding("by hand", trace(WAIT))));
    for is_dark in [false, true] {
        let name = if is_dark { "dark" } else { "light" };
        let script = "{ overlaps: overlaps(), cut: cut(), astray: astray(), contrast: contrast(),
            ground: luminance(getComputedStyle(document.body).backgroundColor),
            related: (press('End'), press('k'), related()) }";
        let Some(value) = drive(&tool, name, &page, is_dark, script) else {
            return;
        };
        assert_eq!(value["overlaps"], json!([]));
        assert_eq!(value["cut"], json!([]));
        // The six arrows of the trace by hand, each from box to box.
        assert_eq!(
            value["astray"],
            json!({ "arrows": 6, "tips": 6, "wrong": [] })
        );
        // WCAG 2.2, 1.4.3: at least 4.5 to 1 for text.
        assert_eq!(value["contrast"], json!([]), "{name}");
        let ground = value["ground"].as_f64().expect("a number");
        assert_eq!(ground < 0.2, is_dark, "{ground}");
        // The last but one is the load that reads what T1 stored.
        assert_eq!(value["related"], json!(["11 13", "11 13"]));
    }
}

#[test]
fn outcomes_and_a_bound_without_findings() {
    let tool = Tool::new("reports-browser-outcomes");
    // Both read 1, or one of them 0: three outcomes. Without preemptions one thread is first: two.
    let program = "#include <dpor.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        atomic_int x, y;\nint r1, r2;\n\
        static void *left(void *u) { atomic_store(&x, 1); r1 = atomic_load(&y); return u; }\n\
        static void *right(void *u) { atomic_store(&y, 1); r2 = atomic_load(&x); return u; }\n\
        int main(void) {\n pthread_t a, b;\n pthread_create(&a, 0, left, 0);\n\
        pthread_create(&b, 0, right, 0);\n pthread_join(a, 0);\n pthread_join(b, 0);\n\
        dpor_observe(\"r1\", r1);\n dpor_observe(\"r2\", r2);\n return 0;\n}\n";
    let (ran, page) = report(&tool, "html", "outcomes", program, &["--iterative"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let script = "{ rows: texts('.outcomes tbody tr'), bounds: texts('.coverage tbody td:nth-child(-n+2)'),
        bars: [...document.querySelectorAll('.chart rect.executions')].map((bar) => bar.getBoundingClientRect().width),
        keys: document.querySelector('.tools') === null, contrast: contrast(), key: press('j').event }";
    let Some(value) = drive(&tool, "outcomes", &page, false, script) else {
        return;
    };
    assert_eq!(value["rows"], json!(["011", "101", "111"]));
    assert_eq!(value["bounds"], json!(["≤ 0", "2", "≤ 1", "3"]));
    let bars: Vec<f64> = serde_json::from_value(value["bars"].clone()).expect("widths");
    assert!((bars[0] / bars[1] - 2.0 / 3.0).abs() < 0.01, "{bars:?}");
    assert_eq!((&value["keys"], &value["key"]), (&json!(true), &json!([])));
    assert_eq!(value["contrast"], json!([]));
}

#[test]
fn names_and_strings_are_only_text() {
    let tool = Tool::new("reports-browser-odd");
    let odd = format!("{HOSTILE} <img src=x onerror=\"injected=1\"> \\ ${{injected=1}} `");
    let page = text(&odd_report(&odd));
    let script = "{ title: document.title, kind: document.querySelector('h2').textContent,
        locks: press('End').locks, line: document.querySelector('.event-line').textContent,
        strangers: document.querySelectorAll('img, [onclick], [onerror]').length,
        injected: typeof injected }";
    let Some(value) = drive(&tool, "odd", &page, false, script) else {
        return;
    };
    let has = |name: &str, text: &str| {
        let value = value[name].as_str().expect("a text");
        assert!(value.contains(text), "{name}: {value}");
    };
    has("kind", &odd);
    has("line", &odd);
    // Runs of white space are one blank in a title; here there are none.
    has("title", &odd);
    assert_eq!(value["locks"], json!([format!("T1: {odd}")]));
    assert_eq!(
        (&value["strangers"], &value["injected"]),
        (&json!(0), &json!("undefined"))
    );
}
