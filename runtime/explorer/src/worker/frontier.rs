//! What is left of a search, as plain data: written by all workers, taken up by one.
//!
//! Between executions, with no message under way, the retained trees of all items put together are
//! the tree of one worker that has everything. Of each node it is enough to know its step, its place
//! among its siblings, and whether it is planned, started or final: who sleeps where, and from where
//! something may still be inserted, follows from that, because the order of the lists decides it
//! (`crate::tree`). Started nodes that are finished and not final are needed, too: what sleeps in them
//! may be inserted into them (PARALLEL.md, R7 and R10).
//!
//! **Deviation** from R10: nothing is under way while this is written, so that no leaf has to be
//! explored again for what it had sent. Whoever carries the messages waits for them ([`Worker::pause`]).
//!
//! [`Worker::pause`]: super::Worker::pause

use super::item::Item;
use super::message::{BarrierUsers, ItemId, WorkerId};
use super::notes::Note;
use super::partition::Partition;
use super::wire;
use crate::encode;
use crate::end::Counters;
use crate::mutation::Mutation;
use crate::operation::Table;
use crate::tree::{NodeId, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one worker keeps of the tree, or all of them ([`Frontier::add`]).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Frontier {
    /// The trees below the heads of items, as bytes: about ten a node.
    trees: BTreeMap<ItemId, Vec<u8>>,
    /// What was executed.
    pub counters: Counters,
    /// What is known of barriers.
    pub(super) barriers: Vec<BarrierUsers>,
}

/// The error of bytes that do not describe the rest of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damaged;

/// What begins a node as it is written: what became of it. Its step follows, unless it is a head's,
/// which is written where it was given away; then the name of its item if it was given away, or its
/// children and [`END`] if it is planned or started.
const END: u64 = 0;
const PLANNED: u64 = 1;
const STARTED: u64 = 2;
const FINAL: u64 = 3;
const GIVEN: u64 = 4;

/// Where the writer is in a list of children.
enum Children<'a> {
    /// In the tree: the next one.
    Listed(NodeId),
    /// Among packed ones (`super::pack`).
    Packed(&'a [u8]),
}

impl Frontier {
    /// The rest of a search that is over.
    pub fn finished(counters: Counters) -> Frontier {
        Frontier {
            trees: BTreeMap::from([(ItemId::WHOLE, vec![STARTED as u8, END as u8])]),
            counters,
            barriers: Vec::new(),
        }
    }

    /// Adds what another worker keeps.
    pub fn add(&mut self, other: Frontier) {
        self.trees.extend(other.trees);
        self.counters += other.counters;
        self.barriers.extend(other.barriers);
    }

    /// Bytes of the trees.
    pub fn bytes(&self) -> usize {
        self.trees.values().map(Vec::len).sum()
    }
}

impl Partition {
    /// Leaves the path, so that all there is to know of nodes is noted with them.
    pub(super) fn pause(&mut self) {
        if !self.path.is_empty() {
            self.leave(0);
        }
    }

    /// What this worker keeps. It is paused, and no message is under way.
    pub(super) fn frontier(&self, table: &Table, counters: Counters) -> Frontier {
        debug_assert!(self.path.is_empty() && self.held.is_empty(), "it is paused");
        let trees = { self.items.iter() }
            .map(|(&id, item)| (id, self.tree_of(table, item)))
            .collect();
        Frontier {
            trees,
            counters,
            barriers: self.barriers.clone(),
        }
    }

    fn tree_of(&self, table: &Table, item: &Item) -> Vec<u8> {
        let mut out = Vec::new();
        let mut open = Vec::new();
        encode::put(&mut out, self.code(item, item.head));
        open.extend(self.listed(item.head));
        while let Some(children) = open.last_mut() {
            let below = match children {
                Children::Listed(NodeId::NONE) | Children::Packed([]) => {
                    encode::put(&mut out, END);
                    open.pop();
                    continue;
                }
                Children::Listed(at) => {
                    let node = *at;
                    *at = self.tree.next(node);
                    let code = self.code(item, node);
                    encode::put(&mut out, code);
                    let is_choice = self.tree.get(node).is_choice;
                    wire::put_step(&mut out, table, self.tree.step(node), is_choice);
                    match code {
                        PLANNED | STARTED => self.listed(node),
                        GIVEN => {
                            let given = self.notes.get(self.tree.get(node).place).given;
                            let given = given.expect("it was given away");
                            encode::put(&mut out, given.giver.0.into());
                            encode::put(&mut out, given.number.into());
                            None
                        }
                        _ => None,
                    }
                }
                Children::Packed(bytes) => {
                    let step = encode::get_step(bytes);
                    let length = encode::get(bytes) as usize;
                    let (below, rest) = bytes.split_at(length.saturating_sub(1));
                    *bytes = rest;
                    encode::put(&mut out, if length == 0 { FINAL } else { STARTED });
                    wire::put_step(&mut out, table, &step, false);
                    (length > 0).then_some(Children::Packed(below))
                }
            };
            open.extend(below);
        }
        out
    }

    /// What became of a node.
    fn code(&self, item: &Item, node: NodeId) -> u64 {
        let node = self.tree.get(node);
        match node.status {
            Status::Freed => FINAL,
            Status::Planned => PLANNED,
            Status::Started => match self.mutation.is(Mutation::ClosedIsNotSaved)
                && self.notes.get(node.place).open == 0
            {
                true => FINAL,
                false => STARTED,
            },
            Status::Given => {
                let kept = self.notes.get(node.place);
                let given = kept.given.expect("it was given away");
                // One that is alone was forgotten by its holder when it closed.
                match kept.open == 0 && item.stubs[&given].is_alone {
                    true => FINAL,
                    false => GIVEN,
                }
            }
            Status::Foreign => unreachable!("what is below a head is its holder's"),
        }
    }

    /// The children of a planned or started node.
    fn listed(&self, node: NodeId) -> Option<Children<'_>> {
        let place = self.tree.get(node).place;
        match self.tree.get(node).status {
            Status::Started if self.is_packed(node) => {
                Some(Children::Packed(&self.notes.get(place).packed))
            }
            Status::Planned | Status::Started => {
                Some(Children::Listed(self.tree.first_child(node)))
            }
            Status::Freed | Status::Given | Status::Foreign => None,
        }
    }
}

