//! Vector clocks, as rows of one undoable table.
//!
//! *Source:* Mattern, "Virtual time and global states of distributed systems" (1989); the use for
//! races is that of Flanagan and Freund, "FastTrack" (PLDI 2009).
//!
//! *Shape:* `row[s]` = the last epoch of clock slot `s` that the owner of the row knows to have
//! happened before. A slot belongs to one thread number (see `thread.rs`). Only the first
//! `width` entries of a row can be non-zero.

use crate::undo::Table;

/// Clock slots that exist. A thread number uses one, or several if it is reused without an order.
pub(crate) const SLOTS: usize = 128;

/// A vector clock: the index of its first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row(u32);

/// All vector clocks, and single words that are undone with them.
pub(crate) struct Clocks {
    words: Table<u32>,
    /// One more than the highest slot ever used; it never shrinks, which costs time only.
    width: usize,
}

impl Clocks {
    pub(crate) fn new() -> Self {
        Clocks {
            words: Table::new(),
            width: 0,
        }
    }

    /// A new clock that knows nothing.
    pub(crate) fn row(&mut self) -> Row {
        Row(self.words.grow(SLOTS, 0))
    }

    /// A new word outside any clock, and its index for [`Clocks::word`] and [`Clocks::set_word`].
    pub(crate) fn new_word(&mut self, value: u32) -> u32 {
        self.words.grow(1, value)
    }

    pub(crate) fn word(&self, index: u32) -> u32 {
        self.words.get(index)
    }

    pub(crate) fn set_word(&mut self, index: u32, value: u32) {
        self.words.set(index, value);
    }

    pub(crate) fn widen(&mut self, slot: u32) {
        self.width = self.width.max(slot as usize + 1);
    }

    #[inline]
    pub(crate) fn entry(&self, row: Row, slot: u32) -> u32 {
        self.words.get(row.0 + slot)
    }

    pub(crate) fn set_entry(&mut self, row: Row, slot: u32, value: u32) {
        self.words.set(row.0 + slot, value);
    }

    /// The entries that can be non-zero.
    #[inline]
    pub(crate) fn entries(&self, row: Row) -> &[u32] {
        self.words.slice(row.0, self.width)
    }

    /// `into` learns everything that `from` knows.
    pub(crate) fn join(&mut self, into: Row, from: Row) {
        self.words.combine(into.0, from.0, self.width, u32::max);
    }

    /// `into` becomes equal to `from`.
    pub(crate) fn copy(&mut self, into: Row, from: Row) {
        self.words.combine(into.0, from.0, self.width, |_, new| new);
    }

    /// `row` forgets everything.
    pub(crate) fn clear(&mut self, row: Row) {
        for slot in 0..self.width as u32 {
            self.words.set(row.0 + slot, 0);
        }
    }

    pub(crate) fn mark(&mut self) -> usize {
        self.words.mark()
    }

    pub(crate) fn rollback(&mut self, point: usize) {
        self.words.rollback(point);
    }

    pub(crate) fn stop(&mut self) {
        self.words.stop();
    }
}
