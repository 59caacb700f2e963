//! Who knows of which access: what of the detector's state decides which races are still to come, in a form that comes
//! back.
//!
//! A race is a matter of history: of two ways to the same memory, one may have made an access that a later one races
//! with, and the other not. So a search that takes states for the same has to tell them apart by this. Clocks only grow;
//! but of a clock value nothing counts but which accesses it covers:
//!
//! - *accesses* are those in the shadow that some thread does not know of. What all threads know races with nothing that
//!   comes (but what was freed stays freed);
//! - granules that are only ever accessed atomically do not count: a plain access, if there is one in any execution, makes
//!   the search begin anew ([`Races::take_learnt`]);
//! - of each slot, the clocks of its accesses are *ranked*: 1, 2, …;
//! - of each vector clock (of a thread, a fence, a lock, a message) the entry of a slot is told as the number of that
//!   slot's accesses' clocks that it covers.
//!
//! - of each thread it is told whether its next access is of the same epoch as one before.
//!
//! Where two moments agree in that, the same calls behind them are answered with races or not alike; the places that are
//! reported may differ. Left out is by which event a plain write was hidden from readers (`messages.rs`), which only
//! doubts about looks of waiting threads ask.

use crate::clock::Clocks;
use crate::entry::{Entry, Epoch};
use crate::hash::Map;
use crate::Races;

/// Accesses that some thread does not know of.
#[derive(Default)]
struct Accesses {
    /// Where (a tag and a number), and the access without its epoch; its slot; its clock, or 0 if all know of it.
    all: Vec<(u64, u64, u32, u32)>,
    /// By slot: the clocks of its accesses, ascending.
    clocks: Vec<Vec<u32>>,
}

impl Accesses {
    fn add(&mut self, at: u64, what: u64, epoch: Epoch, known: &[u32]) {
        let (slot, clock) = (epoch.slot(), epoch.clock());
        let is_known = known.get(slot as usize).is_some_and(|&all| clock <= all);
        if is_known {
            return self.all.push((at, what, slot, 0));
        }
        if self.clocks.len() <= slot as usize {
            self.clocks.resize_with(slot as usize + 1, Vec::new);
        }
        self.clocks[slot as usize].push(clock);
        self.all.push((at, what, slot, clock));
    }

    /// The number of a slot's clocks up to this one.
    fn rank(&self, slot: usize, clock: u32) -> u64 {
        let clocks = self.clocks.get(slot);
        clocks.map_or(0, |all| all.partition_point(|&other| other <= clock) as u64)
    }

    /// Whether a slot has an access of this clock.
    fn has(&self, slot: usize, clock: u32) -> bool {
        let clocks = self.clocks.get(slot);
        clocks.is_some_and(|all| all.binary_search(&clock).is_ok())
    }

    fn sort(&mut self) {
        // A slot's clocks are in the order of their ranks.
        self.all.sort_unstable();
        for clocks in &mut self.clocks {
            clocks.sort_unstable();
            clocks.dedup();
        }
    }
}

/// Tags of places.
const SHADOW: u64 = 1 << 60;
const BLOCK: u64 = 2 << 60;
const AHEAD: u64 = 3 << 60;
const MESSAGE: u64 = 4 << 60;
const ROW: u64 = 5 << 60;
const THREAD: u64 = 6 << 60;
const SLEPT: u64 = 7 << 60;

