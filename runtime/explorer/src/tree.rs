//! The tree of explored and planned steps: wakeup trees.
//!
//! A node is a step (thread, alternative, predicted footprint) after the steps above it. Children
//! are ordered, the order never changes, new ones come at the end; a node that has not been
//! executed yet is a plan. What sleeps below a child depends on this order alone, never on when it
//! is executed, so that any order of work explores each trace once.
//!
//! Source: wakeup trees of Optimal-DPOR (Abdulla et al., J. ACM 2017).
//! Deviations: (1) order of insertion instead of order of exploration decides who sleeps; (2) an
//! insertion stops where its reversed event no longer sleeps, because nothing below can need it.

use crate::conflict::Footprint;
use crate::spill::Spilling;
use dpor_model::ThreadId;

/// A step that was executed, is planned, or sleeps.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The thread whose operation it is.
    pub thread: ThreadId,
    /// The outcome that is chosen, as [`dpor_model::Decision::alternative`].
    pub alternative: u32,
    /// The objects that the step touches: as executed, or as predicted where it is planned.
    pub footprint: Footprint,
}

impl Step {
    /// The step of a root, which stands for nothing.
    pub fn none() -> Self {
        Step {
            thread: ThreadId(0),
            alternative: 0,
            footprint: Footprint::new(),
        }
    }
}

/// The index of a node in its [`Tree`]. Indices of freed nodes are used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The number that is no node's.
    pub const NONE: NodeId = NodeId(u32::MAX);
    /// The root of a tree that was made with one.
    pub const ROOT: NodeId = NodeId(0);
    /// The value of [`Node::first_child`] that says that the children are in a record of the store, whose number is in `last_child`.
    const SPILLED: NodeId = NodeId(u32::MAX - 1);

    /// `None` for [`NodeId::NONE`].
    pub fn some(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
    }
}

/// How far the exploration of a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The node is not executed yet.
    Planned,
    /// Executed at least once.
    Started,
    /// The node was given to another worker (`crate::worker`). The nodes planned below it at that time stay,
    /// and are not part of this worker's tree.
    Given,
    /// The node is another worker's, on the path to an item of this one or left of it.
    Foreign,
    /// The node is finished, with several workers, and no insertion will ask for the nodes that were below it.
    Freed,
}

// Plans wait for long: going to one is a cache miss, and not two.
#[repr(align(64))]
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The step from the parent to this node.
    pub step: Step,
    /// How far its exploration is.
    pub status: Status,
    /// True if an insertion passed the node since nodes were written out last (`crate::spill`).
    pub touched: bool,
    /// True if the step is another choice at this place that was planned for good, and with it all others
    /// ([`crate::reversals::Verdict::ForGood`]).
    pub is_choice: bool,
    /// The node above; [`NodeId::NONE`] for a root and for a node that is not in use.
    pub parent: NodeId,
    /// The next child of the same parent.
    pub next_sibling: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    /// Index of the notes about the node, with several workers (`crate::worker`); `u32::MAX` without.
    pub place: u32,
    /// How many nodes had the same [`NodeId`] before.
    pub generation: u32,
}

const _: () = assert!(size_of::<Node>() == 64);

impl Node {
    /// True if the node has no children, in memory or in a record.
    #[inline]
    pub fn has_no_children(&self) -> bool {
        self.first_child == NodeId::NONE
    }
}

/// A tree of steps, with links by index.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Indices that are not in use.
    free: Vec<NodeId>,
    /// The store for nodes that do not fit into memory, if there is one.
    pub spilling: Option<Spilling>,
}

impl Tree {
    /// A tree with nothing but the root, which stands for no step.
    pub fn new() -> Self {
        let mut tree = Tree::without_root();
        let root = tree.add_root();
        tree.get_mut(root).status = Status::Started;
        tree
    }

