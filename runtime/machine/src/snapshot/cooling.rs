//! Pages that are protected again, so that a restore copies what changed and nothing else.
//!
//! A *cold* page is hot, protected, and known to hold what some saved state or the root holds. A write to it
//! faults and makes it warm; only warm pages are looked at when a state is taken back or saved.
//!
//! ```text
//!           ┌──────── fault, or the kernel will write ────────┐
//!           ▼                                                 │
//!   warm: writable, content unknown             cold: protected, content known
//!           │                                                 ▲
//!           ├─ saved with a checkpoint, if many are warm ─────┤
//!           └─ as it was to be at 8 restores in a row ────────┘
//! ```
//!
//! Faults are dearer than copies of pages, so nothing of this happens while few pages are hot.

use super::{Hot, Pages, Range, Saved, Snapshots};
use crate::probe;
use crate::sys::{self, PAGE};
use core::cell::Cell;
use std::rc::Rc;

/// The numbers by which pages get cold; tests have smaller ones.
pub(super) struct Limits {
    /// Number of hot pages from which on what changed is told apart.
    pub large: usize,
    /// Number of warm pages that a checkpoint makes cold.
    pub many: usize,
    /// Restores that find a page as it was to be before it gets cold.
    pub idle: u8,
    /// Pages that one fault makes writable at most, where pages are written one after the other.
    pub run_max: usize,
    /// Ranges of cold pages at most.
    pub runs_max: usize,
    /// Number of pages of the least range of which pages get cold.
    pub range_min: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            // 1 MB: below, copying all takes 10 to 30 µs.
            large: 256,
            // 4 MB take a millisecond to copy at every restore (measured: 24 MB take 3 to 13), and as much to fault,
            // once, if all of them are written one by one.
            many: 1024,
            // A fault costs about as much as so many copies.
            idle: 8,
            // 1 MB: what is written in order has less than one fault in 200 pages then.
            run_max: 256,
            // Each may be a mapping of its own, of which the kernel allows 65,530.
            runs_max: 8192,
            // What is smaller is data of libraries, written often.
            range_min: 64,
        }
    }
}

/// What a test breaks, to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// What the program unmapped can be written again.
    UnmappedIsWarmed,
    /// A cold page stays as it is at a restore.
    ColdStays,
    /// What gets cold is not protected.
    NotProtected,
    /// What comes back to the program is not protected as far as it is cold.
    NotProtectedAgain,
    /// Pages that a fault lets be written besides its own count as cold.
    RunStaysCold,
    /// Pages get cold that were not as they were to be.
    IdleThoughChanged,
    /// A warm page is taken for the root's when a state is saved.
    WarmIsRoot,
}

/// A copy of a page that saved states share.
pub(super) struct Content {
    bytes: Box<[u8; PAGE]>,
    /// Number of such copies.
    held: Rc<Cell<usize>>,
}

impl Drop for Content {
    fn drop(&mut self) {
        self.held.set(self.held.get() - 1);
    }
}

/// The content of a page, as it is known.
#[derive(Clone)]
pub(super) enum Known {
    /// What it held at the root.
    Root,
    /// What it held when a state was saved.
    Saved(Rc<Content>),
}

impl Known {
    pub(super) fn content<'a>(&'a self, hot: &'a Hot) -> &'a [u8; PAGE] {
        match self {
            Known::Root => &hot.root,
            Known::Saved(copy) => &copy.bytes,
        }
    }

