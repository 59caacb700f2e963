//! Finished branches that have to be kept, as bytes.
//!
//! With several workers that can be most of the tree, and hardly any of it is ever asked for again. So
//! when the path leaves a closed node that is not final, what is below becomes bytes, less than ten a
//! node, and comes back one level at a time when an insertion walks into it.
//!
//! Nothing else has to be noted: all below is closed, so that something can be inserted there only
//! through the node, from the node's own sources; those of its children follow from them.

use super::notes::Note;
use super::partition::Partition;
use crate::encode::{get, get_step, put, put_step};
use crate::tree::{NodeId, Status};

impl Partition {
    /// Packs what is below a closed node, if all of it can be.
    pub(super) fn pack(&mut self, node: NodeId) {
        let mut bytes = Vec::new();
        for child in self.tree.children(node) {
            let below = self.tree.get(child);
            put_step(&mut bytes, &below.step);
            if below.status == Status::Freed {
                put(&mut bytes, 0);
                continue;
            }
            let is_bare = below.status == Status::Started
                && !self.has_no_note(child)
                && below.has_no_children();
            if !is_bare || self.is_open(child) {
                return; // Given away, or not packed itself.
            }
            let packed = &self.notes.get(below.place).packed;
            put(&mut bytes, packed.len() as u64 + 1);
            bytes.extend_from_slice(packed);
        }
        if bytes.is_empty() {
            return;
        }
        bytes.shrink_to_fit();
        self.free_below(node, self.item);
        let place = self.tree.get(node).place;
        self.notes.get_mut(place).packed = bytes;
    }

    /// True if what is below the node is packed.
    #[inline]
    pub(super) fn is_packed(&self, node: NodeId) -> bool {
        !self.has_no_note(node) && !self.notes.get(self.tree.get(node).place).packed.is_empty()
    }

    /// Brings back the children of a node.
    #[cold]
    pub(super) fn unpack(&mut self, node: NodeId) {
        let place = self.tree.get(node).place;
        let packed = std::mem::take(&mut self.notes.get_mut(place).packed);
        let depth = self.notes.get(place).depth + 1;
        let mut bytes = &packed[..];
        while !bytes.is_empty() {
            let child = self.tree.append(node, get_step(&mut bytes));
            let length = get(&mut bytes) as usize;
            let (below, rest) = bytes.split_at(length.saturating_sub(1));
            bytes = rest;
            let sources = match length {
                0 => Vec::new(),
                _ => self.sources_of(child),
            };
            if sources.is_empty() {
                self.tree.get_mut(child).status = Status::Freed;
                continue;
            }
            let place = self.notes.add(Note {
                sources,
                depth,
                packed: below.to_vec(),
                ..Note::default()
            });
            let kept = self.tree.get_mut(child);
            kept.status = Status::Started;
            kept.place = place;
        }
    }
}
