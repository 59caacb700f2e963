//! `--html`, without a browser: elements, links and texts, as a parser of browsers reads them.

use super::full::rows;
use super::made::{a_finding, a_report, trace, WAIT};
use super::programs::{one_of_each, report, ODD, ODD_PROGRAM, RACE};
use dpor_driver::flags::MessageFormat;
use dpor_driver::report::dot::order::{self, Held};
use dpor_driver::report::{html, View};
use dpor_report::{Access, Coverage, Finding, Outcome, Place, Report};
use dpor_testsuite::tool::Tool;
use scraper::{ElementRef, Html, Selector};

pub fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).collect()
}

pub fn texts(page: &Html, selector: &str) -> Vec<String> {
    let elements = all(page, selector).into_iter();
    elements.map(|element| element.text().collect()).collect()
}

/// The page, after a look at what must hold for each: it parses without a correction, asks for
/// nothing, has one script, and its links lead somewhere.
pub fn parse(text: &str) -> Html {
    let page = Html::parse_document(text);
    assert!(page.errors.is_empty(), "{:?}\n{text}", page.errors);
    for loading in ["[src]", "link", "img", "iframe", "object", "form", "base"] {
        assert!(all(&page, loading).is_empty(), "{loading}\n{text}");
    }
    assert_eq!(all(&page, "script").len(), 1);
    assert_eq!(all(&page, "style").len(), 1);
    let ids: Vec<&str> = all(&page, "[id]")
        .iter()
        .filter_map(|e| e.attr("id"))
        .collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    for link in all(&page, "[href]") {
        let href = link.attr("href").and_then(|href| href.strip_prefix('#'));
        assert!(href.is_some_and(|id| ids.contains(&id)), "{href:?}");
    }
    page
}

pub fn text(report: &Report) -> String {
    html::text(report, &View::new(report, MessageFormat::Human))
}

#[test]
fn every_verdict_has_a_page() {
    let tool = Tool::new("reports-html");
    for (name, program, options, code) in one_of_each() {
        let (ran, text) = report(&tool, "html", name, &program, options);
        assert_eq!(ran.code, code, "{}", ran.shown());
        let page = parse(&text);
        let verdict = texts(&page, "p.verdict").concat();
        assert!(
            ran.stdout.lines().any(|line| line == verdict),
            "{}",
            ran.shown()
        );
        let program = texts(&page, "h1").concat();
        assert!(program.ends_with(name), "{program}");
        // What the text shows as trace is in the page.
        let events = rows(&ran.stdout);
        let boxes = all(&page, "a.event:not(.access)").len();
        assert_eq!(boxes, events.len(), "{name}: {}", ran.shown());
    }
}

#[test]
fn one_finding_of_a_saved_report_has_a_page() {
    let tool = Tool::new("reports-html-show");
    // Races on two variables: other is written without the mutex on the way back.
    let program = RACE.replace("    return unused;", "    other++;\n    return unused;");
    let binary = tool.compile("races", &program, &[]);
    let checked = tool.check(&binary, &["-k"], &[]);
    let findings = &checked.report.findings;
    assert!(findings.len() >= 2, "{}", checked.ran.shown());
    let show = |report: String| {
        let ran = tool.run(tool.dpor("show").arg(report).arg("--html=-"), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        texts(&parse(&ran.stdout), ".finding h2")
    };
    let title = |number: usize| format!("error[data-race] {}", findings[number].message);
    let all: Vec<String> = (0..findings.len()).map(title).collect();
    assert_eq!(show(checked.json.display().to_string()), all);
    assert_eq!(show(format!("{}#2", checked.json.display())), all[1..2]);
}

#[test]
fn a_race_is_shown_in_its_source() {
    let tool = Tool::new("reports-html-race");
    let (_, text) = report(&tool, "html", "race", RACE, &[]);
    let page = parse(&text);
    // The accesses are no events: boxes of their own, of threads 1 and 2.
    assert_eq!(all(&page, "a.event.access.marked").len(), 2, "{text}");
    let heads = ["T0 (main)", "T1 (deposit, 1st)", "T2 (deposit, 2nd)"];
    assert_eq!(texts(&page, "li.head"), heads);
    // All of the 19 lines are within five lines of one that the finding refers to (6, 14, 15 and
    // the declaration, 2), but for the last.
    let lines = texts(&page, ".code li code");
    let expect: Vec<&str> = RACE.lines().take(lines.len()).collect();
    assert_eq!(lines, expect);
    assert!(lines.len() > 14, "{lines:?}");
    let marked = texts(&page, ".code li.marked code");
    assert_eq!(marked, ["    balance++;"]);
    let marks = texts(&page, ".mark").concat();
    assert!(marks.contains("T1: ") && marks.contains("T2: "), "{marks}");
    // Each event leads to the line of its place.
    let leads = |event: &ElementRef<'_>| {
        let text: String = event.text().collect();
        let line = event.attr("data-line").expect("a line");
        let number = line.rsplit_once('l').expect("a number").1;
        assert!(text.contains(&format!("race.c:{number} ")), "{text} {line}");
    };
    all(&page, "a.event").iter().for_each(leads);
}

