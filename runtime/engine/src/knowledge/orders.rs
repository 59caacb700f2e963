//! The orders in which threads took locks while they held others, as far as they were seen.

use dpor_model::SiteId;
use dpor_races::Races;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A lock taken while others were held: their number in the race detector, and the lock.
pub type Key = (u32, u64);

/// A thread: its number, and how many threads had this number before it.
pub type Who = (u16, u32);

/// The threads that took a lock while they held others, and where.
pub struct Order {
    /// The threads that did so, the first few.
    pub threads: Vec<Who>,
    /// The site at which it was done the first time.
    pub site: SiteId,
}

/// Threads that are kept for one order: more than a cycle has tell nothing more.
pub const THREADS_MAX: usize = LENGTH_MAX;

/// The orders that were seen in all executions so far.
#[derive(Default)]
pub struct Orders {
    pub(crate) taken: HashMap<Key, Order, BuildHasherDefault<DefaultHasher>>,
    pub(crate) last: Option<(Key, Who)>,
    /// What other processes saw: locks held, lock.
    pub elsewhere: BTreeMap<(Vec<u64>, u64), Order>,
}

/// A lock taken while others were held, as processes tell it each other: the locks held, the lock, the
/// threads, the place.
pub type Taken = (Vec<u64>, u64, Vec<Who>, SiteId);

impl Orders {
    /// The orders that this process saw, to be added to another's.
    pub fn give(&self, races: &Races) -> Vec<Taken> {
        let taken = self.taken.iter();
        taken
            .map(|(&(held, lock), order)| {
                (
                    races.locks_of(held).to_vec(),
                    lock,
                    order.threads.clone(),
                    order.site,
                )
            })
            .collect()
    }

    /// Adds what another process saw.
    pub fn take(&mut self, taken: Vec<Taken>) {
        for (held, lock, threads, site) in taken {
            let order = self.elsewhere.entry((held, lock)).or_insert(Order {
                threads: Vec::new(),
                site,
            });
            for thread in threads {
                if order.threads.len() < THREADS_MAX && !order.threads.contains(&thread) {
                    order.threads.push(thread);
                }
            }
        }
    }
}

/// Longest cycle that is looked for, and how many steps the search for cycles may take.
pub const LENGTH_MAX: usize = 8;
