//! The search of one worker: which node next, and the path of the present execution.

use super::item::Item;
use super::message::{Forward, ItemId, Message, WorkerId};
use super::tree::{NodeId, Status, Tree};
use crate::config::{Mutation, Order};
use crate::end::Execution;
use crate::object::Alternatives;
use crate::program::ThreadId;
use crate::reversals::Reversals;
use crate::trace::Trace;
use crate::tree::Step;
use std::collections::{BTreeMap, BTreeSet};

/// The state of a worker, but for the program's present execution.
pub(crate) struct Partition {
    pub(super) me: WorkerId,
    pub(super) tree: Tree,
    pub(super) items: BTreeMap<ItemId, Item>,
    /// Planned nodes whose parents were executed, by depth.
    pub(super) ready: BTreeSet<(u32, NodeId)>,
    /// The nodes of the last execution, as far as they are still there.
    pub(super) path: Vec<NodeId>,
    /// So many of them belong to others.
    pub(super) foreign: usize,
    /// Nodes still to be followed, the next one last.
    planned: Vec<NodeId>,
    /// Forwards that came before the items they are for.
    pub(super) held: BTreeMap<ItemId, Vec<Forward>>,
    pub(super) given: u32,
    pub(super) is_finished: bool,
    pub reversals: Reversals,
    pub(super) outbox: Vec<(WorkerId, Message)>,
    pub(super) order: Order,
    random: u64,
    pub(super) mutation: Mutation,
    pub nodes_max: usize,
}

impl Partition {
    pub fn new(me: WorkerId, order: Order, mutation: Mutation) -> Self {
        let mut partition = Partition {
            me,
            tree: Tree::default(),
            items: BTreeMap::new(),
            ready: BTreeSet::new(),
            path: Vec::new(),
            foreign: 0,
            planned: Vec::new(),
            held: BTreeMap::new(),
            given: 0,
            is_finished: false,
            reversals: Reversals::new(mutation),
            outbox: Vec::new(),
            order,
            random: match order {
                Order::Leftmost => 0,
                Order::Random(seed) => seed,
            },
            mutation,
            nodes_max: 0,
        };
        if me == WorkerId(0) {
            partition.add_whole();
        }
        partition
    }

    fn add_whole(&mut self) {
        let root = self
            .tree
            .add_root(ItemId::WHOLE, Step::none(), Status::Planned);
        self.items.insert(ItemId::WHOLE, Item::new(root, root));
        self.ready.insert((0, root));
    }

    /// The item of the present execution.
    pub(super) fn item(&self) -> ItemId {
        self.tree.get(self.path[0]).item
    }

    pub(super) fn is_head(&self, node: NodeId) -> bool {
        let parent = self.tree.get(node).parent;
        parent == NodeId::NONE || self.tree.get(parent).status == Status::Foreign
    }

    /// Picks a node to start. Returns the depth from which the execution is new.
    pub fn advance(&mut self, trace: &Trace) -> Option<usize> {
        let target = self.pick()?;
        self.ready.remove(&(self.tree.get(target).depth, target));
        self.planned.clear();
        let mut node = target;
        loop {
            let depth = self.tree.get(node).depth as usize;
            if self.path.get(depth) == Some(&node) {
                self.path.truncate(depth + 1);
                break;
            }
            self.planned.push(node);
            node = self.tree.get(node).parent;
            if node == NodeId::NONE {
                self.change_item(trace, target);
                break;
            }
        }
        let depth = self.path.len() - 1;
        self.reversals.truncate(depth);
        Some(depth)
    }

    /// The new path is that of another item; it may begin with the same steps.
    fn change_item(&mut self, trace: &Trace, target: NodeId) {
        let root = self.planned.pop().expect("the path has a root");
        self.path.clear();
        self.path.push(root);
        self.foreign = self.items[&self.item()].holders.len();
        if root == target {
            self.start(root);
        }
        while let Some(&node) = self.planned.last() {
            let step = &self.tree.get(node).step;
            let same = trace
                .events()
                .get(self.path.len() - 1)
                .is_some_and(|event| {
                    event.thread == step.thread && event.decision.alternative == step.alternative
                });
            if !same || node == target {
                return;
            }
            self.path.push(node);
            self.planned.pop();
        }
    }

