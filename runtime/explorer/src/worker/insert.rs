//! Insertion of reversals: into what this worker has, up to whom it got it from, down to whom it
//! gave it.
//!
//! Whether a reversal is covered by what sleeps or by an earlier branch can be told on the path_node:
//! that was fixed when the path's node was appended, and came with the item. Only the walk through
//! the branches to the right needs the node's holder. It stops where the reversed event no longer
//! sleeps: nothing below can need the reversal, and so nothing finished is asked for.

use super::message::{Forward, Holder, Insertion, ItemId, Message};
use super::partition::Partition;
use super::rest::{Remote, Rest};
use super::wire::{get_plan, get_step, put_plan, put_step};
use crate::encode::put;
use crate::mutation::Mutation;
use crate::operation::Table;
use crate::plan::Plan;
use crate::quick_check::{QuickCheck, SimpleReversal};
use crate::relation::{relate, sleeps_below, Relation, Role};
use crate::reversals::{Insert, Verdict};
use crate::tree::{NodeId, Status, Step};

/// True if `reversed`, asleep to the right of itself, does not sleep below a node with step `step`.
fn wakes(reversed: &Step, step: &Step) -> bool {
    !sleeps_below(step, reversed)
}

/// Where a walk ends.
enum Found {
    /// The plan is covered.
    Covered(Verdict),
    /// At a branch that was given away.
    Given(NodeId),
    /// Below this node, whose children are packed.
    Packed(NodeId),
    /// What is left has to be appended below this node. True if that cannot change with later events.
    Missing(NodeId, bool),
}

impl Insert for Partition {
    fn size(&self) -> usize {
        self.tree.len()
    }

    fn has_other_choices(&self, event: usize) -> bool {
        self.tree.get(self.path[event + 1]).is_choice
    }

    fn quick_check(&self, reversal: &SimpleReversal<'_>) -> QuickCheck<Verdict> {
        let is_foreign = reversal.first < self.foreign;
        let untested = is_foreign && self.mutation.is(Mutation::RemoteBeforeUntested);
        let asleep = self.sleep_sets.quick_check(reversal, !untested);
        if matches!(asleep, QuickCheck::Covered(_)) {
            return asleep;
        }
        if is_foreign {
            return QuickCheck::Unknown;
        }
        match self.look_right(reversal) {
            QuickCheck::New(_) if asleep == QuickCheck::Unknown => QuickCheck::Unknown,
            known => known,
        }
    }

    fn insert_new(&mut self, first: usize, plan: &mut Plan<'_>, known: Verdict) -> Verdict {
        let early = known == Verdict::Final && plan.begins_early();
        let head = self.append_chain(self.path[first], plan);
        self.open.set(first, true);
        let reversed = self.tree.step(self.path[first + 1]);
        Verdict::settled(early && wakes(reversed, self.tree.step(head)))
    }

    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        let is_foreign = first < self.foreign;
        let untested = is_foreign && self.mutation.is(Mutation::RemoteBeforeUntested);
        if let Some(verdict) = self.sleep_sets.covers(first, plan, !untested) {
            return verdict;
        }
        let table = &plan.trace.table;
        if is_foreign {
            self.send_up(table, first, plan);
            return Verdict::Open;
        }
        self.walk(table, self.path[first + 1], plan)
    }
}

impl Partition {
    /// What is known of a reversal because of the branches to the right of the path. None of them is asked
    /// for what is below it.
    fn look_right(&self, reversal: &SimpleReversal<'_>) -> QuickCheck<Verdict> {
        if self.mutation.is(Mutation::DeepInsertion) {
            return QuickCheck::Unknown;
        }
        let reversed = self.tree.get(self.path[reversal.first + 1]);
        let mut all_settled = true;
        let mut child = reversed.next_sibling;
        while let Some(at) = child.some() {
            let node = self.tree.get(at);
            match relate(&node.step, reversal, Role::Branch) {
                Relation::Conflicts { settled } => {
                    all_settled &= settled;
                    child = node.next_sibling;
                }
                Relation::Commutes => return QuickCheck::Covered(Verdict::Open),
                Relation::Begins { settled, .. } if wakes(&reversed.step, &node.step) => {
                    return QuickCheck::Covered(Verdict::settled(all_settled && settled));
                }
                Relation::Begins { .. } | Relation::Unknown => return QuickCheck::Unknown,
            }
        }
        QuickCheck::New(Verdict::settled(all_settled))
    }

