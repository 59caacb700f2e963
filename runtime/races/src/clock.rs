//! Vector clocks, as rows of one undoable table.
//!
//! *Source:* Mattern, "Virtual time and global states of distributed systems" (1989); the use for
//! races is that of Flanagan and Freund, "FastTrack" (PLDI 2009).
//!
//! *Shape:* `row[s]` = the last epoch of clock slot `s` that the owner of the row knows to have
//! happened before. A slot belongs to one thread number (see `thread.rs`). Only the first
//! `width` entries of a row can be non-zero. In front of them are three more words. The first is 1 if the owner may
//! *lack* knowledge that this order of the execution would have given it (`update.rs`); whoever learns
//! from such a row may lack it too. The second is the least that a clock may show to the owner, who came later than
//! somebody of whom it knows nothing ([`crate::Races::come_later`]). The third is how long somebody slept before, in
//! milliseconds ([`crate::Races::sleep`]); whoever learns from a row comes later than all that.

use crate::entry::SLOT_BITS;
use crate::undo::Table;

/// Clock slots that there can be. A thread number uses one, or several if it is reused without an order.
pub(crate) const SLOTS_MAX: usize = 1 << SLOT_BITS;

/// Words in front of the entries.
const FRONT: u32 = 3;

/// The place of each of these words.
const LACKS: u32 = 0;
const LATER: u32 = 1;
const SLEPT: u32 = 2;

/// A vector clock: the index of its first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row(u32);

/// All vector clocks, and single words that are undone with them.
pub(crate) struct Clocks {
    words: Table<u32>,
    /// One more than the highest slot ever used. The width never shrinks, which costs time only.
    width: usize,
    /// Entries of each row: the slots that there can be.
    slots: usize,
    /// All rows, as they were made.
    rows: Vec<Row>,
}

impl Clocks {
    pub(crate) fn new(slots: usize) -> Self {
        assert!(
            slots <= SLOTS_MAX,
            "[dpor internal bug] {slots} clock slots"
        );
        Clocks {
            words: Table::new(),
            width: 0,
            slots,
            rows: Vec::new(),
        }
    }

    /// A new clock that knows nothing.
    pub(crate) fn row(&mut self) -> Row {
        let row = Row(self.words.grow(FRONT as usize + self.slots, 0));
        self.rows.push(row);
        row
    }

    /// Tells of each row: its number, whether its owner may lack knowledge, the entries that can be non-zero.
    pub(crate) fn each_row(&self, mut each: impl FnMut(u32, bool, &[u32])) {
        for (number, &row) in self.rows.iter().enumerate() {
            each(number as u32, self.is_lacking(row), self.entries(row));
        }
    }

    /// Tells of each row: its number, and [`Clocks::slept`].
    pub(crate) fn each_sleep(&self, mut each: impl FnMut(u32, u32)) {
        for (number, &row) in self.rows.iter().enumerate() {
            each(number as u32, self.slept(row));
        }
    }

    /// Slots that there can be.
    pub(crate) fn slots(&self) -> usize {
        self.slots
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
        self.words.get(row.0 + FRONT + slot)
    }

    pub(crate) fn set_entry(&mut self, row: Row, slot: u32, value: u32) {
        self.words.set(row.0 + FRONT + slot, value);
    }

    /// The entries that can be non-zero.
    #[inline]
    pub(crate) fn entries(&self, row: Row) -> &[u32] {
        self.words.slice(row.0 + FRONT, self.width)
    }

    /// `into` learns everything that `from` knows.
    pub(crate) fn join(&mut self, into: Row, from: Row) {
        let words = FRONT as usize + self.width;
        self.words.combine(into.0, from.0, words, u32::max);
    }

    /// Whether the owner of `row` may lack knowledge that this order of the execution would have given it.
    #[inline]
    pub(crate) fn is_lacking(&self, row: Row) -> bool {
        self.words.get(row.0 + LACKS) != 0
    }

    /// The owner of `row` does not learn what `from` knows, though it would in this order; `known`
    /// is known to it besides.
    pub(crate) fn lack(&mut self, row: Row, known: Row, from: Row) {
        let (has, also) = (self.entries(row), self.entries(known));
        let mut entries = self.entries(from).iter().zip(has.iter().zip(also));
        if self.is_lacking(from) || entries.any(|(new, (a, b))| new > a.max(b)) {
            self.words.set(row.0 + LACKS, 1);
        }
    }

    /// A lower bound of the owner's time: the sum of the entries of `row`, or more if the owner came later than
    /// somebody.
    pub(crate) fn time(&self, row: Row) -> u64 {
        let known: u64 = self
            .entries(row)
            .iter()
            .map(|&entry| u64::from(entry))
            .sum();
        known.max(self.words.get(row.0 + LATER).into())
    }

    /// Notes that the owner of `row` goes on later than the owner of `than`, of which it learns nothing.
    pub(crate) fn set_later(&mut self, row: Row, than: Row) {
        let time = u32::try_from(self.time(than) + 1).unwrap_or(u32::MAX);
        let known = self.words.get(row.0 + LATER);
        self.words.set(row.0 + LATER, known.max(time));
        self.sleep(row, self.slept(than));
    }

    /// Milliseconds that somebody slept before what the owner of `row` does next.
    pub(crate) fn slept(&self, row: Row) -> u32 {
        self.words.get(row.0 + SLEPT)
    }

    /// The owner of `row` has slept until `milliseconds`, at least.
    pub(crate) fn sleep(&mut self, row: Row, milliseconds: u32) {
        if milliseconds > self.slept(row) {
            self.words.set(row.0 + SLEPT, milliseconds);
        }
    }

    /// `into` becomes equal to `from`.
    pub(crate) fn copy(&mut self, into: Row, from: Row) {
        let words = FRONT as usize + self.width;
        self.words.combine(into.0, from.0, words, |_, new| new);
    }

    /// `row` forgets everything.
    pub(crate) fn clear(&mut self, row: Row) {
        for word in 0..FRONT + self.width as u32 {
            self.words.set(row.0 + word, 0);
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
