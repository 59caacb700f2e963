//! Insertion of reversals: into what this worker has, up to whom it got it from, down to whom it
//! gave it.
//!
//! Whether a reversal is covered by what sleeps or by an earlier branch can be told on the spot:
//! that was fixed when the path's node was appended, and came with the item. Only the walk through
//! the branches to the right needs the node's holder. It stops where the reversed event no longer
//! sleeps: nothing below can need the reversal, and so nothing finished is asked for.

use super::message::{Forward, Holder, Insertion, ItemId, Message};
use super::naming::{name, name_all};
use super::partition::Partition;
use super::tree::{NodeId, Status};
use crate::config::Mutation;
use crate::conflict::conflict;
use crate::encode::put_step;
use crate::operation::Table;
use crate::plan::{Match, Plan};
use crate::reversals::{Insert, Verdict};
use crate::trace::Trace;
use crate::tree::Step;

/// What is left of a plan during a walk.
pub(super) trait Rest {
    /// True if one element is left.
    fn is_single(&self) -> bool;
    /// Relates a step to it; true if the answer cannot change with later events of the execution.
    fn relate(&self, step: &Step) -> (Match, bool);
    fn remove(&mut self, element: usize);
    /// True if what it begins with cannot change with later events of the execution.
    fn begins_early(&self) -> bool;
    fn steps(&self) -> Vec<Step>;
}

/// A plan of this worker's present execution.
impl Rest for &mut Plan<'_> {
    fn is_single(&self) -> bool {
        Plan::is_single(self)
    }

    fn relate(&self, step: &Step) -> (Match, bool) {
        Plan::relate(self, step, false)
    }

    fn remove(&mut self, element: usize) {
        Plan::remove(self, element);
    }

    fn begins_early(&self) -> bool {
        Plan::begins_early(self)
    }

    fn steps(&self) -> Vec<Step> {
        Plan::steps(self).collect()
    }
}

/// A plan from elsewhere.
impl Rest for Vec<Step> {
    fn is_single(&self) -> bool {
        self.len() == 1
    }

    fn relate(&self, step: &Step) -> (Match, bool) {
        for (i, planned) in self.iter().enumerate() {
            if planned.thread == step.thread {
                let same = planned.alternative == step.alternative;
                let found = if same {
                    Match::Element(i)
                } else {
                    Match::Conflicts
                };
                return (found, false);
            }
            if conflict(&step.footprint, &planned.footprint) {
                return (Match::Conflicts, false);
            }
        }
        (Match::Independent, false)
    }

    fn remove(&mut self, element: usize) {
        Vec::remove(self, element);
    }

    fn begins_early(&self) -> bool {
        false
    }

    fn steps(&self) -> Vec<Step> {
        self.clone()
    }
}

fn verdict(settled: bool) -> Verdict {
    if settled {
        Verdict::Final
    } else {
        Verdict::Open
    }
}

/// True if `reversed`, asleep to the right of itself, does not sleep below a node with step `step`.
fn wakes(reversed: &Step, step: &Step) -> bool {
    reversed.thread == step.thread || conflict(&reversed.footprint, &step.footprint)
}

impl Insert for Partition {
    fn insert(&mut self, first: usize, plan: &mut Plan<'_>) -> Verdict {
        let trace = plan.trace;
        let (node, cur) = (self.path[first], self.path[first + 1]);
        let is_foreign = first < self.foreign;
        let untested = is_foreign && self.mutation == Mutation::RemoteBeforeUntested;
        let asleep = self.tree.get(node).asleep.iter().copied();
        let before = self.tree.before(cur).filter(|_| !untested);
        for q in asleep.chain(before) {
            match plan.relate(&self.tree.get(q).step) {
                (Match::Conflicts, _) => {}
                (_, early) => return verdict(early),
            }
        }
        if is_foreign {
            self.send_up(trace, first, &plan);
            return Verdict::Open;
        }
        let reversed = self.tree.get(cur).step.clone();
        let next = self.tree.get(cur).next_sibling;
        self.walk(&trace.table, node, next, &reversed, plan)
    }
}

impl Partition {
    /// Sends a reversal before event `first` to whom that node belongs to.
    fn send_up(&mut self, trace: &Trace, first: usize, rest: &impl Rest) {
        let own = self.item();
        let item = self.items.get_mut(&own).expect("present");
        item.uncredited += 1;
        let at = item.holders[first] as usize;
        let to = item.chain[at];
        let insertion = Insertion {
            item: to.item,
            via: item.chain.get(at + 1).map_or(own, |inner| inner.item),
            depth: first as u32,
            plan: name_all(&trace.table, &rest.steps()),
            sender: Holder {
                item: own,
                worker: self.me,
            },
        };
        let message = Message::Insert(Box::new(insertion));
        self.outbox.push((to.worker, message));
    }

