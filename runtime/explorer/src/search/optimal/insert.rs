//! How a plan goes into the tree: past what covers it, below the branches that begin with it, to the end of a list.

use super::Optimal;
use crate::config::Order;
use crate::conflict::conflict;
use crate::mutation::Mutation;
use crate::plan::{Match, Plan};
use crate::quick_check::{QuickCheck, SimpleReversal};
use crate::reversals::{Insert, Verdict};
use crate::tree::{NodeId, Status};

impl Insert for Optimal {
    fn size(&self) -> usize {
        self.tree.len()
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
        let mut verdict = Verdict::Final;
        let cur = self.path[reversal.first + 1];
        let mut child = self.tree.next(cur);
        while let Some(node) = child.some() {
            let Some((found, early)) = reversal.relate(self.tree.step(node), false) else {
                return QuickCheck::Unknown;
            };
            if !early {
                verdict = Verdict::Open;
            }
            match found {
                Match::Conflicts => child = self.tree.next(node),
                Match::Independent => return QuickCheck::Covered(Verdict::Open),
                Match::Element(_) if self.wakes(cur, node) => return QuickCheck::Covered(verdict),
                Match::Element(_) => return QuickCheck::Unknown,
            }
        }
        match asleep {
            QuickCheck::New(_) => QuickCheck::New(verdict),
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
        if let Some(verdict) = self.sleep_sets.covers(first, plan, true) {
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
        self.sleep_sets.covers(first, plan, true).is_none() && later.all(conflicts)
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
        if self.order == Order::KeepAll {
            self.keep_head(head);
        }
        head
    }
}
