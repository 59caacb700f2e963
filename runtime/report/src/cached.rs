//! A verdict that is an earlier check's, in words.

use crate::estimate::duration;
use crate::Report;

/// What the line of the verdict says of it: ` (cached)`, or of when it is; empty if it is this check's.
pub fn said(report: &Report) -> String {
    match report.cached_seconds {
        Some(seconds) => format!(" (cached, by clocks of {} ago)", duration(seconds as f64)),
        None if report.cached => " (cached)".to_owned(),
        None => String::new(),
    }
}
