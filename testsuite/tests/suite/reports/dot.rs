//! The graph of a trace (`--dot`).

use super::full::rows;
use super::made::{a_finding, a_report, trace, WAIT};
use super::programs::{one_of_each, report, ODD, ODD_PROGRAM};
use dpor_driver::flags::MessageFormat;
use dpor_driver::report::dot::{self, order};
use dpor_driver::report::View;
use dpor_report::{phrases, Access, Place, Report};
use dpor_testsuite::tool::Tool;
use roxmltree::{Document, Node, ParsingOptions};
use std::path::Path;
use std::process::Command;

/// Numbers of events are those of the lines, from 1.
fn check(lines: &str, expect: &[(usize, usize, &str)]) {
    let edges = order::edges(&trace(lines));
    let got: Vec<_> = edges
        .iter()
        .map(|edge| (edge.from + 1, edge.to + 1, edge.why))
        .collect();
    assert_eq!(got, expect, "{lines}");
}

#[test]
fn arrows_by_hand() {
    // The end of T1 (its store, 11) is known to T0 from 13 on: no arrow to the join.
    check(
        WAIT,
        &[
            (1, 2, "create"),
            (4, 5, "wait"),
            (7, 8, "unlock"),
            (6, 8, "signal"),
            (10, 12, "post"),
            (11, 13, "reads"),
        ],
    );
    // A trylock that fails is after nothing. The last unlock is the one that counts.
    check(
        "T1 lock m\nT2 trylock m\nT1 unlock m\nT2 trylock m\nT2 unlock m\nT1 lock m",
        &[(3, 4, "unlock"), (5, 6, "unlock")],
    );
    // A recursive lock is free with its second unlock.
    check(
        "T1 lock m\nT1 lock m\nT1 unlock m\nT2 trylock m\nT1 unlock m\nT2 trylock m",
        &[(5, 6, "unlock")],
    );
    // Readers are not ordered among themselves; a writer comes after both, the next reader after it.
    check(
        "T1 read-lock r\nT2 read-lock r\nT1 rwlock-unlock r\nT2 rwlock-unlock r\nT3 read-lock r\n\
         T3 rwlock-unlock r\nT0 write-lock r\nT0 rwlock-unlock r\nT1 read-lock r",
        &[
            (6, 7, "unlock"),
            (4, 7, "unlock"),
            (3, 7, "unlock"),
            (8, 9, "unlock"),
        ],
    );
    // Two rounds of two threads; T1 is back before T2 has left. It names no object when it leaves.
    check(
        "T1 barrier-wait b\nT2 barrier-wait b\nT1 barrier-leave\nT1 barrier-wait b\n\
         T2 barrier-leave\nT2 barrier-wait b\nT2 barrier-leave\nT1 barrier-leave",
        &[
            (2, 3, "barrier"),
            (1, 5, "barrier"),
            (4, 7, "barrier"),
            (6, 8, "barrier"),
        ],
    );
    // A signal wakes the thread that its value names. A comparison that fails writes nothing.
    check(
        "T1 cond-wait c\nT2 cond-wait c\nT0 cond-signal c = 2\nT2 cond-wake c\n\
         T0 atomic-store x = 1\nT1 compare-exchange x = 1\nT2 atomic-load x = 1",
        &[(3, 4, "signal"), (5, 6, "reads"), (5, 7, "reads")],
    );
    // Everything that ended is before a wait for all threads; main's return waits for nobody.
    check(
        "T0 thread-create T1\nT1 yield\nT0 main-return",
        &[(1, 2, "create")],
    );
    check(
        "T0 thread-create T1\nT1 yield\nT0 join-all",
        &[(1, 2, "create"), (2, 3, "end")],
    );
}

fn text(report: &Report) -> String {
    dot::text(report, &View::new(report, MessageFormat::Human))
}

/// `dot -Tsvg` of the text; `None` without Graphviz.
fn svg(tool: &Tool, name: &str, text: &str) -> Option<String> {
    let file = tool.path(&format!("{name}.dot"));
    std::fs::write(&file, text).expect("the graph can be written");
    if !Path::new("/usr/bin/dot").exists() {
        println!("skipped: graphviz");
        return None;
    }
    let ran = tool.run(Command::new("/usr/bin/dot").arg("-Tsvg").arg(&file), "");
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, ""),
        "{}\n{text}",
        ran.shown()
    );
    Some(ran.stdout)
}

fn document(svg: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(svg, options).unwrap_or_else(|why| panic!("{why}\n{svg}"))
}