    /// Sends a reversal before event `first` to whom that node belongs to, unless that was done.
    fn send_up(&mut self, table: &Table, first: usize, rest: &impl Rest) {
        let own = self.item;
        let mut entry = Vec::with_capacity(128);
        put(&mut entry, first as u64);
        let begin = entry.len();
        put_plan(&mut entry, table, rest);
        let item = self.items.get_mut(&own).expect("present");
        if item.sent.contains(&entry[..]) {
            return;
        }
        let plan = entry[begin..].to_vec();
        item.sent.insert(entry.into());
        item.uncredited += 1;
        let at = item.holders[first] as usize;
        let to = item.chain[at];
        let insertion = Insertion {
            item: to.item,
            via: item.chain.get(at + 1).map_or(own, |inner| inner.item),
            depth: first as u32,
            plan,
            sender: Holder {
                item: own,
                worker: self.me,
            },
        };
        let message = Message::Insert(Box::new(insertion));
        self.outbox.push((to.worker, message));
    }

    /// Sends what is left of a reversal of `reversed` to whom node `stub` was given.
    fn send_down(&mut self, table: &Table, stub: NodeId, rest: &impl Rest, reversed: &Step) {
        if self.mutation.is(Mutation::ForwardDropped) {
            return;
        }
        let mut plan = Vec::with_capacity(128);
        put_step(&mut plan, table, reversed, false);
        put_plan(&mut plan, table, rest);
        let place = self.tree.get(stub).place;
        let item = self.notes.get(place).given.expect("it was given away");
        let around = self.item_of(stub);
        let around = self.items.get_mut(&around).expect("present");
        let known = around.stubs.get_mut(&item).expect("not freed");
        if !known.log.insert(plan.as_slice().into()) {
            return;
        }
        let forward = Forward { item, plan };
        let to = known.worker;
        self.outbox.push((to, Message::Forward(Box::new(forward))));
        let kept = self.notes.get_mut(place);
        if kept.open == 0 {
            kept.open = 1;
            self.open_up(self.tree.get(stub).parent);
        }
    }

    /// Inserts a plan to the right of `cur`, whose event it reverses.
    fn walk(&mut self, table: &Table, cur: NodeId, rest: &mut impl Rest) -> Verdict {
        let node = self.tree.get(cur);
        let begin = (node.parent, node.next_sibling);
        let mut found = self.find(begin, &node.step, rest);
        while let Found::Packed(node) = found {
            let reversed = self.tree.step(cur).clone();
            found = self.find_packed(node, &reversed, rest);
        }
        if let Found::Given(stub) = found {
            let reversed = self.tree.step(cur).clone();
            self.send_down(table, stub, rest, &reversed);
        }
        let Found::Missing(parent, early) = found else {
            return found.verdict();
        };
        let head = self.append_plan(parent, rest);
        let stops = early && !self.goes_deep(rest);
        let verdict = Verdict::settled(stops && wakes(self.tree.step(cur), self.tree.step(head)));
        self.tree.get_mut(head).is_choice = verdict == Verdict::Final && rest.is_independent();
        verdict
    }

    /// True if insertions do not stop where the reversed event wakes.
    fn goes_deep(&self, rest: &impl Rest) -> bool {
        rest.is_deep() || self.mutation.is(Mutation::DeepInsertion)
    }

    /// Where a plan for the event `reversed` belongs, below a node from its child `child` on.
    #[inline]
    fn find(
        &self,
        (mut parent, mut child): (NodeId, NodeId),
        reversed: &Step,
        rest: &mut impl Rest,
    ) -> Found {
        let deep = self.goes_deep(rest);
        let mut all_settled = true;
        while let Some(at) = child.some() {
            let node = self.tree.get(at);
            match relate(&node.step, rest, Role::Branch) {
                Relation::Conflicts { settled } => {
                    all_settled &= settled;
                    child = node.next_sibling;
                    continue;
                }
                Relation::Commutes => return Found::Covered(Verdict::Open),
                Relation::Unknown => unreachable!("the plan is made"),
                Relation::Begins { element, settled } => {
                    all_settled &= settled;
                    if !deep && wakes(reversed, &node.step) {
                        return Found::Covered(Verdict::settled(all_settled));
                    }
                    if rest.is_single() {
                        return Found::Covered(Verdict::Open);
                    }
                    rest.remove(element);
                }
            }
            match node.status {
                Status::Started | Status::Given if self.mutation.is(Mutation::StartedIsCovered) => {
                    return Found::Covered(Verdict::Open);
                }
                Status::Freed if self.mutation.is(Mutation::FreedWhenClosed) => {
                    return Found::Covered(Verdict::Open);
                }
                Status::Given => return Found::Given(at),
                Status::Started if self.is_packed(at) => {
                    return match self.mutation.is(Mutation::PackedIsCovered) {
                        true => Found::Covered(Verdict::Open),
                        false => Found::Packed(at),
                    };
                }
                Status::Planned | Status::Started => {}
                Status::Freed | Status::Foreign => panic!("a reversal reached a freed branch"),
            }
            parent = at;
            child = self.tree.first_child(at);
            if child == NodeId::NONE {
                return Found::Covered(Verdict::settled(all_settled));
            }
        }
        Found::Missing(parent, all_settled && rest.begins_early())
    }

