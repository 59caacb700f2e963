//! One rule per kind of finding, with what it means and what to do.

use dpor_report::{FindingKind, Severity};
use serde_json::json;
use serde_sarif::sarif::{MultiformatMessageString, ReportingConfiguration, ReportingDescriptor};

/// All rules, in the order of [`FindingKind::ALL`].
pub fn all() -> Vec<ReportingDescriptor> {
    FindingKind::ALL.into_iter().map(rule).collect()
}

/// The place of a kind's rule among them.
pub fn index(kind: FindingKind) -> i64 {
    let position = FindingKind::ALL.iter().position(|other| *other == kind);
    // -1 is SARIF's word for none.
    position.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)
}

fn rule(kind: FindingKind) -> ReportingDescriptor {
    let level = match kind.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let (what, help) = kind.explained();
    ReportingDescriptor::builder()
        .id(kind.to_string())
        .name(format!("{kind:?}"))
        .short_description(string(what))
        .help(string(help))
        .default_configuration(
            ReportingConfiguration::builder()
                .level(json!(level))
                .build(),
        )
        .build()
}

fn string(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}
