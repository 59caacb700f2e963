//! When something is finished, and when it can be freed.
//!
//! A node is *closed* when it was executed and all its children are closed; an item when its head
//! is and every insertion that it sent up was credited. What is closed may be opened again, by an
//! insertion for an event that sleeps in it. It is *final* when everything that sleeps there comes
//! from final branches: then nothing is left that could insert there, and it is freed. (Closed
//! sources are not enough: they may be opened by their own sources.)
//!
//! Parents learn of closed items by messages, which may be late: the number of forwards received
//! tells whether one is still under way, and then another report will follow.

use super::item::Stub;
use super::message::{ItemId, Message};
use super::partition::Partition;
use super::tree::{NodeId, Status};
use crate::config::Mutation;
use crate::end::Counters;

impl Partition {
    /// Something in or below `node` is to be done, which was not before.
    pub(super) fn open(&mut self, mut node: NodeId) {
        loop {
            let opened = self.tree.get_mut(node);
            opened.open += 1;
            let (was_open, parent) = (opened.open > 1, opened.parent);
            if was_open || self.is_head(node) {
                return;
            }
            node = parent;
        }
    }

    /// Nothing is left to do in `node`.
    pub(super) fn close(&mut self, mut node: NodeId) {
        while !self.is_head(node) {
            let parent = self.tree.get(node).parent;
            let above = self.tree.get_mut(parent);
            above.open -= 1;
            let is_open = above.open > 0;
            self.free_final(parent);
            if is_open {
                return;
            }
            node = parent;
        }
        self.report_closed(self.tree.get(node).item);
    }

    /// Frees the children of `parent` that are final.
    fn free_final(&mut self, parent: NodeId) {
        let mut child = self.tree.get(parent).first_child;
        while let Some(at) = child.some() {
            let node = self.tree.get(at);
            child = node.next_sibling;
            let done = matches!(node.status, Status::Started | Status::Given(_));
            let freed = |&q: &NodeId| self.tree.get(q).status == Status::Freed;
            let naive = self.mutation == Mutation::FreedWhenClosed;
            if done && node.open == 0 && (naive || node.asleep.iter().all(freed)) {
                self.free(at);
            }
        }
    }

    fn free(&mut self, node: NodeId) {
        self.free_stub(node);
        self.free_below(node);
        let freed = self.tree.get_mut(node);
        freed.status = Status::Freed;
        freed.asleep = Vec::new();
    }

    fn free_below(&mut self, node: NodeId) {
        let mut given = Vec::new();
        let path = &mut self.path;
        self.tree.remove_below(node, |id, node| {
            if path.get(node.depth as usize) == Some(&id) {
                path.truncate(node.depth as usize);
            }
            if let Status::Given(item) = node.status {
                given.push((node.item, item, node.asleep.is_empty()));
            }
        });
        for (around, item, is_free) in given {
            self.forget_stub(around, item, is_free);
        }
    }

    fn free_stub(&mut self, node: NodeId) {
        let node = self.tree.get(node);
        if let Status::Given(item) = node.status {
            self.forget_stub(node.item, item, node.asleep.is_empty());
        }
    }

    /// Forgets an item given away from `around`; whoever has it should, unless it frees itself.
    fn forget_stub(&mut self, around: ItemId, item: ItemId, frees_itself: bool) {
        // Nothing is known of an item whose surroundings are being forgotten.
        let Some(around) = self.items.get_mut(&around) else {
            return;
        };
        let Stub {
            worker, counters, ..
        } = around.stubs.remove(&item).expect("freed once");
        around.counters += counters;
        if !frees_itself {
            self.outbox.push((worker, Message::Free { item }));
        }
    }

    /// Reports an item closed, if it is.
    pub(super) fn report_closed(&mut self, id: ItemId) {
        let item = self.items.get_mut(&id).expect("present");
        let is_open = self.tree.get(item.head).open > 0 || item.uncredited > 0;
        if is_open || item.closed_at == Some(item.received) {
            return;
        }
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
        };
        self.outbox.push((parent.worker, message));
        // Where nothing sleeps, nothing is ever inserted.
        if self.tree.get(item.head).asleep.is_empty() {
            self.drop_item(id);
        }
    }

    /// Forgets an item.
    pub(super) fn drop_item(&mut self, id: ItemId) {
        let Some(item) = self.items.get(&id) else {
            return;
        };
        let root = item.root;
        self.free_below(root);
        self.tree.remove_root(root);
        if self.path.first() == Some(&root) {
            self.path.clear();
        }
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
        debug_assert_eq!(self.tree.get(node).open, 1, "reported once per forward");
        self.tree.get_mut(node).open = 0;
        self.close(node);
    }
}