#[test]
fn arrows_and_locks_by_hand() {
    let page = parse(&text(&a_report(a_finding("by hand", trace(WAIT)))));
    let edge = |edge: ElementRef<'_>| {
        let end = |name: &str| edge.attr(name).and_then(|end| end.parse().ok());
        let word: String = edge.text().collect();
        (end("data-from"), end("data-to"), word)
    };
    let edges: Vec<_> = all(&page, ".tip[data-from]")
        .into_iter()
        .map(edge)
        .collect();
    let edge = |(from, to, word): (usize, usize, &str)| (Some(from), Some(to), word.to_owned());
    let expect = [
        (1, 2, "create"),
        (4, 5, "wait"),
        (7, 8, "unlock"),
        (6, 8, "signal"),
        (10, 12, "post"),
        (11, 13, "reads"),
    ];
    assert_eq!(edges, expect.map(edge));
    // m is the one lock that T1 can have given up when it waits.
    let held: Vec<&str> = all(&page, "a.event")
        .iter()
        .filter_map(|e| e.attr("data-held"))
        .collect();
    let expect = [
        "", "", "T1: m", "", "T0: m", "T0: m", "", "T1: m", "", "", "", "", "", "",
    ];
    assert_eq!(held, expect);
    // T0 is where the trace begins; another thread has the event before 2, 5, 8, 12.
    let switches = texts(&page, "a.event.switch .ordinal");
    assert_eq!(switches, ["2", "5", "8", "12"]);
    assert_eq!(all(&page, "path.switch").len(), 4);
}

/// Behind the rows of a loop that goes on for ever a link leads back to its first one, and all of that has a ground.
#[test]
fn a_loop_is_marked() {
    let mut finding = a_finding("by hand", trace(WAIT));
    let page = |finding: &Finding| parse(&text(&a_report(finding.clone())));
    let height = |page: &Html| {
        let drawing = all(page, ".canvas svg");
        let words = drawing[0].attr("viewBox").expect("it has a size");
        let height = words.rsplit(' ').next();
        height.and_then(|height| height.parse::<u32>().ok())
    };
    let without = page(&finding);
    assert!(all(&without, "rect.loop, a.loop, path.loop").is_empty());
    finding.loop_begins = Some(10);
    let page = page(&finding);
    assert_eq!(texts(&page, "a.loop"), ["for ever ↺ again from 11"]);
    let href = all(&page, "a.loop")[0].attr("href");
    let first = href.expect("it leads somewhere").trim_start_matches('#');
    assert_eq!(texts(&page, &format!("[id='{first}'] .ordinal")), ["11"]);
    // Rows 11 to 14, and the one of the link, by which the page is longer: of one height.
    let heights = height(&page).zip(height(&without));
    let (with, without) = heights.expect("numbers");
    let ground = all(&page, "rect.loop")[0].attr("height");
    assert_eq!(ground, Some(&*(5 * (with - without)).to_string()));
}

#[test]
fn which_of_several_locks_a_wait_gives_up_is_learnt_later() {
    let held = |thread: u32, locks: &str, gives_one_up: bool| Held {
        thread,
        locks: locks.split(' ').map(str::to_owned).collect(),
        gives_one_up,
    };
    let steps = trace(
        "T1 lock a\nT1 lock b\nT1 cond-wait c\nT0 lock b\nT0 unlock b\nT1 cond-wake c\n\
         T1 unlock a\nT1 unlock b\nT0 read-lock r\nT1 read-lock r",
    );
    let expect = [
        vec![held(1, "a", false)],
        vec![held(1, "a b", false)],
        vec![held(1, "a b", true)],
        vec![held(0, "b", false), held(1, "a", false)],
        vec![held(1, "a", false)],
        vec![held(1, "a b", false)],
        vec![held(1, "b", false)],
        vec![],
        vec![held(0, "r", false)],
        vec![held(0, "r", false), held(1, "r", false)],
    ];
    assert_eq!(order::order(&steps).held, expect);
    let page = parse(&text(&a_report(a_finding("by hand", steps))));
    let holds = texts(&page, "a.event .holds");
    assert_eq!(holds[1], "holds a, b");
    assert_eq!(holds[2], "holds all but one of a, b");
}

