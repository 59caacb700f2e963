//! Two parts of one check, each with a report: what they found and how fast they were.

use dpor_report::{Executions, Finding};

/// Executions per second of this check.
pub fn rate(executions: Executions, resumed: u64, seconds: f64) -> f64 {
    match seconds > 0.0 {
        true => (executions.total() - resumed) as f64 / seconds,
        false => 0.0,
    }
}

/// The findings of the first part, and those that are new in the second.
pub fn findings(mut all: Vec<Finding>, more: Vec<Finding>) -> Vec<Finding> {
    for one in more {
        match all.iter_mut().find(|known| is_same(known, &one)) {
            Some(known) => known.executions += one.executions,
            None => all.push(one),
        }
    }
    all
}

/// Whether two findings are one: what, on what, and where, in whatever order and by whatever thread.
fn is_same(a: &Finding, b: &Finding) -> bool {
    let places = |finding: &Finding| {
        let accesses = finding.accesses.iter();
        let mut places: Vec<_> = accesses
            .map(|access| (access.access.clone(), format!("{:?}", access.place)))
            .collect();
        places.sort();
        places
    };
    (a.kind, &a.message, &a.object, &a.details) == (b.kind, &b.message, &b.object, &b.details)
        && places(a) == places(b)
}