    /// Sends what is left of a reversal to whom node `stub` was given.
    fn send_down(&mut self, table: &Table, stub: NodeId, item: ItemId, rest: Vec<Step>, q: &Step) {
        if self.mutation == Mutation::ForwardDropped {
            return;
        }
        let around = self.tree.get(stub).item;
        let around = self.items.get_mut(&around).expect("present");
        let known = around.stubs.get_mut(&item).expect("not freed");
        let mut entry = Vec::new();
        put_step(&mut entry, q);
        rest.iter().for_each(|step| put_step(&mut entry, step));
        if !known.log.insert(entry.into()) {
            return;
        }
        let forward = Forward {
            item,
            plan: name_all(table, &rest),
            reversed: name(table, q),
        };
        let to = known.worker;
        self.outbox.push((to, Message::Forward(Box::new(forward))));
        if self.tree.get(stub).open == 0 {
            self.open(stub);
        }
    }

    /// Inserts a plan below `parent`, from its child `child` on, for the event `reversed`.
    pub(super) fn walk(
        &mut self,
        table: &Table,
        mut parent: NodeId,
        mut child: NodeId,
        reversed: &Step,
        mut rest: impl Rest,
    ) -> Verdict {
        let deep = self.mutation == Mutation::DeepInsertion;
        let mut settled = true;
        while let Some(at) = child.some() {
            let node = self.tree.get(at);
            let (found, early) = rest.relate(&node.step);
            settled &= early;
            match found {
                Match::Conflicts => {
                    child = node.next_sibling;
                    continue;
                }
                Match::Independent => return Verdict::Open,
                Match::Element(_) if !deep && wakes(reversed, &node.step) => {
                    return verdict(settled);
                }
                Match::Element(_) if rest.is_single() => return Verdict::Open,
                Match::Element(i) => rest.remove(i),
            }
            match node.status {
                Status::Started if self.mutation == Mutation::StartedIsCovered => {
                    return Verdict::Open;
                }
                Status::Given(_) if self.mutation == Mutation::StartedIsCovered => {
                    return Verdict::Open;
                }
                Status::Freed if self.mutation == Mutation::FreedWhenClosed => {
                    return Verdict::Open;
                }
                Status::Given(item) => {
                    self.send_down(table, at, item, rest.steps(), reversed);
                    return Verdict::Open;
                }
                Status::Planned | Status::Started => {}
                Status::Freed | Status::Foreign => panic!("a reversal reached a freed branch"),
            }
            parent = at;
            child = node.first_child;
            if child == NodeId::NONE {
                return verdict(settled);
            }
        }
        let early = settled && rest.begins_early();
        let head = self.append_plan(parent, rest.steps());
        verdict(early && !deep && wakes(reversed, &self.tree.get(head).step))
    }

    /// Appends a plan as a chain below `parent`; its first node.
    fn append_plan(&mut self, parent: NodeId, steps: Vec<Step>) -> NodeId {
        debug_assert!(!steps.is_empty());
        let mut head = NodeId::NONE;
        let mut above = parent;
        for step in steps {
            above = self.tree.append(above, step, Status::Planned);
            head = head.some().unwrap_or(above);
        }
        if self.tree.get(parent).status == Status::Started {
            self.ready.insert((self.tree.get(head).depth, head));
            self.open(parent);
        }
        head
    }
}

/// Insertions by message.
impl Partition {
    /// An insertion from an item that was given away from one of this worker's.
    pub(super) fn take_up(&mut self, table: &Table, insertion: &Insertion, plan: Vec<Step>) {
        let around = self.items.get(&insertion.item);
        let stub = around.and_then(|around| around.stubs.get(&insertion.via));
        let stub = stub.expect("it is open until the insertion is credited");
        let cur = self.tree.ancestor(stub.node, insertion.depth + 1);
        let node = self.tree.get(cur);
        let (parent, next, reversed) = (node.parent, node.next_sibling, node.step.clone());
        self.walk(table, parent, next, &reversed, plan);
        let item = insertion.sender.item;
        let credit = (insertion.sender.worker, Message::Credit { item });
        self.outbox.push(credit);
    }

    /// What is left of an insertion at an item of this worker.
    pub(super) fn take_down(
        &mut self,
        table: &Table,
        forward: Forward,
        plan: Vec<Step>,
        reversed: &Step,
    ) {
        let id = forward.item;
        let Some(item) = self.items.get_mut(&id) else {
            self.held.entry(id).or_default().push(forward);
            return;
        };
        item.received += 1;
        let head = item.head;
        let child = self.tree.get(head).first_child;
        if child != NodeId::NONE {
            self.walk(table, head, child, reversed, plan);
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
