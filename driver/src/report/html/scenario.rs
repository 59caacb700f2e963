//! The calls of a scenario, as bars over the time, and the orders of them that come nearest.
//!
//! ```text
//!            time →
//!       T1 | [put(1) = true         ]
//!       T2 |           [take() = 1  ]  take() not begun
//! ```
//!
//! Columns are the moments that the report has: bars that share a column overlap. Texts are broken where they do not fit, so
//! that rows grow with them.

use crate::report::names_of_threads::name;
use dpor_report::{
    CallState, Finding, FindingKind, OrderKind, OrderedCall, Scenario, ScenarioCall, ScenarioOrder,
};
use maud::{html, Markup};
use std::collections::BTreeSet;

/// The drawing with the orders below it; nothing if the finding is of no scenario.
pub fn markup(finding: &Finding) -> Markup {
    html! {
        @if let Some(scenario) = &finding.scenario {
            (drawing(scenario, finding))
            (orders(scenario))
        }
    }
}

fn drawing(scenario: &Scenario, finding: &Finding) -> Markup {
    let begun = || {
        scenario
            .calls
            .iter()
            .filter(|call| call.state != CallState::NotBegun)
    };
    let moments = begun().map(|call| call.to + 1).max().unwrap_or(0);
    let has_rest = begun().count() < scenario.calls.len();
    let threads: BTreeSet<u32> = scenario.calls.iter().map(|call| call.thread).collect();
    let rest = if has_rest { " var(--rest)" } else { "" };
    let template =
        format!("--moments:{moments};--columns:var(--lead) repeat({moments},minmax(0,1fr)){rest}");
    let axis = match scenario.timed {
        true => "time: bars that share a column overlap",
        false => "each thread's calls in their order; no time is compared",
    };
    html! {
        div.calls-drawn role="region" aria-label="Calls" tabindex="0" {
            div.diagram.rest[has_rest] style=(template) {
                p.axis { span { (axis) } }
                @for thread in &threads {
                    ol.thread aria-label=(format!("T{thread}")) {
                        li.lead title=(name(&finding.threads, *thread)) { "T" (thread) }
                        @for call in scenario.calls.iter().filter(|call| call.thread == *thread) {
                            (bar(call, moments, finding.kind))
                        }
                    }
                }
            }
        }
    }
}

/// The bar of a call.
fn bar(call: &ScenarioCall, moments: u32, kind: FindingKind) -> Markup {
    // Column 1 is the thread's name. A call that has begun and not returned goes on to the end.
    let to = match call.state {
        CallState::Begun => moments + 2,
        _ => call.to + 3,
    };
    let style = format!("grid-column:{}/{to}", call.from + 2);
    html! {
        @match call.state {
            CallState::NotBegun => li.not-begun { code { (call.name) } " " span { "not begun" } },
            CallState::Begun => li.call.open style=(style) {
                code { (call.name) } " " span.outcome { (if kind == FindingKind::Deadlock { "waits" } else { "has not returned" }) }
            },
            CallState::Returned => li.call style=(style) { (made(&call.name, call.result.as_deref())) },
        }
    }
}

/// `push(1)`, `pop() = 1`.
fn made(name: &str, result: Option<&str>) -> Markup {
    html! { code { (name) @if let Some(result) = result { " = " b { (result) } } } }
}

fn orders(scenario: &Scenario) -> Markup {
    let of = |kind| {
        scenario
            .orders
            .iter()
            .filter(move |order| order.kind == kind)
    };
    let nearest: Vec<&ScenarioOrder> = of(OrderKind::Nearest).collect();
    let title = match nearest.len() {
        1 => "The nearest order of the calls, one after the other",
        _ => "The nearest orders of the calls, one after the other",
    };
    html! {
        @if !nearest.is_empty() {
            div.orders {
                h3 { (title) }
                @for order in nearest { (chain(order, scenario)) }
            }
        }
        @for order in of(OrderKind::SequentiallyConsistent) {
            div.orders.explains {
                h3 { "An order that has these results, and keeps no more than the order of each thread's calls" }
                (chain(order, scenario))
            }
        }
    }
}

/// The calls of an order; what has another result in it is marked.
fn chain(order: &ScenarioOrder, scenario: &Scenario) -> Markup {
    html! {
        ol.order {
            @for ordered in &order.calls {
                @if let Some(call) = scenario.calls.get(ordered.call as usize) { (link(ordered, call)) }
            }
        }
    }
}

fn link(ordered: &OrderedCall, call: &ScenarioCall) -> Markup {
    html! {
        li.differs[ordered.differs] {
            span.by { "T" (call.thread) } " "
            @if ordered.waits { code { (call.name) } " waits" } @else { (made(&call.name, ordered.result.as_deref())) }
            @if ordered.differs {
                span.but {
                    "but T" (call.thread) " "
                    @match (call.state, &call.result) {
                        (CallState::Returned, Some(result)) => { "has " code { b { (result) } } }
                        (CallState::Returned, None) => { "has no result" }
                        _ => { "waits" }
                    }
                }
            }
        }
    }
}
