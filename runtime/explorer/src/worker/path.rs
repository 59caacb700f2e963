//! The path of the present execution: how it goes down, and what is left behind where it goes back.
//!
//! A node on the path has no note (`super::notes`): all there is to know of it is with the path. What
//! the path leaves is freed if it is finished and nothing can be inserted into it, and kept
//! otherwise. Finished branches at the left of a node's children are removed, as in
//! `crate::search::optimal`, unless an insertion may come by and has to find them there: then they stay in
//! their list.

use super::notes::{Note, Source, NO_PLACE};
use super::partition::{Partition, PathNode};
use crate::mutation::Mutation;
use crate::relation::{below, Below};
use crate::trace::Trace;
use crate::tree::{NodeId, Status};

impl Partition {
    /// Goes to child `node`, whose step was just executed with its predicted footprint.
    pub fn enter(&mut self, node: NodeId, trace: &Trace) {
        let here = self.here();
        let depth = self.path.len() - 1;
        let mut path_node = *self.path_nodes.last().expect("the path has a root");
        let mut may_reach = path_node.is_reachable;
        let first = self.tree.first_child(here);
        let mut before = first;
        while before != node {
            self.sleep_sets.push_own(self.tree.step(before).clone());
            self.sources.push(Source::new(&self.tree, before));
            may_reach = true;
            before = self.tree.next(before);
        }
        if may_reach && trace.table.stores && !self.mutation.is(Mutation::ReadsReachNothing) {
            self.note_lasting(node);
        }
        self.sleep_sets.enter(self.tree.step(node), trace);
        path_node.finished = 0;
        path_node.lasting = self.lasting.len() as u32;
        path_node.is_reachable = may_reach && self.is_reachable();
        let only = first == node && self.tree.next(node) == NodeId::NONE;
        self.open.set(depth, !only && self.has_planned(here, node));
        self.path.push(node);
        self.path_nodes.push(path_node);
        let entered = self.tree.get_mut(node);
        match entered.status {
            Status::Planned => entered.status = Status::Started,
            Status::Started => self.take_up_again(node, depth + 1),
            Status::Foreign | Status::Given | Status::Freed => {}
        }
    }

    /// Notes what sleeps here unless it is read and is executed with `node`.
    fn note_lasting(&mut self, node: NodeId) {
        let step = self.tree.step(node);
        for sleeper in self.sleep_sets.here() {
            let source = self.sources[sleeper];
            if source.is_open(&self.tree)
                && below(step, self.sleep_sets.step(sleeper)) == Below::Executed
            {
                self.lasting.push(source.lasting());
            }
        }
    }

    /// True if something may be inserted below the node whose level was just added.
    fn is_reachable(&self) -> bool {
        let mut asleep = self.sleep_sets.inherited(self.sleep_sets.depth());
        !self.lasting.is_empty() || asleep.any(|s| self.sources[s].is_open(&self.tree))
    }

    /// True if `parent` has planned children other than `child`.
    #[inline]
    pub(super) fn has_planned(&self, parent: NodeId, child: NodeId) -> bool {
        let mut all = self.tree.children(parent);
        all.any(|other| other != child && self.tree.get(other).status == Status::Planned)
    }

    /// A node that was kept is on the path again.
    fn take_up_again(&mut self, node: NodeId, depth: usize) {
        let kept = self.forget(node);
        debug_assert!(kept.packed.is_empty(), "somebody walked through it");
        for child in self.tree.children(node) {
            if self.tree.get(child).status == Status::Planned {
                self.elsewhere.remove(&(depth as u32 + 1, child));
            }
        }
    }

    /// Takes away the note of a node.
    pub(super) fn forget(&mut self, node: NodeId) -> Note {
        let place = std::mem::replace(&mut self.tree.get_mut(node).place, NO_PLACE);
        self.notes.remove(place)
    }

    /// Goes to where `target` is the next node, or as near as the present execution goes.
    pub(super) fn jump(&mut self, target: NodeId, trace: &Trace) {
        let mut chain = vec![target];
        while let Some(parent) = self.tree.get(chain[chain.len() - 1]).parent.some() {
            chain.push(parent);
        }
        chain.reverse();
        let same = self.path.iter().zip(&chain);
        let common = same.take_while(|(a, b)| a == b).count();
        self.leave(common);
        self.elsewhere.remove(&(chain.len() as u32 - 1, target));
        if common == 0 {
            self.begin_path(chain[0]);
        }
        let mut at = self.path.len();
        while at + 1 < chain.len() && self.is_next(chain[at], trace) {
            self.enter(chain[at], trace);
            at += 1;
        }
        if at < chain.len() {
            self.planned.extend(chain[at..].iter().rev());
        }
    }

    /// True if the last execution goes on with this child of the last node.
    fn is_next(&self, child: NodeId, trace: &Trace) -> bool {
        let step = self.tree.step(child);
        let event = trace.events().get(self.path.len() - 1);
        event.is_some_and(|event| {
            event.thread == step.thread && event.decision.alternative == step.alternative
        })
    }

    fn begin_path(&mut self, root: NodeId) {
        self.sleep_sets.truncate(0);
        self.sleep_sets.keep_own(0);
        self.sources.clear();
        self.lasting.clear();
        self.open.truncate(0);
        self.path.push(root);
        self.path_nodes.push(PathNode::ROOT);
        self.item = self.roots[&root];
        self.foreign = self.items[&self.item].holders.len();
        let node = self.tree.get_mut(root);
        match node.status {
            Status::Planned => node.status = Status::Started,
            Status::Started => self.take_up_again(root, 0),
            Status::Foreign | Status::Given | Status::Freed => {}
        }
    }

