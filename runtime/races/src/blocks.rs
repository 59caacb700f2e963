//! Which heap block an address belongs to, alive or freed.
//!
//! Used to name the object of a race, and to remember frees: freeing a block is a write to all its
//! bytes, but a large block that was hardly touched shall not cost shadow memory when it is freed.
//! So the write is noted in those shadow pages that are present; a page that appears later is told by
//! [`Blocks::freed_in`].

use crate::entry::Entry;
use crate::hash::Set;
use crate::initial_heap::{InitialBlock, InitialHeap};
use dpor_model::{SiteId, ThreadId};
use smallvec::{smallvec, SmallVec};
use std::collections::{BTreeMap, BTreeSet};

/// A heap block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Address of the block's first byte.
    pub start: u64,
    /// The block's size in bytes, as the program requested it.
    pub bytes: u64,
    /// The site whose call allocated the block, as the caller of [`crate::Races::allocate`] named it; 0 if unknown.
    pub site: SiteId,
    /// The thread that allocated it.
    pub thread: ThreadId,
}

/// What is left of a block: all of it, or, once freed, what no later block covers. Its first byte is the key in
/// [`Blocks::pieces`].
#[derive(Clone)]
struct Piece {
    end: u64,
    block: Block,
    /// The accesses that freed it: none, one, or several that are not ordered.
    freed: Frees,
}

/// The accesses that freed a piece, of which there is hardly ever more than one.
type Frees = SmallVec<[Entry; 1]>;

/// Bytes `[from, to)` that were freed, and the accesses that freed them.
pub(crate) struct Freed {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) by: Frees,
}

/// Changes behind a mark from which on only the first one at an address is noted (chosen: 64 KB of them; few where the tests
/// of this file are to meet it).
const LONG: usize = if cfg!(test) { 4 } else { 1024 };

/// All pieces, disjoint, by start address.
pub(crate) struct Blocks {
    pieces: BTreeMap<u64, Piece>,
    /// (start, the piece there before the change).
    log: Vec<(u64, Option<Piece>)>,
    logging: bool,
    /// Number of changes in the log at the last mark.
    marked: usize,
    /// Behind [`LONG`] changes since the last mark: where those are that are noted, of which none needs to be noted again.
    seen: Set<u64>,
    /// The heap as it was before anything was judged.
    initial: InitialHeap,
    /// `[from, to)` of stacks whose threads have ended, and how, or that have a new thread; grows, and
    /// shrinks with rollback.
    stacks: Vec<(u64, u64, Option<Entry>)>,
}

/// A point in the past.
#[derive(Clone, Copy)]
pub(crate) struct BlocksPoint {
    log: usize,
    stacks: usize,
}

impl Blocks {
    pub(crate) fn new() -> Self {
        Blocks {
            pieces: BTreeMap::new(),
            log: Vec::new(),
            logging: false,
            marked: 0,
            seen: Set::default(),
            initial: InitialHeap::default(),
            stacks: Vec::new(),
        }
    }

    /// Tells of memory that is gone, `from` and `to`, with each access that freed it: of blocks, and of stacks.
    pub(crate) fn each_free(&self, mut each: impl FnMut(u64, u64, Entry)) {
        for (&from, piece) in &self.pieces {
            piece
                .freed
                .iter()
                .for_each(|&free| each(from, piece.end, free));
        }
        // Of each stack the last word counts.
        let mut seen = BTreeSet::new();
        for &(from, to, end) in self.stacks.iter().rev() {
            if seen.insert(from) {
                each(from, to, end.unwrap_or(Entry::EMPTY));
            }
        }
    }

    /// Takes the heap as it was before anything was judged.
    pub(crate) fn begin_with(&mut self, blocks: Vec<InitialBlock>) {
        self.initial = InitialHeap::new(blocks);
    }

    /// The thread of a stack has ended.
    pub(crate) fn end_stack(&mut self, from: u64, to: u64, end: Entry) {
        self.stacks.push((from, to, Some(end)));
    }

    /// The stack at `from` has a thread again; false if it had none before.
    pub(crate) fn begin_stack(&mut self, from: u64) -> bool {
        let earlier = self.stacks.iter().rev().find(|stack| stack.0 == from);
        match earlier.copied() {
            Some((_, to, Some(_))) => {
                self.stacks.push((from, to, None));
                true
            }
            _ => false,
        }
    }

    /// A new block; whatever was known of its bytes is forgotten.
    pub(crate) fn allocate(&mut self, block: Block) {
        let end = block.start.saturating_add(block.bytes);
        self.set(block.start, end, block, Frees::new());
    }

    /// `[start, end)` is next to `block`, and no one's.
    pub(crate) fn guard(&mut self, start: u64, end: u64, block: Block) {
        self.set(start, end, block, smallvec![Entry::guard(0xFF)]);
    }