    /// Goes on below a node whose children were packed.
    fn find_packed(&mut self, node: NodeId, reversed: &Step, rest: &mut impl Rest) -> Found {
        self.unpack(node);
        let found = self.find((node, self.tree.first_child(node)), reversed, rest);
        match found {
            // What came before is not known here.
            Found::Covered(_) => Found::Covered(Verdict::Open),
            Found::Missing(parent, _) => Found::Missing(parent, false),
            Found::Given(_) | Found::Packed(_) => found,
        }
    }

    /// Appends a plan as a chain below `parent`; its first node.
    fn append_chain(&mut self, parent: NodeId, plan: &impl Rest) -> NodeId {
        let mut head = NodeId::NONE;
        let mut above = parent;
        for step in plan.steps() {
            above = self.tree.append(above, step);
            head = head.some().unwrap_or(above);
        }
        debug_assert_ne!(head, NodeId::NONE, "a plan is never empty");
        head
    }

    /// Appends a plan, and notes that there is something to start.
    fn append_plan(&mut self, parent: NodeId, plan: &impl Rest) -> NodeId {
        let head = self.append_chain(parent, plan);
        let node = self.tree.get(parent);
        if node.status != Status::Started {
            return head;
        }
        if self.has_no_note(parent) {
            let depth = self.depth_on_path(parent);
            self.open.set(depth, true);
        } else {
            let depth = self.notes.get(node.place).depth;
            self.elsewhere.insert((depth + 1, head));
            self.open_up(parent);
        }
        head
    }
}

impl Found {
    fn verdict(&self) -> Verdict {
        match self {
            Found::Covered(verdict) => *verdict,
            Found::Given(_) | Found::Packed(_) | Found::Missing(..) => Verdict::Open,
        }
    }
}

/// Insertions by message.
impl Partition {
    /// An insertion from an item that was given away from one of this worker's.
    pub(super) fn take_up(&mut self, table: &mut Table, insertion: &Insertion) {
        let mut plan: Remote = get_plan(&mut &insertion.plan[..], table);
        let around = self.items.get(&insertion.item);
        let stub = around.and_then(|around| around.stubs.get(&insertion.via));
        let stub = stub.expect("it is open until the insertion is credited");
        let mut cur = stub.node;
        for _ in insertion.depth + 1..self.notes.get(self.tree.get(cur).place).depth {
            cur = self.tree.get(cur).parent;
        }
        self.walk(table, cur, &mut plan);
        let item = insertion.sender.item;
        let credit = (insertion.sender.worker, Message::Credit { item });
        self.outbox.push(credit);
    }

    /// What is left of an insertion at an item of this worker.
    pub(super) fn take_down(&mut self, table: &mut Table, forward: Forward) {
        let id = forward.item;
        let Some(item) = self.items.get_mut(&id) else {
            self.held.entry(id).or_default().push(forward);
            return;
        };
        item.received += 1;
        let mut bytes = &forward.plan[..];
        let (reversed, _) = get_step(&mut bytes, table);
        let mut plan = get_plan(&mut bytes, table);
        let head = item.head;
        let child = self.tree.first_child(head);
        if child != NodeId::NONE {
            let mut found = self.find((head, child), &reversed, &mut plan);
            while let Found::Packed(node) = found {
                found = self.find_packed(node, &reversed, &mut plan);
            }
            match found {
                Found::Covered(_) | Found::Packed(_) => {}
                Found::Given(stub) => self.send_down(table, stub, &plan, &reversed),
                Found::Missing(parent, _) => {
                    self.append_plan(parent, &plan);
                }
            }
        }
        self.report_closed(id);
    }

    /// An insertion that arose in `item` was finished or forwarded.
    pub(super) fn credit(&mut self, item: ItemId) {
        let credited = self.items.get_mut(&item).expect("it is not closed");
        credited.uncredited -= 1;
        self.report_closed(item);
    }
}
