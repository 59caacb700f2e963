//! Places that properties read, and the groups of properties that share some.

use crate::blocks::Blocks;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;

/// Number of properties at most: each is a bit.
pub const PROPERTIES_MAX: usize = 64;

/// True if anything is watched.
static ANY: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Whether anything is watched.
#[inline(always)]
pub fn is_any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// A range of addresses `start..end`, and the property that reads it.
type Read = (u64, u64, usize);

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Ascending by start. Those of one property do not overlap.
    reads: Vec<Read>,
    /// By property: the least number of those with which it shares a place, directly or through others.
    groups: Vec<usize>,
    /// Bit `p`: property `p` is in one group with the others that have a bit.
    pub(crate) together: u64,
}

impl Watched {
    /// A property reads so many bytes at an address. Whether that is new.
    pub(crate) fn watch(&mut self, (address, bytes): (u64, u64), property: usize) -> bool {
        let (mut start, mut end) = (address, address + bytes.max(1));
        let is_there = |&(s, e, p): &Read| p == property && s <= start && end <= e;
        if self.reads.iter().any(is_there) {
            return false;
        }
        self.reads.retain(|&(s, e, p)| {
            let joins = p == property && s <= end && start <= e;
            if joins {
                (start, end) = (start.min(s), end.max(e));
            }
            !joins
        });
        self.reads.push((start, end, property));
        self.reads.sort_unstable();
        true
    }

    /// From now on stores to what is watched are events: cuts it into objects, and puts the properties into groups.
    pub(crate) fn begin(&mut self, blocks: &mut Blocks) {
        let most = self.reads.iter().map(|&(_, _, p)| p + 1).max();
        let all = 0..most.unwrap_or(0);
        let first = self.together.trailing_zeros() as usize;
        let is_together = |property: usize| self.together >> property & 1 == 1;
        self.groups = all
            .map(|p| if is_together(p) { first } else { p })
            .collect();
        for (n, &(_, end, one)) in self.reads.iter().enumerate() {
            for &(start, _, other) in &self.reads[n + 1..] {
                if start < end {
                    let (a, b) = (self.groups[one], self.groups[other]);
                    let (least, most) = (a.min(b), a.max(b));
                    for group in &mut self.groups {
                        if *group == most {
                            *group = least;
                        }
                    }
                }
            }
        }
        // Stores to a part of a cell that is read whole are to it.
        for &(start, end, _) in &self.reads {
            let mut at = start;
            while at < end {
                let width = (8 - at % 8).min(end - at);
                blocks.object(at, width);
                at += width;
            }
        }
        ANY.store(!self.reads.is_empty(), Ordering::Relaxed);
    }

    /// The properties that read some of these bytes.
    pub(crate) fn readers(&self, address: u64, bytes: u64) -> impl Iterator<Item = usize> + '_ {
        let end = address + bytes.max(1);
        let behind = self.reads.partition_point(|&(start, _, _)| start < end);
        let before = self.reads[..behind].iter();
        let found = before.filter(move |&&(_, e, _)| address < e);
        found.map(|&(_, _, property)| property)
    }

    pub(crate) fn group_of(&self, property: usize) -> Option<usize> {
        self.groups.get(property).copied()
    }

    /// The ranges as a schedule has them: `START-END.PROPERTY`, in hexadecimal digits, separated by commas.
    pub fn encode(&self) -> String {
        let reads = self.reads.iter();
        let words: Vec<String> = reads
            .map(|(start, end, property)| format!("{start:x}-{end:x}.{property:x}"))
            .collect();
        words.join(",")
    }

    /// Adds what [`Watched::encode`] wrote; `None` if it is no such text.
    pub fn add(&mut self, text: &str, blocks: &mut Blocks) -> Option<()> {
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        for word in text.split(',') {
            let (range, property) = word.split_once('.')?;
            let (start, end) = range.split_once('-')?;
            let property = number(property).filter(|&p| p < PROPERTIES_MAX as u64)?;
            let (start, end) = (number(start)?, number(end)?);
            if start >= end {
                return None;
            }
            self.watch((start, end - start), property as usize);
        }
        self.begin(blocks);
        Some(())
    }
}
