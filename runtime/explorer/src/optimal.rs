//! The optimal search: one execution of each Mazurkiewicz trace.
//!
//! An execution follows the tree to a planned step, then its plan, then the default scheduler. At
//! its end every race is reversed: the events that do not depend on the removed ones, and then the
//! second event, become a plan before the first removed one, unless something that sleeps there or
//! an earlier branch already covers it. A choice (the number of a `Choose`, the waiter of a
//! signal) races with its own alternatives.
//!
//! Source: Optimal-DPOR (Abdulla, Aronis, Jonsson, Sagonas; J. ACM 2017), sleep sets by Godefroid.
//! Deviations: see `crate::tree` and `crate::race`.

use crate::config::{Mutation, Order};
use crate::conflict::conflict;
use crate::object::Alternatives;
use crate::observer::same_store;
use crate::plan::{Match, Plan};
use crate::positions::Positions;
use crate::program::ThreadId;
use crate::reversals::{Insert, Reversals, Verdict};
use crate::spill::{Spill, Spilling};
use crate::trace::Trace;
use crate::tree::{NodeId, Step, Tree};
use std::ops::Range;

/// The state of an optimal search between and during executions.
pub(crate) struct Optimal {
    tree: Tree,
    /// `path[d]`: the tree node after `d` events.
    path: Vec<NodeId>,
    levels: Vec<Level>,
    /// Depths at which the path's node has a sibling to the right.
    open: Positions,
    /// Steps that sleep somewhere on the path, where they came from.
    sleepers: Vec<Step>,
    /// For each level, what sleeps there (indices into `sleepers`), then what is to the left of
    /// the path's child. With [`UNLESS_READ`]: a store that sleeps unless it is read.
    asleep: Vec<u32>,
    /// For each level, the stores that were executed while they slept unless read, and are not
    /// read yet.
    owed: Vec<u32>,
    pub reversals: Reversals,
    /// Nodes still to be followed, the next one last.
    planned: Vec<NodeId>,
    order: Order,
    mutation: Mutation,
    random: u64,
    pub nodes_max: usize,
}

#[derive(Clone, Copy)]
struct Level {
    /// Begin of its part of `asleep`.
    asleep: u32,
    /// End of what it inherited; the rest comes from its own children.
    inherited: u32,
    /// Length of `sleepers` without its own children.
    sleepers: u32,
    /// Its part of `owed`.
    owed: (u32, u32),
}

/// Marks a member of `asleep`.
const UNLESS_READ: u32 = 1 << 31;

impl Optimal {
    pub fn new(order: Order, mutation: Mutation) -> Self {
        let random = match order {
            Order::Leftmost => 0,
            Order::Random(seed) => seed,
        };
        Optimal {
            tree: Tree::new(),
            path: vec![NodeId::ROOT],
            open: Positions::default(),
            levels: vec![Level {
                asleep: 0,
                inherited: 0,
                sleepers: 0,
                owed: (0, 0),
            }],
            sleepers: Vec::new(),
            asleep: Vec::new(),
            owed: Vec::new(),
            reversals: Reversals::new(mutation),
            planned: Vec::new(),
            order,
            mutation,
            random,
            nodes_max: 1,
        }
    }

    /// The depth from which the next execution is new, if there is one.
    pub fn advance(&mut self) -> Option<usize> {
        let depth = match self.order {
            Order::Leftmost => self.advance_leftmost()?,
            Order::Random(_) => self.advance_random()?,
        };
        self.path.truncate(depth + 1);
        self.levels.truncate(depth + 1);
        self.open.truncate(depth);
        self.owed.truncate(self.levels[depth].owed.1 as usize);
        self.reversals.truncate(depth);
        Some(depth)
    }

    /// True if [`Optimal::advance`] will find something.
    pub fn has_more(&self) -> bool {
        match self.order {
            Order::Leftmost => self.open.last().is_some(),
            Order::Random(_) => !self.tree.open().is_empty(),
        }
    }

    /// The deepest node of the path with a child to the right of the path's. All to the left is
    /// finished and can never be asked for anything but its steps, so it is freed.
    fn advance_leftmost(&mut self) -> Option<usize> {
        let depth = self.open.last()?;
        debug_assert_ne!(self.tree.next(self.path[depth + 1]), NodeId::NONE);
        self.tree.free_chain(&self.path[depth + 1..]);
        let end = self.levels[depth + 1];
        self.asleep.truncate(end.asleep as usize);
        self.truncate_sleepers(depth + 1);
        let finished = self.tree.remove_first(self.path[depth]);
        self.asleep.push(self.sleepers.len() as u32);
        self.sleepers.push(finished);
        let next = self.tree.first_child(self.path[depth]);
        self.planned.push(next);
        Some(depth)
    }

