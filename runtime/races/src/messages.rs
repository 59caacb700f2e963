//! The messages of atomic objects: a load learns the clock published with the value that it reads.
//!
//! An execution is one sequentially consistent interleaving, so a load reads the last write of each
//! byte. The clock published with that write is the byte's *message*. Bytes written together share
//! one: a granule's atomic bytes are cut into **cells**, runs of bytes with one message each. Accesses
//! of one width find one cell; when widths mix, cells are split into bytes, and each byte keeps the
//! message of its own last write. A plain write publishes nothing, so it leaves an empty message.
//!
//! What the last *run* of commuting updates published (`update.rs`) is kept apart from the message until
//! the run is over, because members of the run do not learn it.
//!
//! *Shape:* per granule one undoable word, `touched | starts << 8`: bit b of `touched`, byte b was
//! accessed atomically since its memory was allocated; bit b of `starts`, a cell starts at byte b. It
//! extends to the next start or the next untouched byte. `rows[b]`: message of the cell that starts at
//! b; not meaningful for other b. `runs[b]`: the same for the last run.

use crate::clock::{Clocks, Row};
use crate::entry::Epoch;
use crate::shadow::{Cell, PAGE_CELLS};

/// The atomic bytes of one granule.
struct Granule {
    state: u32,
    last: LastWrite,
    /// True if plain accesses to the granule are to be noted ([`Messages::watch`]). That stays when marks are gone back
    /// to.
    is_watched: bool,
    rows: [Option<Row>; 8],
    runs: [Option<Run>; 8],
}

/// The last plain write to atomic bytes, in words.
#[derive(Clone, Copy)]
struct LastWrite {
    /// Word: the epoch of that write; 0 if there was none since the granule has atomic bytes.
    epoch: u32,
    /// Word: the bytes that it wrote, as a mask.
    mask: u32,
    /// Word: a bit for each byte of the granule from which a reader does not learn of the write now.
    hidden: u32,
    /// Word: bytes from which a reader learned of the write and later no longer did, all of them and perhaps others, as
    /// a mask.
    again: u32,
    /// Words: for each byte that was written behind the plain write, one more than the number of the last event that
    /// wrote the byte while its readers did not learn of the plain write.
    ends: [u32; 8],
}

/// Instead of an event's number: updates, which may come in another order.
const UPDATED: u32 = u32::MAX;

/// What the members of the last run of updates published.
#[derive(Clone, Copy)]
struct Run {
    row: Row,
    /// Word: the class that the members have in common; 0 if there is no run.
    class: u32,
}

/// The messages of all atomic objects.
pub(crate) struct Messages {
    granules: Vec<Granule>,
    /// `pages[p][c]` = one more than the index of the granule of cell c of page p.
    pages: Vec<Option<Box<[u32; PAGE_CELLS as usize]>>>,
}

/// The cells of one access: granule and the bytes at which they start.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    granule: usize,
    starts: u8,
}

