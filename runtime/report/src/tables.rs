//! What a report counts, as lists: outcomes, and calls that were not controlled.

use crate::text::{counted, grouped, place, prefixed};
use crate::{OpaqueCall, Report};

/// The table of `--outcomes`; empty without outcomes.
pub fn outcomes(report: &Report) -> String {
    if report.outcomes.is_empty() {
        return String::new();
    }
    let distinct = counted(report.outcomes.len() as u64, "distinct outcome");
    let rows: Vec<(String, String)> = report
        .outcomes
        .iter()
        .map(|outcome| {
            let values = outcome.values.iter();
            let values: Vec<String> = values.map(|(name, v)| format!("{name}={v}")).collect();
            (grouped(outcome.executions), values.join("  "))
        })
        .collect();
    let width = rows.iter().map(|(n, _)| n.len()).max().unwrap_or(0);
    rows.iter()
        .fold(format!("{distinct}:\n"), |text, (n, values)| {
            text + &format!("  {n:>width$} ×  {values}\n")
        })
}

/// One line for each system call that conflicts with everything.
pub fn opaque_calls(report: &Report) -> String {
    let line = |call: &OpaqueCall| {
        let mut text = format!("opaque: system call {}", call.system_call);
        text += &prefixed(" in ", &call.function);
        text += &prefixed(" of ", &call.object);
        text += &prefixed(", ", &place(&call.place));
        text + "\n"
    };
    report.opaque_calls.iter().map(line).collect()
}
