//! Giving work away, and taking it in.

use super::item::{Item, Log, Stub};
use super::message::{Before, Holder, ItemId, Level, Message, Planned, Work, WorkerId};
use super::naming::{name, resolve};
use super::notes::{Note, Source};
use super::partition::Partition;
use crate::end::Counters;
use crate::operation::Table;
use crate::tree::{NodeId, Status};

impl Partition {
    /// Gives away the shallowest node that is ready; in random order any. Not the head of an item:
    /// what was given and not started stays where it is.
    pub(super) fn give(&mut self, table: &Table, thief: WorkerId) -> bool {
        let Some(node) = self.pick_to_give() else {
            return false;
        };
        self.given += 1;
        let item = ItemId {
            giver: self.me,
            number: self.given,
        };
        let sources = self.sources_of(node);
        let is_alone = sources.is_empty();
        let work = self.work(table, node, item, is_alone);
        let (depth, around) = (
            work.path.len() as u32,
            work.chain[work.chain.len() - 1].item,
        );
        self.note_given(node, item, depth, sources);
        let stub = Stub {
            node,
            worker: thief,
            is_alone,
            log: Log::default(),
            counters: Counters::default(),
        };
        let around = self.items.get_mut(&around).expect("present");
        around.stubs.insert(item, stub);
        self.outbox.push((thief, Message::Work(Box::new(work))));
        self.trim();
        true
    }

    fn note_given(&mut self, node: NodeId, item: ItemId, depth: u32, sources: Vec<Source>) {
        let place = self.notes.add(Note {
            open: 1,
            sources,
            given: Some(item),
            depth,
            packed: Vec::new(),
        });
        let given = self.tree.get_mut(node);
        given.status = Status::Given;
        given.place = place;
        let parent = given.parent;
        if self.has_no_note(parent) {
            let above = depth as usize - 1;
            let child = self.path.get(above + 1).copied().unwrap_or(NodeId::NONE);
            let still = self.has_planned(parent, child);
            self.open.set(above, still);
        } else {
            self.elsewhere.remove(&(depth, node));
        }
    }

    fn work(&self, table: &Table, node: NodeId, item: ItemId, is_alone: bool) -> Work {
        let mut nodes = vec![node];
        while let Some(parent) = self.tree.get(nodes[nodes.len() - 1]).parent.some() {
            nodes.push(parent);
        }
        nodes.reverse();
        let around = self.roots[&nodes[0]];
        let mut chain = self.items[&around].chain.clone();
        let mut holders = self.items[&around].holders.clone();
        holders.resize(nodes.len() - 1, chain.len() as u32);
        chain.push(Holder {
            item: around,
            worker: self.me,
        });
        let mut path = Vec::new();
        for (depth, &holder) in holders.iter().enumerate() {
            path.push(Level {
                holder,
                before: self.before(table, depth, nodes[depth + 1]),
                step: name(table, self.tree.step(nodes[depth + 1])),
                is_choice: self.tree.get(nodes[depth + 1]).is_choice,
            });
        }
        let mut planned = Vec::new();
        self.list_planned(table, node, &mut planned);
        Work {
            item,
            chain,
            path,
            planned,
            is_alone,
        }
    }

    /// What is to the left of `child` of a node at `depth`.
    fn before(&self, table: &Table, depth: usize, child: NodeId) -> Vec<Before> {
        let mut all = Vec::new();
        if self.path.get(depth) == Some(&self.tree.get(child).parent) {
            let finished = self.path_nodes[depth].finished as usize;
            all.extend(
                self.sleep_sets.own(depth)[..finished]
                    .iter()
                    .map(|step| Before {
                        step: name(table, step),
                        is_final: true,
                    }),
            );
        }
        all.extend(self.tree.before(child).map(|other| Before {
            step: name(table, self.tree.step(other)),
            is_final: self.tree.get(other).status == Status::Freed,
        }));
        all
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
        let root = self.tree.add_root();
        self.tree.get_mut(root).status = Status::Foreign;
        self.roots.insert(root, id);
        let mut head = root;
        for level in &work.path {
            for before in &level.before {
                let node = self.tree.append(head, resolve(table, &before.step));
                self.tree.get_mut(node).status = match before.is_final {
                    true => Status::Freed,
                    false => Status::Foreign,
                };
            }
            head = self.tree.append(head, resolve(table, &level.step));
            self.tree.get_mut(head).status = Status::Foreign;
            self.tree.get_mut(head).is_choice = level.is_choice;
        }
        self.tree.get_mut(head).status = Status::Planned;
        self.plant(table, head, &work.planned);
        self.elsewhere.insert((work.path.len() as u32, head));
        let mut item = Item::new(root, head);
        item.is_alone = work.is_alone;
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
            let at = self.tree.append(*parent, step);
            open.push((at, node.children));
        }
    }
}
