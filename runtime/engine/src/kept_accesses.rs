//! Accesses of which a verdict is to say at how many places of the program they were made.

use dpor_model::SiteId;
use std::collections::BTreeSet;

/// Entries of the table of accesses that are known: a power of two.
const RECENT: usize = 64;

/// Accesses that are kept; more than that is only to be seen in arrays.
const KEPT_MAX: usize = 4096;

/// The accesses made so far, in all executions. An access `A` is its site, its address, and what else tells it apart.
pub struct KeptAccesses<A> {
    recent: [A; RECENT],
    made: BTreeSet<A>,
}

impl<A: Copy + Default + Ord> Default for KeptAccesses<A> {
    fn default() -> Self {
        KeptAccesses {
            recent: [A::default(); RECENT],
            made: BTreeSet::new(),
        }
    }
}

impl<A: Copy + Ord> KeptAccesses<A> {
    /// Keeps an access that is made at `site` to `address`.
    #[inline(always)]
    pub fn keep(&mut self, access: A, site: SiteId, address: u64) {
        let slot = (site.0 >> 3 ^ address >> 2) as usize % RECENT;
        if self.recent[slot] != access {
            self.recent[slot] = access;
            self.add(access);
        }
    }

    #[cold]
    fn add(&mut self, access: A) {
        if self.made.len() < KEPT_MAX {
            self.made.insert(access);
        }
    }

    /// The accesses that were kept, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = A> + '_ {
        self.made.iter().copied()
    }

    /// The accesses that were kept, for another process.
    pub fn give(&self) -> Vec<A> {
        self.iter().collect()
    }

    /// Adds the accesses that another process kept.
    pub fn take(&mut self, made: Vec<A>) {
        self.made.extend(made);
    }
}
