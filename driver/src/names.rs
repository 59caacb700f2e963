//! placeholder
use dpor_report::{LoadedObject, Report};
/// Names.
pub fn complete(_report: &mut Report, _loaded: &[LoadedObject]) {}