    /// Keeps the sleepers that come from levels above `depth`.
    fn truncate_sleepers(&mut self, depth: usize) {
        self.sleepers.truncate(self.levels[depth].sleepers as usize);
    }

    /// Any planned node whose parent was executed.
    fn advance_random(&mut self) -> Option<usize> {
        let open = self.tree.open();
        if open.is_empty() {
            return None;
        }
        let mut node = open[self.roll(open.len())];
        while !self.path.contains(&node) {
            self.planned.push(node);
            node = self.tree.get(node).parent;
        }
        let depth = self
            .path
            .iter()
            .position(|&n| n == node)
            .expect("the root is on the path");
        let level = self.levels[depth];
        self.asleep.truncate(level.inherited as usize);
        self.truncate_sleepers(depth);
        Some(depth)
    }

    fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    /// The planned child to go to next. `None`: nothing is planned here.
    pub fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let here = self.here();
        let first = self.tree.first_child(here).some()?;
        if self.order == Order::Leftmost {
            return Some(first);
        }
        let children: Vec<NodeId> = self.tree.children(here).collect();
        Some(children[self.roll(children.len())])
    }

    pub fn step(&self, node: NodeId) -> &Step {
        self.tree.step(node)
    }

    fn here(&self) -> NodeId {
        *self.path.last().expect("the path has a root")
    }

    fn asleep_here(&self) -> &[u32] {
        let level = self.levels.last().expect("the path has a root");
        &self.asleep[level.asleep as usize..]
    }

    fn sleeps(&self, thread: ThreadId, alternative: u32) -> bool {
        self.asleep_here().iter().any(|&s| {
            let step = &self.sleepers[(s & !UNLESS_READ) as usize];
            step.thread == thread && step.alternative == alternative
        })
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    pub fn choose(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        if self.order == Order::Leftmost && self.asleep_here().is_empty() {
            let (thread, alternatives) = { threads }.next()?;
            return Some((thread, alternatives.first()));
        }
        let mut awake = Vec::new();
        for (thread, alternatives) in threads {
            awake.extend(alternatives.iter().map(|a| (thread, a)));
        }
        awake.retain(|&(thread, a)| !self.sleeps(thread, a));
        match self.order {
            _ if awake.is_empty() => None,
            Order::Leftmost => Some(awake[0]),
            Order::Random(_) => Some(awake[self.roll(awake.len())]),
        }
    }

    /// Adds a child here that was not planned.
    pub fn add_free(&mut self, step: Step) -> NodeId {
        self.tree.append(self.here(), step)
    }

    /// Goes to child `node`, whose step was just executed with its predicted footprint.
    pub fn enter(&mut self, node: NodeId, trace: &Trace) {
        let here = self.here();
        let mut before = self.tree.first_child(here);
        while before != node {
            self.asleep.push(self.sleepers.len() as u32);
            self.sleepers.push(self.tree.step(before).clone());
            before = self.tree.next(before);
        }
        let begin = self.levels.last().expect("the path has a root").asleep as usize;
        let end = self.asleep.len();
        let step = self.tree.step(node);
        for i in begin..end {
            let sleeper = &self.sleepers[(self.asleep[i] & !UNLESS_READ) as usize];
            if sleeper.thread != step.thread && !conflict(&sleeper.footprint, &step.footprint) {
                let wrong = self.mutation == Mutation::ReadStoresSleep;
                let stores = !wrong && same_store(&sleeper.footprint, &step.footprint);
                let mark = if stores { UNLESS_READ } else { 0 };
                self.asleep.push(self.asleep[i] | mark);
            }
        }
        let owed = match trace.table.stores {
            true => self.find_owed(trace, begin..end, node),
            false => (0, 0),
        };
        self.levels.push(Level {
            asleep: end as u32,
            inherited: self.asleep.len() as u32,
            sleepers: self.sleepers.len() as u32,
            owed,
        });
        let depth = self.path.len() - 1;
        self.open.set(depth, self.tree.next(node) != NodeId::NONE);
        self.path.push(node);
        self.tree.start(node);
    }

    /// What is owed a read below `node`, which was just executed while `asleep` slept.
    fn find_owed(&mut self, trace: &Trace, asleep: Range<usize>, node: NodeId) -> (u32, u32) {
        let begin = self.owed.len();
        let executed = self.path.len() - 1;
        let level = self.levels.last().expect("the path has a root").owed;
        for i in level.0..level.1 {
            if !trace.is_observed(self.owed[i as usize] as usize) {
                self.owed.push(self.owed[i as usize]);
            }
        }
        let thread = self.tree.step(node).thread;
        let slept = self.asleep[asleep].iter().any(|&s| {
            s & UNLESS_READ != 0 && self.sleepers[(s & !UNLESS_READ) as usize].thread == thread
        });
        if slept && !trace.is_observed(executed) && self.mutation != Mutation::NothingOwed {
            self.owed.push(executed as u32);
        }
        (begin as u32, self.owed.len() as u32)
    }

    /// True if the execution contains a store that was to be read and was not.
    pub fn owes(&self) -> bool {
        let (begin, end) = self.levels.last().expect("the path has a root").owed;
        begin < end
    }

    /// Called when an execution was analysed.
    pub fn note_size(&mut self) {
        self.nodes_max = self.nodes_max.max(self.tree.len());
        self.tree.keep_within_limit();
    }

    /// Forgets everything but where to spill.
    pub fn begin_anew(&mut self) {
        let spilling = self.tree.clear_store();
        *self = Optimal::new(self.order, self.mutation);
        self.tree.spilling = spilling;
    }

    /// Keeps the tree within so many bytes.
    pub fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        self.tree.spilling = Some(Spilling::new(store, bytes));
    }

    /// Nodes written out so far.
    pub fn spilled(&self) -> u64 {
        self.tree.spilling.as_ref().map_or(0, |s| s.written)
    }
}

