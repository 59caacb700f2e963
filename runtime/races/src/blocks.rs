//! Which heap block an address belongs to, alive or freed.
//!
//! Used to name the object of a race, and to remember frees: freeing a block is a write to all its
//! bytes, but a large block that was hardly touched shall not cost shadow memory when it is freed.
//! So the write is noted in those shadow pages that are present; a page that appears later is told by
//! [`Blocks::freed_in`].

use crate::entry::Entry;
use std::collections::BTreeMap;

/// A heap block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Address of its first byte.
    pub start: u64,
    /// Its size as requested.
    pub bytes: u64,
    /// Where it was allocated.
    pub site: u64,
    /// The thread that allocated it.
    pub thread: u16,
}

/// What is left of a block: all of it, or, once freed, what no later block covers.
#[derive(Clone)]
struct Piece {
    end: u64,
    block: Block,
    /// The accesses that freed it: none, one, or several that are not ordered.
    freed: Vec<Entry>,
}

/// Bytes `[from, to)` that were freed, and how.
pub(crate) struct Freed {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) by: Vec<Entry>,
}

/// All pieces, disjoint, by start address.
pub(crate) struct Blocks {
    pieces: BTreeMap<u64, Piece>,
    /// (start, the piece there before the change).
    log: Vec<(u64, Option<Piece>)>,
    logging: bool,
}

impl Blocks {
    pub(crate) fn new() -> Self {
        Blocks {
            pieces: BTreeMap::new(),
            log: Vec::new(),
            logging: false,
        }
    }

    /// A new block; whatever was known of its bytes is forgotten.
    pub(crate) fn allocate(&mut self, block: Block) {
        let end = block.start.saturating_add(block.bytes);
        self.cut(block.start, end);
        if block.start < end {
            let freed = Vec::new();
            self.put(block.start, Some(Piece { end, block, freed }));
        }
    }

    /// `[start, end)` is next to `block`, and no one's.
    pub(crate) fn guard(&mut self, start: u64, end: u64, block: Block) {
        self.cut(start, end);
        self.put_freed(start, end, block, vec![Entry::guard(0xFF)]);
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
        let unknown = Block {
            start,
            bytes,
            site: 0,
            thread: 0,
        };
        let block = known.map_or(unknown, |piece| piece.block);
        let mut twice: Vec<Freed> = self.freed_in(start, end).collect();
        for part in &mut twice {
            part.by.retain(|&entry| !is_ordered(entry));
        }
        twice.retain(|part| !part.by.is_empty());
        self.cut(start, end);
        let mut rest = start;
        for part in &twice {
            self.put_freed(rest, part.from, block, vec![free]);
            let both = part.by.iter().copied().chain([free]).collect();
            self.put_freed(part.from, part.to, block, both);
            rest = part.to;
        }
        self.put_freed(rest, end, block, vec![free]);
        twice
    }

    /// The block that `address` belongs or belonged to last.
    pub(crate) fn at(&self, address: u64) -> Option<Block> {
        let (_, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.end).then_some(piece.block)
    }

    /// The blocks that were not freed, by address.
    pub(crate) fn live(&self) -> impl Iterator<Item = Block> + '_ {
        let live = { self.pieces.iter() }
            .filter(|(&start, piece)| piece.freed.is_empty() && piece.block.start == start);
        live.map(|(_, piece)| piece.block)
    }

    /// Freed parts of `[start, end)`, in ascending order.
    pub(crate) fn freed_in(&self, start: u64, end: u64) -> impl Iterator<Item = Freed> + '_ {
        let freed = self
            .meeting(start, end)
            .filter(|(_, piece)| !piece.freed.is_empty());
        freed.map(move |(from, piece)| Freed {
            from: from.max(start),
            to: piece.end.min(end),
            by: piece.freed.clone(),
        })
    }

    pub(crate) fn mark(&mut self) -> usize {
        self.logging = true;
        self.log.len()
    }

    pub(crate) fn rollback(&mut self, point: usize) {
        while self.log.len() > point {
            if let Some((start, piece)) = self.log.pop() {
                match piece {
                    Some(piece) => self.pieces.insert(start, piece),
                    None => self.pieces.remove(&start),
                };
            }
        }
    }

    /// Forgets the log: no mark is left.
    pub(crate) fn stop(&mut self) {
        self.logging = false;
        self.log.clear();
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

    fn put_freed(&mut self, start: u64, end: u64, block: Block, freed: Vec<Entry>) {
        if start < end {
            self.put(start, Some(Piece { end, block, freed }));
        }
    }

    fn put(&mut self, start: u64, piece: Option<Piece>) {
        let old = match piece {
            Some(piece) => self.pieces.insert(start, piece),
            None => self.pieces.remove(&start),
        };
        if self.logging {
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
            site: 1,
            thread: 0,
        };
        let new = Block {
            start: 120,
            bytes: 30,
            site: 2,
            thread: 1,
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
            .map(|part| (part.from, part.to))
            .collect();
        assert_eq!(freed, [(110, 120), (150, 160)]);
        blocks.rollback(point);
        assert_eq!(blocks.at(120), Some(old));
        assert_eq!(blocks.freed_in(0, 1000).count(), 0);
    }
}
