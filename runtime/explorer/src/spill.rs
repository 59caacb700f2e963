//! Pending parts of the tree that do not fit into memory.
//!
//! What is planned can be far larger than what was executed: plans for the right of the tree arise
//! while its left is explored, and in the worst case there are as many as executions still to
//! come. When the tree exceeds its limit, what lies below planned nodes is written out in pieces,
//! those first that no insertion came by since the last time; a piece comes back when the search
//! or an insertion gets there. Pieces hold pieces, so that what stays in memory is a small part.
//! A step takes about ten bytes. There is no I/O here: [`Spill`] does it.

use crate::encode::{get, get_step, put, put_step};
use crate::tree::{Node, NodeId, Tree};

/// The name of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpillId(pub u32);

/// Keeps records outside of memory.
pub trait Spill {
    /// Keeps a record. `None`: it cannot; the record then stays in memory.
    fn write(&mut self, record: &[u8]) -> Option<SpillId>;

    /// Appends to `into` exactly what was written, and forgets it. False if it cannot: the search
    /// then ends with [`crate::Fault::Unreadable`].
    fn take(&mut self, id: SpillId, into: &mut Vec<u8>) -> bool;
}

/// Where to, and when.
pub(crate) struct Spilling {
    store: Box<dyn Spill + Send>,
    /// Nodes in memory beyond which something is written out.
    limit: usize,
    /// As set; `limit` is larger while less is impossible.
    limit_set: usize,
    /// Nodes of a piece, at least.
    piece: u32,
    buffer: Vec<u8>,
    /// Nodes written so far.
    pub written: u64,
    /// Something could not be read again: the tree lacks it.
    pub unreadable: bool,
}

/// Larger pieces are read in vain more often, smaller ones leave more in memory.
const PIECE_MAX: usize = 32;

impl Spilling {
    /// Spills what exceeds so many bytes.
    pub fn new(store: Box<dyn Spill + Send>, bytes: usize) -> Self {
        let limit = bytes / size_of::<Node>();
        Spilling {
            store,
            limit,
            limit_set: limit,
            piece: (limit / 64).clamp(1, PIECE_MAX) as u32,
            buffer: Vec::new(),
            written: 0,
            unreadable: false,
        }
    }

    /// Reads a record into the buffer. False if it cannot.
    fn read(&mut self, record: u32) -> bool {
        self.buffer.clear();
        let is_read = self.store.take(SpillId(record), &mut self.buffer);
        self.unreadable |= !is_read;
        is_read
    }
}

impl Tree {
    /// Writes out what exceeds the limit, if there is one. Not during an execution.
    #[inline]
    pub fn keep_within_limit(&mut self) {
        let nodes = self.len();
        if self.spilling.as_ref().is_some_and(|s| nodes > s.limit) {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        let Some(mut spilling) = self.spilling.take() else {
            return;
        };
        self.spill_planned(&mut spilling, false);
        let piece = spilling.piece;
        while self.len() > spilling.limit_set / 4 * 3 && spilling.piece > 0 {
            self.spill_planned(&mut spilling, true);
            spilling.piece /= 2;
        }
        spilling.piece = piece;
        // What remains cannot be spilled; no use in trying again at once.
        spilling.limit = spilling.limit_set.max(self.len() + self.len() / 8);
        self.spilling = Some(spilling);
    }

    /// Writes out what is below planned nodes; unless `all`, only where no insertion came by.
    fn spill_planned(&mut self, spilling: &mut Spilling, all: bool) {
        for top in self.open() {
            // Breadth first, with the index of the parent.
            let mut nodes = vec![(top, 0)];
            let mut at = 0;
            while at < nodes.len() {
                if !self.is_spilled(nodes[at].0) {
                    nodes.extend(self.children(nodes[at].0).map(|child| (child, at)));
                }
                at += 1;
            }
            let mut below = vec![(0, false); nodes.len()];
            for (i, &(node, parent)) in nodes.iter().enumerate().rev() {
                let (mut size, recent) = below[i];
                if size >= spilling.piece && (all || !recent) && self.spill_below(spilling, node) {
                    spilling.written += u64::from(size);
                    size = 0;
                }
                let touched = std::mem::take(&mut self.get_mut(node).touched);
                if i > 0 {
                    below[parent].0 += size + 1;
                    below[parent].1 |= recent || touched;
                }
            }
        }
    }

    /// Writes out all that is below `node`.
    fn spill_below(&mut self, spilling: &mut Spilling, node: NodeId) -> bool {
        spilling.buffer.clear();
        self.encode_below(node, &mut spilling.buffer);
        let Some(id) = spilling.store.write(&spilling.buffer) else {
            return false;
        };
        self.remove_below(node);
        self.set_spilled(node, id.0);
        true
    }

    /// Takes the store from a tree that is given up, with nothing in it.
    pub fn clear_store(&mut self) -> Option<Spilling> {
        let mut spilling = self.spilling.take()?;
        let mut records = self.records();
        while let Some(record) = records.pop() {
            if !spilling.read(record) {
                continue;
            }
            let mut bytes = &spilling.buffer[..];
            get(&mut bytes);
            while !bytes.is_empty() {
                get_step(&mut bytes);
                let link = get(&mut bytes);
                records.extend((link & 1 == 1).then_some((link >> 1) as u32));
            }
        }
        Some(spilling)
    }

    /// Brings back the children of `node`: none if they cannot be read ([`Tree::is_unreadable`]).
    #[cold]
    pub fn bring_back(&mut self, node: NodeId) {
        let mut spilling = self.spilling.take().expect("something was spilled");
        let record = self.take_spilled(node);
        if spilling.read(record) {
            self.decode_below(node, &spilling.buffer);
        }
        self.spilling = Some(spilling);
    }

    /// Whether it lacks something that could not be read again.
    pub fn is_unreadable(&self) -> bool {
        self.spilling.as_ref().is_some_and(|s| s.unreadable)
    }

    /// Preorder. Each node: its step, then twice the number of its children, or twice the record
    /// they are in plus 1.
    fn encode_below(&self, top: NodeId, out: &mut Vec<u8>) {
        let mut rest: Vec<NodeId> = self.children(top).collect();
        put(out, rest.len() as u64);
        rest.reverse();
        while let Some(node) = rest.pop() {
            put_step(out, self.step(node));
            if self.is_spilled(node) {
                put(out, u64::from(self.spilled(node)) << 1 | 1);
                continue;
            }
            let from = rest.len();
            rest.extend(self.children(node));
            put(out, (rest.len() - from) as u64 * 2);
            rest[from..].reverse();
        }
    }

    fn decode_below(&mut self, top: NodeId, mut bytes: &[u8]) {
        let from = &mut bytes;
        // Nodes that lack children, and how many.
        let mut open = vec![(top, get(from))];
        while let Some((parent, lacks)) = open.last_mut() {
            if *lacks == 0 {
                open.pop();
                continue;
            }
            *lacks -= 1;
            let node = self.append(*parent, get_step(from));
            match get(from) {
                record if record & 1 == 1 => self.set_spilled(node, (record >> 1) as u32),
                twice => open.push((node, twice / 2)),
            }
        }
    }
}
