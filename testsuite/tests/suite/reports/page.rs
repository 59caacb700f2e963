//! `--html` in headless Chromium, as somebody sees it who opens it: on small and large screens, looking for something, with
//! and without scripts.

use super::browser::{drive_in, look_without_script, Window, WINDOW};
use super::made::{a_finding, a_report, trace};
use dpor_driver::flags::MessageFormat;
use dpor_driver::report::{html, View};
use dpor_report::{Access, Finding, Frame, Place, Step};
use dpor_testsuite::tool::Tool;
use serde_json::{json, Value};

/// A telephone.
const PHONE: Window = Window {
    size: (390, 844),
    is_dark: false,
};
/// A small laptop.
const LAPTOP: Window = Window {
    size: (1280, 800),
    is_dark: false,
};

/// The eighth line is what waits; markup in it is text.
const SOURCE: &str = "#include <mutex>
std::mutex m, n;
void forth() {
  m.lock();
  n.lock();
}
void back(int &x) {
  if (x < 3 && x > 0) n.lock(); // <b id=\"injected\">&amp;</b>
  m.lock();
}
";

/// Three threads that wait for each other, in a file with a long path, each in the midst of many calls; with notes.
fn a_deadlock(tool: &Tool) -> String {
    let folder = tool.path("a_folder_with_a_name_that_is_so_long_that_no_telephone_has_the_width");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join("crossed.cc");
    std::fs::write(&file, SOURCE).expect("the file can be written");
    let file = file.display().to_string();
    let steps = "T0 thread-create T1\nT1 thread-start\nT0 thread-create T2\nT2 thread-start\n\
        T1 lock m\nT2 lock n\nT1 atomic-store flag = 1\nT2 atomic-load flag = 1";
    let mut steps = trace(steps);
    let lines = [3, 3, 7, 7, 4, 8, 5, 9];
    for (step, line) in steps.iter_mut().zip(lines) {
        step.place = at(&file, line);
    }
    steps[6].place.function = "ns::publish_the_flag(int)".to_owned();
    let waits = [
        (1, "n", 2, 5, 5),
        (2, "m", 1, 4, 8),
        (0, "the end", 1, 4, 3),
    ];
    let accesses = waits.map(|(thread, object, holder, since, line)| Access {
        thread,
        access: "lock".to_owned(),
        object: object.to_owned(),
        held_by: Some(holder),
        held_since: Some(since),
        step: Some(steps.len() as u64),
        place: Place {
            stack: stack(&file, line),
            ..at(&file, line)
        },
        locks: vec!["a_lock_with_a_long_name".to_owned()],
        ..Access::default()
    });
    page(&Finding {
        accesses: accesses.to_vec(),
        details: vec!["a note".to_owned(), "another".to_owned()],
        replay: "dpor replay a.json#1".to_owned(),
        ..a_finding("three threads wait for each other", steps)
    })
}

fn page(finding: &Finding) -> String {
    let report = a_report(finding.clone());
    html::text(&report, &View::new(&report, MessageFormat::Human))
}

fn at(file: &str, line: u32) -> Place {
    Place {
        file: file.to_owned(),
        line,
        column: 1,
        function: "cross".to_owned(),
        ..Place::default()
    }
}

/// Two functions of the user's, and four of the library between them.
fn stack(file: &str, line: u32) -> Vec<Frame> {
    let frame = |file: &str, function: &str, library: bool| Frame {
        file: file.to_owned(),
        line,
        function: function.to_owned(),
        library,
        ..Frame::default()
    };
    let library = ["invoke", "apply", "call", "operator()"];
    let library = library.map(|function| frame("/usr/include/c++/12/functional", function, true));
    let mut stack = vec![frame(file, "cross", false)];
    stack.extend(library);
    stack.push(frame(file, "run_the_whole_thing", false));
    stack
}