/// Reads a frontier into the tree of a worker.
struct Reader<'a> {
    left: &'a Frontier,
    /// The trees that are being read, each within the one before.
    trees: Vec<&'a [u8]>,
    /// The nodes whose children are being read, each below the one before, and whether it is a head.
    open: Vec<(NodeId, bool)>,
}

impl Partition {
    /// Takes up all that is left of a search. Nothing was done with this partition yet.
    pub(super) fn resume(&mut self, table: &mut Table, left: &Frontier) -> Result<(), Damaged> {
        let whole = self.items.get_mut(&ItemId::WHOLE).ok_or(Damaged)?;
        whole.counters = left.counters;
        let root = whole.root;
        self.elsewhere.clear();
        let mut reader = Reader {
            left,
            trees: Vec::new(),
            open: Vec::new(),
        };
        reader.begin(ItemId::WHOLE)?;
        let code = reader.number()?;
        self.plant_saved(&mut reader, root, code, true)?;
        while let Some(&(parent, is_head)) = reader.open.last() {
            let code = reader.number()?;
            if code == END {
                reader.open.pop();
                self.is_whole(parent, reader.open.len() as u32);
                if is_head {
                    reader.end()?;
                }
                continue;
            }
            let from = reader.trees.last_mut().ok_or(Damaged)?;
            let (step, is_choice) = wire::get_step(from, table);
            let node = self.tree.append(parent, step);
            self.tree.get_mut(node).is_choice = is_choice;
            if code == GIVEN {
                let giver = WorkerId(reader.number()? as u32);
                let number = reader.number()? as u32;
                reader.begin(ItemId { giver, number })?;
                let code = reader.number()?;
                self.plant_saved(&mut reader, node, code, true)?;
            } else {
                self.plant_saved(&mut reader, node, code, false)?;
            }
        }
        self.report_closed(ItemId::WHOLE);
        Ok(())
    }

    /// A node that was just appended, of which `code` says what became.
    fn plant_saved(
        &mut self,
        reader: &mut Reader<'_>,
        node: NodeId,
        code: u64,
        is_head: bool,
    ) -> Result<(), Damaged> {
        let depth = reader.open.len() as u32;
        match code {
            PLANNED => {
                let parent = self.tree.get(node).parent.some();
                // What is planned below what is planned cannot be started yet.
                if parent.is_none_or(|above| self.tree.get(above).status != Status::Planned) {
                    self.elsewhere.insert((depth, node));
                }
                reader.open.push((node, is_head));
            }
            STARTED => {
                let sources = match depth {
                    0 => Vec::new(),
                    _ => self.sources_of(node),
                };
                let place = self.notes.add(Note {
                    sources,
                    depth,
                    ..Note::default()
                });
                let started = self.tree.get_mut(node);
                (started.status, started.place) = (Status::Started, place);
                reader.open.push((node, is_head));
            }
            FINAL => {
                self.tree.get_mut(node).status = Status::Freed;
                if is_head {
                    reader.end()?;
                }
            }
            _ => return Err(Damaged),
        }
        Ok(())
    }

    /// All children of a node are there.
    fn is_whole(&mut self, node: NodeId, depth: u32) {
        let at = self.tree.get(node);
        if at.status != Status::Started {
            return;
        }
        let place = at.place;
        let open = { self.tree.children(node) }
            .filter(|&child| self.is_open(child))
            .count();
        self.notes.get_mut(place).open = open as u32;
        self.free_final(node);
        if open == 0 && depth > 0 {
            self.pack(node);
        }
    }
}

impl<'a> Reader<'a> {
    /// Goes on with the tree of an item.
    fn begin(&mut self, item: ItemId) -> Result<(), Damaged> {
        let tree = self.left.trees.get(&item).ok_or(Damaged)?;
        self.trees.push(tree);
        Ok(())
    }

    /// The tree of an item is over.
    fn end(&mut self) -> Result<(), Damaged> {
        match self.trees.pop() {
            Some([]) => Ok(()),
            _ => Err(Damaged),
        }
    }

    fn number(&mut self) -> Result<u64, Damaged> {
        let from = self.trees.last_mut().ok_or(Damaged)?;
        match from.is_empty() {
            true => Err(Damaged),
            false => Ok(encode::get(from)),
        }
    }
}
