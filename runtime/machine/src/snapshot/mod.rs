//! Saves and restores the program's memory.
//!
//! Two kinds of memory make up a state:
//!
//! - *pages*: data segments of every loaded object but the runtime's, heap regions, the program's
//!   own anonymous mappings, the thread-local storage of the program's threads, the
//!   world (engine/src/world.rs). Write-protected once, at the root. The first
//!   write to a page faults, its content (still that of the root) is kept as the *root image*, and
//!   the page is *hot* from then on: saved with every later checkpoint and copied back at every
//!   restore. In the steady state there are no faults.
//! - *stacks*: the live part of each fiber's stack, never protected: every execution writes it.
//!
//! The kernel writes into thread-local storage only as far as the thread asks it to (restartable
//! sequences are off, and addresses given to system calls are announced); signals are delivered on
//! a stack of the runtime's own.
//!
//! A page that became hot after a checkpoint was taken had, at the checkpoint, the content of its
//! root image: nobody had written it. So restoring copies a hot page from the checkpoint if it was
//! hot there, and from its root image otherwise.
//!
//! Where many pages are hot, those that are not written between a checkpoint and the next restore are
//! *cold*: protected again, and neither copied nor saved while nobody writes them (cooling.rs).
//!
//! Not restored: kernel state (descriptors: libc/), memory mapped after the root (unmapped at a
//! restore to the root; no other checkpoint is taken while there is some), the runtime's own memory.

mod announce;
mod cooling;
mod fingerprint;
mod maps;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;

pub use announce::{announce_to, protect_again, touch};
pub use maps::writable_mappings;

use crate::probe;
use crate::sys::{self, PAGE};
use cooling::{Broken, Cooling, Known};
use core::ptr;
use std::collections::BTreeMap;

/// A range of addresses, `start..end`.
pub type Range = (usize, usize);

/// A page that was written since the root.
struct Hot {
    address: usize,
    /// The page's content at the root.
    root: Box<[u8; PAGE]>,
    /// The number of that content ([`Snapshots::fingerprint`]).
    root_number: u128,
    /// What the page holds, if that is known: then it is protected (or not accessible at all).
    cold: Option<Known>,
    /// Restores in a row that found the page as it was to be.
    idle: u8,
}

impl Hot {
    /// What the page holds now.
    fn now(&self) -> &[u8; PAGE] {
        // SAFETY: hot pages are mapped and readable where states are saved, restored and compared; no fiber runs.
        unsafe { &*(self.address as *const [u8; PAGE]) }
    }

    /// Makes the page hold something.
    fn write(&self, content: &[u8; PAGE]) {
        // SAFETY: a hot page is mapped, and writable as it is not cold; `content` lies elsewhere, and no fiber runs.
        unsafe { ptr::copy_nonoverlapping(content.as_ptr(), self.address as *mut u8, PAGE) };
    }
}

/// Copies of ranges, back to back.
struct Copies {
    ranges: Vec<Range>,
    bytes: Vec<u8>,
}

impl Copies {
    fn of(ranges: &[Range]) -> Copies {
        let total = ranges.iter().map(|(start, end)| end - start).sum();
        let mut bytes: Vec<u8> = Vec::with_capacity(total);
        let mut at = 0;
        for &(start, end) in ranges {
            // SAFETY: live stacks and thread-local storage are readable; room was reserved.
            unsafe {
                ptr::copy_nonoverlapping(
                    start as *const u8,
                    bytes.as_mut_ptr().add(at),
                    end - start,
                )
            };
            at += end - start;
        }
        // SAFETY: `at` bytes were written.
        unsafe { bytes.set_len(at) };
        Copies {
            ranges: ranges.to_vec(),
            bytes,
        }
    }

    fn is_unchanged(&self) -> bool {
        let mut at = 0;
        self.ranges.iter().all(|&(start, end)| {
            let saved = &self.bytes[at..at + (end - start)];
            at += end - start;
            // SAFETY: the ranges are those that were copied: mapped and readable, and nobody writes them while no fiber
            // runs.
            saved == unsafe { core::slice::from_raw_parts(start as *const u8, end - start) }
        })
    }

    fn write_back(&self) {
        let mut at = 0;
        for &(start, end) in &self.ranges {
            // SAFETY: the ranges were readable and writable when saved and are never unmapped; no
            // fiber runs, so nobody uses them now.
            unsafe {
                ptr::copy_nonoverlapping(self.bytes.as_ptr().add(at), start as *mut u8, end - start)
            };
            at += end - start;
        }
    }
}

