//! Which objects are counts of references, as far as increments of them commute with drops (`crate::increments`).

use crate::conflict::Object;

/// What is known of counts.
#[derive(Default)]
pub(crate) struct References {
    /// Increments commute with counters that were told "no".
    pub increments: bool,
    /// The objects that are a [`dpor_model::Counter::LAST`].
    counters: Vec<Object>,
    /// Those at which threads look.
    looked: Vec<Object>,
    /// Cells for which somebody waits.
    waited: Vec<Object>,
    /// Increments were taken to commute with drops that do not.
    miscounted: bool,
    /// That was so, and since then they are not.
    pub gave_up: bool,
}

impl References {
    /// The object is a counter. `looks`: somebody looks at it.
    pub fn note(&mut self, object: Object, looks: bool) {
        if !self.increments {
            return;
        }
        if !self.counters.contains(&object) {
            self.counters.push(object);
        }
        if looks && !self.looked.contains(&object) {
            self.looked.push(object);
            self.miscounted |= self.waited.contains(&object);
        }
    }

    /// Somebody waits for a value of the cell: it is let go on by some orders of what changes a count.
    pub fn await_in(&mut self, cell: Object) {
        if self.increments && !self.waited.contains(&cell) {
            self.waited.push(cell);
            self.miscounted |= self.looked.contains(&cell);
        }
    }

    /// The counters, if increments commute with drops.
    pub fn counters(&self) -> &[Object] {
        &self.counters
    }

    /// Whether increments were taken to commute with drops that do not.
    pub fn is_miscounted(&self) -> bool {
        self.miscounted
    }

    /// Increments were taken to commute with drops that do not.
    pub fn note_miscounted(&mut self) {
        self.miscounted = true;
    }

    /// If that is so, no increment is taken to commute with drops from now on. Returns whether it was.
    pub fn give_up(&mut self) -> bool {
        let miscounted = self.miscounted;
        if miscounted {
            *self = References {
                gave_up: true,
                ..References::default()
            };
        }
        miscounted
    }
}
