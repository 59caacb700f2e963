//! When something is finished, and when it can be freed.
//!
//! A node is *closed* when it was executed and all its children are closed; an item when its head
//! is and every insertion that it sent up was credited. What is closed may be opened again, by an
//! insertion for an event that sleeps in it. It is *final* when everything from below which something
//! may be inserted there is final: then nothing is left that could, and it is freed. (Closed sources
//! are not enough: they may be opened by their own sources.)
//!
//! What may be inserted comes for an event that sleeps there, or for a store that slept and was
//! executed on the way there, to be read: `super::notes::Source`.
//!
//! Parents learn of closed items by messages, which may be late: the number of forwards received
//! tells whether one is still under way, and then another report will follow.

use super::item::Stub;
use super::message::{ItemId, Message};
use super::notes::NO_PLACE;
use super::partition::Partition;
use crate::end::Counters;
use crate::mutation::Mutation;
use crate::tree::{NodeId, Status};

impl Partition {
    /// True if something is to be done in or below a node.
    #[inline]
    pub(super) fn is_open(&self, node: NodeId) -> bool {
        let node = self.tree.get(node);
        match node.status {
            Status::Planned => true,
            Status::Freed | Status::Foreign => false,
            Status::Started | Status::Given => {
                node.place == NO_PLACE || self.notes.get(node.place).open > 0
            }
        }
    }

    /// Something in or below `node`, which has a note, is to be done, which was not before.
    pub(super) fn open_up(&mut self, mut node: NodeId) {
        loop {
            let place = self.tree.get(node).place;
            if place == NO_PLACE {
                return; // On the path: that is looked through when it is left.
            }
            let kept = self.notes.get_mut(place);
            kept.open += 1;
            if kept.open > 1 || self.is_head(node) {
                return;
            }
            node = self.tree.get(node).parent;
        }
    }

    /// Closes `node`, which has a note, since nothing is left to do in it.
    fn close_up(&mut self, mut node: NodeId) {
        while !self.is_head(node) {
            let parent = self.tree.get(node).parent;
            self.free_final(parent);
            let place = self.tree.get(parent).place;
            if place == NO_PLACE {
                return;
            }
            let above = self.notes.get_mut(place);
            above.open -= 1;
            if above.open > 0 {
                return;
            }
            node = parent;
        }
        self.report_closed(self.item_of(node));
    }

    /// The item that a node belongs to.
    pub(super) fn item_of(&self, mut node: NodeId) -> ItemId {
        while let Some(parent) = self.tree.get(node).parent.some() {
            node = parent;
        }
        self.roots[&node]
    }

    /// Frees the children of `parent` that are final.
    pub(super) fn free_final(&mut self, parent: NodeId) {
        let naive = self.mutation.is(Mutation::FreedWhenClosed);
        let mut child = self.tree.first_child(parent);
        while let Some(at) = child.some() {
            let node = self.tree.get(at);
            child = node.next_sibling;
            if node.place == NO_PLACE {
                continue;
            }
            let kept = self.notes.get(node.place);
            let sources = &kept.sources;
            if kept.open == 0 && (naive || !sources.iter().any(|s| s.is_open(&self.tree))) {
                self.free(at);
            }
        }
    }

    pub(super) fn free(&mut self, node: NodeId) {
        let around = self.item_of(node);
        if !self.has_no_note(node) {
            let given = self.forget(node).given;
            self.forget_stub(around, given);
        }
        self.free_below(node, around);
        self.tree.get_mut(node).status = Status::Freed;
    }

    pub(super) fn free_below(&mut self, node: NodeId, around: ItemId) {
        if self.tree.first_child(node) == NodeId::NONE {
            return;
        }
        let mut places = Vec::new();
        self.tree.remove_below_with(node, |_, node| {
            if node.place != NO_PLACE {
                places.push(node.place);
            }
        });
        for place in places {
            let given = self.notes.remove(place).given;
            self.forget_stub(around, given);
        }
    }

    /// Forgets an item given away from `around`; whoever has it should, unless it frees itself.
    fn forget_stub(&mut self, around: ItemId, given: Option<ItemId>) {
        let Some(item) = given else { return };
        let around = self.items.get_mut(&around).expect("present");
        let Stub {
            worker,
            counters,
            is_alone,
            ..
        } = around.stubs.remove(&item).expect("freed once");
        around.counters += counters;
        if !is_alone {
            self.outbox.push((worker, Message::Free { item }));
        }
    }

    /// Reports an item closed, if it is.
    pub(super) fn report_closed(&mut self, id: ItemId) {
        let item = &self.items[&id];
        if self.is_open(item.head) || item.uncredited > 0 || item.closed_at == Some(item.received) {
            return;
        }
        let item = self.items.get_mut(&id).expect("present");
        item.closed_at = Some(item.received);
        let Some(parent) = item.chain.last() else {
            self.is_finished = true;
            return;
        };
        let message = Message::Close {
            item: id,
            parent: parent.item,
            received: item.received,
            counters: item.total(),
            barriers: self.barriers.clone(),
        };
        let is_alone = item.is_alone;
        self.outbox.push((parent.worker, message));
        if is_alone {
            self.drop_item(id);
        }
    }

    /// Forgets an item.
    pub(super) fn drop_item(&mut self, id: ItemId) {
        let Some(item) = self.items.get(&id) else {
            return;
        };
        let root = item.root;
        debug_assert_ne!(self.path.first(), Some(&root), "it is closed");
        self.free_below(root, id);
        self.tree.release(root);
        self.roots.remove(&root);
        self.items.remove(&id);
    }

    /// An item that was given away from `around` is closed, as far as `received` forwards.
    pub(super) fn note_closed(
        &mut self,
        item: ItemId,
        around: ItemId,
        received: u64,
        counters: Counters,
    ) {
        let around = self.items.get_mut(&around);
        let Some(stub) = around.and_then(|a| a.stubs.get_mut(&item)) else {
            return; // Freed since: an older report.
        };
        if received != stub.log.len() as u64 {
            return;
        }
        stub.counters = counters;
        let node = stub.node;
        let place = self.tree.get(node).place;
        let kept = self.notes.get_mut(place);
        debug_assert_eq!(kept.open, 1, "reported once per forward");
        kept.open = 0;
        self.close_up(node);
    }
}
