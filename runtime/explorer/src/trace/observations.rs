//! Who read which store of an execution ([`crate::observers`] notes it).

use super::row::{widen, Row};
use crate::conflict::Object;
use dpor_model::ThreadId;

/// A read of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    /// The store, and its place in the log of its cell.
    pub store: u32,
    pub cell: Object,
    pub index: u32,
    pub reader: Reader,
    /// Kept as long as this event is.
    pub at: u32,
    /// For the first observation of a store: the run it was in.
    pub run: Option<u32>,
}

/// Who read a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    /// An event.
    Event(u32),
    /// A thread, right after what it had done last, before its next event.
    Plain(ThreadId, Row),
}

/// The observations of an execution, in order.
#[derive(Default)]
pub(crate) struct Observations {
    pub list: Vec<Observation>,
    /// The observation that changed a clock, whose clock.
    pub changed: Vec<(u32, Row)>,
    /// What the changed clocks were.
    pub clocks: Vec<u32>,
}

impl Observations {
    pub fn list(&self) -> &[Observation] {
        &self.list
    }

    /// True if one of them put an event after another that it did not happen after otherwise.
    pub fn add_edges(&self) -> bool {
        !self.changed.is_empty()
    }

    pub fn widen(&mut self, from: usize, to: usize) {
        self.clocks = widen(&self.clocks, from, to);
    }
}