#[test]
fn a_telephone_shows_all_of_its_width() {
    let tool = Tool::new("reports-page-phone");
    let page = a_deadlock(&tool);
    let script = "(() => {
        const root = document.documentElement;
        const overflow = () => root.scrollWidth - root.clientWidth;
        const line = document.querySelector('.timeline');
        return { inner: innerWidth, closed: overflow(), scrolls: line.scrollWidth > line.clientWidth,
            opened: (list('details').forEach((it) => (it.open = true)), overflow()), selected: (press('End'), overflow()) };
    })()";
    let Some(value) = drive_in(&tool, "phone", &page, PHONE, script) else {
        return;
    };
    // The page is as wide as the window, whatever is open; the time line is wider, in a box of its own.
    let expect = json!({ "inner": 390, "closed": 0, "scrolls": true, "opened": 0, "selected": 0 });
    assert_eq!(value, expect);
}

#[test]
fn what_matters_is_above_the_fold() {
    let tool = Tool::new("reports-page-fold");
    let page = a_deadlock(&tool);
    let foot = "((selector) => document.querySelector(selector).getBoundingClientRect().bottom)";
    let script = format!(
        "{{ window: innerHeight, verdict: {foot}('.verdict'), title: {foot}('.finding h2'),
            boxes: list('.event').map((event) => event.getBoundingClientRect().bottom),
            lanes: list('.head').map((head) => head.getBoundingClientRect().right),
            scrolls: ((pane) => pane.scrollWidth - pane.clientWidth)(document.querySelector('.timeline')),
            folded: list('details').filter((it) => it.open).length }}"
    );
    let Some(value) = drive_in(&tool, "fold", &page, LAPTOP, &script) else {
        return;
    };
    let number = |value: &Value| value.as_f64().expect("a number");
    let list =
        |name: &str| -> Vec<f64> { serde_json::from_value(value[name].clone()).expect("numbers") };
    assert!(number(&value["verdict"]) < 100.0, "{value}");
    assert!(number(&value["title"]) < 250.0, "{value}");
    let boxes = list("boxes");
    assert_eq!(boxes.len(), 11);
    assert_eq!(value["window"], 800);
    assert!(boxes[2] < 800.0, "the third event is not seen: {value}");
    // Three lanes have the width of the pane, and share it.
    let lanes = list("lanes");
    let widths = [lanes[1] - lanes[0], lanes[2] - lanes[1]];
    assert!((widths[0] - widths[1]).abs() < 1.0, "{value}");
    assert_eq!(value["scrolls"], 0);
    assert_eq!(value["folded"], 0);
}

#[test]
fn steps_are_found_by_their_words() {
    let tool = Tool::new("reports-page-search");
    let page = a_deadlock(&tool);
    // The file is in all eleven; the variable in two; a function, a call, a line of the source and a thread, which is in
    // its own four, in the creation of it, and where others wait for what it has.
    let script = "(() => {
        const find = (text) => {
            const field = document.querySelector('#search');
            field.value = text;
            field.dispatchEvent(new Event('input'));
            return [list('.event.match').length, document.querySelector('#found').textContent, selection().event[0]];
        };
        const counts = ['crossed.cc', 'FLAG', 'publish_the', 'run_the_whole', '&& x > 0', 'x < 3 flag', 'nothing', '']
            .map((text) => find(text));
        find('flag');
        const field = document.querySelector('#search');
        field.focus();
        const went = [() => document.querySelector('.search button').click(), () => press('Enter'), () => press('Enter', { shiftKey: true })]
            .map((go) => (go(), [document.querySelector('#found').textContent, selection().event[0]]));
        const typed = press('j').event;
        const escaped = press('Escape');
        const slash = (press('/'), document.activeElement.id);
        return { counts, went, typed, left: list('.event.match').length, focus: escaped.focus, slash };
    })()";
    let Some(value) = drive_in(&tool, "search", &page, WINDOW, script) else {
        return;
    };
    let counts = json!([
        [11, "1 of 11 steps", "f1-e1"],
        [2, "1 of 2 steps", "f1-e7"],
        [1, "1 of 1 step", "f1-e7"],
        [3, "1 of 3 steps", "f1-a9"],
        [2, "1 of 2 steps", "f1-e6"],
        [0, "no step", "f1-e6"],
        [0, "no step", "f1-e6"],
        [0, "", "f1-e6"],
    ]);
    assert_eq!(value["counts"], counts);
    let went = json!([
        ["2 of 2 steps", "f1-e8"],
        ["1 of 2 steps", "f1-e7"],
        ["2 of 2 steps", "f1-e8"]
    ]);
    assert_eq!(value["went"], went);
    // In the field `j` is a letter, and Escape goes back to the steps.
    assert_eq!(value["typed"], json!(["f1-e8"]));
    assert_eq!(
        (&value["left"], &value["focus"], &value["slash"]),
        (&json!(0), &json!("f1-e8"), &json!("search"))
    );
}

