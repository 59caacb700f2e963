//! What is noted about nodes that are kept although the path is elsewhere.
//!
//! On the path a worker goes the way of the search for one: what is finished is freed at once. What
//! an insertion may still reach when the path leaves it is *kept*, and so is what was given away.

use super::message::ItemId;
use crate::relation::{below, Below};
use crate::tree::{NodeId, Status, Step, Tree};

/// A branch from below which something may be inserted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    node: NodeId,
    generation: u32,
    /// Whether the step was executed on the way, as a store to be read: what is inserted for it may reach
    /// everything from there on (`crate::observers`).
    lasts: bool,
}

impl Source {
    /// The source of a step whose verdict cannot change.
    pub const FINAL: Source = Source {
        node: NodeId::NONE,
        generation: 0,
        lasts: false,
    };

    #[inline]
    pub fn new(tree: &Tree, node: NodeId) -> Self {
        Source {
            node,
            generation: tree.get(node).generation,
            lasts: false,
        }
    }

    pub fn lasting(self) -> Self {
        Source {
            lasts: true,
            ..self
        }
    }

    /// True if it is not final.
    #[inline]
    pub fn is_open(self, tree: &Tree) -> bool {
        self.node != NodeId::NONE && {
            let node = tree.get(self.node);
            node.generation == self.generation && node.status != Status::Freed
        }
    }

    /// What becomes of it below `step`.
    pub fn below(self, tree: &Tree, step: &Step) -> Option<Source> {
        if self.lasts {
            return Some(self);
        }
        match below(step, tree.step(self.node)) {
            Below::Awake => None,
            Below::Asleep | Below::UnlessRead => Some(self),
            Below::Executed => Some(self.lasting()),
        }
    }
}

/// What is noted about one node.
#[derive(Default)]
pub(super) struct Note {
    /// The number of the node's children that are not closed; of a node that was given away 1 until it is reported
    /// closed.
    pub open: u32,
    /// The places from which something may be inserted into the node.
    pub sources: Vec<Source>,
    /// Given away as this.
    pub given: Option<ItemId>,
    pub depth: u32,
    /// What is below it, if that is packed (`super::pack`).
    pub packed: Vec<u8>,
}

/// All that is noted. A node has the number of its note ([`crate::tree::Node::place`]).
#[derive(Default)]
pub(super) struct Notes {
    all: Vec<Note>,
    free: Vec<u32>,
}

/// The place of a node without a note.
pub(super) const NO_PLACE: u32 = u32::MAX;

impl Notes {
    pub fn add(&mut self, kept: Note) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.all[place as usize] = kept;
                place
            }
            None => {
                self.all.push(kept);
                self.all.len() as u32 - 1
            }
        }
    }

    pub fn remove(&mut self, place: u32) -> Note {
        self.free.push(place);
        std::mem::take(&mut self.all[place as usize])
    }

    #[inline]
    pub fn get(&self, place: u32) -> &Note {
        &self.all[place as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, place: u32) -> &mut Note {
        &mut self.all[place as usize]
    }
}
