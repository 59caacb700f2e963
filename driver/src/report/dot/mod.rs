//! The happens-before graph of the first finding's trace, for Graphviz: a column per thread,
//! program order in it, arrows of synchronization ([`order`]) between, what the finding is about
//! marked.

mod locks;
pub mod order;

use super::names_of_threads::name;
use super::{shown, View};
use dpor_report::{phrases, text, Access, Finding, Place, Report};
use std::collections::BTreeMap;

const MARK: &str = r##"style="rounded,filled" fillcolor="#ffd8d8" color="#c00000""##;

/// The file's text; a graph without nodes if there is no finding.
pub fn text(report: &Report, view: &View) -> String {
    let mut graph = vec![
        "digraph dpor {".to_owned(),
        r#"  node [shape=box style=rounded fontname="monospace" fontsize=10]"#.to_owned(),
        r#"  edge [fontname="monospace" fontsize=9]"#.to_owned(),
        "  labelloc=t newrank=true".to_owned(),
    ];
    match view.findings(report).next() {
        Some(finding) => {
            let finding = shown::shown(finding, &view.here);
            let title = format!("{}: {}", finding.kind, finding.message);
            graph.push(format!("  label={}", quoted(&title)));
            graph.extend(columns(&finding));
            graph.extend(arrows(&finding));
        }
        None => graph.push(format!("  label={}", quoted(&text::verdict_line(report)))),
    }
    graph.push("}".to_owned());
    graph.join("\n") + "\n"
}

/// The event that an access is, if the trace has it: the last of the thread at its place.
pub fn event_of(access: &Access, finding: &Finding) -> Option<usize> {
    let position = |place: &Place| (place.file.clone(), place.line, place.column);
    let at = position(&access.place);
    finding.trace.iter().rposition(|step| {
        step.thread == access.thread && access.place.line > 0 && position(&step.place) == at
    })
}

/// The name of an access's node: an event, or a node of its own.
fn node_of(number: usize, access: &Access, finding: &Finding) -> String {
    match event_of(access, finding) {
        Some(event) => format!("e{}", event + 1),
        None => format!("a{}", number + 1),
    }
}

fn columns(finding: &Finding) -> Vec<String> {
    let mut columns: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let accesses = finding.accesses.iter();
    let mut marked: Vec<usize> = accesses.filter_map(|a| event_of(a, finding)).collect();
    if finding.accesses.is_empty() {
        marked.extend(finding.trace.len().checked_sub(1));
    }
    let numbers = finding.numbers();
    for (number, step) in finding.trace.iter().enumerate() {
        let what = format!("{}: {}", numbers[number] + 1, text::operation(step));
        let name = format!("e{}", number + 1);
        let node = node(&name, &what, &step.place, marked.contains(&number));
        columns.entry(step.thread).or_default().push(node);
    }
    for (number, access) in finding.accesses.iter().enumerate() {
        if event_of(access, finding).is_none() {
            let name = format!("a{}", number + 1);
            let node = node(&name, &phrases::label(access), &access.place, true);
            columns.entry(access.thread).or_default().push(node);
        }
    }
    let heads: Vec<String> = columns.keys().map(|thread| format!("t{thread}")).collect();
    let column = |(thread, nodes)| column(thread, &name(&finding.threads, thread), nodes);
    let mut lines: Vec<String> = columns.into_iter().map(column).collect();
    if !heads.is_empty() {
        // Side by side.
        let row = heads.join(" -> ");
        lines.push(format!("  {{ rank=same {row} [style=invis] }}"));
    }
    lines
}

/// The events of a thread, one below the other, below its name.
fn column(thread: u32, called: &str, nodes: Vec<String>) -> String {
    let first = nodes[0].split(' ').next().unwrap_or_default();
    let head = format!(
        "  subgraph cluster_{thread} {{\n    label=\"\" color=gray\n    \
         t{thread} [label={} shape=plaintext]\n    \
         t{thread} -> {first} [style=invis weight=8]",
        quoted(called)
    );
    format!("{head}\n    {}\n  }}", nodes.join("\n    "))
}

fn node(name: &str, what: &str, place: &Place, is_marked: bool) -> String {
    let place = text::place(place);
    let label = match place.is_empty() {
        true => what.to_owned(),
        false => format!("{what}\n{place}"),
    };
    match is_marked {
        true => format!("{name} [label={} {MARK}]", quoted(&label)),
        false => format!("{name} [label={}]", quoted(&label)),
    }
}

fn arrows(finding: &Finding) -> Vec<String> {
    let mut arrows = Vec::new();
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, step) in finding.trace.iter().enumerate() {
        if let Some(before) = last.insert(step.thread, number) {
            arrows.push(format!("  e{} -> e{} [weight=8]", before + 1, number + 1));
        }
    }
    for edge in order::edges(&finding.trace) {
        arrows.push(format!(
            "  e{} -> e{} [label={} color=\"#0050c0\"]",
            edge.from + 1,
            edge.to + 1,
            quoted(edge.why)
        ));
    }
    let names: Vec<String> = finding
        .accesses
        .iter()
        .enumerate()
        .map(|(number, access)| {
            let name = node_of(number, access, finding);
            if let (true, Some(last)) = (name.starts_with('a'), last.get(&access.thread)) {
                // At the foot of its column; when it came is not known.
                arrows.push(format!("  e{} -> {name} [style=invis]", last + 1));
            }
            name
        })
        .collect();
    for pair in names.windows(2) {
        arrows.push(format!(
            "  {} -> {} [dir=none style=dashed color=\"#c00000\" constraint=false]",
            pair[0], pair[1]
        ));
    }
    arrows
}

/// A string of the language of Graphviz: labels read references to characters and escapes.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '&' => quoted += "&amp;",
            '\n' => quoted += "\\l",
            c if c.is_control() => quoted.push(char::REPLACEMENT_CHARACTER),
            c => quoted.push(c),
        }
    }
    if text.contains('\n') {
        quoted += "\\l";
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings() {
        let check = |text: &str, expect: &str| assert_eq!(quoted(text), expect);
        check("lock m", r#""lock m""#);
        check(r#"a "b" \N"#, r#""a \"b\" \\N""#);
        check("<&>é", r#""<&amp;>é""#);
        check("a\nb", r#""a\lb\l""#);
        check("\u{1}", "\"\u{fffd}\"");
    }
}
