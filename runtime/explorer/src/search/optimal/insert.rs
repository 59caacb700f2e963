//! How a plan goes into the tree: past what covers it, below the branches that begin with it, to the end of a list.

use super::Optimal;
use crate::config::Order;
use crate::mutation::Mutation;
use crate::plan::Plan;
use crate::quick_check::{QuickCheck, SimpleReversal};
use crate::relation::{relate, sleeps_below, Relation, Role};
use crate::reversals::{Insert, Verdict};
use crate::tree::{NodeId, Status};

impl Insert for Optimal {
    fn size(&self) -> usize {
        self.tree.len()
    }

    fn has_other_choices(&self, event: usize) -> bool {
        self.tree.get(self.path[event + 1]).is_choice
    }

    fn quick_check(&self, reversal: &SimpleReversal<'_>) -> QuickCheck<Verdict> {
        if reversal.first < self.fixed {
            return QuickCheck::Covered(Verdict::Final);
        }
        let asleep = self.sleep_sets.quick_check(reversal, true);
        if matches!(asleep, QuickCheck::Covered(_)) {
            return asleep;
        }
        if self.inserts_deeply() {
            return QuickCheck::Unknown;
        }
        let mut all_settled = true;
        let cur = self.path[reversal.first + 1];
        let mut child = self.tree.next(cur);
        while let Some(node) = child.some() {
            match relate(self.tree.step(node), reversal, Role::Branch) {
                Relation::Conflicts { settled } => {
                    all_settled &= settled;
                    child = self.tree.next(node);
                }
                Relation::Commutes => return QuickCheck::Covered(Verdict::Open),
                Relation::Begins { settled, .. } if self.wakes(cur, node) => {
                    return QuickCheck::Covered(Verdict::settled(all_settled && settled));
                }
                Relation::Begins { .. } | Relation::Unknown => return QuickCheck::Unknown,
            }
        }
        match asleep {
            QuickCheck::New(_) => QuickCheck::New(Verdict::settled(all_settled)),
            asleep => asleep,
        }
    }

    fn insert_new(&mut self, first: usize, plan: &mut Plan<'_>, verdict: Verdict) -> Verdict {
        debug_assert!(self.is_new(first, plan), "a reversal that is covered");
        let early = verdict == Verdict::Final && plan.begins_early();
        let head = self.append_plan(self.path[first], plan);
        self.open.set(first, true);
        Verdict::settled(early && self.wakes(self.path[first + 1], head))
    }

    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        if first < self.fixed {
            return Verdict::Final;
        }
        let mut all_settled = true;
        if let Some(verdict) = self.sleep_sets.covers(first, plan, true) {
            return verdict;
        }
        // What reverses the first event contains it if it is to be read.
        let deep = self.inserts_deeply() || plan.unread.is_some();
        let cur = self.path[first + 1];
        let (mut parent, mut child) = (self.path[first], self.tree.next(cur));
        while let Some(node) = child.some() {
            match relate(self.tree.step(node), plan, Role::Branch) {
                Relation::Conflicts { settled } => {
                    all_settled &= settled;
                    child = self.tree.next(node);
                    continue;
                }
                Relation::Commutes => return Verdict::Open,
                Relation::Unknown => unreachable!("the plan is made"),
                Relation::Begins { element, settled } => {
                    all_settled &= settled;
                    if self.wakes(cur, node) && !deep {
                        return Verdict::settled(all_settled);
                    }
                    if plan.is_single() {
                        return Verdict::Open;
                    }
                    let started = self.tree.get(node).status == Status::Started;
                    if started && self.mutation.is(Mutation::StartedIsCovered) {
                        return Verdict::Open;
                    }
                    plan.remove(element);
                }
            }
            self.tree.get_mut(node).touched = true;
            parent = node;
            child = self.tree.bring_first_child(node);
            if child == NodeId::NONE {
                return Verdict::settled(all_settled);
            }
        }
        let early = all_settled && plan.begins_early();
        let head = self.append_plan(parent, plan);
        let verdict = Verdict::settled(early && self.wakes(cur, head) && !deep);
        if parent == self.path[first] {
            self.open.set(first, true);
            self.tree.get_mut(head).is_choice = verdict == Verdict::Final && plan.is_independent();
        }
        verdict
    }
}

impl Optimal {
    /// True if nothing covers the plan, and no later branch begins with any of it.
    fn is_new(&self, first: usize, plan: &Plan<'_>) -> bool {
        let next = |&node: &NodeId| self.tree.next(node).some();
        let mut later = std::iter::successors(next(&self.path[first + 1]), next);
        let conflicts = |node| {
            let relation = relate(self.tree.step(node), plan, Role::Branch);
            matches!(relation, Relation::Conflicts { .. })
        };
        self.sleep_sets.covers(first, plan, true).is_none() && later.all(conflicts)
    }

    fn inserts_deeply(&self) -> bool {
        self.mutation.is(Mutation::DeepInsertion)
            || self.mutation.is(Mutation::AlternativesAtFreeNodes)
    }

    /// True if the event of `cur`, asleep to the right of it, does not sleep below `node`.
    fn wakes(&self, cur: NodeId, node: NodeId) -> bool {
        !sleeps_below(self.tree.step(node), self.tree.step(cur))
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
        if self.order == Order::KeepAll {
            self.keep_head(head);
        }
        head
    }
}
