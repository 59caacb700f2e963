//! No search of its own: whoever drives the explorer says which step comes next (`crate::states`).

use super::Search;
use crate::config::{Config, SearchKind};
use crate::end::Fault;
use crate::trace::Trace;
use crate::Program;
use dpor_model::ThreadId;

/// The search of an explorer that is driven from outside, one step at a time.
pub(crate) struct Driven;

impl Search for Driven {
    fn new(config: &mut Config) -> Option<Self> {
        (config.search == SearchKind::States).then_some(Driven)
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        None
    }

    fn has_more(&self) -> bool {
        false
    }

    fn next_step<P: Program>(
        &mut self,
        _: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        Ok(None)
    }
}
