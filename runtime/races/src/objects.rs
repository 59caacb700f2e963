//! Clocks of synchronization objects that are not memory: mutexes, condition variables, once, …
//!
//! An object is a name. Its clock holds what has been released to it; an object that is not known yet
//! has an empty clock, so creating one need not be undone.

use crate::clock::{Clocks, Row};
use crate::hash::Map;

/// Name → clock.
pub(crate) struct Objects {
    rows: Map<u64, Row>,
}

impl Objects {
    pub(crate) fn new() -> Self {
        Objects {
            rows: Map::default(),
        }
    }

    pub(crate) fn row(&mut self, clocks: &mut Clocks, name: u64) -> Row {
        *self.rows.entry(name).or_insert_with(|| clocks.row())
    }

    pub(crate) fn known(&self, name: u64) -> Option<Row> {
        self.rows.get(&name).copied()
    }
}
