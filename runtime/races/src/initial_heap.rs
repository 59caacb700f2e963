//! The heap as it was when exploration began: blocks, freed or not, and the bytes next to them that are nobody's.
//!
//! Nothing was judged before, so nothing is in the shadow. A program may have a million blocks by then, and touch few
//! of them later: the heap hands over a list once, and a page of the shadow is told of what lies in it when it comes
//! into being. What happens to the blocks later is in `blocks.rs`, and goes before.

use crate::blocks::Block;
use dpor_model::{SiteId, ThreadId};

/// A block of the heap at the beginning of exploration, live or freed, with the bytes around it that are nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialBlock {
    /// Address of the first byte in front of the block that is nobody's: its header.
    pub from: u64,
    /// Address of the block's first byte.
    pub start: u64,
    /// The block's size in bytes, as the program requested it.
    pub bytes: u64,
    /// Address behind the last byte that belongs to no other block.
    pub end: u64,
    /// True if the program had freed the block by then.
    pub freed: bool,
}

impl InitialBlock {
    pub(crate) fn block(&self) -> Block {
        Block {
            start: self.start,
            bytes: self.bytes,
            site: SiteId::UNKNOWN,
            thread: ThreadId::MAIN,
        }
    }

    /// The parts of `[from, end)` that nobody may access, each as (first byte, byte behind, is of a freed block).
    fn forbidden(&self) -> [(u64, u64, bool); 3] {
        let behind = self.start + self.bytes;
        let freed = if self.freed { behind } else { self.start };
        [
            (self.from, self.start, false),
            (self.start, freed, true),
            (behind, self.end, false),
        ]
    }
}

/// The blocks of the heap at the beginning of exploration, disjoint, in ascending order of their addresses.
#[derive(Default)]
pub(crate) struct InitialHeap(Vec<InitialBlock>);

impl InitialHeap {
    /// Takes the heap's list of blocks.
    ///
    /// # Panics
    /// If the blocks are not disjoint and ascending.
    pub(crate) fn new(blocks: Vec<InitialBlock>) -> InitialHeap {
        let is_whole = |b: &InitialBlock| b.from <= b.start && b.start + b.bytes <= b.end;
        assert!(
            blocks.iter().all(is_whole) && blocks.is_sorted_by(|one, next| one.end <= next.from),
            "[dpor internal bug] blocks from before the root overlap"
        );
        InitialHeap(blocks)
    }

    /// The block that the byte belongs to or lies next to.
    pub(crate) fn at(&self, address: u64) -> Option<&InitialBlock> {
        let behind = self.0.partition_point(|block| block.from <= address);
        let block = &self.0[behind.checked_sub(1)?];
        (address < block.end).then_some(block)
    }

    /// What nobody may access of `[start, end)`, in ascending order: `(from, to, is freed)`.
    pub(crate) fn forbidden_in(
        &self,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = (u64, u64, bool)> + '_ {
        let first = self.0.partition_point(|block| block.end <= start);
        let met = self.0[first..].iter().take_while(move |b| b.from < end);
        met.flat_map(InitialBlock::forbidden)
            .map(move |(from, to, freed)| (from.max(start), to.min(end), freed))
            .filter(|&(from, to, _)| from < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lived(from: u64, start: u64, bytes: u64, end: u64, freed: bool) -> InitialBlock {
        InitialBlock {
            from,
            start,
            bytes,
            end,
            freed,
        }
    }

    #[test]
    fn parts_of_a_range_by_hand() {
        let before = InitialHeap::new(vec![
            lived(0, 16, 20, 64, false),
            lived(64, 80, 10, 112, true),
            lived(200, 216, 8, 224, false),
        ]);
        let parts = |start, end| before.forbidden_in(start, end).collect::<Vec<_>>();
        assert_eq!(
            parts(0, 150),
            [
                (0, 16, false),
                (36, 64, false),
                (64, 80, false),
                (80, 90, true),
                (90, 112, false)
            ]
        );
        assert_eq!(parts(16, 36), []);
        assert_eq!(parts(30, 40), [(36, 40, false)]);
        assert_eq!(
            parts(85, 201),
            [(85, 90, true), (90, 112, false), (200, 201, false)]
        );
        assert_eq!(parts(112, 200), []);
        assert_eq!(before.at(36).map(|b| b.start), Some(16));
        assert_eq!(before.at(150), None);
        assert_eq!(InitialHeap::default().at(3), None);
    }
}
