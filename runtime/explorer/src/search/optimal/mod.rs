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

mod kept;

use crate::config::Order;
use crate::conflict::conflict;
use crate::estimate::{self, Levels};
use crate::mutation::{Mutation, Seeded};
use crate::object::Alternatives;
use crate::plan::{Match, Plan};
use crate::positions::Positions;
use crate::program::ThreadId;
use crate::quick_check::{Outline, Outlook};
use crate::reversals::{Insert, Reversals, Verdict};
use crate::sleep_sets::Asleep;
use crate::spill::{Spill, Spilling};
use crate::trace::Trace;
use crate::tree::{NodeId, Status, Step, Tree};
use kept::Kept;

/// The state of an optimal search between and during executions.
pub(crate) struct Optimal {
    tree: Tree,
    /// `path[d]`: the tree node after `d` events.
    path: Vec<NodeId>,
    /// What sleeps on the path.
    asleep: Asleep,
    /// Depths at which the path's node has a sibling to the right.
    open: Positions,
    pub reversals: Reversals,
    pub levels: Levels,
    kept: Kept,
    /// Nodes still to be followed, the next one last.
    planned: Vec<NodeId>,
    order: Order,
    mutation: Seeded,
    random: u64,
    pub nodes_max: usize,
    /// Length of the beginning that all executions share: no reversal goes before its end.
    fixed: usize,
}

impl Optimal {
    pub fn new(order: Order, mutation: Seeded) -> Self {
        let random = match order {
            Order::Leftmost | Order::Kept => 0,
            Order::Random(seed) => seed,
        };
        Optimal {
            tree: Tree::new(),
            path: vec![NodeId::ROOT],
            open: Positions::default(),
            asleep: Asleep::new(mutation),
            reversals: Reversals::new(mutation),
            levels: Levels::default(),
            planned: Vec::new(),
            kept: Kept::default(),
            order,
            mutation,
            random,
            nodes_max: 1,
            fixed: 0,
        }
    }

    /// The depth from which the next execution is new, if there is one.
    pub fn advance(&mut self) -> Option<usize> {
        let depth = match self.order {
            Order::Leftmost => self.advance_leftmost()?,
            Order::Kept => self.advance_kept()?,
            Order::Random(_) => self.advance_random()?,
        };
        self.path.truncate(depth + 1);
        self.open.truncate(depth);
        self.reversals.truncate(depth);
        Some(depth)
    }

    /// True if [`Optimal::advance`] will find something.
    pub fn has_more(&self) -> bool {
        match self.order {
            Order::Leftmost => self.open.last().is_some(),
            Order::Kept => self.kept.has_ready(),
            Order::Random(_) => !self.tree.open().is_empty(),
        }
    }

    /// The deepest node of the path with a child to the right of the path's. All to the left is
    /// finished and can never be asked for anything but its steps, so it is freed.
    fn advance_leftmost(&mut self) -> Option<usize> {
        let depth = self.open.last()?;
        self.levels.branch(depth);
        debug_assert_ne!(self.tree.next(self.path[depth + 1]), NodeId::NONE);
        self.tree.free_chain(&self.path[depth + 1..]);
        self.asleep.truncate(depth);
        self.asleep
            .push_own(self.tree.remove_first(self.path[depth]));
        let next = self.tree.first_child(self.path[depth]);
        self.planned.push(next);
        Some(depth)
    }

    /// The depths at which the path's node has planned children, and how many; in leftmost order.
    pub fn planned_beside(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let later = |&node: &NodeId| self.tree.next(node).some();
        self.open.iter().map(move |depth| {
            let all = std::iter::successors(later(&self.path[depth + 1]), later);
            (depth, all.count() as u64)
        })
    }

    /// Any planned node whose parent was executed.
    fn advance_random(&mut self) -> Option<usize> {
        let open = self.tree.open();
        if open.is_empty() {
            return None;
        }
        let node = open[self.roll(open.len())];
        Some(self.go_to(node))
    }

    /// Plans to go to a node; the depth at which its path leaves the present one.
    fn go_to(&mut self, mut node: NodeId) -> usize {
        loop {
            self.planned.push(node);
            node = self.tree.get(node).parent;
            if self.path.contains(&node) {
                break;
            }
        }
        let depth = self
            .path
            .iter()
            .position(|&n| n == node)
            .expect("the root is on the path");
        self.asleep.truncate(depth);
        self.asleep.keep_own(0);
        depth
    }

