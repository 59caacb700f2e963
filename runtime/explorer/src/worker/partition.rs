//! The search of one worker: which node next, and the path of the present execution.
//!
//! As long as nothing was given away and nothing came from elsewhere this is the leftmost search
//! (`crate::search::optimal`), and does what that does. See `path` for what happens where it is not.

use super::item::Item;
use super::message::{BarrierUsers, Forward, ItemId, Message, WorkerId};
use super::notes::{Notes, Source, NO_PLACE};
use crate::config::Order;
use crate::end::Execution;
use crate::estimate::Levels;
use crate::mutation::Seeded;
use crate::object::Alternatives;
use crate::positions::Positions;
use crate::reversals::Reversals;
use crate::sleep_sets::SleepSets;
use crate::trace::Trace;
use crate::tree::{NodeId, Status, Step, Tree};
use dpor_model::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// The state of a worker, but for the program's present execution.
pub(crate) struct Partition {
    pub(super) me: WorkerId,
    pub(super) tree: Tree,
    pub(super) notes: Notes,
    pub(super) items: BTreeMap<ItemId, Item>,
    /// The items of roots.
    pub(super) roots: BTreeMap<NodeId, ItemId>,
    /// Planned nodes whose parents were executed and are not on the path, by depth.
    pub(super) elsewhere: BTreeSet<(u32, NodeId)>,
    /// The nodes of the last execution down to the last with planned children; none if there is none.
    pub(super) path: Vec<NodeId>,
    /// What is known of each of them.
    pub(super) path_nodes: Vec<PathNode>,
    /// What sleeps on the path.
    pub(super) sleep_sets: SleepSets,
    /// Where each of what sleeps comes from.
    pub(super) sources: Vec<Source>,
    /// What was executed on the path while it slept unless read, if something may be inserted for it.
    pub(super) lasting: Vec<Source>,
    /// Depths at which the path's node has planned children besides the path's.
    pub(super) open: Positions,
    /// The item that the path is in.
    pub(super) item: ItemId,
    /// So many of the path's nodes belong to others.
    pub(super) foreign: usize,
    /// Nodes still to be followed, the next one last.
    pub(super) planned: Vec<NodeId>,
    /// Forwards that came before the items they are for.
    pub(super) held: BTreeMap<ItemId, Vec<Forward>>,
    pub(super) given: u32,
    pub(super) is_finished: bool,
    /// What is known of barriers.
    pub barriers: Vec<BarrierUsers>,
    pub reversals: Reversals,
    pub levels: Levels,
    pub(super) outbox: Vec<(WorkerId, Message)>,
    pub order: Order,
    /// The planned node whose step is being executed; `NONE`: the step was not planned.
    pub next: NodeId,
    random: u64,
    pub(super) mutation: Seeded,
    pub nodes_max: usize,
}

/// A node on the path.
#[derive(Clone, Copy)]
pub(super) struct PathNode {
    /// How many of its first children are final and were removed. They still sleep.
    pub finished: u32,
    /// So many of `lasting` were executed above it, or with it.
    pub lasting: u32,
    /// Something may be inserted into it from elsewhere.
    pub is_reachable: bool,
}

impl PathNode {
    pub const ROOT: PathNode = PathNode {
        finished: 0,
        lasting: 0,
        is_reachable: false,
    };
}

impl Partition {
    pub fn new(me: WorkerId, order: Order, mutation: Seeded) -> Self {
        let mut partition = Partition {
            me,
            tree: Tree::without_root(),
            notes: Notes::default(),
            items: BTreeMap::new(),
            roots: BTreeMap::new(),
            elsewhere: BTreeSet::new(),
            path: Vec::new(),
            path_nodes: Vec::new(),
            sleep_sets: SleepSets::new(mutation),
            sources: Vec::new(),
            lasting: Vec::new(),
            open: Positions::default(),
            item: ItemId::WHOLE,
            foreign: 0,
            planned: Vec::new(),
            next: NodeId::NONE,
            held: BTreeMap::new(),
            given: 0,
            is_finished: false,
            barriers: Vec::new(),
            reversals: Reversals::new(mutation),
            levels: Levels::default(),
            outbox: Vec::new(),
            order,
            random: match order {
                Order::Leftmost | Order::KeepAll => 0,
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
        let root = self.tree.add_root();
        self.roots.insert(root, ItemId::WHOLE);
        self.items.insert(ItemId::WHOLE, Item::new(root, root));
        self.elsewhere.insert((0, root));
    }

    /// True if an item begins here.
    pub(super) fn is_head(&self, node: NodeId) -> bool {
        let parent = self.tree.get(node).parent;
        parent == NodeId::NONE || self.tree.get(parent).status == Status::Foreign
    }

    /// True if there is something to start.
    pub fn has_work(&self) -> bool {
        self.open.last().is_some() || !self.elsewhere.is_empty()
    }

    /// True if there are at least two things to start.
    pub fn is_rich(&self) -> bool {
        let on_path = self
            .open
            .iter()
            .flat_map(|depth| self.planned_children(depth));
        self.elsewhere.len() + on_path.take(2).count() > 1
    }

    /// The depths at which the path's node has planned children, and how many.
    pub fn planned_beside(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let count = |depth| (depth, self.planned_children(depth).count() as u64);
        self.open.iter().map(count)
    }

    /// The depth of the first node on the path that is this worker's.
    pub fn own_from(&self) -> usize {
        let mut nodes = self.path.iter();
        let own = nodes.position(|&node| self.tree.get(node).status != Status::Foreign);
        own.unwrap_or(self.path.len())
    }

    /// The depths of planned nodes that are not on the path.
    pub fn planned_elsewhere(&self) -> impl Iterator<Item = usize> + '_ {
        self.elsewhere.iter().map(|&(depth, _)| depth as usize)
    }

    /// Planned children of the path's node at `depth`.
    fn planned_children(&self, depth: usize) -> impl Iterator<Item = NodeId> + '_ {
        let all = self.tree.children(self.path[depth]);
        all.filter(|&child| self.tree.get(child).status == Status::Planned)
    }

