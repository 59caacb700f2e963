//! The part of the tree that a worker has: its items, each with the path to it.
//!
//! Besides what `crate::tree` says of nodes: what sleeps below a node is fixed when it is appended,
//! because only what is left of it counts; here it is noted when the node is started or given
//! away, as a list of the nodes it comes from. They are children of ancestors, and stay as long.

use super::message::ItemId;
use crate::conflict::conflict;
use crate::tree::Step;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub const NONE: NodeId = NodeId(u32::MAX);

    pub fn some(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
    }
}

/// What became of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Somebody else's: on the path to an item or left of it.
    Foreign,
    Planned,
    /// Executed at least once.
    Started,
    /// Given away. What was planned below it at that time stays, and is not part of the tree.
    Given(ItemId),
    /// Finished, and nobody will ask for what was below it.
    Freed,
}

#[derive(Debug)]
pub(super) struct Node {
    pub step: Step,
    pub status: Status,
    /// The item it belongs to; on the path to an item: that item.
    pub item: ItemId,
    pub depth: u32,
    /// What has to be finished before the node is: its children that are not, and its own
    /// execution. Of a planned node or one given away: 1, and 0 once it is reported finished.
    pub open: u32,
    pub parent: NodeId,
    pub next_sibling: NodeId,
    pub first_child: NodeId,
    last_child: NodeId,
    /// Where the steps that sleep here come from.
    pub asleep: Vec<NodeId>,
}

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
}

impl Tree {
    #[inline]
    pub fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }

    /// Nodes in use.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.get(node).first_child.some();
        std::iter::successors(first, |&c| self.get(c).next_sibling.some())
    }

    /// The siblings before `node`.
    pub fn before(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(self.get(node).parent)
            .take_while(move |&sibling| sibling != node)
    }

    /// The ancestor of `node` at `depth`, itself included.
    pub fn ancestor(&self, mut node: NodeId, depth: u32) -> NodeId {
        while self.get(node).depth > depth {
            node = self.get(node).parent;
        }
        node
    }

    fn allocate(&mut self, node: Node) -> NodeId {
        match self.free.pop() {
            Some(id) => {
                self.nodes[id.0 as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                NodeId(self.nodes.len() as u32 - 1)
            }
        }
    }

    /// The root of an item's path.
    pub fn add_root(&mut self, item: ItemId, step: Step, status: Status) -> NodeId {
        self.allocate(Node {
            step,
            status,
            item,
            depth: 0,
            open: 1,
            parent: NodeId::NONE,
            next_sibling: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            asleep: Vec::new(),
        })
    }

    /// Appends a child after all others.
    pub fn append(&mut self, parent: NodeId, step: Step, status: Status) -> NodeId {
        let above = self.get(parent);
        let (item, depth, last) = (above.item, above.depth + 1, above.last_child);
        let child = self.allocate(Node {
            step,
            status,
            item,
            depth,
            open: 1,
            parent,
            next_sibling: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            asleep: Vec::new(),
        });
        match last.some() {
            Some(last) => self.get_mut(last).next_sibling = child,
            None => self.get_mut(parent).first_child = child,
        }
        self.get_mut(parent).last_child = child;
        child
    }

    /// Notes what sleeps at `node`: what slept above it or is left of it, unless it conflicts.
    pub fn note_asleep(&mut self, node: NodeId) {
        let parent = self.get(node).parent;
        if parent == NodeId::NONE {
            return;
        }
        let step = &self.get(node).step;
        let sleeps = |&q: &NodeId| {
            let q = &self.get(q).step;
            q.thread != step.thread && !conflict(&q.footprint, &step.footprint)
        };
        let inherited = self.get(parent).asleep.iter().copied();
        let all = inherited.chain(self.before(node));
        let asleep = all.filter(sleeps).collect();
        self.get_mut(node).asleep = asleep;
    }

    /// Removes everything below `node`, calling `left` for each node removed before it goes.
    pub fn remove_below(&mut self, node: NodeId, mut left: impl FnMut(NodeId, &Node)) {
        let mut rest: Vec<NodeId> = self.children(node).collect();
        while let Some(below) = rest.pop() {
            rest.extend(self.children(below));
            left(below, self.get(below));
            self.release(below);
        }
        let node = self.get_mut(node);
        node.first_child = NodeId::NONE;
        node.last_child = NodeId::NONE;
    }

    /// Removes the root of a path, which has nothing below it any more.
    pub fn remove_root(&mut self, root: NodeId) {
        debug_assert_eq!(self.get(root).first_child, NodeId::NONE);
        self.release(root);
    }

    fn release(&mut self, node: NodeId) {
        let gone = self.get_mut(node);
        gone.step.footprint.clear();
        gone.asleep = Vec::new();
        gone.status = Status::Freed;
        self.free.push(node);
    }
}
