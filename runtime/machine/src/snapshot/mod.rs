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
//! Not restored: kernel state (descriptors: libc/), memory mapped after the root (unmapped at a
//! restore to the root; no other checkpoint is taken while there is some), the runtime's own memory.

mod announce;
mod fingerprint;
mod maps;

pub use announce::{announce_to, protect_again, touch};
pub use maps::writable_mappings;

use crate::probe;
use crate::sys::{self, PAGE};
use core::ptr;
use std::collections::BTreeSet;

/// A range of addresses, `start..end`.
pub type Range = (usize, usize);

/// A page that was written since the root.
struct Hot {
    address: usize,
    /// The page's content at the root.
    root: Box<[u8; PAGE]>,
    /// The number of that content ([`Snapshots::fingerprint`]).
    root_number: u128,
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

/// A saved state other than the root.
pub struct Saved {
    copies: Copies,
    /// Contents of the first `pages.len() / PAGE` hot pages.
    pages: Vec<u8>,
}

impl Saved {
    /// Bytes it holds.
    pub fn bytes(&self) -> usize {
        self.copies.bytes.len() + self.pages.len()
    }
}

/// The program's memory since the root.
pub struct Snapshots {
    /// Page-aligned, disjoint, ascending.
    ranges: Vec<Range>,
    hot: Vec<Hot>,
    is_hot: BTreeSet<usize>,
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
            is_hot: BTreeSet::new(),
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

    /// Makes the page of `address` hot; false if it is none of ours or was hot before (then a
    /// fault on it is the program's).
    pub fn promote(&mut self, address: usize) -> bool {
        if !self.protecting {
            return false;
        }
        let page = address & !(PAGE - 1);
        let Some((start, end)) = self.range_of(page) else {
            return false;
        };
        if self.is_hot.contains(&page) {
            return false;
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
            if self.is_hot.insert(address) {
                let mut root = Box::new([0; PAGE]);
                // SAFETY: the page is readable, as was tried.
                unsafe { ptr::copy_nonoverlapping(address as *const u8, root.as_mut_ptr(), PAGE) };
                let mut hot = Hot {
                    address,
                    root,
                    root_number: 0,
                };
                self.number_root(&mut hot);
                self.hot.push(hot);
            }
        }
        // SAFETY: gives back what `at_root` took.
        unsafe { sys::protect(first, last - first, libc::PROT_READ | libc::PROT_WRITE) }
    }