/// The drawings of a class: the title of each, and its lines of text.
fn drawn(document: &Document<'_>, class: &str) -> Vec<(String, String)> {
    let text = |node: Node<'_, '_>| node.text().unwrap_or_default().replace('\u{a0}', " ");
    let of_class = |node: &Node<'_, '_>| node.attribute("class") == Some(class);
    let all = document.descendants().filter(of_class);
    all.map(|group| {
        let child = |tag: &'static str| group.children().filter(move |c| c.has_tag_name(tag));
        let lines: Vec<String> = group
            .descendants()
            .filter(|c| c.has_tag_name("text"))
            .map(text)
            .collect();
        (child("title").map(text).collect(), lines.join("\n"))
    })
    .collect()
}

#[test]
fn graphviz_draws_every_event_and_arrow() {
    let tool = Tool::new("reports-dot");
    let mut finding = a_finding("by hand", trace(WAIT));
    // One access is event 9, the other is none.
    let access = |line: u32, access: &str| Access {
        thread: 1,
        access: access.to_owned(),
        place: Place {
            line,
            ..finding.trace[8].place.clone()
        },
        locks: Vec::new(),
        instruction: 0,
        ..Access::default()
    };
    finding.accesses = vec![access(9, "unlock"), access(99, "write")];
    let Some(svg) = svg(&tool, "by_hand", &text(&a_report(finding.clone()))) else {
        return;
    };
    let document = document(&svg);
    let nodes = drawn(&document, "node");
    for (number, step) in (1..).zip(&finding.trace) {
        let lines = format!("{number}: {}\nx.c:{number} in f", phrases::step(step));
        let node = (format!("e{number}"), lines);
        assert!(nodes.contains(&node), "{node:?} {nodes:?}");
    }
    assert!(
        nodes.contains(&("a2".to_owned(), "write\nx.c:99 in f".to_owned())),
        "{nodes:?}"
    );
    // Two heads, 14 events, one access that is none.
    assert_eq!(nodes.len(), 2 + 14 + 1);
    let edges: Vec<String> = drawn(&document, "edge")
        .into_iter()
        .map(|(title, _)| title)
        .collect();
    // Program order of T0 is 1 5 6 7 12 13 14, of T1 2 3 4 8 9 10 11; then the six of above, and the
    // pair of accesses.
    let expect = "1 5, 5 6, 6 7, 7 12, 12 13, 13 14, 2 3, 3 4, 4 8, 8 9, 9 10, 10 11, \
                  1 2, 4 5, 7 8, 6 8, 10 12, 11 13";
    let expect = expect
        .split(", ")
        .map(|pair| format!("e{}", pair.replace(' ', "->e")));
    let mut expect: Vec<String> = expect.chain(["e9->a2".to_owned()]).collect();
    let mut edges: Vec<String> = edges
        .into_iter()
        .filter(|edge| expect.contains(edge))
        .collect();
    expect.sort_unstable();
    edges.sort_unstable();
    assert_eq!(edges, expect);
    // The two marked nodes, and no other, are filled.
    assert_eq!(svg.matches("fill=\"#ffd8d8\"").count(), 2);
}

#[test]
fn graphviz_takes_the_graphs_of_real_programs() {
    let tool = Tool::new("reports-dot-real");
    for (name, program, options, _) in one_of_each() {
        let (ran, text) = report(&tool, "dot", name, &program, options);
        let Some(svg) = svg(&tool, name, &text) else {
            return;
        };
        let nodes = drawn(&document(&svg), "node");
        // What the text shows as trace is in the graph.
        let events = rows(&ran.stdout).len();
        let drawn = nodes
            .iter()
            .filter(|(title, _)| title.starts_with('e'))
            .count();
        assert_eq!(drawn, events, "{name}: {}", ran.shown());
    }
}

#[test]
fn names_and_strings_may_have_any_character() {
    let tool = Tool::new("reports-dot-odd");
    let name = "odd \"<&>' é";
    let (_, real) = report(&tool, "dot", name, ODD_PROGRAM, &[]);
    let mut odd = trace("T0 lock m");
    odd[0].object = ODD.to_owned();
    odd[0].place.file = format!("\\N \\G &lt; {ODD}");
    let made = text(&a_report(a_finding(ODD, odd)));
    for (name, text, expect) in [
        ("real", real, "odd \"<&>' é.c:11"),
        (
            "made",
            made,
            "\\N \\G &lt; a \"b\" <c> &d; 'e' ]]> é % #1 \u{fffd}",
        ),
    ] {
        let Some(svg) = svg(&tool, name, &text) else {
            return;
        };
        let nodes = drawn(&document(&svg), "node");
        assert!(
            nodes.iter().any(|(_, lines)| lines.contains(expect)),
            "{expect} {nodes:?}"
        );
    }
}
