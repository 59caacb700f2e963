//! Reads that were made ahead of their condition: whether the value was used is known later, or never.
//!
//! An optimizer may make the read of `if (c) r = x;` whether `c` holds or not, and drop the value where it
//! does not. Such a read races only if its value is used. So it is not in the shadow, where accesses that
//! come later would take its place and it would take that of others, but in a list of its own with the epoch
//! it was made in: judged when it is made and by each write behind it, and told of when it is used.
//!
//! *Cost:* nothing while there is none. Otherwise each write that is not a repetition looks in a filter, and
//! in the list if the filter has its granule.

use crate::check;
use crate::entry::{Entry, Kind};
use crate::plain::Attempt;
use crate::shadow::granules;
use crate::{Race, Races};
use dpor_model::{SiteId, ThreadId};

/// Bits of the filter.
const FILTER_BITS: u64 = 4096;

/// The part of a read that lies in one granule.
struct Read {
    thread: ThreadId,
    token: u64,
    /// Distinguishes reads with the same token.
    number: usize,
    granule: u64,
    /// The access, on the bytes that were not allocated anew since.
    entry: Entry,
    used: bool,
}

/// What goes back in time.
enum Change {
    /// The youngest part was added.
    Read,
    /// A part was on other bytes.
    Entry(usize, Entry),
    Used(usize),
    /// The youngest race was added.
    Raced,
}

/// All such reads of the execution.
pub(crate) struct Ahead {
    reads: Vec<Read>,
    /// Parts that raced while they were not used, and how: the first time.
    raced: Vec<(usize, Race)>,
    changes: Vec<Change>,
    numbers: usize,
    /// Granules that a read ever touched, in whatever execution.
    filter: [u64; (FILTER_BITS / 64) as usize],
    any: bool,
}

impl Ahead {
    /// Tells of each part of a read that is not judged to its end: its granule, whether its value was used, the access.
    pub(crate) fn each(&self, mut each: impl FnMut(u64, bool, Entry)) {
        for read in self.reads.iter().filter(|read| read.entry != Entry::EMPTY) {
            each(read.granule, read.used, read.entry);
        }
    }

    pub(crate) fn new() -> Ahead {
        Ahead {
            reads: Vec::new(),
            raced: Vec::new(),
            changes: Vec::new(),
            numbers: 0,
            filter: [0; (FILTER_BITS / 64) as usize],
            any: false,
        }
    }

    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn rollback(&mut self, point: usize) {
        for change in self.changes.drain(point..).rev() {
            match change {
                Change::Read => drop(self.reads.pop()),
                Change::Entry(part, entry) => self.reads[part].entry = entry,
                Change::Used(part) => self.reads[part].used = false,
                Change::Raced => drop(self.raced.pop()),
            }
        }
    }

    /// Whether any read was ahead of its condition, ever.
    pub(crate) fn is_any(&self) -> bool {
        self.any
    }

    /// Whether a read may have touched the granule.
    #[inline]
    pub(crate) fn may_have(&self, granule: u64) -> bool {
        self.any && self.filter_has(granule)
    }

    /// Whether a read that counts touched `[from, end)`.
    pub(crate) fn has_within(&self, from: u64, end: u64) -> bool {
        let is_there =
            |read: &Read| (from..end).contains(&read.granule) && read.entry != Entry::EMPTY;
        self.any && self.reads.iter().any(is_there)
    }

    #[inline(never)]
    fn filter_has(&self, granule: u64) -> bool {
        let (word, bit) = filter_place(granule);
        self.filter[word] & bit != 0
    }

    fn add(&mut self, read: Read) {
        let (word, bit) = filter_place(read.granule);
        self.filter[word] |= bit;
        self.any = true;
        self.reads.push(read);
        self.changes.push(Change::Read);
    }

    /// The parts of the thread's youngest read with this token.
    fn youngest(&self, thread: ThreadId, token: u64) -> Vec<usize> {
        let is_it = |read: &Read| (read.thread, read.token) == (thread, token);
        let Some(last) = self.reads.iter().rposition(is_it) else {
            return Vec::new();
        };
        let number = self.reads[last].number;
        let of_it = |&part: &usize| self.reads[part].number == number;
        (0..=last).rev().take_while(of_it).collect()
    }

    fn race_of(&self, part: usize) -> Option<&Race> {
        let (_, race) = self.raced.iter().find(|(raced, _)| *raced == part)?;
        Some(race)
    }

    fn note_race(&mut self, part: usize, race: Race) {
        if self.race_of(part).is_none() {
            self.raced.push((part, race));
            self.changes.push(Change::Raced);
        }
    }

