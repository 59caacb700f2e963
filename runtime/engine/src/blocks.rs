//! Which bytes of memory are one object.
//!
//! Two atomic variables that happen to share an aligned group of eight bytes (a *cell*) are
//! different objects: merging them would only multiply the executions. Accesses of different width
//! that overlap must touch a common object. So each cell is cut into *blocks* as the program's own
//! accesses cut it: the first access to bytes makes them a block, an access inside a block belongs
//! to it, and any other overlap makes the whole cell one block. The cut only ever gets coarser and
//! is kept over all executions; when it changes, the search begins again, so that within one search
//! an object always means the same bytes.
//!
//! An access that reaches into several cells makes each of them one block.

use dpor_model::ObjectId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// For each byte of a cell, the first byte of its block; [`UNKNOWN`] if no access touched it.
type Cut = [u8; 8];
const UNKNOWN: u8 = 0xff;
const WHOLE: Cut = [0; 8];

/// Multiplicative hashing of cell numbers.
#[derive(Default)]
pub struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("[dpor internal bug] only cell numbers are hashed");
    }
    fn write_u64(&mut self, cell: u64) {
        // 2^64 / golden ratio; the table uses the high bits too, so fold them down.
        let product = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// The cut of every cell that had an event.
#[derive(Default)]
pub struct Blocks {
    cuts: HashMap<u64, Cut, BuildHasherDefault<CellHasher>>,
    /// Whether a known block changed since the search began.
    pub changed: bool,
}

/// Cells and their cuts, as processes tell them each other.
pub type Cuts = Vec<(u64, Cut)>;

/// Two cuts of one cell put together, and whether one of them is not part of that: a block that
/// both know has other bytes.
fn join(one: Cut, other: Cut) -> (Cut, bool) {
    let mut joined = one;
    for (byte, &start) in other.iter().enumerate() {
        if joined[byte] == UNKNOWN {
            joined[byte] = start;
        }
    }
    let same = |part: Cut| {
        let starts = part.iter().filter(|&&start| start != UNKNOWN);
        let bytes_of =
            |cut: &Cut, start: u8| cut.iter().map(move |&s| s == start).collect::<Vec<_>>();
        { starts }.all(|&start| bytes_of(&joined, start) == bytes_of(&part, start))
    };
    match same(one) && same(other) {
        true => (joined, false),
        false => (WHOLE, true),
    }
}

impl Blocks {
    /// The blocks that are known, cell by cell.
    pub fn cuts(&self) -> Cuts {
        let cuts = self.cuts.iter().map(|(&cell, &cut)| (cell, cut));
        let mut cuts: Cuts = cuts.collect();
        cuts.sort_unstable();
        cuts
    }

    /// The number of cells that are known.
    pub fn count(&self) -> usize {
        self.cuts.len()
    }

    /// Takes over what another process knows. True if the two do not belong to one search.
    pub fn add(&mut self, others: &Cuts) -> bool {
        let mut apart = false;
        for &(cell, cut) in others {
            let mine = self.cuts.entry(cell).or_insert(cut);
            let (joined, differ) = join(*mine, cut);
            *mine = joined;
            apart |= differ;
        }
        apart
    }

    /// The object of an access: the address of the first byte of its (first) block.
    #[inline]
    pub fn object(&mut self, address: u64, bytes: u64) -> ObjectId {
        let (cell, first) = (address >> 3, (address & 7) as usize);
        if first as u64 + bytes > 8 {
            return self.wide(address, bytes);
        }
        let touched = first..first + bytes as usize;
        let cut = self.cuts.entry(cell).or_insert([UNKNOWN; 8]);
        let block = cut[first];
        if cut[touched.clone()].iter().all(|&start| start == block) {
            if block != UNKNOWN {
                return ObjectId(cell << 3 | u64::from(block));
            }
            cut[touched].fill(first as u8);
            return ObjectId(address);
        }
        *cut = WHOLE;
        self.changed = true;
        ObjectId(cell << 3)
    }

    #[cold]
    fn wide(&mut self, address: u64, bytes: u64) -> ObjectId {
        for cell in address >> 3..=(address + bytes - 1) >> 3 {
            let before = self.cuts.insert(cell, WHOLE);
            self.changed |= before.is_some_and(|cut| cut != WHOLE);
        }
        ObjectId(address & !7)
    }

    /// The objects that an access would touch, without making any.
    pub fn of_bytes(&self, address: u64, bytes: u64) -> impl Iterator<Item = ObjectId> + '_ {
        let end = address + bytes.max(1);
        (address >> 3..=(end - 1) >> 3).flat_map(move |cell| {
            let cut = self.cuts.get(&cell).copied().unwrap_or([UNKNOWN; 8]);
            let base = cell << 3;
            let touched = address.max(base)..end.min(base + 8);
            let starts = touched.map(move |byte| cut[(byte - base) as usize]);
            let mut last = UNKNOWN;
            starts
                .filter(move |&start| {
                    start != UNKNOWN && core::mem::replace(&mut last, start) != start
                })
                .map(move |start| ObjectId(base | u64::from(start)))
        })
    }
}
