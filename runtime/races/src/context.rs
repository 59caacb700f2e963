//! Where an access was made and under which locks, as one number of 20 bits.
//!
//! A shadow entry has no room for a site and a lockset, so it holds the number of the pair. Like
//! locksets, numbers are given once and for all. When all are given away, further pairs share
//! number 0: their races are still found, the earlier site is then reported as 0 (unknown).

use crate::hash::Map;
use crate::lockset::LocksetId;
use dpor_model::SiteId;

/// Bits of a context number in a shadow entry.
pub(crate) const CONTEXT_BITS: u32 = 20;

/// The context of what was freed before anything was judged: no pair has this number.
pub(crate) const BEFORE: u32 = (1 << CONTEXT_BITS) - 1;

/// Slots of the direct-mapped cache in front of the map (chosen: 8 KB).
const CACHE: usize = 512;

/// The numbers of all (site, lockset) pairs met so far.
pub(crate) struct Contexts {
    pairs: Vec<(SiteId, LocksetId)>,
    ids: Map<(SiteId, LocksetId), u32>,
    cache: Box<[(SiteId, LocksetId, u32); CACHE]>,
}

impl Contexts {
    pub(crate) fn new() -> Self {
        Contexts {
            // Number 0 is the unknown context.
            pairs: vec![(SiteId::UNKNOWN, 0)],
            ids: Map::default(),
            cache: Box::new([(SiteId::UNKNOWN, 0, 0); CACHE]),
        }
    }

    #[inline]
    pub(crate) fn id(&mut self, site: SiteId, locks: LocksetId) -> u32 {
        // Sites are addresses of static records, whose lowest bits say little.
        let slot = (site.0 ^ (site.0 >> 9) ^ u64::from(locks)) as usize >> 3 & (CACHE - 1);
        let (cached_site, cached_locks, id) = self.cache[slot];
        if cached_site == site && cached_locks == locks {
            return id;
        }
        let id = self.intern(site, locks);
        self.cache[slot] = (site, locks, id);
        id
    }

    pub(crate) fn pair(&self, id: u32) -> (SiteId, LocksetId) {
        self.pairs[if id == BEFORE { 0 } else { id as usize }]
    }

    #[cold]
    fn intern(&mut self, site: SiteId, locks: LocksetId) -> u32 {
        if let Some(&id) = self.ids.get(&(site, locks)) {
            return id;
        }
        if self.pairs.len() >= BEFORE as usize {
            return 0;
        }
        let id = self.pairs.len() as u32;
        self.pairs.push((site, locks));
        self.ids.insert((site, locks), id);
        id
    }
}
