//! Items: what a worker knows of a subtree it has, and of those it gave away.

use super::message::{Holder, ItemId, WorkerId};
use crate::end::Counters;
use crate::tree::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// A subtree that this worker has.
pub(super) struct Item {
    /// The items around it, the whole tree first.
    pub chain: Vec<Holder>,
    /// For each level above its head: who has the node, an index into `chain`.
    pub holders: Vec<u32>,
    /// Root of the path to it.
    pub root: NodeId,
    /// The node that was given away; the root, for the whole tree.
    pub head: NodeId,
    /// Nobody inserts anything from outside: once closed it is done.
    pub is_alone: bool,
    /// Forwards received.
    pub received: u64,
    /// Insertions sent up and not credited.
    pub uncredited: u64,
    /// What was sent up: to which depth, and the plan (`crate::encode`). A second time it would be
    /// covered by the first.
    sent: BTreeSet<Box<[u8]>>,
    /// The number of forwards received when it was last reported closed.
    pub closed_at: Option<u64>,
    /// What was given away from it and is not final.
    pub stubs: BTreeMap<ItemId, Stub>,
    /// Executions in it, and in what was given away from it and is final.
    pub counters: Counters,
}

/// Insertions remembered of one item (chosen: some megabytes).
const SENT_MAX: usize = 1 << 16;

/// What is kept of a node that was given away.
pub(super) struct Stub {
    pub node: NodeId,
    pub worker: WorkerId,
    /// As the item: [`Item::is_alone`].
    pub is_alone: bool,
    /// Everything forwarded to it: the event that was reversed and what was left of the plan
    /// (`crate::encode`). What was forwarded once is covered for ever.
    pub log: BTreeSet<Box<[u8]>>,
    /// As it reported last.
    pub counters: Counters,
}

impl Item {
    /// Notes an insertion that is about to be sent up; false if the same was sent before.
    pub fn remember_sent(&mut self, entry: Box<[u8]>) -> bool {
        if self.sent.len() == SENT_MAX {
            self.sent.clear();
        }
        self.sent.insert(entry)
    }

    pub fn new(root: NodeId, head: NodeId) -> Self {
        Item {
            chain: Vec::new(),
            holders: Vec::new(),
            root,
            head,
            is_alone: true,
            received: 0,
            uncredited: 0,
            sent: BTreeSet::new(),
            closed_at: None,
            stubs: BTreeMap::new(),
            counters: Counters::default(),
        }
    }

    /// What was executed in it and in all that was given away from it, as far as reported.
    pub fn total(&self) -> Counters {
        let mut total = self.counters;
        for stub in self.stubs.values() {
            total += stub.counters;
        }
        total
    }
}
