//! Items: what a worker knows of a subtree it has, and of those it gave away.

use super::message::{Holder, ItemId, WorkerId};
use crate::end::Counters;
use crate::operation::Mix;
use crate::tree::NodeId;
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasherDefault;

/// What was sent, each once.
pub(super) type Log = HashSet<Box<[u8]>, BuildHasherDefault<Mix>>;

/// A subtree that this worker has.
pub(super) struct Item {
    /// The items around it, the whole tree first.
    pub chain: Vec<Holder>,
    /// The workers that have the nodes above the item's head, level by level, as indices into `chain`.
    pub holders: Vec<u32>,
    /// Root of the path to it.
    pub root: NodeId,
    /// The node that was given away; the root, for the whole tree.
    pub head: NodeId,
    /// Nobody inserts anything from outside: once closed it is done.
    pub is_alone: bool,
    /// Forwards received.
    pub received: u64,
    /// Insertions sent up: the depth and the plan, as bytes. What was sent once is covered for ever, and
    /// most races are reversed again in every execution.
    pub sent: Log,
    /// Insertions sent up and not credited.
    pub uncredited: u64,
    /// The number of forwards received when it was last reported closed.
    pub closed_at: Option<u64>,
    /// What was given away from it and is not final.
    pub stubs: BTreeMap<ItemId, Stub>,
    /// Executions in it, and in what was given away from it and is final.
    pub counters: Counters,
}

/// What is kept of a node that was given away.
pub(super) struct Stub {
    pub node: NodeId,
    pub worker: WorkerId,
    /// Whether the item is alone, as [`Item::is_alone`] says.
    pub is_alone: bool,
    /// Everything forwarded to it: the event that was reversed and what was left of the plan
    /// (`super::wire`). What was forwarded once is covered for ever.
    pub log: Log,
    /// The counters that the worker reported last.
    pub counters: Counters,
}

impl Item {
    pub fn new(root: NodeId, head: NodeId) -> Self {
        Item {
            chain: Vec::new(),
            holders: Vec::new(),
            root,
            head,
            is_alone: true,
            received: 0,
            sent: Log::default(),
            uncredited: 0,
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