/// Contents of the pages that were hot when a state was saved, in the order in which they became so.
enum Pages {
    /// All of them back to back.
    Together(Vec<u8>),
    /// Each by itself, so that states share what did not change between them.
    Each(Vec<Known>),
}

/// A saved state other than the root.
pub struct Saved {
    copies: Copies,
    pages: Pages,
    /// Bytes of pages that were copied for this state and may be shared with others.
    shared: usize,
}

impl Saved {
    /// Bytes that no other state holds.
    pub fn bytes(&self) -> usize {
        self.copies.bytes.len()
            + match &self.pages {
                Pages::Together(pages) => pages.len(),
                Pages::Each(pages) => size_of_val(&pages[..]),
            }
    }

    /// Bytes that were copied when it was saved.
    pub fn bytes_copied(&self) -> usize {
        self.bytes() + self.shared
    }

    /// The content of the page that became hot as the k-th, which is `hot`.
    fn content<'a>(&'a self, k: usize, hot: &'a Hot) -> &'a [u8; PAGE] {
        let saved = match &self.pages {
            Pages::Together(pages) => pages
                .get(k * PAGE..(k + 1) * PAGE)
                .and_then(|page| page.try_into().ok()),
            Pages::Each(pages) => pages.get(k).map(|known| known.content(hot)),
        };
        saved.unwrap_or(&hot.root)
    }
}

/// The program's memory since the root.
pub struct Snapshots {
    /// Page-aligned, disjoint, ascending.
    ranges: Vec<Range>,
    hot: Vec<Hot>,
    /// The place of a page among the hot ones.
    is_hot: BTreeMap<usize, usize>,
    cooling: Cooling,
    root: Copies,
    /// Whether pages were protected (not in a process that runs a single execution).
    protecting: bool,
    /// What fingerprints are drawn by; `None`: nobody wants any.
    seed: Option<u64>,
    /// What is left out of fingerprints: disjoint, ascending.
    left_out: Vec<Range>,
}

impl Snapshots {
    /// Makes the present state the root.
    pub fn at_root(ranges: Vec<Range>, stacks: &[Range], protecting: bool) -> Snapshots {
        let root = Copies::of(stacks);
        let mut snapshots = Snapshots {
            ranges: Vec::new(),
            hot: Vec::new(),
            is_hot: BTreeMap::new(),
            cooling: Cooling::default(),
            root,
            protecting,
            seed: None,
            left_out: Vec::new(),
        };
        if protecting {
            for &(start, end) in &ranges {
                // SAFETY: a write to the range faults and is handled by `promote`; kernel writes are
                // announced by `touch`.
                unsafe { sys::protect(start, end - start, libc::PROT_READ) };
            }
        }
        snapshots.ranges = ranges;
        snapshots
    }

    /// The range that holds an address.
    fn range_of(&self, address: usize) -> Option<Range> {
        let k = self.ranges.partition_point(|&(_, end)| end <= address);
        self.ranges
            .get(k)
            .copied()
            .filter(|&(start, _)| start <= address)
    }

    /// Lets the page of `address` be written, which is hot from then on; false if it is none of ours or could be
    /// written before (then a fault on it is the program's).
    pub fn promote(&mut self, address: usize) -> bool {
        if !self.protecting {
            return false;
        }
        let page = address & !(PAGE - 1);
        let Some((start, end)) = self.range_of(page) else {
            return false;
        };
        if let Some(&k) = self.is_hot.get(&page) {
            return self.warm(k, end);
        }
        // Programs that write much write neighbours: fewer, larger steps once there are many.
        let run = match self.hot.len() {
            0..=63 => 1,
            64..=1023 => 16,
            _ => 64,
        } * PAGE;
        let mut first = (page & !(run - 1)).max(start);
        let mut last = ((page & !(run - 1)) + run).min(end);
        // What the program unmapped is not accessible, and stays so until the state is taken back.
        let is_there = |page: usize| probe::word(page).is_some();
        if !is_there(page) {
            return false;
        }
        if !(first..last).step_by(PAGE).all(is_there) {
            (first, last) = (page, page + PAGE);
        }
        for address in (first..last).step_by(PAGE) {
            if !self.is_hot.contains_key(&address) {
                let mut root = Box::new([0; PAGE]);
                // SAFETY: the page is readable, as was tried.
                unsafe { ptr::copy_nonoverlapping(address as *const u8, root.as_mut_ptr(), PAGE) };
                let mut hot = Hot {
                    address,
                    root,
                    root_number: 0,
                    cold: None,
                    idle: 0,
                };
                self.number_root(&mut hot);
                self.is_hot.insert(address, self.hot.len());
                self.hot.push(hot);
            }
        }
        // SAFETY: gives back what `at_root` took.
        unsafe { sys::protect(first, last - first, libc::PROT_READ | libc::PROT_WRITE) }
    }

