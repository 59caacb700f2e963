//! A trace as a code flow: one thread flow per thread, the order of all events in
//! `executionOrder`.

use super::locations::Locations;
use super::message::message;
use crate::report::moments::{self, Moment};
use dpor_report::{steps, Finding};
use serde_json::json;
use serde_sarif::sarif::{CodeFlow, ThreadFlow, ThreadFlowLocation};
use std::collections::BTreeMap;

/// The trace of a finding; `None` if there is none.
pub fn code_flow(finding: &Finding, locations: &mut Locations<'_>) -> Option<CodeFlow> {
    let mut threads: BTreeMap<u32, Vec<ThreadFlowLocation>> = BTreeMap::new();
    let since = moments::since_common(finding);
    let mut matters = steps::mattering(finding);
    matters
        .iter_mut()
        .zip(since)
        .for_each(|(matters, since)| *matters |= since);
    for (order, moment) in (1..).zip(moments::moments(finding)) {
        let mut event = event(&moment, order, locations);
        if !moment.is_step {
            event.importance = Some(json!("essential"));
        } else if !matters[moment.at] {
            event.importance = Some(json!("unimportant"));
        }
        threads.entry(moment.step.thread).or_default().push(event);
    }
    let mut last: Vec<u32> = finding.accesses.iter().map(|a| a.thread).collect();
    last.extend(finding.trace.last().map(|step| step.thread));
    for thread in last {
        // What the thread did last led to the finding.
        if let Some(event) = threads
            .get_mut(&thread)
            .and_then(|events| events.last_mut())
        {
            event.importance = Some(json!("essential"));
        }
    }
    let flows: Vec<ThreadFlow> = threads.into_iter().map(thread_flow).collect();
    let is_empty = flows.is_empty();
    let flow = CodeFlow::builder()
        .message(message("events up to the finding"))
        .thread_flows(flows)
        .build();
    (!is_empty).then_some(flow)
}

fn thread_flow((thread, events): (u32, Vec<ThreadFlowLocation>)) -> ThreadFlow {
    ThreadFlow::builder()
        .id(format!("T{thread}"))
        .locations(events)
        .build()
}

fn event(moment: &Moment<'_>, order: i64, locations: &mut Locations<'_>) -> ThreadFlowLocation {
    let step = &moment.step;
    let mut what = format!("T{}: {}", step.thread, moment.text());
    if !moment.note.is_empty() {
        what += &format!("; {}", moment.note);
    }
    let mut event = ThreadFlowLocation::builder()
        .execution_order(order)
        .location(locations.at(&step.place, &what))
        .build();
    let kinds = kinds(&step.operation);
    if !kinds.is_empty() {
        event.kinds = Some(kinds.iter().map(|kind| (*kind).to_owned()).collect());
    }
    event
}

/// SARIF's words for an operation (§3.38.8), where it has any.
fn kinds(operation: &str) -> &'static [&'static str] {
    match operation {
        "lock" | "trylock" | "read-lock" | "write-lock" | "read-trylock" | "write-trylock" => {
            &["acquire", "lock"]
        }
        "unlock" | "rwlock-unlock" => &["release", "lock"],
        "sem-wait" | "sem-trywait" => &["acquire", "resource"],
        "sem-post" => &["release", "resource"],
        _ => &[],
    }
}