    /// No read of these bytes counts any more.
    pub(crate) fn forget(&mut self, granule: u64, mask: u8) {
        if !self.may_have(granule) {
            return;
        }
        for (part, read) in self.reads.iter_mut().enumerate() {
            if read.granule == granule && read.entry.mask() & mask != 0 {
                self.changes.push(Change::Entry(part, read.entry));
                read.entry = read.entry.with_mask(read.entry.mask() & !mask);
            }
        }
    }
}

fn filter_place(granule: u64) -> (usize, u64) {
    let hash = (granule >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
    let bit = hash % FILTER_BITS;
    ((bit / 64) as usize, 1 << (bit % 64))
}

impl Races {
    /// A plain read of which it is not known yet whether its value will be used ([`Races::used_ahead`]). What
    /// it races with is kept until then.
    ///
    /// `token`: names the read in what follows, together with the thread; the youngest read of that name. Without
    /// `bytes` it only takes the name.
    pub fn read_ahead(
        &mut self,
        thread: ThreadId,
        address: u64,
        bytes: u64,
        token: u64,
        site: SiteId,
    ) {
        let attempt = Attempt {
            thread,
            kind: Kind::READ,
            site,
        };
        let now: Vec<(u64, Entry)> = granules(address, address.saturating_add(bytes))
            .filter_map(|(granule, mask)| {
                let is_whole = self.reads_whole(attempt, granule);
                (!is_whole).then(|| (granule, self.entry(attempt, mask)))
            })
            .collect();
        let before = self.ahead.youngest(thread, token);
        let is_repeated = |(part, now): (&usize, &(u64, Entry))| {
            let read = &self.ahead.reads[*part];
            (read.granule, read.entry) == *now
        };
        if before.len() == now.len() && before.iter().rev().zip(&now).all(is_repeated) {
            return;
        }
        self.ahead.numbers += 1;
        let number = self.ahead.numbers;
        let nowhere = [(0, Entry::EMPTY)];
        let parts = if now.is_empty() { &nowhere[..] } else { &now };
        for &(granule, entry) in parts {
            self.ahead.add(Read {
                thread,
                token,
                number,
                granule,
                entry,
                used: false,
            });
            if entry == Entry::EMPTY {
                continue;
            }
            let part = self.ahead.reads.len() - 1;
            let cell = self.shadow.cell(granule, &self.blocks);
            let clock = self.clocks.entries(self.threads.now(thread));
            let races = check::conflicts(&self.shadow, cell.place(), entry, clock);
            if !races.is_empty() {
                let race = self.report(attempt, granule, &races);
                self.ahead.note_race(part, race);
            }
        }
    }

    /// The value of the thread's youngest read with this token is used: from now on it is a read like others.
    /// The race that it made so far, if any.
    pub fn used_ahead(&mut self, thread: ThreadId, token: u64) -> Option<Race> {
        let parts = self.ahead.youngest(thread, token);
        let mut race = None;
        for part in parts.into_iter().rev() {
            if self.ahead.reads[part].used {
                continue;
            }
            self.ahead.reads[part].used = true;
            self.ahead.changes.push(Change::Used(part));
            race = race.or_else(|| self.ahead.race_of(part).cloned());
        }
        race
    }

    /// The races of reads whose value was never used, in the order of the execution.
    pub fn unused_ahead(&self) -> impl Iterator<Item = &Race> + '_ {
        let is_unused = |(part, _): &&(usize, Race)| !self.ahead.reads[*part].used;
        self.ahead
            .raced
            .iter()
            .filter(is_unused)
            .map(|(_, race)| race)
    }

    /// A write meets the reads of its granule that were made ahead: the used ones it races with, to be told
    /// of with others.
    #[cold]
    pub(crate) fn meet_ahead(&mut self, attempt: Attempt, granule: u64, now: Entry) -> Vec<Entry> {
        let clock = self.clocks.entries(self.threads.now(attempt.thread));
        let races_with = |(part, read): (usize, &Read)| {
            let both = read.entry.mask() & now.mask();
            let races =
                read.granule == granule && both != 0 && !check::is_ordered(read.entry, clock);
            races.then(|| (part, read.used, read.entry.with_mask(both)))
        };
        let met: Vec<(usize, bool, Entry)> = { self.ahead.reads.iter().enumerate() }
            .filter_map(races_with)
            .collect();
        for &(part, _, entry) in met.iter().filter(|(_, used, _)| !used) {
            let race = self.report(attempt, granule, &[entry]);
            self.ahead.note_race(part, race);
        }
        let used = met.into_iter().filter(|(_, used, _)| *used);
        used.map(|(_, _, entry)| entry).collect()
    }
}
