//! Which memory is written atomically by one thread only, and which by several.
//!
//! The order of stores can matter to the reduction `observers` only where two threads store; elsewhere
//! its bookkeeping would be for nothing. Which objects those are is learnt: a search takes each for its
//! first writer's own, and begins again when another thread stores to it, as for
//! [`crate::blocks::Blocks`]. So within one search that is not begun again, what is said to be a
//! thread's own is.

use crate::blocks::CellHasher;
use dpor_model::{ObjectId, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// The thread that stores to each object which had an atomic store, or that several do.
#[derive(Default)]
pub struct StoreOwnership {
    of: HashMap<u64, u16, BuildHasherDefault<CellHasher>>,
    /// True if an object turned out to have several since the search began.
    pub changed: bool,
    /// Number of times that the search began again for that.
    restarts: u32,
}

/// The owners of objects, as processes tell them each other.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownOwners {
    of: Vec<(u64, u16)>,
    restarts: u32,
}

/// Stands in place of a thread's number for several.
const SEVERAL: u16 = u16::MAX;

/// Number of searches that begin again for an object, at most (chosen: programs show what they share in their first
/// executions; one that does not is not made to begin again for each object).
const RESTARTS_MAX: u32 = 4;

impl StoreOwnership {
    /// Notes that the thread is about to store, and returns whether the object is its own.
    #[inline]
    pub fn is_own(&mut self, object: ObjectId, thread: ThreadId) -> bool {
        if self.restarts == RESTARTS_MAX {
            return false;
        }
        let storer = self.of.entry(object.0).or_insert(thread.0);
        if *storer == thread.0 {
            return true;
        }
        if *storer != SEVERAL {
            *storer = SEVERAL;
            self.changed = true;
        }
        false
    }

    /// The owners that are known.
    pub fn known(&self) -> KnownOwners {
        let of = self.of.iter().map(|(&object, &thread)| (object, thread));
        let mut of: Vec<(u64, u16)> = of.collect();
        of.sort_unstable();
        KnownOwners {
            of,
            restarts: self.restarts,
        }
    }

    /// Knows what another process knows, and nothing else.
    pub fn become_like(&mut self, others: &KnownOwners) {
        self.of = others.of.iter().copied().collect();
        self.restarts = others.restarts;
        self.changed = false;
    }

    /// The number of objects whose owner is known.
    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// Takes over what another process knows. True if the two do not belong to one search.
    pub fn add(&mut self, others: &KnownOwners) -> bool {
        let mut apart = self.restarts != others.restarts;
        self.restarts = self.restarts.max(others.restarts);
        for &(object, thread) in &others.of {
            let mine = self.of.entry(object).or_insert(thread);
            if *mine != thread {
                *mine = SEVERAL;
                apart = true;
            }
        }
        self.changed |= apart;
        apart
    }

    /// The search begins again.
    pub fn start_over(&mut self) {
        self.restarts += u32::from(self.changed);
        self.changed = false;
    }
}