    fn roll(&mut self, below: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    /// True if something is planned below the last node.
    pub fn is_led(&self) -> bool {
        !self.planned.is_empty() || self.tree.first_child(self.here()) != NodeId::NONE
    }

    /// The planned child to go to next. `None`: nothing is planned here.
    pub fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let here = self.here();
        let first = self.tree.first_child(here).some()?;
        match self.order {
            Order::Leftmost => return Some(first),
            Order::Kept => {
                self.keep_siblings(first);
                return Some(first);
            }
            Order::Random(_) => {}
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

    /// True if a step to start where nothing is planned is the first that can be executed.
    #[inline]
    pub fn takes_first(&self) -> bool {
        !matches!(self.order, Order::Random(_)) && self.asleep.is_empty()
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    pub fn choose(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        let all = threads.flat_map(|(thread, alternatives)| {
            let each = alternatives.iter();
            each.map(move |alternative| (thread, alternative))
        });
        let mut awake = all.filter(|&(thread, a)| !self.asleep.contains(thread, a));
        if !matches!(self.order, Order::Random(_)) {
            return awake.next();
        }
        let awake: Vec<_> = awake.collect();
        match awake.is_empty() {
            true => None,
            false => Some(awake[self.roll(awake.len())]),
        }
    }

    /// All executions share so many events.
    pub fn fix(&mut self, events: usize) {
        self.fixed = events;
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
            self.asleep.push_own(self.tree.step(before).clone());
            before = self.tree.next(before);
        }
        self.asleep.enter(self.tree.step(node), trace);
        let depth = self.path.len() - 1;
        self.open.set(depth, self.tree.next(node) != NodeId::NONE);
        self.path.push(node);
        self.tree.start(node);
    }

    /// Gives up what is planned below the last node: the execution ends there.
    pub fn cut(&mut self) {
        self.planned.clear();
        if self.order != Order::Kept {
            self.tree.forget_below(self.here());
        }
    }

    /// True if the execution contains a store that was to be read and was not.
    pub fn owes(&self) -> bool {
        self.asleep.owes()
    }

    /// Called when an execution was analysed.
    pub fn note_size(&mut self) {
        if self.levels.ended() {
            let all = estimate::known(&self.levels, self.planned_beside(), core::iter::empty());
            self.levels.note(all);
        }
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

    /// Whether plans that were written out cannot be read again.
    pub fn is_unreadable(&self) -> bool {
        self.tree.is_unreadable()
    }

    /// Nodes written out so far.
    pub fn spilled(&self) -> u64 {
        self.tree.spilling.as_ref().map_or(0, |s| s.written)
    }
}

impl Insert for Optimal {
    fn size(&self) -> usize {
        self.tree.len()
    }

    fn look(&self, outline: &Outline<'_>) -> Outlook<Verdict> {
        if outline.first < self.fixed {
            return Outlook::Covered(Verdict::Final);
        }
        let asleep = self.asleep.covers_outline(outline, true);
        if matches!(asleep, Outlook::Covered(_)) {
            return asleep;
        }
        if self.inserts_deeply() {
            return Outlook::Unknown;
        }
        let mut verdict = Verdict::Final;
        let cur = self.path[outline.first + 1];
        let mut child = self.tree.next(cur);
        while let Some(node) = child.some() {
            let Some((found, early)) = outline.relate(self.tree.step(node), false) else {
                return Outlook::Unknown;
            };
            if !early {
                verdict = Verdict::Open;
            }
            match found {
                Match::Conflicts => child = self.tree.next(node),
                Match::Independent => return Outlook::Covered(Verdict::Open),
                Match::Element(_) if self.wakes(cur, node) => return Outlook::Covered(verdict),
                Match::Element(_) => return Outlook::Unknown,
            }
        }
        match asleep {
            Outlook::New(_) => Outlook::New(verdict),
            asleep => asleep,
        }
    }

    fn insert_new(&mut self, first: usize, plan: &mut Plan<'_>, verdict: Verdict) -> Verdict {
        debug_assert!(self.is_new(first, plan), "a reversal that is covered");
        let early = verdict == Verdict::Final && plan.begins_early();
        let head = self.append_plan(self.path[first], plan);
        self.open.set(first, true);
        match early && self.wakes(self.path[first + 1], head) {
            true => Verdict::Final,
            false => Verdict::Open,
        }
    }

    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        if first < self.fixed {
            return Verdict::Final;
        }
        let mut settled = true;
        if let Some(verdict) = self.asleep.covers(first, plan, true) {
            return verdict;
        }
        // What reverses the first event contains it if it is to be read.
        let deep = self.inserts_deeply() || plan.unread.is_some();
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
                    let started = self.tree.get(node).status == Status::Started;
                    if started && self.mutation.is(Mutation::StartedIsCovered) {
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
    /// True if nothing covers the plan, and no later branch begins with any of it.
    fn is_new(&self, first: usize, plan: &Plan<'_>) -> bool {
        let next = |&node: &NodeId| self.tree.next(node).some();
        let mut later = std::iter::successors(next(&self.path[first + 1]), next);
        let conflicts = |node| plan.relate(self.tree.step(node), false).0 == Match::Conflicts;
        self.asleep.covers(first, plan, true).is_none() && later.all(conflicts)
    }

    fn inserts_deeply(&self) -> bool {
        self.mutation.is(Mutation::DeepInsertion)
            || self.mutation.is(Mutation::AlternativesAtFreeNodes)
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
        if self.order == Order::Kept {
            self.keep_head(head);
        }
        head
    }
}