    fn is(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Root, Known::Root) => true,
            (Known::Saved(one), Known::Saved(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// What is known of cold pages as a whole.
#[derive(Default)]
pub(super) struct Cooling {
    pub limits: Limits,
    #[cfg(test)]
    pub broken: Option<Broken>,
    /// Ranges of which no page gets cold.
    kept_warm: Vec<Range>,
    /// Number of copies that states share.
    held: Rc<Cell<usize>>,
    /// The end of what the last fault made writable, and its number of pages.
    last_run: (usize, usize),
}

impl Cooling {
    #[cfg(test)]
    pub fn breaks(&self, what: Broken) -> bool {
        self.broken == Some(what)
    }

    #[cfg(not(test))]
    #[inline(always)]
    pub fn breaks(&self, _: Broken) -> bool {
        false
    }
}

impl Saved {
    /// The content of a page as it is known to be shared; `None`: the state has a copy of its own.
    fn known(&self, k: usize) -> Option<Known> {
        match &self.pages {
            Pages::Each(pages) => Some(pages.get(k).cloned().unwrap_or(Known::Root)),
            Pages::Together(pages) => (k >= pages.len() / PAGE).then_some(Known::Root),
        }
    }
}

impl Snapshots {
    /// Lets no page of these ranges get cold: the runtime writes them itself in every execution.
    pub fn keep_warm(&mut self, ranges: Vec<Range>) {
        self.cooling.kept_warm = ranges;
    }

    /// Bytes of the copies that saved states share.
    pub fn bytes_shared(&self) -> usize {
        self.cooling.held.get() * PAGE
    }

    /// Whether so many pages are hot that what changed is told apart.
    pub fn is_large(&self) -> bool {
        self.hot.len() >= self.cooling.limits.large
    }

    pub(super) fn is_cold(&self, k: usize) -> bool {
        self.hot[k].cold.is_some()
    }

    fn may_cool(&self, address: usize) -> bool {
        let is_in = |&(start, end): &Range| (start..end).contains(&address);
        let is_large = |(start, end): Range| end - start >= self.cooling.limits.range_min * PAGE;
        !self.cooling.kept_warm.iter().any(is_in) && self.range_of(address).is_some_and(is_large)
    }

    /// Lets a cold page be written, and those behind it where it follows those of the fault before. False: it could be
    /// written, or the program unmapped it.
    pub(super) fn warm(&mut self, k: usize, end: usize) -> bool {
        let first = self.hot[k].address;
        let (last_end, last_pages) = self.cooling.last_run;
        let pages = match first == last_end {
            true => (2 * last_pages).min(self.cooling.limits.run_max),
            false => 1,
        };
        let cold = |page: &usize| {
            let k = self.is_hot.get(page).copied()?;
            let is_there =
                probe::word(*page).is_some() || self.cooling.breaks(Broken::UnmappedIsWarmed);
            (self.is_cold(k) && is_there).then_some(k)
        };
        let pages = (first..end).step_by(PAGE).take(pages);
        let run: Vec<usize> = pages.map_while(|page| cold(&page)).collect();
        // SAFETY: gives back what `cool` took, of pages that the program can access.
        if run.is_empty() || !unsafe { open(first, run.len()) } {
            return false;
        }
        let known = match self.cooling.breaks(Broken::RunStaysCold) {
            true => &run[..1],
            false => &run[..],
        };
        for &k in known {
            self.hot[k].cold = None;
            self.hot[k].idle = 0;
        }
        self.cooling.last_run = (first + run.len() * PAGE, run.len());
        true
    }

    /// The contents of all hot pages, each by itself, and the number of bytes that had to be copied. Warm pages get cold
    /// if they are many.
    pub(super) fn take_each(&mut self) -> (Vec<Known>, usize) {
        let is_warm = |hot: &&Hot| hot.cold.is_none() && self.may_cool(hot.address);
        let cools = self.hot.iter().filter(is_warm).count() >= self.cooling.limits.many;
        let is_careless = self.cooling.breaks(Broken::WarmIsRoot);
        let mut all = Vec::with_capacity(self.hot.len());
        let (mut cooled, mut copied) = (Vec::new(), 0);
        for (k, hot) in self.hot.iter().enumerate() {
            let known = match &hot.cold {
                Some(known) => known.clone(),
                None if hot.root[..] == hot.now()[..] || is_careless => Known::Root,
                None => {
                    copied += PAGE;
                    Known::Saved(self.copy(hot.now()))
                }
            };
            if cools && hot.cold.is_none() && self.may_cool(hot.address) {
                cooled.push((k, known.clone()));
            }
            all.push(known);
        }
        self.cool(cooled);
        (all, copied)
    }

    fn copy(&self, page: &[u8; PAGE]) -> Rc<Content> {
        let held = &self.cooling.held;
        held.set(held.get() + 1);
        let mut bytes = Box::new([0; PAGE]);
        bytes.copy_from_slice(page);
        Rc::new(Content {
            bytes,
            held: Rc::clone(held),
        })
    }

    /// Makes all pages hold what they held in a saved state, or at the root; returns how many had to be copied.
    pub(super) fn restore_changed(&mut self, saved: Option<&Saved>) -> usize {
        let known = |k: usize| saved.map_or(Some(Known::Root), |saved| saved.known(k));
        let differs = |k: &usize| {
            let wanted = known(*k);
            let is_wanted = |now: &Known| wanted.is_some_and(|wanted| now.is(&wanted));
            { self.hot[*k].cold.as_ref() }.is_some_and(|now| !is_wanted(now))
        };
        if !self.cooling.breaks(Broken::ColdStays) {
            let opened = (0..self.hot.len()).filter(differs).collect();
            self.open_all(opened);
        }
        let (mut copied, mut cooled) = (0, Vec::new());
        let idle = self.cooling.limits.idle;
        let is_careless = self.cooling.breaks(Broken::IdleThoughChanged);
        for (k, hot) in self.hot.iter_mut().enumerate() {
            if hot.cold.is_some() {
                continue;
            }
            let wanted = match saved {
                Some(saved) => saved.content(k, hot),
                None => &*hot.root,
            };
            if wanted == hot.now() || (is_careless && hot.idle > 0) {
                hot.idle = hot.idle.saturating_add(1);
                if hot.idle >= idle {
                    cooled.extend(known(k).map(|known| (k, known)));
                }
            } else {
                hot.write(wanted);
                hot.idle = 0;
                copied += 1;
            }
        }
        cooled.retain(|(k, _)| self.may_cool(self.hot[*k].address));
        self.cool(cooled);
        copied
    }

    /// Lets cold pages be written.
    fn open_all(&mut self, mut pages: Vec<usize>) {
        pages.sort_unstable_by_key(|&k| self.hot[k].address);
        for run in pages.chunk_by(|&a, &b| self.hot[a].address + PAGE == self.hot[b].address) {
            // SAFETY: gives back what `cool` took; the program can access all of it before a state is taken back.
            let is_open = unsafe { open(self.hot[run[0]].address, run.len()) };
            assert!(is_open, "what was protected can be written again");
        }
        for k in pages {
            self.hot[k].cold = None;
            self.hot[k].idle = 0;
        }
    }

    /// Protects warm pages that hold what is told, as far as the kernel has room for as many ranges.
    fn cool(&mut self, mut pages: Vec<(usize, Known)>) {
        if pages.is_empty() {
            return;
        }
        pages.sort_unstable_by_key(|(k, _)| self.hot[*k].address);
        let mut room = self
            .cooling
            .limits
            .runs_max
            .saturating_sub(self.cold_runs());
        let address = |hot: &[Hot], page: &(usize, Known)| hot[page.0].address;
        let mut at = 0;
        while at < pages.len() && room > 0 {
            let start = address(&self.hot, &pages[at]);
            let follows = |&(n, page): &(usize, &(usize, Known))| {
                address(&self.hot, page) == start + n * PAGE
            };
            let count = pages[at..].iter().enumerate().take_while(follows).count();
            // SAFETY: the pages are the program's and can be accessed; a write to them faults, and `warm` answers it.
            let is_protected = self.cooling.breaks(Broken::NotProtected)
                || unsafe { sys::protect(start, count * PAGE, libc::PROT_READ) };
            if !is_protected {
                // SAFETY: takes back what of it was done.
                let is_open = unsafe { open(start, count) };
                assert!(is_open, "what could be written can be written again");
                return;
            }
            for (k, known) in &pages[at..at + count] {
                self.hot[*k].cold = Some(known.clone());
            }
            at += count;
            room -= 1;
        }
    }

    /// Number of ranges that cold pages make up.
    fn cold_runs(&self) -> usize {
        let cold = self.is_hot.iter().filter(|(_, &k)| self.is_cold(k));
        let mut end = 0;
        cold.filter(|(&page, _)| core::mem::replace(&mut end, page + PAGE) != page)
            .count()
    }
}

/// Lets pages be written.
///
/// # Safety
/// They are the program's, and it can access them.
unsafe fn open(start: usize, pages: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe { sys::protect(start, pages * PAGE, libc::PROT_READ | libc::PROT_WRITE) }
}
