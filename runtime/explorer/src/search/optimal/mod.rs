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

mod insert;
mod waiting;

use super::steps::mispredicted;
use super::{Ended, Search};
use crate::config::{Config, Order, SearchKind};
use crate::enabled::{enabled_steps, first_step};
use crate::end::{Counters, Fault};
use crate::estimate::{self, Estimate, Levels};
use crate::mutation::{Mutation, Seeded};
use crate::object::{alternatives, effect, Alternatives};
use crate::positions::Positions;
use crate::reversals::Reversals;
use crate::sleep_sets::SleepSets;
use crate::spill::{Spill, Spilling};
use crate::state::Now;
use crate::threads::Standing;
use crate::trace::Trace;
use crate::tree::{NodeId, Step, Tree};
use crate::Program;
use dpor_model::ThreadId;
use waiting::Branches;

/// The state of an optimal search between and during executions.
pub(crate) struct Optimal {
    tree: Tree,
    /// `path[d]`: the tree node after `d` events.
    path: Vec<NodeId>,
    /// What sleeps on the path.
    sleep_sets: SleepSets,
    /// Depths at which the path's node has a sibling to the right.
    open: Positions,
    reversals: Reversals,
    levels: Levels,
    waiting: Branches,
    /// Nodes still to be followed, the next one last.
    planned: Vec<NodeId>,
    /// The planned node whose step is being executed; `NONE`: the step was not planned.
    next: NodeId,
    /// Steps that become children beside the one that is being executed: for [`Mutation::AlternativesAtFreeNodes`].
    siblings: Vec<Step>,
    order: Order,
    mutation: Seeded,
    random: u64,
    nodes_max: usize,
    /// Length of the prefix that all executions share: no reversal goes before its end.
    fixed: usize,
}

impl Optimal {
    /// A search whose tree is nothing but the root.
    pub fn of(order: Order, mutation: Seeded) -> Self {
        let random = match order {
            Order::Leftmost | Order::KeepAll => 0,
            Order::Random(seed) => seed,
        };
        Optimal {
            tree: Tree::new(),
            path: vec![NodeId::ROOT],
            open: Positions::default(),
            sleep_sets: SleepSets::new(mutation),
            reversals: Reversals::new(mutation),
            levels: Levels::default(),
            planned: Vec::new(),
            next: NodeId::NONE,
            siblings: Vec::new(),
            waiting: Branches::default(),
            order,
            mutation,
            random,
            nodes_max: 1,
            fixed: 0,
        }
    }

    /// The deepest node of the path with a child to the right of the path's. All to the left is
    /// finished and can never be asked for anything but its steps, so it is freed.
    fn advance_leftmost(&mut self) -> Option<usize> {
        let depth = self.open.last()?;
        self.levels.branch(depth);
        debug_assert_ne!(self.tree.next(self.path[depth + 1]), NodeId::NONE);
        self.tree.free_chain(&self.path[depth + 1..]);
        self.sleep_sets.truncate(depth);
        self.sleep_sets
            .push_own(self.tree.remove_first(self.path[depth]));
        let next = self.tree.first_child(self.path[depth]);
        self.planned.push(next);
        Some(depth)
    }

    /// The depths at which the path's node has planned children, and how many; in leftmost order.
    fn planned_beside(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
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
        self.sleep_sets.truncate(depth);
        self.sleep_sets.keep_own(0);
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

    /// The planned child to go to next. `None`: nothing is planned here.
    fn next_planned(&mut self) -> Option<NodeId> {
        if let Some(node) = self.planned.pop() {
            return Some(node);
        }
        let here = self.here();
        let first = self.tree.first_child(here).some()?;
        match self.order {
            Order::Leftmost => return Some(first),
            Order::KeepAll => {
                self.keep_siblings(first);
                return Some(first);
            }
            Order::Random(_) => {}
        }
        let children: Vec<NodeId> = self.tree.children(here).collect();
        Some(children[self.roll(children.len())])
    }

    fn here(&self) -> NodeId {
        *self.path.last().expect("the path has a root")
    }

    /// True if a step to start where nothing is planned is the first that can be executed.
    #[inline]
    fn takes_first(&self) -> bool {
        !matches!(self.order, Order::Random(_)) && self.sleep_sets.is_empty()
    }

    /// A step to start where nothing is planned: the first of `threads` with an alternative that
    /// does not sleep. In random order any such.
    fn choose(
        &mut self,
        threads: impl Iterator<Item = (ThreadId, Alternatives)>,
    ) -> Option<(ThreadId, u32)> {
        let all = threads.flat_map(|(thread, alternatives)| {
            let each = alternatives.iter();
            each.map(move |alternative| (thread, alternative))
        });
        let mut awake = all.filter(|&(thread, a)| !self.sleep_sets.contains(thread, a));
        if !matches!(self.order, Order::Random(_)) {
            return awake.next();
        }
        let awake: Vec<_> = awake.collect();
        match awake.is_empty() {
            true => None,
            false => Some(awake[self.roll(awake.len())]),
        }
    }

    /// Forgets everything but where to spill.
    pub fn forget(&mut self) {
        let spilling = self.tree.clear_store();
        *self = Optimal::of(self.order, self.mutation);
        self.tree.spilling = spilling;
    }

    /// All executions share so many events.
    pub fn fix(&mut self, events: usize) {
        self.fixed = events;
    }

    /// Adds a child here that was not planned.
    fn add_free(&mut self, step: Step) -> NodeId {
        self.tree.append(self.here(), step)
    }

    /// Goes to child `node`, whose step was just executed with its predicted footprint.
    fn enter(&mut self, node: NodeId, trace: &Trace) {
        let here = self.here();
        let mut before = self.tree.first_child(here);
        while before != node {
            self.sleep_sets.push_own(self.tree.step(before).clone());
            before = self.tree.next(before);
        }
        self.sleep_sets.enter(self.tree.step(node), trace);
        let depth = self.path.len() - 1;
        self.open.set(depth, self.tree.next(node) != NodeId::NONE);
        self.path.push(node);
        self.tree.start(node);
    }

    /// Gives up what is planned below the last node: the execution ends there.
    pub fn cut(&mut self) {
        self.planned.clear();
        if self.order != Order::KeepAll {
            self.tree.forget_below(self.here());
        }
    }

    /// Called when an execution was analysed.
    fn note_size(&mut self) {
        self.levels.ended();
        self.nodes_max = self.nodes_max.max(self.tree.len());
        self.tree.keep_within_limit();
    }

    /// Nodes written out so far.
    fn spilled(&self) -> u64 {
        self.tree.spilling.as_ref().map_or(0, |s| s.written)
    }
}

impl Search for Optimal {
    fn new(config: &mut Config) -> Option<Self> {
        let is_plain = !config.is_bounded() && config.prefix.is_none();
        (config.search == SearchKind::Optimal && is_plain)
            .then(|| Optimal::of(config.order, config.mutation))
    }