#[test]
fn outcomes_and_coverage_are_tables() {
    let mut report = a_report(a_finding("by hand", trace(WAIT)));
    let outcome = |values: &[(&str, i64)], executions: u64| Outcome {
        values: values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect(),
        executions,
    };
    // r1 was not observed in the second.
    report.outcomes = vec![
        outcome(&[("r1", 1), ("r<2", -7)], 1234),
        outcome(&[("r<2", 0)], 1),
    ];
    report.coverage = [(0, 2, 11), (1, 4, 44)]
        .map(|(bound, executions, states)| Coverage {
            bound,
            executions,
            states,
        })
        .to_vec();
    let page = parse(&text(&report));
    let cells = |selector: &str| texts(&page, &format!("{selector} :is(th, td)"));
    let expect = ["r1", "r<2", "executions", "1", "-7", "1,234", "", "0", "1"];
    assert_eq!(cells(".outcomes"), expect);
    let expect = [
        "preemptions",
        "executions",
        "states",
        "≤ 0",
        "2",
        "11",
        "≤ 1",
        "4",
        "44",
    ];
    assert_eq!(cells(".coverage"), expect);
    // The longest bar of each kind is 300 long.
    let widths: Vec<_> = all(&page, ".chart rect")
        .iter()
        .filter_map(|e| e.attr("width"))
        .collect();
    assert_eq!(widths, ["150.0", "75.0", "300.0", "300.0"]);
}

/// Ends elements, attributes, comments and scripts, or is a line's end to some.
pub const HOSTILE: &str = "</script><script>injected=1</script> \" onclick='x' <!-- --> </style> \
     </title> &amp; &#60; \u{2028}\u{202e} \u{1f600} é";

#[test]
fn names_and_strings_may_have_any_character() {
    let tool = Tool::new("reports-html-odd");
    let (_, real) = report(&tool, "html", "odd \"<&>' é", ODD_PROGRAM, &[]);
    let page = parse(&real);
    assert!(texts(&page, "h1").concat().ends_with("odd \"<&>' é"));
    let lines = texts(&page, ".code li code");
    assert!(
        lines.contains(&"    { \"ü\"; é++; }".to_owned()),
        "{lines:?}"
    );
    for odd in [HOSTILE, ODD] {
        // U+0001 is in no page, not even as a reference.
        let expect = odd.replace('\u{1}', "\u{fffd}");
        let page = parse(&text(&odd_report(odd)));
        for place in [
            "h1",
            "title",
            "h2",
            ".note",
            ".accesses",
            ".replay",
            ".facts",
            ".what",
        ] {
            let texts = texts(&page, place).concat();
            assert!(texts.contains(&expect), "{place}: {texts}");
        }
        for (selector, name) in [("a.event", "title"), ("a.event.access", "data-held")] {
            let value = all(&page, selector).last().and_then(|e| e.attr(name));
            assert!(
                value.is_some_and(|value| value.contains(&expect)),
                "{value:?}"
            );
        }
        assert_eq!(texts(&page, ".outcomes th")[0], expect);
    }
}

/// The text wherever a program or a user may bring one in.
pub fn odd_report(odd: &str) -> Report {
    let mut steps = trace("T0 lock m");
    steps[0].object = odd.to_owned();
    steps[0].place.file = odd.to_owned();
    let mut finding = a_finding(odd, steps);
    finding.details = vec![odd.to_owned()];
    finding.replay = odd.to_owned();
    finding.accesses = vec![Access {
        thread: 1,
        access: odd.to_owned(),
        place: Place {
            file: odd.to_owned(),
            line: 1,
            function: odd.to_owned(),
            ..Place::default()
        },
        locks: vec![odd.to_owned()],
        instruction: 0,
        ..Access::default()
    }];
    let mut report = a_report(finding);
    report.program = odd.to_owned();
    report.notes = vec![odd.to_owned()];
    report.scope.instrumented = vec![odd.to_owned()];
    report.outcomes = vec![Outcome {
        values: [(odd.to_owned(), 1)].into(),
        executions: 1,
    }];
    report
}