    /// A tree without any node.
    pub fn without_root() -> Self {
        Tree {
            nodes: Vec::new(),
            free: Vec::new(),
            spilling: None,
        }
    }

    /// Adds a node without parent, which stands for no step.
    pub fn add_root(&mut self) -> NodeId {
        self.allocate(Step::none(), NodeId::NONE)
    }

    /// The node with this index, which must be in use.
    #[inline]
    pub fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// The step of a node.
    #[inline]
    pub fn step(&self, node: NodeId) -> &Step {
        &self.get(node).step
    }

    /// The node with this index, to be changed.
    #[inline]
    pub fn get_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }

    /// The first child of a node whose children are in memory; [`NodeId::NONE`] if it has none.
    #[inline]
    pub fn first_child(&self, node: NodeId) -> NodeId {
        debug_assert!(!self.is_spilled(node));
        self.get(node).first_child
    }

    /// The first child of any node; its children are read back into memory if they are in a record.
    #[inline]
    pub fn bring_first_child(&mut self, node: NodeId) -> NodeId {
        if self.is_spilled(node) {
            self.bring_back(node);
        }
        self.get(node).first_child
    }

    /// True if the node's children are in a record of the store.
    #[inline]
    pub fn is_spilled(&self, node: NodeId) -> bool {
        self.get(node).first_child == NodeId::SPILLED
    }

    /// The number of the record that holds the node's children.
    pub fn spilled(&self, node: NodeId) -> u32 {
        debug_assert!(self.is_spilled(node));
        self.get(node).last_child.0
    }

    /// The numbers of the records of all nodes in use.
    pub fn records(&self) -> Vec<u32> {
        let all = (0..self.nodes.len() as u32).map(NodeId);
        let used = all.filter(|&node| self.get(node).parent != NodeId::NONE);
        let spilled = used.filter(|&node| self.is_spilled(node));
        spilled.map(|node| self.spilled(node)).collect()
    }

    /// Says that the node's children are in `record`, and no longer in memory.
    pub fn set_spilled(&mut self, node: NodeId, record: u32) {
        let node = self.get_mut(node);
        node.first_child = NodeId::SPILLED;
        node.last_child = NodeId(record);
    }

    /// The number of the record that held the node's children; the node has none from then on.
    pub fn take_spilled(&mut self, node: NodeId) -> u32 {
        let record = self.spilled(node);
        let node = self.get_mut(node);
        node.first_child = NodeId::NONE;
        node.last_child = NodeId::NONE;
        record
    }

    /// The sibling after `node`; [`NodeId::NONE`] if it is the last child.
    #[inline]
    pub fn next(&self, node: NodeId) -> NodeId {
        self.get(node).next_sibling
    }

    /// Number of nodes in use.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Marks a node as executed, with its children in memory.
    pub fn start(&mut self, node: NodeId) {
        self.bring_first_child(node);
        self.get_mut(node).status = Status::Started;
    }

    /// The children of a node, in order; they must be in memory.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(node).some(), |&c| self.next(c).some())
    }

    /// Planned nodes whose parent was executed: where the search can go on.
    pub fn open(&self) -> Vec<NodeId> {
        let all = (0..self.nodes.len() as u32).map(NodeId);
        let is_planned = |n| self.get(n).status == Status::Planned;
        let planned = all.filter(|&n| is_planned(n) && self.get(n).parent != NodeId::NONE);
        planned
            .filter(|&n| !is_planned(self.get(n).parent))
            .collect()
    }

    /// A new planned node without children, which no list of children has yet.
    fn allocate(&mut self, step: Step, parent: NodeId) -> NodeId {
        let mut node = Node {
            step,
            status: Status::Planned,
            touched: true,
            is_choice: false,
            parent,
            next_sibling: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            place: u32::MAX,
            generation: 0,
        };
        match self.free.pop() {
            Some(id) => {
                node.generation = self.get(id).generation + 1;
                self.nodes[id.0 as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                NodeId(self.nodes.len() as u32 - 1)
            }
        }
    }

    /// Appends a planned child of `parent` after all others.
    pub fn append(&mut self, parent: NodeId, step: Step) -> NodeId {
        let child = self.allocate(step, parent);
        let last = self.get(parent).last_child;
        match last.some() {
            Some(last) => self.nodes[last.0 as usize].next_sibling = child,
            None => self.nodes[parent.0 as usize].first_child = child,
        }
        self.nodes[parent.0 as usize].last_child = child;
        child
    }

    /// Inserts a planned child of `parent` before all others.
    pub fn prepend(&mut self, parent: NodeId, step: Step) -> NodeId {
        let child = self.allocate(step, parent);
        let first = self.get(parent).first_child;
        self.get_mut(child).next_sibling = first;
        let above = self.get_mut(parent);
        above.first_child = child;
        if first == NodeId::NONE {
            above.last_child = child;
        }
        child
    }

    /// The siblings before `node`, in order.
    pub fn before(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(self.get(node).parent)
            .take_while(move |&sibling| sibling != node)
    }

    /// Removes everything below `node`, calling `left` for each node before it goes.
    pub fn remove_below_with(&mut self, node: NodeId, mut left: impl FnMut(NodeId, &Node)) {
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

    /// True if `parent` has no other child than `node`.
    #[inline]
    pub fn is_only_child(&self, parent: NodeId, node: NodeId) -> bool {
        let parent = self.get(parent);
        parent.first_child == node && parent.last_child == node
    }

    /// Makes the number of a node that nothing leads to any more free for another.
    #[inline]
    pub fn release(&mut self, node: NodeId) {
        let gone = self.get_mut(node);
        gone.parent = NodeId::NONE;
        gone.status = Status::Freed;
        gone.step.footprint.clear();
        self.free.push(node);
    }

    /// Removes everything below a node that was never started.
    pub fn remove_below(&mut self, node: NodeId) {
        let mut rest: Vec<NodeId> = self.children(node).collect();
        while let Some(below) = rest.pop() {
            if !self.is_spilled(below) {
                rest.extend(self.children(below));
            }
            let removed = self.get_mut(below);
            removed.parent = NodeId::NONE;
            removed.step = Step::none();
            self.free.push(below);
        }
    }

    /// Removes the plans below a node that was started.
    pub fn forget_below(&mut self, node: NodeId) {
        self.bring_first_child(node);
        self.remove_below(node);
        let node = self.get_mut(node);
        node.first_child = NodeId::NONE;
        node.last_child = NodeId::NONE;
    }

    /// Frees what is below the first of `chain`, in which each node is the only child of the one
    /// before.
    pub fn free_chain(&mut self, chain: &[NodeId]) {
        let Some((&top, below)) = chain.split_first() else {
            return;
        };
        for &node in below {
            debug_assert_eq!(
                self.next(node),
                NodeId::NONE,
                "only finished nodes are freed"
            );
            self.nodes[node.0 as usize].parent = NodeId::NONE;
            self.free.push(node);
        }
        let top = &mut self.nodes[top.0 as usize];
        top.first_child = NodeId::NONE;
        top.last_child = NodeId::NONE;
    }

    /// Removes the first child of `parent`, which must have no children itself.
    pub fn remove_first(&mut self, parent: NodeId) -> Step {
        let child = self.first_child(parent);
        assert_eq!(
            self.first_child(child),
            NodeId::NONE,
            "only finished nodes are freed"
        );
        let next = self.next(child);
        let parent = &mut self.nodes[parent.0 as usize];
        parent.first_child = next;
        if next == NodeId::NONE {
            parent.last_child = NodeId::NONE;
        }
        self.free.push(child);
        let freed = &mut self.nodes[child.0 as usize];
        freed.parent = NodeId::NONE;
        freed.status = Status::Freed;
        std::mem::replace(&mut freed.step, Step::none())
    }
}
