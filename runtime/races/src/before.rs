//! The heap as it was when exploration began: bytes next to blocks, and blocks that were freed.
//!
//! Nothing was judged before, so nothing is in the shadow. A program may have a million blocks by then, and
//! touch few of them later: the heap hands over a list once, and a page of the shadow is told of what lies in
//! it when it comes into being. What happens to the blocks later is in `blocks.rs`, and goes before.

use crate::blocks::Block;

/// A block of the heap's, alive or freed, with what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lived {
    /// The first byte that is nobody's: of the header.
    pub from: u64,
    /// The first byte of the block.
    pub start: u64,
    /// Its size as requested.
    pub bytes: u64,
    /// Behind the last byte that is nobody's.
    pub end: u64,
    /// Whether it was freed.
    pub freed: bool,
}

impl Lived {
    pub(crate) fn block(&self) -> Block {
        Block {
            start: self.start,
            bytes: self.bytes,
            site: 0,
            thread: 0,
        }
    }

    /// Bytes of it that nobody may access, and whether they are those of a freed block.
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

/// All of them, by address.
#[derive(Default)]
pub(crate) struct Before(Vec<Lived>);

impl Before {
    /// # Panics
    /// If they are not disjoint and ascending.
    pub(crate) fn new(blocks: Vec<Lived>) -> Before {
        let is_whole = |b: &Lived| b.from <= b.start && b.start + b.bytes <= b.end;
        assert!(
            blocks.iter().all(is_whole) && blocks.is_sorted_by(|one, next| one.end <= next.from),
            "[dpor internal bug] blocks from before the root overlap"
        );
        Before(blocks)
    }

    /// The block that the byte belongs to or lies next to.
    pub(crate) fn at(&self, address: u64) -> Option<&Lived> {
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
        met.flat_map(Lived::forbidden)
            .map(move |(from, to, freed)| (from.max(start), to.min(end), freed))
            .filter(|&(from, to, _)| from < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lived(from: u64, start: u64, bytes: u64, end: u64, freed: bool) -> Lived {
        Lived {
            from,
            start,
            bytes,
            end,
            freed,
        }
    }

    #[test]
    fn parts_of_a_range_by_hand() {
        let before = Before::new(vec![
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
        assert_eq!(Before::default().at(3), None);
    }
}