impl Races {
    /// Appends words: two moments with equal ones have the same races before them, if the same calls follow.
    ///
    /// *Cost:* all shadow memory that is present is looked at.
    pub fn knowledge(&mut self, into: &mut Vec<u64>) {
        let known = self.threads.known_by_all(&self.clocks);
        let mut accesses = Accesses::default();
        let plain = &mut self.plain;
        plain.is_asked = true;
        self.shadow.each(|granule, entries| {
            if plain.counts(granule, entries) {
                for &entry in entries {
                    note(&mut accesses, SHADOW | granule, entry, &known);
                }
            }
        });
        let mut freed = Vec::new();
        self.blocks.each_free(|from, to, entry| {
            if note(&mut accesses, BLOCK | from, entry, &known) {
                freed.push((from, to));
            }
        });
        freed.sort_unstable();
        freed.dedup();
        into.extend(freed.iter().flat_map(|&(from, to)| [BLOCK | from, to]));
        self.ahead.each(|granule, is_used, entry| {
            note(
                &mut accesses,
                AHEAD | granule << 1 | u64::from(is_used),
                entry,
                &known,
            );
        });
        self.messages.each(&self.clocks, |granule, state, last| {
            into.extend([MESSAGE | granule, u64::from(state)]);
            if let Some((epoch, bytes)) = last {
                accesses.add(MESSAGE | granule, bytes, epoch, &known);
            }
        });
        accesses.sort();
        into.push(SHADOW | accesses.all.len() as u64);
        for &(at, what, slot, clock) in &accesses.all {
            // What all know of has no clock among them.
            let rank = match clock {
                0 => 0,
                clock => accesses.rank(slot as usize, clock),
            };
            into.extend([at, what, u64::from(slot) << 32 | rank]);
        }
        self.clocks.each_row(|number, lacks, entries| {
            for (slot, &entry) in entries.iter().enumerate() {
                let rank = accesses.rank(slot, entry);
                if rank > 0 {
                    into.extend([ROW | u64::from(number), (slot as u64) << 32 | rank]);
                }
            }
            if lacks {
                into.push(ROW | u64::from(number));
            }
        });
        self.threads.each_alive(&self.clocks, |thread, slot| {
            let epoch = self.threads.epoch(thread);
            // Its next access is of the same epoch as one before, or of a later one.
            let is_of_last = accesses.has(slot as usize, epoch.clock());
            let of = u64::from(thread.0) << 32 | u64::from(slot) << 1 | u64::from(is_of_last);
            into.push(THREAD | of);
        });
        self.know_of_sleep(into);
    }

    /// Who hears of whom that slept how long: only what some thread has not heard yet can be news to it.
    fn know_of_sleep(&self, into: &mut Vec<u64>) {
        let mut heard = u32::MAX;
        self.threads.each_alive(&self.clocks, |thread, _| {
            heard = heard.min(self.slept(thread));
        });
        into.push(SLEPT | u64::from(heard));
        self.clocks.each_sleep(|number, slept| {
            if slept > heard {
                into.push(SLEPT | u64::from(number) << 32 | u64::from(slept));
            }
        });
    }
}

/// Which granules were ever accessed plainly, or freed, at a moment whose knowledge was asked for. Not taken back.
#[derive(Default)]
pub(crate) struct Plain {
    plain: Map<u64, ()>,
    /// Anybody ever asked. Frees then stay in the cells, where they make a granule count that had only atomic accesses.
    pub(crate) is_asked: bool,
    /// Granules of which only atomic accesses were known, and left out.
    left_out: Map<u64, ()>,
    /// A granule was left out, and is accessed plainly: what was asked for so far says too little.
    is_new: bool,
}

impl Plain {
    /// Whether the accesses to a granule can race. Atomic ones do only with plain ones: a granule that never has any does
    /// not count.
    fn counts(&mut self, granule: u64, entries: &[Entry]) -> bool {
        if self.plain.contains_key(&granule) {
            return true;
        }
        let is_plain = |entry: &Entry| !entry.kind().is_atomic() || entry.is_free();
        if !entries.iter().any(is_plain) {
            self.left_out.insert(granule, ());
            return false;
        }
        self.is_new |= self.left_out.contains_key(&granule);
        self.plain.insert(granule, ());
        true
    }

    /// Whether what was asked for so far says too little. Told once.
    pub(crate) fn take_new(&mut self) -> bool {
        let is_new = std::mem::take(&mut self.is_new);
        if is_new {
            self.left_out.clear();
        }
        is_new
    }
}

/// An entry: not where all know of it, unless it says that memory is gone. Returns whether it counts.
fn note(accesses: &mut Accesses, at: u64, entry: Entry, known: &[u32]) -> bool {
    let epoch = entry.epoch();
    let is_known = known.get(epoch.slot() as usize);
    let is_known = is_known.is_some_and(|&all| epoch.clock() <= all);
    let counts = !is_known || entry.is_free();
    if counts {
        accesses.add(at, entry.without_origin(), epoch, known);
    }
    counts
}

/// What is asked of the clocks.
pub(crate) fn least(clocks: &Clocks, rows: impl Iterator<Item = crate::clock::Row>) -> Vec<u32> {
    let mut least: Option<Vec<u32>> = None;
    for row in rows {
        let entries = clocks.entries(row);
        match &mut least {
            None => least = Some(entries.to_vec()),
            Some(least) => {
                for (least, &entry) in least.iter_mut().zip(entries) {
                    *least = (*least).min(entry);
                }
            }
        }
    }
    least.unwrap_or_default()
}