#[test]
fn zoom_changes_the_size_of_the_time_line() {
    let tool = Tool::new("reports-page-zoom");
    let page = a_deadlock(&tool);
    let script = "(() => {
        const size = () => {
            const box = document.querySelector('#f1-e1 a').getBoundingClientRect();
            return [box.width, box.height, document.querySelector('.zoom output').textContent];
        };
        const button = (by) => (document.querySelector(`[data-zoom='${by}']`).click(), size());
        const steps = [size(), button('1'), button('1'), button('0'), button('-1'), (press('0'), size()),
            (press('+'), size()), (press('-'), size()), repeat(9, () => button('1')).at(-1), repeat(9, () => button('-1')).at(-1)];
        return { steps, cut: cut().filter((text) => text.includes('flag') && !text.includes(' in ')), page: document.documentElement.scrollWidth <= innerWidth };
    })()";
    let Some(value) = drive_in(&tool, "zoom", &page, WINDOW, script) else {
        return;
    };
    let steps: Vec<(f64, f64, String)> =
        serde_json::from_value(value["steps"].clone()).expect("sizes");
    let percents: Vec<&str> = steps.iter().map(|(_, _, text)| text.as_str()).collect();
    let expect = [100, 125, 150, 100, 80, 100, 125, 100, 200, 60].map(|size| format!("{size} %"));
    assert_eq!(percents, expect);
    for ((width, height, _), percent) in steps.iter().zip([1.0, 1.25, 1.5, 1.0, 0.8, 1.0, 1.25]) {
        let is = |now: f64, before: f64| (now / before - percent).abs() < 0.02;
        assert!(is(*height, steps[0].1), "{steps:?}");
        // Smaller than the pane it does not get on a large screen, but for what lanes need at least.
        assert!(percent < 1.0 || is(*width, steps[0].0), "{steps:?}");
    }
    assert_eq!((&value["cut"], &value["page"]), (&json!([]), &json!(true)));
}

#[test]
fn boxes_have_their_line_of_the_source() {
    let tool = Tool::new("reports-page-source");
    let page = a_deadlock(&tool);
    let script = "{ texts: texts('.event .text'), injected: list('#injected, .event b').length,
        waits: texts('.event.access .what'), cut: list('.event.access .what').filter((it) => it.scrollHeight > it.clientHeight + 1).length,
        folded: list('.accesses .stack')[0].querySelector('.calls-now') === null && texts('.accesses .stack summary').slice(0, 2),
        calls: (press('End'), texts('.calls-now > .calls > li > code, .calls-now summary')) }";
    let Some(value) = drive_in(&tool, "source", &page, LAPTOP, script) else {
        return;
    };
    let lines: Vec<&str> = SOURCE.lines().map(str::trim).collect();
    let expect = [3, 3, 7, 7, 4, 8, 5, 9, 5, 8, 3].map(|line: usize| lines[line - 1]);
    assert_eq!(value["texts"], json!(expect));
    assert_eq!((&value["injected"], &value["cut"]), (&json!(0), &json!(0)));
    let waits = [
        "T1 waits for n, held by T2 since crossed.cc:8",
        "T2 waits for m, held by T1 since crossed.cc:4",
        "T0 waits for the end, held by T1 since crossed.cc:4",
    ];
    let said: Vec<String> = serde_json::from_value(value["waits"].clone()).expect("texts");
    let said: Vec<&str> = said.iter().map(|text| text.trim()).collect();
    assert_eq!(said, waits);
    assert_eq!(
        value["folded"],
        json!(["6 calls", "… 4 frames of libstdc++"])
    );
    let calls: Vec<String> = serde_json::from_value(value["calls"].clone()).expect("texts");
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(calls[0].ends_with("crossed.cc:3 in cross"), "{calls:?}");
    assert_eq!(calls[1], "… 4 frames of libstdc++");
    assert!(calls[2].ends_with("in run_the_whole_thing"), "{calls:?}");
}