    /// Notes that `[start, start + bytes)` was freed by the access `free`, and returns the parts that
    /// were freed already by an access that is not ordered before it.
    pub(crate) fn free(
        &mut self,
        start: u64,
        bytes: u64,
        free: Entry,
        is_ordered: impl Fn(Entry) -> bool,
    ) -> Vec<Freed> {
        let end = start.saturating_add(bytes);
        let known = self.pieces.get(&start).filter(|piece| piece.end == end);
        if let Some(Piece { block, .. }) = known.filter(|piece| piece.freed.is_empty()) {
            self.set(start, end, *block, smallvec![free]);
            return Vec::new();
        }
        let unknown = Block {
            start,
            bytes,
            site: SiteId::UNKNOWN,
            thread: ThreadId::MAIN,
        };
        let block = known.map_or(unknown, |piece| piece.block);
        let mut twice: Vec<Freed> = self.freed_pieces(start, end).collect();
        for part in &mut twice {
            part.by.retain(|entry| !is_ordered(*entry));
        }
        twice.retain(|part| !part.by.is_empty());
        let mut rest = start;
        for part in &twice {
            self.set(rest, part.from, block, smallvec![free]);
            let both = part.by.iter().copied().chain([free]).collect();
            self.set(part.from, part.to, block, both);
            rest = part.to;
        }
        self.set(rest, end, block, smallvec![free]);
        twice
    }

    /// The block that `address` belongs or belonged to last.
    pub(crate) fn at(&self, address: u64) -> Option<Block> {
        let before = || self.initial.at(address).map(InitialBlock::block);
        self.judged_at(address).or_else(before)
    }

    /// The block that `address` belongs or belonged to last, among those that were allocated since exploration began.
    pub(crate) fn judged_at(&self, address: u64) -> Option<Block> {
        let (_, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.end).then_some(piece.block)
    }

    /// Whether `[start, end)` lies in one block that is alive.
    pub(crate) fn is_alive(&self, start: u64, end: u64) -> bool {
        if let Some((_, piece)) = self.pieces.range(..=start).next_back() {
            if start < piece.end {
                return end <= piece.end && piece.freed.is_empty();
            }
        }
        let before = self.initial.at(start).map(InitialBlock::block);
        before.is_some_and(|block| block.start <= start && end <= block.start + block.bytes)
            && self.freed_in(start, end).is_empty()
    }

