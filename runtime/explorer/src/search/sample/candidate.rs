//! What a method draws from.

use crate::object::Alternatives;
use dpor_model::ThreadId;

/// A thread that can go on, and in which ways.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub thread: ThreadId,
    pub alternatives: Alternatives,
}