impl Insert for Optimal {
    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        let mut settled = true;
        let (begin, end) = self.levels[first].owed;
        let owed = &self.owed[begin as usize..end as usize];
        if owed.iter().any(|&store| !plan.reads(store as usize)) {
            return Verdict::Open;
        }
        // What reverses the first event contains it if it is to be read.
        let deep = self.inserts_deeply() || plan.unread.is_some();
        // What sleeps before `first`, and the branches to the left of it.
        let begin = self.levels[first].asleep as usize;
        let end = self.levels[first + 1].asleep as usize;
        for &sleeper in &self.asleep[begin..end] {
            let step = &self.sleepers[(sleeper & !UNLESS_READ) as usize];
            match plan.relate(step, sleeper & UNLESS_READ != 0) {
                (Match::Conflicts, _) => {}
                (_, true) => return Verdict::Final,
                (_, false) => return Verdict::Open,
            }
        }
        let cur = self.path[first + 1];
        let (mut parent, mut child) = (self.path[first], self.tree.next(cur));
        while let Some(node) = child.some() {
            let (found, early) = plan.relate(self.tree.step(node), false);
            settled &= early;
            match found {
                Match::Conflicts => {
                    child = self.tree.next(node);
                    continue;
                }
                Match::Independent => return Verdict::Open,
                Match::Element(i) => {
                    if self.wakes(cur, node) && !deep {
                        return if settled {
                            Verdict::Final
                        } else {
                            Verdict::Open
                        };
                    }
                    if plan.is_single() {
                        return Verdict::Open;
                    }
                    let started = self.tree.get(node).started;
                    if started && self.mutation == Mutation::StartedIsCovered {
                        return Verdict::Open;
                    }
                    plan.remove(i);
                }
            }
            self.tree.get_mut(node).touched = true;
            parent = node;
            child = self.tree.bring_first_child(node);
            if child == NodeId::NONE {
                return if settled {
                    Verdict::Final
                } else {
                    Verdict::Open
                };
            }
        }
        let early = settled && plan.begins_early();
        let head = self.append_plan(parent, plan);
        if parent == self.path[first] {
            self.open.set(first, true);
        }
        if early && self.wakes(cur, head) && !deep {
            return Verdict::Final;
        }
        Verdict::Open
    }
}

impl Optimal {
    fn inserts_deeply(&self) -> bool {
        matches!(
            self.mutation,
            Mutation::DeepInsertion | Mutation::AlternativesAtFreeNodes
        )
    }

    /// True if the event of `cur`, asleep to the right of it, does not sleep below `node`.
    fn wakes(&self, cur: NodeId, node: NodeId) -> bool {
        let (cur, node) = (self.tree.step(cur), self.tree.step(node));
        cur.thread == node.thread || conflict(&cur.footprint, &node.footprint)
    }

    /// Appends the plan as a chain below `parent`; its first node.
    fn append_plan(&mut self, parent: NodeId, plan: &Plan<'_>) -> NodeId {
        let mut head = NodeId::NONE;
        let mut parent = parent;
        for step in plan.steps() {
            parent = self.tree.append(parent, step);
            head = head.some().unwrap_or(parent);
        }
        debug_assert_ne!(head, NodeId::NONE, "a plan is never empty");
        head
    }
}
