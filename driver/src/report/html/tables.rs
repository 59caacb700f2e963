//! The scope of the check, its outcomes, and what few preemptions reach.

use dpor_report::{text, Coverage, Report};
use maud::{html, Markup};
use std::collections::BTreeSet;

/// A table of what was explored, how, and what was not seen.
pub fn facts(report: &Report) -> Markup {
    let executions = &report.executions;
    let counters = [
        ("complete", executions.complete),
        ("blocked", executions.blocked),
        ("redundant", executions.redundant),
        ("over the bound", executions.bound_exceeded),
        ("deadlocked", executions.deadlocked),
        ("failed", executions.failed),
    ];
    let counters = counters.iter().filter(|(_, count)| *count > 0);
    let counters: Vec<String> = counters
        .map(|(name, count)| format!("{} {name}", text::grouped(*count)))
        .collect();
    let bound = report.bound.map(|bound| text::counted(bound, "preemption"));
    let facts = [
        ("search", report.search.clone()),
        ("bound", bound.unwrap_or_default()),
        ("model", report.model.clone()),
        ("reductions", report.reductions.join(", ")),
        ("executions", counters.join(", ")),
        ("threads", report.threads_max.to_string()),
        ("time", format!("{:.3} s", report.seconds.wall)),
        ("instrumented", report.scope.instrumented.join(", ")),
        ("not instrumented", report.scope.uninstrumented.join(", ")),
        ("samples", text::samples_line(report)),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// A column for each name given to `dpor_observe`; empty without outcomes.
pub fn outcomes(report: &Report) -> Markup {
    let names = report
        .outcomes
        .iter()
        .flat_map(|outcome| outcome.values.keys());
    let names: BTreeSet<&String> = names.collect();
    html! {
        @if !report.outcomes.is_empty() {
            section.outcomes {
                h2 { (text::counted(report.outcomes.len() as u64, "distinct outcome")) }
                div.wide role="region" aria-label="Outcomes" tabindex="0" {
                    table {
                        thead { tr {
                            @for name in &names { th scope="col" { code { (name) } } }
                            th scope="col" { "executions" }
                        } }
                        tbody {
                            @for outcome in &report.outcomes {
                                tr {
                                    @for name in &names {
                                        td { @if let Some(value) = outcome.values.get(*name) { (value) } }
                                    }
                                    td { (text::grouped(outcome.executions)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A bar for executions and one for states at each bound; empty if there was no bound.
pub fn coverage(report: &Report) -> Markup {
    html! {
        @if !report.coverage.is_empty() {
            section.coverage {
                h2 { "What few preemptions reach" }
                (chart(&report.coverage))
                table {
                    thead { tr {
                        th scope="col" { "preemptions" }
                        th scope="col" { "executions" }
                        th scope="col" { "states" }
                    } }
                    tbody {
                        @for row in &report.coverage {
                            tr {
                                td { "≤ " (row.bound) }
                                td { (text::grouped(row.executions)) }
                                td { (text::grouped(row.states)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Height of a bar of the chart, and of the space between two bounds.
const BAR: usize = 12;
/// Length of the longest bar.
const LONGEST: f64 = 300.0;

/// Each of the two kinds of bars has its own scale: there are many more states than executions.
fn chart(rows: &[Coverage]) -> Markup {
    let executions = rows.iter().map(|row| row.executions).max().unwrap_or(0);
    let states = rows.iter().map(|row| row.states).max().unwrap_or(0);
    let length = |count: u64, most: u64| LONGEST * count as f64 / most.max(1) as f64;
    let height = rows.len() * 3 * BAR + 2 * BAR;
    let x = 30;
    html! {
        svg.chart role="img" viewBox=(format!("0 0 420 {height}"))
            aria-label="Executions and states by bound, each relative to its most; the table has the numbers"
        {
            text.executions x=(x) y="10" { "executions" }
            text.states x=(x + 80) y="10" { "states" }
            @for (number, row) in rows.iter().enumerate() {
                @let y = number * 3 * BAR + 2 * BAR;
                text x="0" y=(y + BAR) { "≤ " (row.bound) }
                @for (class, count, most, y) in [
                    ("executions", row.executions, executions, y - BAR / 2),
                    ("states", row.states, states, y + BAR / 2),
                ] {
                    @let length = length(count, most);
                    rect class=(class) x=(x) y=(y) height=(BAR - 1) width=(format!("{length:.1}")) {}
                    text x=(format!("{:.1}", x as f64 + length + 4.0)) y=(y + BAR - 2) { (text::grouped(count)) }
                }
            }
        }
    }
}
