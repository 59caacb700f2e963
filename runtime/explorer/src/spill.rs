//! Parts of the wakeup tree that are kept outside of memory: what is planned and does not fit.
//!
//! The planned part of the tree can be far larger than the executed part: plans for the right of the tree arise
//! while its left is explored, and in the worst case there are as many as executions still to
//! come. When the tree exceeds its limit, what lies below planned nodes is written out in pieces,
//! those first that no insertion came by since the last time; a piece comes back when the search
//! or an insertion gets there. Pieces hold pieces, so that what stays in memory is a small part.
//! A step takes about ten bytes. There is no I/O here: [`Spill`] does it.

use crate::encode::{get, get_step, put, put_step};
use crate::tree::{Node, NodeId, Tree};

/// The name that a [`Spill`] gives to a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpillId(pub u32);

/// A store for records outside of memory, which the user of the search provides.
pub trait Spill {
    /// Stores a record. `None` if the store cannot; the nodes then stay in memory.
    fn write(&mut self, record: &[u8]) -> Option<SpillId>;

    /// Appends the bytes of a record to `into`, exactly as they were written, and frees it. False if the store cannot
    /// read them: the search then ends with [`crate::Fault::Unreadable`].
    fn take(&mut self, id: SpillId, into: &mut Vec<u8>) -> bool;
}

/// The store of a tree, and the sizes at which parts of the tree go there.
pub(crate) struct Spilling {
    store: Box<dyn Spill + Send>,
    /// Number of nodes in memory beyond which nodes are written out.
    limit: usize,
    /// The limit that was asked for; `limit` is larger while the tree cannot be made that small.
    limit_set: usize,
    /// Least number of nodes in a record.
    piece: u32,
    /// Bytes of the record that is written or was read last.
    buffer: Vec<u8>,
    /// Number of nodes written so far.
    pub written: u64,
    /// True once a record could not be read: the tree lacks its nodes.
    pub unreadable: bool,
}

/// Largest value of [`Spilling::piece`] (chosen: nodes of larger records are read in vain more often, smaller records
/// leave more in memory).
const PIECE_MAX: usize = 32;

impl Spilling {
    /// A store for the part of a tree that exceeds `bytes` bytes.
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

    /// Reads a record into the buffer. False, and the tree is marked unreadable, if the store cannot.
    fn read(&mut self, record: u32) -> bool {
        self.buffer.clear();
        let is_read = self.store.take(SpillId(record), &mut self.buffer);
        self.unreadable |= !is_read;
        is_read
    }
}

impl Tree {
    /// Writes out nodes until the tree is below its limit, if it has one. Must not be called during an execution.
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

    /// Writes out the subtrees below planned nodes; unless `all`, only those that no insertion touched since the last
    /// time.
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

    /// Writes out the subtree below `node`. False if the store refuses it: the subtree then stays in memory.
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

    /// Takes the store, emptied, from a tree that is given up. `None` if the tree has none.
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

    /// Reads the children of `node` back into the tree; none if they cannot be read ([`Tree::is_unreadable`]).
    #[cold]
    pub fn bring_back(&mut self, node: NodeId) {
        let mut spilling = self.spilling.take().expect("something was spilled");
        let record = self.take_spilled(node);
        if spilling.read(record) {
            self.decode_below(node, &spilling.buffer);
        }
        self.spilling = Some(spilling);
    }

    /// True if the tree lacks nodes that could not be read back.
    pub fn is_unreadable(&self) -> bool {
        self.spilling.as_ref().is_some_and(|s| s.unreadable)
    }

    /// Appends the subtree below `top` to `out`, in preorder. Each node is its step, and then twice the number of its
    /// children, or 1 plus twice the number of the record that they are in.
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

    /// Appends below `top` what [`Tree::encode_below`] wrote.
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
