//! Giving work away, and taking it in.

use super::item::{Item, Stub};
use super::message::{Holder, ItemId, Level, Message, Planned, Work, WorkerId};
use super::naming::{name, name_all, resolve};
use super::partition::Partition;
use super::tree::{NodeId, Status};
use crate::config::Order;
use crate::end::Counters;
use crate::operation::Table;
use crate::tree::Step;
use std::collections::BTreeSet;

impl Partition {
    /// Gives away the shallowest node that is ready; in random order any. Not the head of an item:
    /// what was given and not started stays where it is.
    pub(super) fn give(&mut self, table: &Table, thief: WorkerId) -> bool {
        let all = self.ready.iter().map(|&(_, node)| node);
        let mut candidates = all.filter(|&node| !self.is_head(node));
        let chosen = match self.order {
            Order::Leftmost => candidates.next(),
            Order::Random(_) => {
                let all: Vec<NodeId> = candidates.collect();
                (!all.is_empty()).then(|| all[self.roll(all.len())])
            }
        };
        let Some(node) = chosen else { return false };
        self.given += 1;
        let item = ItemId {
            giver: self.me,
            number: self.given,
        };
        let work = self.work(table, node, item);
        self.ready.remove(&(self.tree.get(node).depth, node));
        self.tree.note_asleep(node);
        self.tree.get_mut(node).status = Status::Given(item);
        let around = self.tree.get(node).item;
        let stub = Stub {
            node,
            worker: thief,
            log: BTreeSet::new(),
            counters: Counters::default(),
        };
        let around = self.items.get_mut(&around).expect("present");
        around.stubs.insert(item, stub);
        self.outbox.push((thief, Message::Work(Box::new(work))));
        true
    }

    fn work(&self, table: &Table, node: NodeId, item: ItemId) -> Work {
        let around = self.tree.get(node).item;
        let mut chain = self.items[&around].chain.clone();
        let mut holders = self.items[&around].holders.clone();
        holders.resize(self.tree.get(node).depth as usize, chain.len() as u32);
        chain.push(Holder {
            item: around,
            worker: self.me,
        });
        let mut path = Vec::new();
        let mut below = node;
        for &holder in holders.iter().rev() {
            let before = self.tree.before(below).map(|q| &self.tree.get(q).step);
            path.push(Level {
                holder,
                before: name_all(table, before),
                step: name(table, &self.tree.get(below).step),
            });
            below = self.tree.get(below).parent;
        }
        path.reverse();
        let mut planned = Vec::new();
        self.list_planned(table, node, &mut planned);
        Work {
            item,
            chain,
            path,
            planned,
        }
    }

    fn list_planned(&self, table: &Table, node: NodeId, list: &mut Vec<Planned>) {
        for child in self.tree.children(node) {
            list.push(Planned {
                step: name(table, &self.tree.get(child).step),
                children: self.tree.children(child).count() as u32,
            });
            self.list_planned(table, child, list);
        }
    }

    /// Takes in an item.
    pub(super) fn take(&mut self, table: &mut Table, work: Work) {
        let id = work.item;
        let root = self.tree.add_root(id, Step::none(), Status::Foreign);
        let mut head = root;
        for level in &work.path {
            for step in &level.before {
                self.tree
                    .append(head, resolve(table, step), Status::Foreign);
            }
            let step = resolve(table, &level.step);
            head = self.tree.append(head, step, Status::Foreign);
            self.tree.note_asleep(head);
        }
        self.tree.get_mut(head).status = Status::Planned;
        self.plant(table, head, &work.planned);
        self.ready.insert((self.tree.get(head).depth, head));
        let mut item = Item::new(root, head);
        item.chain = work.chain;
        item.holders = work.path.iter().map(|level| level.holder).collect();
        self.items.insert(id, item);
    }

    /// Appends planned nodes, in preorder, below `top`.
    fn plant(&mut self, table: &mut Table, top: NodeId, planned: &[Planned]) {
        // Nodes that still lack children, and how many; of the topmost it is not known.
        let mut open = vec![(top, u32::MAX)];
        for node in planned {
            while open.last().is_some_and(|&(_, lacks)| lacks == 0) {
                open.pop();
            }
            let (parent, lacks) = open.last_mut().expect("the topmost lacks many");
            *lacks -= 1;
            let step = resolve(table, &node.step);
            let at = self.tree.append(*parent, step, Status::Planned);
            open.push((at, node.children));
        }
    }
}
