//! A table of words that can go back in time.
//!
//! All state of the detector that an execution changes is either such a [`Table`] or keeps a log of
//! the same form: every overwritten value is appended to the log, a mark is the length of the log,
//! and going back to a mark writes the old values back, newest first. A rollback therefore costs
//! what changed since the mark, and nothing that did not change.
//!
//! What a table has grown by stays after a rollback, with the value it grew with: interned names and
//! rows of clocks are reused by the next execution.

/// Words of type `V`, each change of which can be undone.
///
/// *Shape:* `log[k] = (index, value before the k-th change)`.
pub(crate) struct Table<V> {
    values: Vec<V>,
    log: Vec<(u32, V)>,
    logging: bool,
}

impl<V: Copy + PartialEq> Table<V> {
    pub(crate) fn new() -> Self {
        Table {
            values: Vec::new(),
            log: Vec::new(),
            logging: false,
        }
    }

    /// Adds `count` words of value `value` and returns the index of the first.
    pub(crate) fn grow(&mut self, count: usize, value: V) -> u32 {
        let first = self.values.len();
        assert!(
            first + count < u32::MAX as usize,
            "[dpor internal bug] race state beyond 2^32 words"
        );
        self.values.resize(first + count, value);
        first as u32
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> V {
        self.values[index as usize]
    }

    /// `count` words from `index` on.
    #[inline]
    pub(crate) fn slice(&self, index: u32, count: usize) -> &[V] {
        &self.values[index as usize..index as usize + count]
    }

    /// Changes one word; a change to the same value is none.
    #[inline]
    pub(crate) fn set(&mut self, index: u32, value: V) {
        let place = &mut self.values[index as usize];
        if *place != value {
            if self.logging {
                self.log.push((index, *place));
            }
            *place = value;
        }
    }

    /// Changes each of the `count` words from `into` on to `choose(it, the one at the same distance from
    /// `from`)`. The two ranges are the same or do not overlap.
    #[inline]
    pub(crate) fn combine(
        &mut self,
        into: u32,
        from: u32,
        count: usize,
        choose: impl Fn(V, V) -> V,
    ) {
        let (a, b) = (into as usize, from as usize);
        let (targets, sources) = if a < b {
            let (low, high) = self.values.split_at_mut(b);
            (&mut low[a..a + count], &high[..count])
        } else if a > b {
            let (low, high) = self.values.split_at_mut(a);
            (&mut high[..count], &low[b..b + count])
        } else {
            return;
        };
        for (index, (target, &source)) in (into..).zip(targets.iter_mut().zip(sources)) {
            let value = choose(*target, source);
            if value != *target {
                if self.logging {
                    self.log.push((index, *target));
                }
                *target = value;
            }
        }
    }

    /// Starts to keep a log, and returns the point in it to go back to.
    pub(crate) fn mark(&mut self) -> usize {
        self.logging = true;
        self.log.len()
    }

    pub(crate) fn rollback(&mut self, point: usize) {
        for (index, value) in self.log.drain(point..).rev() {
            self.values[index as usize] = value;
        }
    }

    /// Forgets the log: no mark is left.
    pub(crate) fn stop(&mut self) {
        self.logging = false;
        self.log.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn goes_back_to_any_mark() {
        let mut table = Table::new();
        table.grow(3, 0u32);
        table.set(0, 7);
        let outer = table.mark();
        table.set(0, 8);
        let inner = table.mark();
        table.set(0, 9);
        table.set(2, 1);
        table.rollback(inner);
        assert_eq!(table.slice(0, 3), [8, 0, 0]);
        table.set(1, 5);
        table.rollback(outer);
        assert_eq!(table.slice(0, 3), [7, 0, 0]);
        table.rollback(outer);
        assert_eq!(table.get(0), 7);
    }

    #[test]
    fn combines_in_both_directions() {
        let mut table = Table::new();
        table.grow(4, 0u32);
        table.set(0, 5);
        table.set(3, 7);
        let mark = table.mark();
        table.combine(2, 0, 2, u32::max);
        assert_eq!(table.slice(0, 4), [5, 0, 5, 7]);
        table.combine(0, 2, 2, |_, new| new);
        assert_eq!(table.slice(0, 4), [5, 7, 5, 7]);
        table.combine(0, 0, 4, |_, _| 9);
        table.rollback(mark);
        assert_eq!(table.slice(0, 4), [5, 0, 0, 7]);
    }
}