impl Messages {
    pub(crate) fn new() -> Self {
        Messages {
            granules: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Tells of each granule with atomic bytes: its number, which bytes are and where cells start, and the epoch of the
    /// last plain write, if there was one, with the bytes that it wrote, those from which readers do not learn of it, and
    /// those from which they did.
    pub(crate) fn each(
        &self,
        clocks: &Clocks,
        mut each: impl FnMut(u64, u32, Option<(Epoch, u64)>),
    ) {
        for (number, granule) in self.granules.iter().enumerate() {
            let state = clocks.word(granule.state);
            if state == 0 {
                continue;
            }
            let last = granule.last;
            let written = (clocks.word(last.epoch) != 0).then(|| {
                let [mask, hidden, again] =
                    [last.mask, last.hidden, last.again].map(|at| u64::from(clocks.word(at)));
                (
                    Epoch::of_word(clocks.word(last.epoch)),
                    mask | hidden << 8 | again << 16,
                )
            });
            each(number as u64, state, written);
        }
    }

    /// Atomic bytes among those of `mask`.
    pub(crate) fn touched(&self, clocks: &Clocks, cell: Cell, mask: u8) -> u8 {
        self.known(cell)
            .map_or(0, |at| clocks.word(self.granules[at].state) as u8 & mask)
    }

    /// The bytes of `mask` are new memory.
    pub(crate) fn forget(&mut self, clocks: &mut Clocks, cell: Cell, mask: u8) {
        if self.touched(clocks, cell, mask) == 0 {
            return;
        }
        let Some(at) = self.known(cell) else { return };
        // What lies behind the forgotten bytes must start a cell of its own.
        self.split(clocks, at, mask | mask << 1);
        let state = clocks.word(self.granules[at].state);
        let gone = u32::from(mask);
        clocks.set_word(self.granules[at].state, state & !(gone | gone << 8));
        if clocks.word(self.granules[at].last.mask) as u8 & !mask == 0 {
            self.begin_writes(clocks, at, 0, 0);
        }
    }

    /// The bytes of `mask` were written plainly, in this epoch: who reads them now learns nothing.
    #[inline]
    pub(crate) fn end(&mut self, clocks: &mut Clocks, cell: Cell, mask: u8, epoch: Epoch) {
        if self.known(cell).is_some() {
            self.end_known(clocks, cell, mask, epoch);
        }
    }

    fn end_known(&mut self, clocks: &mut Clocks, cell: Cell, mask: u8, epoch: Epoch) {
        let Some(at) = self.known(cell) else { return };
        let touched = self.touched(clocks, cell, mask);
        if touched != 0 {
            self.begin_writes(clocks, at, epoch.word(), mask);
        }
        self.split(clocks, at, mask | mask << 1);
        for byte in bits(touched) {
            self.empty(clocks, at, byte);
        }
    }

    /// The last plain write is this one, and no event wrote behind it.
    fn begin_writes(&self, clocks: &mut Clocks, at: usize, epoch: u32, mask: u8) {
        let last = self.granules[at].last;
        clocks.set_word(last.epoch, epoch);
        clocks.set_word(last.mask, mask.into());
        clocks.set_word(last.hidden, 0xff);
        clocks.set_word(last.again, 0);
    }

    /// The bytes of `mask` were written atomically: by which event, and whether who reads them now does not learn of a
    /// plain write before. `None`: it is an update.
    #[inline]
    pub(crate) fn note_write(
        &mut self,
        clocks: &mut Clocks,
        cell: Cell,
        mask: u8,
        write: Option<(u32, bool)>,
    ) {
        let Some(at) = self.known(cell) else { return };
        let last = &self.granules[at].last;
        let hidden = clocks.word(last.hidden) as u8;
        let hides = write.is_some_and(|(_, hides)| hides);
        if hidden & mask == 0 && !hides {
            return;
        }
        let end = write.map_or(UPDATED, |(event, _)| event + 1);
        for byte in bits(hidden & mask) {
            clocks.set_word(last.ends[byte.trailing_zeros() as usize], end);
        }
        if hides {
            let again = clocks.word(last.again) as u8 | mask & !hidden;
            clocks.set_word(last.again, again.into());
        }
        let hidden = if hides { hidden | mask } else { hidden & !mask };
        clocks.set_word(last.hidden, hidden.into());
    }

    /// The last event behind a plain write in this epoch up to which who read all bytes of `mask` did not learn of it,
    /// if it was the last plain write and the event is known.
    pub(crate) fn hidden_until(
        &self,
        clocks: &Clocks,
        cell: Cell,
        mask: u8,
        write: Epoch,
    ) -> Option<u32> {
        let last = &self.granules[self.known(cell)?].last;
        let epoch = clocks.word(last.epoch);
        if epoch != 0 && epoch != write.word() {
            return None;
        }
        // From one byte that tells of it all is known.
        let telling = mask & !(clocks.word(last.hidden) as u8);
        if telling == 0 {
            return None;
        }
        let ends = bits(telling).map(|byte| clocks.word(last.ends[byte.trailing_zeros() as usize]));
        let (first, latest) = ends.fold((UPDATED, 0), |(first, latest), end| {
            (first.min(end), latest.max(end))
        });
        // Bytes that were hidden again were perhaps not all hidden at one time, unless all were written together.
        let is_simple = clocks.word(last.again) as u8 & mask == 0;
        let is_known = latest != UPDATED && (is_simple || telling == mask && first == latest);
        is_known.then(|| first.checked_sub(1)).flatten()
    }

    /// Joins into `into` what was published with the present values of the bytes of `mask`, also by the last run. The
    /// messages themselves do not change.
    pub(crate) fn tell(&self, clocks: &mut Clocks, cell: Cell, mask: u8, into: Row) {
        let Some(at) = self.known(cell) else { return };
        let granule = &self.granules[at];
        let state = clocks.word(granule.state);
        let mut owner = 0;
        for byte in bits(state as u8) {
            if (state >> 8) as u8 & byte != 0 {
                owner = byte.trailing_zeros() as usize;
            }
            if mask & byte == 0 {
                continue;
            }
            if let Some(row) = granule.rows[owner] {
                clocks.join(into, row);
            }
            if let Some(run) = granule.runs[owner].filter(|run| clocks.word(run.class) != 0) {
                clocks.join(into, run.row);
            }
        }
    }

    /// The cells of a load or read-modify-write of the bytes of `mask`, a run.
    pub(crate) fn cells(&mut self, clocks: &mut Clocks, cell: Cell, mask: u8) -> Cells {
        let at = self.granule(clocks, cell);
        let state = clocks.word(self.granules[at].state);
        let (touched, starts) = (state as u8, (state >> 8) as u8);
        let first = mask & mask.wrapping_neg();
        let next = (u32::from(mask) << 1) as u8 & !mask & touched;
        if touched & mask == mask && starts & mask == first && next & !starts == 0 {
            return Cells {
                granule: at,
                starts: first,
            };
        }
        if touched & mask == 0 {
            self.begin(clocks, at, first, mask);
            return Cells {
                granule: at,
                starts: first,
            };
        }
        self.split(clocks, at, mask | next);
        for byte in bits(mask & !touched) {
            self.begin(clocks, at, byte, byte);
        }
        Cells {
            granule: at,
            starts: mask,
        }
    }

    /// The one cell of a store to the bytes of `mask`; its message is to be overwritten.
    pub(crate) fn overwritten(&mut self, clocks: &mut Clocks, cell: Cell, mask: u8) -> Row {
        let cells = self.cells(clocks, cell, mask);
        let first = mask & mask.wrapping_neg();
        let state = clocks.word(self.granules[cells.granule].state);
        let others = u32::from(mask & !first) << 8;
        clocks.set_word(self.granules[cells.granule].state, state & !others);
        self.close(clocks, cells.granule, first);
        self.row(clocks, cells.granule, first)
    }

    /// The run of updates of `cells`, if there is one, is over: what it published is part of the
    /// message.
    #[inline]
    pub(crate) fn settle(&mut self, clocks: &mut Clocks, cells: Cells) {
        self.settle_others(clocks, cells, 0);
    }

    /// Ends the runs of updates of `cells` that are not of this class.
    fn settle_others(&mut self, clocks: &mut Clocks, cells: Cells, class: u32) {
        let granule = &self.granules[cells.granule];
        for byte in bits(cells.starts) {
            let place = byte.trailing_zeros() as usize;
            let (Some(row), Some(run)) = (granule.rows[place], granule.runs[place]) else {
                continue;
            };
            let now = clocks.word(run.class);
            if now != 0 && now != class {
                clocks.join(row, run.row);
                clocks.clear(run.row);
                clocks.set_word(run.class, 0);
            }
        }
    }

    /// The present access belongs to a run of this class; it begins one if there is none.
    pub(crate) fn continue_run(&mut self, clocks: &mut Clocks, cells: Cells, class: u32) {
        self.settle_others(clocks, cells, class);
        for byte in bits(cells.starts) {
            let run = self.run(clocks, cells.granule, byte);
            clocks.set_word(run.class, class);
        }
    }

    /// The clocks that the runs of `cells` published.
    pub(crate) fn runs(&self, cells: Cells) -> impl Iterator<Item = Row> + '_ {
        let runs = &self.granules[cells.granule].runs;
        bits(cells.starts)
            .filter_map(|byte| runs[byte.trailing_zeros() as usize])
            .map(|run| run.row)
    }

    fn run(&mut self, clocks: &mut Clocks, at: usize, byte: u8) -> Run {
        let place = byte.trailing_zeros() as usize;
        *self.granules[at].runs[place].get_or_insert_with(|| Run {
            row: clocks.row(),
            class: clocks.new_word(0),
        })
    }

    /// The cell that starts at `byte` has no run, and what its members published is lost.
    fn close(&mut self, clocks: &mut Clocks, at: usize, byte: u8) {
        if let Some(run) = self.granules[at].runs[byte.trailing_zeros() as usize] {
            clocks.clear(run.row);
            clocks.set_word(run.class, 0);
        }
    }

    /// The cell that starts at `byte` has an empty message.
    fn empty(&mut self, clocks: &mut Clocks, at: usize, byte: u8) {
        let row = self.row(clocks, at, byte);
        clocks.clear(row);
        self.close(clocks, at, byte);
    }

    /// The messages of `cells`.
    pub(crate) fn rows(&self, cells: Cells) -> impl Iterator<Item = Row> + '_ {
        let rows = &self.granules[cells.granule].rows;
        bits(cells.starts).filter_map(|byte| rows[byte.trailing_zeros() as usize])
    }

