//! Ends and faults of the search, as the engine asks for them and says them.

use dpor_explorer::{End, Fault};

/// Whether an end means that every thread ran to its end.
pub fn is_whole(end: &End) -> bool {
    matches!(end, End::Complete | End::Exited)
}

/// A fault of the search itself, as a sentence.
pub fn describe(fault: &Fault) -> String {
    format!("{fault:?}")
}
