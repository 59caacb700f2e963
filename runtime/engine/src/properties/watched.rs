//! Memory that properties read: stores to it are events, and have a common object besides.

use crate::blocks::Blocks;
use crate::learned_events;
use crate::object;
use crate::runtime::runtime;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;
use dpor_model::{ObjectId, NO_OBJECT};

/// True if anything is watched.
static ANY: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

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
    pub(super) together: u64,
}

impl Watched {
    /// A property reads so many bytes at an address. Whether that is new.
    pub(super) fn watch(&mut self, (address, bytes): (u64, u64), property: usize) -> bool {
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
    pub(super) fn begin(&mut self, blocks: &mut Blocks) {
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
    fn readers(&self, address: u64, bytes: u64) -> impl Iterator<Item = usize> + '_ {
        let end = address + bytes.max(1);
        let behind = self.reads.partition_point(|&(start, _, _)| start < end);
        let before = self.reads[..behind].iter();
        let found = before.filter(move |&&(_, e, _)| address < e);
        found.map(|&(_, _, property)| property)
    }

    fn group_of(&self, property: usize) -> Option<usize> {
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
            let property = number(property).filter(|&p| p < super::PROPERTIES_MAX as u64)?;
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

/// Whether a store to these bytes is an event because a property reads some of them. While a fiber runs.
#[inline(always)]
pub fn is_watched(address: u64, bytes: u64) -> bool {
    ANY.load(Ordering::Relaxed) && group_of(address, bytes).is_some()
}

/// The object that stores to these bytes have in common with others that the same property sees; [`NO_OBJECT`] if none
/// does. While a fiber runs.
#[inline(always)]
pub fn object_of(address: u64, bytes: u64) -> ObjectId {
    match ANY.load(Ordering::Relaxed) {
        false => NO_OBJECT,
        true => group_of(address, bytes).map_or(NO_OBJECT, object::property),
    }
}

#[cold]
fn group_of(address: u64, bytes: u64) -> Option<usize> {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &mut *runtime() };
    let watched = &rt.properties.watched;
    let mut readers = watched.readers(address, bytes);
    let first = readers.next()?;
    let group = watched.group_of(first)?;
    let apart = readers.find(|&other| watched.group_of(other) != Some(group));
    drop(readers);
    if let (Some(other), false) = (apart, rt.is_replay()) {
        // One store that two properties see: what one sees conflicts with what the other does.
        for property in [first, other] {
            rt.properties.watched.watch((address, bytes), property);
        }
        rt.properties.watched.begin(&mut rt.blocks);
        learned_events::note_other();
    }
    Some(group)
}