    /// Picks a node to start. Returns the depth from which the execution is new.
    pub fn start_next(&mut self, trace: &Trace) -> Option<usize> {
        let target = self.pick()?;
        self.planned.clear();
        match self.path.last() {
            Some(&here) if here == self.tree.get(target).parent => {
                self.levels.branch(self.path.len() - 1);
                self.planned.push(target);
            }
            _ => {
                self.levels.leave();
                self.jump(target, trace);
            }
        }
        let depth = self.path.len() - 1;
        self.reversals.truncate(depth);
        Some(depth)
    }

    /// The deepest on the path, its leftmost; if there is none, the deepest of all: so that what is
    /// left of most things is finished first, and what was finished can be freed.
    fn pick(&mut self) -> Option<NodeId> {
        if self.order != Order::Leftmost {
            return self.pick_any();
        }
        match self.open.last() {
            Some(depth) => self.planned_children(depth).next(),
            None => self.elsewhere.last().map(|&(_, node)| node),
        }
    }

    fn pick_any(&mut self) -> Option<NodeId> {
        let all = self.all_ready();
        (!all.is_empty()).then(|| all[self.roll(all.len())])
    }

    /// Everything that can be started.
    pub(super) fn all_ready(&self) -> Vec<NodeId> {
        let on_path = self.open.iter();
        let on_path = on_path.flat_map(|depth| self.planned_children(depth));
        on_path
            .chain(self.elsewhere.iter().map(|&(_, node)| node))
            .collect()
    }

    /// What to give away: the shallowest, not the head of an item; in random order any.
    pub(super) fn pick_to_give(&mut self) -> Option<NodeId> {
        if self.order != Order::Leftmost {
            let mut all = self.all_ready();
            all.retain(|&node| !self.is_head(node));
            return (!all.is_empty()).then(|| all[self.roll(all.len())]);
        }
        let mut elsewhere = self.elsewhere.iter();
        let elsewhere = elsewhere.find(|&&(_, node)| !self.is_head(node)).copied();
        let on_path = self.open.first();
        match (on_path, elsewhere) {
            (Some(depth), Some((other, node))) if other as usize <= depth => Some(node),
            (Some(depth), _) => self.planned_children(depth).next(),
            (None, elsewhere) => elsewhere.map(|(_, node)| node),
        }
    }

    pub(super) fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    #[inline]
    pub(super) fn here(&self) -> NodeId {
        *self.path.last().expect("the path has a root")
    }

    /// True if something is planned below the last node.
    pub fn has_planned_below(&self) -> bool {
        !self.planned.is_empty() || self.tree.first_child(self.here()) != NodeId::NONE
    }

    /// The planned child to go to next. `None`: nothing is planned here.
    #[inline]
    pub fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let first = self.tree.first_child(self.here()).some()?;
        if self.order == Order::Leftmost {
            return Some(first);
        }
        let children: Vec<NodeId> = self.tree.children(self.here()).collect();
        Some(children[self.roll(children.len())])
    }

    #[inline]
    pub fn step(&self, node: NodeId) -> &Step {
        self.tree.step(node)
    }

    /// True if a step to start where nothing is planned is the first that can be executed.
    #[inline]
    pub fn takes_first(&self) -> bool {
        !matches!(self.order, Order::Random(_)) && self.sleep_sets.is_empty()
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    pub fn choose(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        let mut awake: Vec<(ThreadId, u32)> = threads
            .flat_map(|(thread, alternatives)| alternatives.iter().map(move |a| (thread, a)))
            .collect();
        awake.retain(|&(thread, a)| !self.sleep_sets.contains(thread, a));
        match self.order {
            _ if awake.is_empty() => None,
            Order::Leftmost | Order::KeepAll => Some(awake[0]),
            Order::Random(_) => Some(awake[self.roll(awake.len())]),
        }
    }

    /// Adds a child here that was not planned.
    #[inline]
    pub fn add_free(&mut self, step: Step) -> NodeId {
        self.tree.append(self.here(), step)
    }

    /// True if the execution contains a store that was to be read and was not.
    pub fn owes(&self) -> bool {
        self.sleep_sets.owes()
    }

    /// The execution was analysed.
    pub fn finish(&mut self, execution: &Execution, new_events: u64) {
        self.nodes_max = self.nodes_max.max(self.tree.len());
        let counters = &mut self.items.get_mut(&self.item).expect("present").counters;
        counters.count(&execution.end);
        counters.events += new_events;
        self.trim();
        self.levels.ended();
    }

    /// True if the node is on the path, or was never executed.
    #[inline]
    pub(super) fn has_no_note(&self, node: NodeId) -> bool {
        self.tree.get(node).place == NO_PLACE
    }
}