    /// The blocks that were not freed, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = Block> + '_ {
        let live = { self.pieces.iter() }
            .filter(|(&start, piece)| piece.freed.is_empty() && piece.block.start == start);
        live.map(|(_, piece)| piece.block)
    }

    /// Parts of `[start, end)` that nobody may access: they are freed, next to a block, or of a stack whose thread has
    /// ended.
    pub(crate) fn freed_in(&self, start: u64, end: u64) -> Vec<Freed> {
        let mut all: Vec<Freed> = self.freed_pieces(start, end).collect();
        for (from, to, is_freed) in self.initial.forbidden_in(start, end) {
            let entry = match is_freed {
                true => Entry::freed_before(0xFF),
                false => Entry::guard(0xFF),
            };
            self.without_pieces(from, to, |from, to| {
                let by = smallvec![entry];
                all.push(Freed { from, to, by });
            });
        }
        // Stacks are larger than what is asked for, and begin where pages do.
        let stack = { self.stacks.iter().rev() }.find(|&&(from, to, _)| from < end && start < to);
        if let Some(&(from, to, Some(entry))) = stack {
            all.push(Freed {
                from: from.max(start),
                to: to.min(end),
                by: smallvec![entry],
            });
        }
        all
    }

    /// The parts of `[from, to)` that lie in no piece.
    fn without_pieces(&self, from: u64, to: u64, mut part: impl FnMut(u64, u64)) {
        let mut rest = from;
        for (start, piece) in self.meeting(from, to) {
            if rest < start {
                part(rest, start);
            }
            rest = rest.max(piece.end);
        }
        if rest < to {
            part(rest, to);
        }
    }

    /// Freed pieces of `[start, end)`, in ascending order.
    fn freed_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = Freed> + '_ {
        let freed = self
            .meeting(start, end)
            .filter(|(_, piece)| !piece.freed.is_empty());
        freed.map(move |(from, piece)| Freed {
            from: from.max(start),
            to: piece.end.min(end),
            by: piece.freed.clone(),
        })
    }

    pub(crate) fn mark(&mut self) -> BlocksPoint {
        self.logging = true;
        self.mark_at(self.log.len());
        BlocksPoint {
            log: self.log.len(),
            stacks: self.stacks.len(),
        }
    }

    pub(crate) fn rollback(&mut self, point: BlocksPoint) {
        self.stacks.truncate(point.stacks);
        while self.log.len() > point.log {
            if let Some((start, piece)) = self.log.pop() {
                match piece {
                    Some(piece) => self.pieces.insert(start, piece),
                    None => self.pieces.remove(&start),
                };
            }
        }
        self.mark_at(point.log);
    }

    /// The last mark is at this number of changes.
    fn mark_at(&mut self, marked: usize) {
        self.marked = marked;
        if !self.seen.is_empty() {
            self.seen = Set::default();
        }
    }

    /// Forgets the log: no mark is left.
    pub(crate) fn stop(&mut self) {
        self.logging = false;
        self.log.clear();
        self.mark_at(0);
    }

    fn meeting(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &Piece)> + '_ {
        let before = self
            .pieces
            .range(..start)
            .next_back()
            .filter(|(_, piece)| piece.end > start);
        let within = if start < end {
            Some(self.pieces.range(start..end))
        } else {
            None
        };
        let all = before.into_iter().chain(within.into_iter().flatten());
        all.map(|(&from, piece)| (from, piece))
    }

    /// Removes `[start, end)` from every piece.
    fn cut(&mut self, start: u64, end: u64) {
        let met: Vec<(u64, Piece)> = self
            .meeting(start, end)
            .map(|(from, piece)| (from, piece.clone()))
            .collect();
        for (from, piece) in met {
            self.put(from, None);
            if from < start {
                let left = Piece {
                    end: start,
                    ..piece.clone()
                };
                self.put(from, Some(left));
            }
            if piece.end > end {
                self.put(end, Some(piece));
            }
        }
    }

    /// `[start, end)` is one piece from now on.
    fn set(&mut self, start: u64, end: u64, block: Block, freed: Frees) {
        if start >= end {
            return;
        }
        let piece = Piece { end, block, freed };
        // Nearly always a block takes the place of another one of its size, or is freed whole.
        match self.pieces.get_mut(&start) {
            Some(old) if old.end == end => {
                let old = std::mem::replace(old, piece);
                self.note(start, Some(old));
            }
            _ => {
                self.cut(start, end);
                self.put(start, Some(piece));
            }
        }
    }

    /// Whether what was at `start` before a change is to be noted: where no mark comes for a long time, of several changes
    /// there the first is.
    fn is_to_note(&mut self, start: u64) -> bool {
        if self.log.len() < self.marked + LONG {
            return true;
        }
        if self.seen.is_empty() {
            let noted = self.log[self.marked..].iter().map(|&(start, _)| start);
            self.seen.extend(noted);
        }
        self.seen.insert(start)
    }

    fn put(&mut self, start: u64, piece: Option<Piece>) {
        let old = match piece {
            Some(piece) => self.pieces.insert(start, piece),
            None => self.pieces.remove(&start),
        };
        self.note(start, old);
    }

    /// `old` is what was at `start` up to now.
    fn note(&mut self, start: u64, old: Option<Piece>) {
        if self.logging && self.is_to_note(start) {
            self.log.push((start, old));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Epoch, Kind};

    #[test]
    fn a_new_block_covers_part_of_a_freed_one() {
        let free = Entry::new(Epoch::new(0, 1), Kind::WRITE, 0, 0xFF);
        let mut blocks = Blocks::new();
        let old = Block {
            start: 100,
            bytes: 100,
            site: SiteId(1),
            thread: ThreadId::MAIN,
        };
        let new = Block {
            start: 120,
            bytes: 30,
            site: SiteId(2),
            thread: ThreadId(1),
        };
        blocks.allocate(old);
        let point = blocks.mark();
        blocks.free(100, 100, free, |_| true);
        blocks.allocate(new);
        assert_eq!(blocks.at(119), Some(old));
        assert_eq!(blocks.at(120), Some(new));
        assert_eq!(blocks.at(150), Some(old));
        assert_eq!(blocks.at(200), None);
        let freed: Vec<_> = blocks
            .freed_in(110, 160)
            .iter()
            .map(|part| (part.from, part.to))
            .collect();
        assert_eq!(freed, [(110, 120), (150, 160)]);
        blocks.rollback(point);
        assert_eq!(blocks.at(120), Some(old));
        assert_eq!(blocks.freed_in(0, 1000).len(), 0);
    }

    #[test]
    fn the_log_does_not_grow_where_the_same_blocks_come_and_go() {
        let free = Entry::new(Epoch::new(0, 1), Kind::WRITE, 0, 0xFF);
        let mut blocks = Blocks::new();
        let block = |start| Block {
            start,
            bytes: 10,
            site: SiteId(1),
            thread: ThreadId::MAIN,
        };
        blocks.allocate(block(100));
        let older = blocks.mark();
        blocks.allocate(block(200));
        let point = blocks.mark();
        for _ in 0..100 {
            for start in [100, 200, 300] {
                blocks.allocate(block(start));
                blocks.guard(start + 10, start + 12, block(start));
                blocks.free(start, 10, free, |_| true);
            }
        }
        assert!(blocks.log.len() < 20, "{}", blocks.log.len());
        assert_eq!(blocks.freed_in(0, 1000).len(), 6);
        blocks.rollback(point);
        assert!(blocks.is_alive(100, 110) && blocks.is_alive(200, 210));
        assert_eq!((blocks.at(300), blocks.freed_in(0, 1000).len()), (None, 0));
        // What comes behind the mark is noted anew.
        blocks.free(100, 10, free, |_| true);
        blocks.rollback(point);
        assert!(blocks.is_alive(100, 110));
        blocks.rollback(older);
        assert_eq!(blocks.at(200), None);
    }
}