/// A file that is not there, and a line that its file does not have, are left out.
#[test]
fn lines_that_are_not_there_are_left_out() {
    let tool = Tool::new("reports-page-missing");
    let file = tool.path("short.c").display().to_string();
    std::fs::write(&file, "int x;\n").expect("the file can be written");
    let mut steps: Vec<Step> = trace("T0 lock m\nT0 lock n\nT0 lock o");
    for (step, (file, line)) in
        { steps.iter_mut() }.zip([(&*file, 1), (&*file, 7), ("/nowhere.c", 1)])
    {
        step.place = at(file, line);
    }
    let page = page(&a_finding("by hand", steps));
    let script = "{ texts: texts('.event .text'), places: texts('.event .place'), cut: cut() }";
    let Some(value) = drive_in(&tool, "missing", &page, WINDOW, script) else {
        return;
    };
    assert_eq!(value["texts"], json!(["int x;"]));
    let places = [
        "short.c:1 in cross",
        "short.c:7 in cross",
        "nowhere.c:1 in cross",
    ];
    assert_eq!(value["places"], json!(places));
    assert_eq!(value["cut"], json!([]));
}

#[test]
fn without_scripts_everything_but_tools_is_there() {
    let tool = Tool::new("reports-page-static");
    let page = a_deadlock(&tool);
    let look = "{ boxes: list('.event', page).filter((it) => it.getClientRects().length > 0).length,
        verdict: page.querySelector('.verdict').getClientRects().length,
        tools: page.querySelector('.tools').getClientRects().length, now: page.querySelector('.now').getClientRects().length,
        selected: list('[aria-current]', page).length,
        overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
        tabs: list('.event', page).filter((it) => it.tabIndex === 0).length,
        targets: list('.event', page).filter((it) => page.querySelector(it.getAttribute('href')) === null).length,
        opens: (page.querySelector('.stack summary').click(), page.querySelector('.stack').open) }";
    let Some(value) = look_without_script(&tool, "static", &page, PHONE, look) else {
        return;
    };
    let expect = json!({ "boxes": 11, "verdict": 1, "tools": 0, "now": 0, "selected": 0, "overflow": 0, "tabs": 11,
        "targets": 0, "opens": true });
    assert_eq!(value, expect);
}

#[test]
fn texts_are_legible_and_controls_have_names() {
    let tool = Tool::new("reports-page-contrast");
    let page = a_deadlock(&tool);
    for is_dark in [false, true] {
        let window = Window { is_dark, ..LAPTOP };
        let script = "{ contrast: (list('details').forEach((it) => (it.open = true)), click('#f1-e7'), contrast()),
            nameless: list('button, input, [role=region], [role=group]').filter((it) =>
                !(it.getAttribute('aria-label') || it.labels?.length || it.textContent.trim())).length }";
        let name = if is_dark { "dark" } else { "light" };
        let Some(value) = drive_in(&tool, name, &page, window, script) else {
            return;
        };
        assert_eq!(value, json!({ "contrast": [], "nameless": 0 }), "{name}");
    }
}
