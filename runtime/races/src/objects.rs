//! Clocks of synchronization objects that are not memory: mutexes, condition variables, once, …
//!
//! An object is a name. Its clock holds what has been released to it; an object that is not known yet
//! has an empty clock, so creating one need not be undone. The low 56 bits of a name are the address
//! of the object, if it has one: memory that is allocated again holds no object yet.

use crate::clock::{Clocks, Row};
use crate::hash::Map;
use std::collections::BTreeSet;

/// Name → clock.
pub(crate) struct Objects {
    rows: Map<u64, Row>,
    /// (address, name) of each, for finding those in a block.
    places: BTreeSet<(u64, u64)>,
}

const ADDRESS: u64 = (1 << 56) - 1;

impl Objects {
    pub(crate) fn new() -> Self {
        Objects {
            rows: Map::default(),
            places: BTreeSet::new(),
        }
    }

    pub(crate) fn row(&mut self, clocks: &mut Clocks, name: u64) -> Row {
        *self.rows.entry(name).or_insert_with(|| {
            self.places.insert((name & ADDRESS, name));
            clocks.row()
        })
    }

    /// Clocks of the objects at addresses `start..end`.
    pub(crate) fn within(&self, start: u64, end: u64) -> impl Iterator<Item = Row> + '_ {
        let places = self.places.range((start, 0)..(end, 0));
        places.map(|(_, name)| self.rows[name])
    }

    pub(crate) fn known(&self, name: u64) -> Option<Row> {
        self.rows.get(&name).copied()
    }
}