    /// Plain accesses to this granule are asked for ([`Messages::is_watched`]).
    pub(crate) fn watch(&mut self, clocks: &mut Clocks, cell: Cell) {
        let at = self.granule(clocks, cell);
        self.granules[at].is_watched = true;
    }

    pub(crate) fn is_watched(&self, cell: Cell) -> bool {
        self.known(cell)
            .is_some_and(|at| self.granules[at].is_watched)
    }

    /// Whether there was ever a message in any cell of the page.
    pub(crate) fn has_page(&self, page: u32) -> bool {
        self.pages.get(page as usize).is_some_and(Option::is_some)
    }

    fn known(&self, cell: Cell) -> Option<usize> {
        let page = self.pages.get((cell.0 / PAGE_CELLS) as usize)?.as_ref()?;
        (page[(cell.0 % PAGE_CELLS) as usize] as usize).checked_sub(1)
    }

    fn granule(&mut self, clocks: &mut Clocks, cell: Cell) -> usize {
        if let Some(known) = self.known(cell) {
            return known;
        }
        let page = (cell.0 / PAGE_CELLS) as usize;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.granules.push(Granule {
            state: clocks.new_word(0),
            last: LastWrite {
                epoch: clocks.new_word(0),
                mask: clocks.new_word(0),
                hidden: clocks.new_word(0xff),
                again: clocks.new_word(0),
                ends: core::array::from_fn(|_| clocks.new_word(0)),
            },
            is_watched: false,
            rows: [None; 8],
            runs: [None; 8],
        });
        let places = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE_CELLS as usize]));
        places[(cell.0 % PAGE_CELLS) as usize] = self.granules.len() as u32;
        self.granules.len() - 1
    }

    /// A new cell at byte `first`, with an empty message, for the untouched bytes of `mask`.
    fn begin(&mut self, clocks: &mut Clocks, at: usize, first: u8, mask: u8) {
        self.empty(clocks, at, first);
        let state = clocks.word(self.granules[at].state);
        clocks.set_word(
            self.granules[at].state,
            state | u32::from(mask) | u32::from(first) << 8,
        );
    }

    /// Lets every touched byte of `mask` start a cell, with the message it has.
    fn split(&mut self, clocks: &mut Clocks, at: usize, mask: u8) {
        let mut state = clocks.word(self.granules[at].state);
        let mut owner = 0u8;
        for byte in bits(state as u8) {
            if (state >> 8) as u8 & byte != 0 {
                owner = byte;
            } else if mask & byte != 0 {
                let from = self.row(clocks, at, owner);
                let into = self.row(clocks, at, byte);
                clocks.copy(into, from);
                self.copy_run(clocks, at, owner, byte);
                state |= u32::from(byte) << 8;
                // The bytes behind have the same message, wherever it is read from.
                owner = byte;
            }
        }
        clocks.set_word(self.granules[at].state, state);
    }

    fn copy_run(&mut self, clocks: &mut Clocks, at: usize, from: u8, into: u8) {
        self.close(clocks, at, into);
        let Some(run) = self.granules[at].runs[from.trailing_zeros() as usize] else {
            return;
        };
        let class = clocks.word(run.class);
        if class != 0 {
            let new = self.run(clocks, at, into);
            clocks.copy(new.row, run.row);
            clocks.set_word(new.class, class);
        }
    }

    fn row(&mut self, clocks: &mut Clocks, at: usize, byte: u8) -> Row {
        let place = byte.trailing_zeros() as usize;
        *self.granules[at].rows[place].get_or_insert_with(|| clocks.row())
    }
}

/// The set bits of `mask`, lowest first, each as a mask.
fn bits(mask: u8) -> impl Iterator<Item = u8> {
    (0..8)
        .map(|bit| 1 << bit)
        .filter(move |bit| mask & bit != 0)
}