    /// Protects what is not hot of a range that the program could not access for a while.
    pub fn protect_again(&self, start: usize, end: usize) {
        for page in (start..end).step_by(PAGE).filter(|_| self.protecting) {
            if self.range_of(page).is_some() && !self.is_hot.contains(&page) {
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

    /// Saves the present state. `stacks`: live parts.
    pub fn save(&self, stacks: &[Range]) -> Saved {
        let mut pages = Vec::with_capacity(self.hot.len() * PAGE);
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and readable; no fiber runs.
            pages.extend_from_slice(unsafe {
                core::slice::from_raw_parts(hot.address as *const u8, PAGE)
            });
        }
        Saved {
            copies: Copies::of(stacks),
            pages,
        }
    }

    /// Goes back to the root.
    pub fn restore_root(&self) {
        for hot in &self.hot {
            // SAFETY: hot pages are mapped and writable; no fiber runs.
            unsafe { ptr::copy_nonoverlapping(hot.root.as_ptr(), hot.address as *mut u8, PAGE) };
        }
        self.root.write_back();
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
            // SAFETY: hot pages are mapped; what the program unmapped cannot be read.
            probe::word(hot.address).is_some()
                && hot.root[..]
                    != *unsafe { core::slice::from_raw_parts(hot.address as *const u8, PAGE) }
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
        self.is_hot = BTreeSet::new();
    }

    /// Goes back to a saved state.
    pub fn restore(&self, saved: &Saved) {
        let then = saved.pages.len() / PAGE;
        for (k, hot) in self.hot.iter().enumerate() {
            let content = if k < then {
                &saved.pages[k * PAGE..(k + 1) * PAGE]
            } else {
                &hot.root[..]
            };
            // SAFETY: a hot page is mapped and writable, `content` has as many bytes elsewhere, and no fiber runs.
            unsafe { ptr::copy_nonoverlapping(content.as_ptr(), hot.address as *mut u8, PAGE) };
        }
        saved.copies.write_back();
    }

    /// Whether memory is as it was when `saved` was taken.
    pub fn is_unchanged(&self, saved: &Saved) -> bool {
        let then = saved.pages.len() / PAGE;
        let pages = self.hot.iter().enumerate().all(|(k, hot)| {
            let content = if k < then {
                &saved.pages[k * PAGE..(k + 1) * PAGE]
            } else {
                &hot.root[..]
            };
            // SAFETY: hot pages are mapped and readable.
            content == unsafe { core::slice::from_raw_parts(hot.address as *const u8, PAGE) }
        });
        pages && saved.copies.is_unchanged()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: i32 = libc::MAP_PRIVATE;

    /// So many fresh pages, and a stack of one more.
    pub(super) fn memory(pages: usize) -> (Range, Range) {
        let start = sys::map(0, pages * PAGE, FLAGS).expect("pages") as usize;
        let stack = sys::map(0, PAGE, FLAGS).expect("a page") as usize;
        ((start, start + pages * PAGE), (stack, stack + PAGE))
    }

    fn read(address: usize) -> u64 {
        sys::read_word(address).expect("a page of the test's")
    }

    /// A write as the program makes it: a page that is not hot would fault, and its fault is answered by `promote`.
    pub(super) fn write(snapshots: &mut Snapshots, address: usize, value: u64) {
        if !sys::is_word_writable(address) {
            assert!(snapshots.promote(address));
        }
        // SAFETY: a page of the test's, writable now.
        unsafe { (address as *mut u64).write(value) };
    }

    #[test]
    fn pages_and_stacks_go_back_to_a_checkpoint_and_to_the_root() {
        let (pages, stack) = memory(3);
        let [first, second, third] = [0, 1, 2].map(|k| pages.0 + k * PAGE);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        let all = |of: [usize; 4]| of.map(read);

        write(&mut snapshots, first, 1);
        // SAFETY: stacks are never protected, and this one is the test's.
        unsafe { (stack.0 as *mut u64).write(1) };
        let saved = snapshots.save(&[stack]);
        assert!(snapshots.is_unchanged(&saved));

        write(&mut snapshots, first, 2);
        // It was not hot when the state was saved: its content then was the root's.
        write(&mut snapshots, second, 2);
        // SAFETY: stacks are never protected, and this one is the test's.
        unsafe { (stack.0 as *mut u64).write(2) };
        assert!(!snapshots.is_unchanged(&saved));
        assert_eq!(snapshots.changed_pages(), [first, second]);

        snapshots.restore(&saved);
        assert_eq!(all([first, second, third, stack.0]), [1, 0, 0, 1]);
        assert!(snapshots.is_unchanged(&saved));
        snapshots.restore_root();
        assert_eq!(all([first, second, third, stack.0]), [0, 0, 0, 0]);
        assert!(snapshots.changed_pages().is_empty());
    }

    #[test]
    fn only_the_first_write_to_a_page_of_the_program_is_its_faults_answer() {
        let (pages, stack) = memory(2);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        assert!(!sys::is_word_writable(pages.0));
        assert!(snapshots.promote(pages.0 + 8));
        assert!(sys::is_word_writable(pages.0));
        assert!(
            !snapshots.promote(pages.0),
            "it is hot: the fault is the program's"
        );
        assert!(!snapshots.promote(stack.0), "it is no page of the root's");
        assert!(!snapshots.promote(pages.1 + 16 * PAGE), "nor is this");
    }

    #[test]
    fn what_the_kernel_will_write_is_hot_before() {
        let (pages, stack) = memory(4);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        snapshots.touch(pages.0 + PAGE + 8, PAGE);
        let is_writable = |k| sys::is_word_writable(pages.0 + k * PAGE);
        assert_eq!([0, 1, 2, 3].map(is_writable), [false, true, true, false]);
        // A length beyond all memory is one up to the end of what is the program's.
        snapshots.touch(pages.0, usize::MAX);
        assert!((0..4).all(is_writable));
    }

    #[test]
    fn a_range_that_comes_back_is_protected_as_far_as_it_is_not_hot() {
        let (pages, stack) = memory(2);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        write(&mut snapshots, pages.0, 1);
        // SAFETY: the test's own pages.
        unsafe { sys::protect(pages.0, 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE) };
        snapshots.protect_again(pages.0, pages.1);
        assert!(sys::is_word_writable(pages.0));
        assert!(!sys::is_word_writable(pages.0 + PAGE));
    }

    #[test]
    fn without_protection_nobody_knows_what_was_written() {
        let (pages, stack) = memory(1);
        let mut snapshots = Snapshots::at_root(vec![pages], &[stack], true);
        assert_eq!(snapshots.written_pages().map(Iterator::count), Some(0));
        snapshots.retire();
        assert!(sys::is_word_writable(pages.0));
        assert!(snapshots.written_pages().is_none());
        let mut unprotected = Snapshots::at_root(vec![pages], &[stack], false);
        assert!(sys::is_word_writable(pages.0));
        assert!(!unprotected.promote(pages.0));
    }
}