    fn advance(&mut self, _: &Trace) -> Option<usize> {
        let depth = match self.order {
            Order::Leftmost => self.advance_leftmost()?,
            Order::KeepAll => self.advance_ready()?,
            Order::Random(_) => self.advance_random()?,
        };
        self.path.truncate(depth + 1);
        self.open.truncate(depth);
        self.reversals.truncate(depth);
        Some(depth)
    }

    fn has_more(&self) -> bool {
        match self.order {
            Order::Leftmost => self.open.last().is_some(),
            Order::KeepAll => self.waiting.has_ready(),
            Order::Random(_) => !self.tree.open().is_empty(),
        }
    }

    fn next_step<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
    ) -> Result<Option<(ThreadId, u32)>, Fault> {
        if let Some(node) = self.next_planned() {
            self.next = node;
            let step = self.tree.step(node);
            return Ok(Some((step.thread, step.alternative)));
        }
        let chosen = match self.takes_first() {
            true => first_step(trace),
            false => self.choose(enabled_steps(trace)),
        };
        let all_at_once = self.mutation.is(Mutation::AlternativesAtFreeNodes);
        if let (Some(step), true) = (chosen, all_at_once) {
            self.siblings = siblings_of_free_choice(trace, step);
        }
        Ok(chosen)
    }

    fn executed<P: Program>(
        &mut self,
        trace: &mut Trace,
        _: &mut P,
        step: Step,
    ) -> Result<(), Fault> {
        let node = match std::mem::replace(&mut self.next, NodeId::NONE) {
            NodeId::NONE => self.add_free(step),
            planned if self.tree.step(planned).footprint == step.footprint => planned,
            _ => return Err(mispredicted(trace)),
        };
        for sibling in std::mem::take(&mut self.siblings) {
            self.add_free(sibling);
        }
        self.enter(node, trace);
        Ok(())
    }

    fn ended<P: Program>(&mut self, execution: Ended<'_>, program: &mut P) -> bool {
        let mut reversals = std::mem::take(&mut self.reversals);
        execution.reverse(program, &mut reversals, self);
        self.reversals = reversals;
        self.note_size();
        false
    }

    #[inline]
    fn reduces(&self) -> bool {
        true
    }

    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        Some(&mut self.reversals)
    }

    /// True if something is planned below the last node.
    fn is_led(&self, _: &Trace) -> bool {
        !self.planned.is_empty() || self.tree.first_child(self.here()) != NodeId::NONE
    }

    fn owes_read(&self) -> bool {
        self.sleep_sets.owes()
    }

    /// Plans that were written out are there when they are wanted.
    #[inline]
    fn check(&self) -> Result<(), Fault> {
        match self.tree.is_unreadable() {
            true => Err(Fault::Unreadable),
            false => Ok(()),
        }
    }

    fn begin_anew(&mut self, _: &Config) {
        self.forget();
    }

    fn count(&self, counters: &mut Counters) {
        counters.reversals = self.reversals.count;
        counters.nodes_max = self.nodes_max as u64;
        counters.nodes_spilled = self.spilled();
    }

    /// Only from left to right.
    fn is_estimated(&self) -> bool {
        self.order == Order::Leftmost
    }

    fn estimate(&self, trace: &Trace) -> Option<Estimate> {
        let elsewhere = core::iter::empty();
        estimate::of(
            &self.levels,
            self.planned_beside(),
            elsewhere,
            trace,
            self.fixed,
        )
    }

    fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        self.tree.spilling = Some(Spilling::new(store, bytes));
    }
}

/// [`Mutation::AlternativesAtFreeNodes`]: the other alternatives of a step that was not planned, as siblings.
#[cold]
fn siblings_of_free_choice(trace: &Trace, (thread, taken): (ThreadId, u32)) -> Vec<Step> {
    let Standing::Before(operation) = trace.threads.get(thread) else {
        return Vec::new();
    };
    let interned = trace.table.get(operation);
    let view = Now(trace);
    let succeeds = trace.compares_equal(thread);
    let others = alternatives(interned, thread, succeeds, &view)
        .iter()
        .filter(|&a| a != taken);
    let step = |alternative| Step {
        thread,
        alternative,
        footprint: effect(interned, thread, alternative, succeeds, &view).footprint,
    };
    others.map(step).collect()
}