    /// Leaves the part of the path below which nothing is planned.
    #[inline]
    pub(super) fn trim(&mut self) {
        let length = self.open.last().map_or(0, |depth| depth + 1);
        if self.path.len() > length {
            self.leave(length);
        }
    }

    /// Leaves all of the path but its first nodes.
    pub(super) fn leave(&mut self, length: usize) {
        if self.path.len() == length {
            return;
        }
        // In most cases that is all: what is left is a chain, and finished.
        let mut end = self.path.len();
        if self.is_bare(end - 1) {
            end -= 1;
            while end > length && self.is_only(end) {
                end -= 1;
            }
            self.tree.free_chain(&self.path[end..]);
            self.tree.get_mut(self.path[end]).status = Status::Freed;
            self.shorten(end);
        }
        while self.path.len() > length {
            let depth = self.path.len() - 1;
            if depth >= self.foreign {
                self.keep(depth);
            }
            self.shorten(depth);
        }
        self.open.truncate(length);
        match length {
            0 => self.report_closed(self.item),
            _ => self.settle(),
        }
    }

    /// True if the path's node at `depth` has nothing below it and nothing is inserted there.
    #[inline]
    fn is_bare(&self, depth: usize) -> bool {
        depth > self.foreign
            && !self.path_nodes[depth].is_reachable
            && self.tree.first_child(self.path[depth]) == NodeId::NONE
    }

    /// True if the path's node at `depth` is the only one below its parent, into which nothing is inserted.
    #[inline]
    fn is_only(&self, depth: usize) -> bool {
        let (above, node) = (self.path[depth - 1], self.path[depth]);
        depth > self.foreign + 1
            && !self.path_nodes[depth - 1].is_reachable
            && self.tree.is_only_child(above, node)
    }

    #[inline]
    fn shorten(&mut self, length: usize) {
        self.path.truncate(length);
        self.path_nodes.truncate(length);
        if let Some(last) = self.path_nodes.last() {
            self.lasting.truncate(last.lasting as usize);
            self.sleep_sets.truncate(length - 1);
            self.sources.truncate(self.sleep_sets.len());
        }
    }

    /// The path was left below its last node: what is finished there is removed from the left.
    #[inline]
    fn settle(&mut self) {
        let here = self.here();
        let path_node = *self.path_nodes.last().expect("the path has a root");
        self.sleep_sets.keep_own(path_node.finished as usize);
        self.sources.truncate(self.sleep_sets.len());
        self.remove_finished(here);
        let first = self.tree.first_child(here);
        if first != NodeId::NONE && self.tree.get(first).status != Status::Planned {
            self.free_final(here);
            self.remove_finished(here);
        }
    }

    #[inline]
    fn remove_finished(&mut self, here: NodeId) {
        let path_node = self.path_nodes.last_mut().expect("the path has a root");
        if path_node.is_reachable || self.path.len() <= self.foreign {
            return;
        }
        while let Some(first) = self.tree.first_child(here).some() {
            if self.tree.get(first).status != Status::Freed {
                return;
            }
            self.sleep_sets.push_own(self.tree.remove_first(here));
            self.sources.push(Source::FINAL);
            path_node.finished += 1;
        }
    }

    /// The path leaves its node at `depth`, the last one: notes what there is to know of it, or frees
    /// it.
    #[cold]
    fn keep(&mut self, depth: usize) {
        let node = self.path[depth];
        self.free_final(node);
        let mut open = 0;
        for child in self.tree.children(node) {
            open += u32::from(self.is_open(child));
            if self.tree.get(child).status == Status::Planned {
                self.elsewhere.insert((depth as u32 + 1, child));
            }
        }
        let inherited = self.sleep_sets.inherited(depth).map(|s| self.sources[s]);
        let lasting = &self.lasting[..self.path_nodes[depth].lasting as usize];
        let all = inherited.chain(lasting.iter().copied());
        let sources: Vec<Source> = all.filter(|s| s.is_open(&self.tree)).collect();
        let naive = self.mutation.is(Mutation::FreedWhenClosed);
        if open == 0 && depth > self.foreign && (naive || sources.is_empty()) {
            self.free(node);
            return;
        }
        let finished = self.path_nodes[depth].finished as usize;
        for step in self.sleep_sets.own(depth)[..finished].iter().rev() {
            let child = self.tree.prepend(node, step.clone());
            self.tree.get_mut(child).status = Status::Freed;
        }
        let place = self.notes.add(Note {
            open,
            sources,
            given: None,
            depth: depth as u32,
            packed: Vec::new(),
        });
        self.tree.get_mut(node).place = place;
        if open == 0 && depth > self.foreign {
            self.pack(node);
        }
    }

    /// Where something may be inserted from below a planned node.
    pub(super) fn sources_of(&self, node: NodeId) -> Vec<Source> {
        let step = self.tree.step(node);
        let parent = self.tree.get(node).parent;
        let mut all: Vec<Source> = Vec::new();
        if self.has_no_note(parent) {
            let depth = self.depth_on_path(parent);
            all.extend(self.sleep_sets.inherited(depth).map(|s| self.sources[s]));
            all.extend(&self.lasting[..self.path_nodes[depth].lasting as usize]);
        } else {
            all.extend(&self.notes.get(self.tree.get(parent).place).sources);
        }
        let before = self.tree.before(node);
        all.extend(before.map(|other| Source::new(&self.tree, other)));
        all.retain(|source| source.is_open(&self.tree));
        let below = all.iter().filter_map(|s| s.below(&self.tree, step));
        below.collect()
    }

    /// The depth of a node of the path.
    #[inline]
    pub(super) fn depth_on_path(&self, node: NodeId) -> usize {
        let found = self.path.iter().rposition(|&n| n == node);
        found.expect("a node that was executed and has no note is on the path")
    }
}