    /// The deepest on the path, its leftmost; if there is none, the deepest of all: so that what is
    /// left of most things is finished first, and what was finished can be freed.
    fn pick(&mut self) -> Option<NodeId> {
        if self.ready.is_empty() {
            return None;
        }
        if self.order != Order::Leftmost {
            let n = self.roll(self.ready.len());
            return self.ready.iter().nth(n).map(|&(_, node)| node);
        }
        let on_path = self.path.iter().rev().find_map(|&node| {
            let mut children = self.tree.children(node);
            children.find(|&child| self.tree.get(child).status == Status::Planned)
        });
        on_path.or_else(|| self.ready.last().map(|&(_, node)| node))
    }

    pub(super) fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    fn here(&self) -> NodeId {
        *self.path.last().expect("the path has a root")
    }

    /// The planned child to go to next. `None`: nothing is planned here.
    pub fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let first = self.tree.get(self.here()).first_child.some()?;
        if self.order == Order::Leftmost {
            return Some(first);
        }
        let children: Vec<NodeId> = self.tree.children(self.here()).collect();
        let next = children[self.roll(children.len())];
        self.ready.remove(&(self.tree.get(next).depth, next));
        Some(next)
    }

    pub fn step(&self, node: NodeId) -> &Step {
        &self.tree.get(node).step
    }

    fn sleeps(&self, thread: ThreadId, alternative: u32) -> bool {
        let mut asleep = self.tree.get(self.here()).asleep.iter();
        asleep.any(|&q| {
            let step = self.step(q);
            step.thread == thread && step.alternative == alternative
        })
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    pub fn choose(
        &mut self,
        mut threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        if self.order == Order::Leftmost && self.tree.get(self.here()).asleep.is_empty() {
            let (thread, alternatives) = threads.next()?;
            return Some((thread, alternatives.first()));
        }
        let mut awake: Vec<(ThreadId, u32)> = threads
            .flat_map(|(thread, alternatives)| alternatives.iter().map(move |a| (thread, a)))
            .collect();
        awake.retain(|&(thread, a)| !self.sleeps(thread, a));
        match self.order {
            _ if awake.is_empty() => None,
            Order::Leftmost => Some(awake[0]),
            Order::Random(_) => Some(awake[self.roll(awake.len())]),
        }
    }

    /// Adds a child here that was not planned.
    pub fn add_free(&mut self, step: Step) -> NodeId {
        let here = self.here();
        self.tree.get_mut(here).open += 1;
        self.tree.append(here, step, Status::Planned)
    }

    /// Goes to child `node`, whose step was just executed with its predicted footprint.
    pub fn enter(&mut self, node: NodeId) {
        self.path.push(node);
        if self.tree.get(node).status == Status::Planned {
            self.start(node);
        }
    }

    /// Notes that `node` was executed. Its first child is next ([`Partition::next_planned`]).
    fn start(&mut self, node: NodeId) {
        self.tree.note_asleep(node);
        let depth = self.tree.get(node).depth + 1;
        let mut planned = 0;
        for child in self.tree.children(node) {
            if planned > 0 || self.order != Order::Leftmost {
                self.ready.insert((depth, child));
            }
            planned += 1;
        }
        let started = self.tree.get_mut(node);
        started.status = Status::Started;
        started.open = planned;
    }

    /// The execution was analysed.
    pub fn finish(&mut self, execution: &Execution, new_events: u64) {
        self.nodes_max = self.nodes_max.max(self.tree.len());
        let item = self.item();
        let counters = &mut self.items.get_mut(&item).expect("present").counters;
        counters.count(&execution.end);
        counters.events += new_events;
        let leaf = self.here();
        assert_eq!(
            self.tree.get(leaf).open,
            0,
            "an execution ends where nothing is planned"
        );
        self.close(leaf);
    }
}
