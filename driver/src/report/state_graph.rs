//! The states that `--states` visited and the steps between them, for Graphviz: a node for each state, with what holds
//! there, an arrow for each step.

use super::dot::quoted;
use super::{shown, View};
use dpor_report::{text, DrawnState, DrawnStep, PartOfRun, Report, StateGraph, Step};

/// The file's text; `None` if the report has no graph.
pub fn text(report: &Report, view: &View) -> Option<String> {
    let graph = report.states.as_ref()?.graph.as_ref()?;
    let mut lines = vec![
        "digraph states {".to_owned(),
        r#"  node [shape=circle fontname="monospace" fontsize=10]"#.to_owned(),
        r#"  edge [fontname="monospace" fontsize=9]"#.to_owned(),
        format!("  labelloc=t label={}", quoted(&text::verdict_line(report))),
    ];
    let states = graph.states.iter().enumerate();
    lines.extend(states.map(|(number, state)| node(number, state)));
    lines.extend(graph.steps.iter().map(|step| arrow(step, graph, view)));
    lines.push("}".to_owned());
    Some(lines.join("\n") + "\n")
}

/// States that are wrong are red; those where nobody can go on have two borders.
fn node(number: usize, state: &DrawnState) -> String {
    let mut label = number.to_string();
    for name in &state.holds {
        label += &format!("\n{name}");
    }
    let shape = match (state.holds.is_empty(), state.is_end) {
        (true, false) => "",
        (true, true) => " shape=doublecircle",
        (false, false) => " shape=box style=rounded",
        (false, true) => " shape=box style=rounded peripheries=2",
    };
    let colour = match state.is_wrong {
        true => " color=\"#c00000\" fontcolor=\"#c00000\"",
        false => "",
    };
    format!("  s{number} [label={}{shape}{colour}]", quoted(&label))
}

/// Steps of a finding's loop are bold, those that lead there have the same colour.
fn arrow(step: &DrawnStep, graph: &StateGraph, view: &View) -> String {
    let operation = graph.operations.get(step.operation as usize);
    let label = operation.map(|operation| said(operation, step.choice.as_deref(), view));
    let style = match step.run {
        None => "",
        Some(PartOfRun::Way) => " color=\"#8250df\"",
        Some(PartOfRun::Loop) => " color=\"#8250df\" fontcolor=\"#8250df\" penwidth=3",
    };
    let label = quoted(&label.unwrap_or_default());
    format!("  s{} -> s{} [label={label}{style}]", step.from, step.to)
}

/// `T1 writes x (file.c:12)`.
fn said(operation: &Step, choice: Option<&str>, view: &View) -> String {
    let operation = shown::step(operation, &view.here);
    let mut label = format!("T{} {}", operation.thread, text::operation(&operation));
    if let Some(choice) = choice {
        let before = if operation.operation == "choose" {
            " "
        } else {
            ": "
        };
        label += &format!("{before}{choice}");
    }
    match operation.place.file.is_empty() {
        true => label,
        false => format!(
            "{label} ({}:{})",
            operation.place.file, operation.place.line
        ),
    }
}