    /// Protects what nobody may write unheard of a range that the program could not access for a while.
    pub fn protect_again(&self, start: usize, end: usize) {
        for page in (start..end).step_by(PAGE).filter(|_| self.protecting) {
            let is_writable = self.is_hot.get(&page).is_some_and(|&k| {
                !self.is_cold(k) || self.cooling.breaks(Broken::NotProtectedAgain)
            });
            if self.range_of(page).is_some() && !is_writable {
                // SAFETY: the page is the program's and is only protected: a write to it faults, and the handler allows
                // it.
                unsafe { sys::protect(page, PAGE, libc::PROT_READ) };
            }
        }
    }

    /// Announces that the kernel will write `bytes` bytes at `address`.
    pub fn touch(&mut self, address: usize, bytes: usize) {
        let end = address.saturating_add(bytes);
        let mut page = address & !(PAGE - 1);
        while page < end {
            // Only what is ours: the length may be far more than there is.
            let k = self.ranges.partition_point(|&(_, end)| end <= page);
            let Some(&(start, stop)) = self.ranges.get(k) else {
                return;
            };
            page = page.max(start);
            while page < end.min(stop) {
                self.promote(page);
                page += PAGE;
            }
        }
    }

    /// Saves the present state to compare others with. `stacks`: live parts.
    pub fn save(&self, stacks: &[Range]) -> Saved {
        let mut pages = Vec::with_capacity(self.hot.len() * PAGE);
        for hot in &self.hot {
            pages.extend_from_slice(hot.now());
        }
        Saved {
            copies: Copies::of(stacks),
            pages: Pages::Together(pages),
            shared: 0,
        }
    }

    /// Saves the present state to come back to. `stacks`: live parts.
    pub fn take(&mut self, stacks: &[Range]) -> Saved {
        if !self.is_large() {
            return self.save(stacks);
        }
        let (pages, shared) = self.take_each();
        Saved {
            copies: Copies::of(stacks),
            pages: Pages::Each(pages),
            shared,
        }
    }

    /// Goes back to the root, and tells how many pages had to be copied.
    pub fn restore_root(&mut self) -> usize {
        let copied = match self.is_large() {
            true => self.restore_changed(None),
            false => {
                self.hot.iter().for_each(|hot| hot.write(&hot.root));
                self.hot.len()
            }
        };
        self.root.write_back();
        copied
    }

    /// The pages that were written since the root, in this execution or in another; `None` if nobody knows.
    pub fn written_pages(&self) -> Option<impl Iterator<Item = usize> + '_> {
        self.protecting
            .then(|| self.hot.iter().map(|hot| hot.address))
    }

    /// All memory that was the program's at the root, but its stacks.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// The pages that are not as they were at the root.
    pub fn changed_pages(&self) -> Vec<usize> {
        let is_changed = |hot: &&Hot| {
            // What the program unmapped cannot be read.
            probe::word(hot.address).is_some() && hot.root[..] != hot.now()[..]
        };
        let changed = self.hot.iter().filter(is_changed);
        changed.map(|hot| hot.address).collect()
    }

    /// Protects nothing any more, and keeps no copies: states are taken back in another way from now on.
    pub fn retire(&mut self) {
        for &(start, end) in self.ranges.iter().filter(|_| self.protecting) {
            // SAFETY: gives back what `at_root` took.
            unsafe { sys::protect(start, end - start, libc::PROT_READ | libc::PROT_WRITE) };
        }
        self.protecting = false;
        self.hot = Vec::new();
        self.is_hot = BTreeMap::new();
    }

    /// Goes back to a saved state, and tells how many pages had to be copied.
    pub fn restore(&mut self, saved: &Saved) -> usize {
        let copied = match self.is_large() {
            true => self.restore_changed(Some(saved)),
            false => {
                let pages = self.hot.iter().enumerate();
                pages.for_each(|(k, hot)| hot.write(saved.content(k, hot)));
                self.hot.len()
            }
        };
        saved.copies.write_back();
        copied
    }

    /// Whether memory is as it was when `saved` was taken.
    pub fn is_unchanged(&self, saved: &Saved) -> bool {
        let mut pages = self.hot.iter().enumerate();
        pages.all(|(k, hot)| saved.content(k, hot) == hot.now()) && saved.copies.is_unchanged()
    }
}
