//! One remembered access to bytes of one granule, in 64 bits.
//!
//! ```text
//!  63    56   55  54        35   34   33 32 31    21 20             0
//! ┌────────┬─────┬────────────┬───────┬─────┬────────┬────────────────┐
//! │ mask   │ free│ context    │ stale │ kind│ slot   │ clock          │
//! └────────┴─────┴────────────┴───────┴─────┴────────┴────────────────┘
//!                                           └ epoch: slot and clock ──┘
//! ```
//!
//! `mask`: which of the granule's eight bytes. An entry without bytes is empty (0) or a link to an
//! overflow chunk (see `shadow/mod.rs`). `stale`: the access is a plain write, and an atomic write to some
//! of its bytes came later; repeating it is then not redundant, because it ends what the atomic write
//! published (`messages.rs`).
//!
//! `free`: the write is the one that freed the block. It makes no access redundant, as every access behind
//! it is one of freed memory, and none takes its place: only a new block does. With epoch 0 it is no access
//! but says that the bytes are next to a block. With `stale` it ended what was in a frame of its
//! thread's stack (`stacks.rs`); of kind *write* alone, something else began there.
//!
//! **Kinds** are two bits, *plain* and *write*, so that both questions are one operation:
//! two accesses conflict iff one writes and one is plain, that is, iff their kinds' union is both
//! bits; and everything that conflicts with `o` also conflicts with `n` iff `n`'s bits contain `o`'s.

use crate::context::{BEFORE, CONTEXT_BITS};

/// Bytes that share one shadow cell.
pub(crate) const GRANULE: u64 = 8;

const CLOCK_BITS: u32 = 21;
/// Bits of a slot.
pub(crate) const SLOT_BITS: u32 = 32 - CLOCK_BITS;
const KIND_SHIFT: u32 = 32;
const STALE: u64 = 1 << 34;
const CONTEXT_SHIFT: u32 = 35;
const FREE: u64 = 1 << 55;
const MASK_SHIFT: u32 = 56;

/// Epochs a slot can count. Each release operation takes one.
pub(crate) const CLOCK_MAX: u32 = (1 << CLOCK_BITS) - 1;

/// What an access does, as far as conflicts go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(pub(crate) u32);

impl Kind {
    pub(crate) const ATOMIC_READ: Kind = Kind(0b00);
    pub(crate) const READ: Kind = Kind(0b01);
    pub(crate) const ATOMIC_WRITE: Kind = Kind(0b10);
    pub(crate) const WRITE: Kind = Kind(0b11);

    #[inline]
    pub(crate) fn conflicts(self, other: Kind) -> bool {
        self.0 | other.0 == 0b11
    }

    /// Whether whatever conflicts with `other` also conflicts with `self`.
    #[inline]
    pub(crate) fn dominates(self, other: Kind) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn is_write(self) -> bool {
        self.0 & 0b10 != 0
    }

    pub(crate) fn is_atomic(self) -> bool {
        self.0 & 0b01 == 0
    }
}

/// A point in one slot's time, in the form an entry holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(u32);

impl Epoch {
    #[inline]
    pub(crate) fn new(slot: u32, clock: u32) -> Self {
        debug_assert!(clock <= CLOCK_MAX);
        Epoch(slot << CLOCK_BITS | clock)
    }

    #[inline]
    pub(crate) fn slot(self) -> u32 {
        self.0 >> CLOCK_BITS
    }

    #[inline]
    pub(crate) fn clock(self) -> u32 {
        self.0 & CLOCK_MAX
    }

    /// The epoch that has this number.
    pub(crate) fn of_word(word: u32) -> Self {
        Epoch(word)
    }

    /// The epoch as a number, which is not 0 for the epoch of an access.
    #[inline]
    pub(crate) fn word(self) -> u32 {
        self.0
    }
}

/// A remembered access, or 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry(pub(crate) u64);

impl Entry {
    pub(crate) const EMPTY: Entry = Entry(0);

    #[inline]
    pub(crate) fn new(epoch: Epoch, kind: Kind, context: u32, mask: u8) -> Self {
        debug_assert!(context < 1 << CONTEXT_BITS);
        Entry(
            u64::from(epoch.0)
                | u64::from(kind.0) << KIND_SHIFT
                | u64::from(context) << CONTEXT_SHIFT
                | u64::from(mask) << MASK_SHIFT,
        )
    }

    #[inline]
    pub(crate) fn mask(self) -> u8 {
        (self.0 >> MASK_SHIFT) as u8
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        Kind((self.0 >> KIND_SHIFT) as u32 & 0b11)
    }

    /// An entry that is no access: the bytes of `mask` are next to a block. It is before everything, as no slot's first
    /// epoch is 0.
    pub(crate) fn guard(mask: u8) -> Self {
        Entry::new(Epoch::new(0, 0), Kind::WRITE, 0, mask).made_free()
    }

    /// Whether the entry is a [`Entry::guard`].
    pub(crate) fn is_guard(self) -> bool {
        self.is_before() && self.context() != BEFORE
    }

    /// An entry for bytes that were freed before anything was judged.
    pub(crate) fn freed_before(mask: u8) -> Self {
        Entry::new(Epoch::new(0, 0), Kind::WRITE, BEFORE, mask).made_free()
    }

    /// Whether the entry stands for no access that was judged: a guard, or a free from before exploration.
    pub(crate) fn is_before(self) -> bool {
        self.is_free() && self.epoch() == Epoch::new(0, 0)
    }

    /// Returns the write with the mark that it freed the bytes.
    pub(crate) fn made_free(self) -> Self {
        Entry(self.0 | FREE)
    }

    /// Returns the write with the mark that a function ended in whose frame the bytes are.
    pub(crate) fn made_frame_end(self) -> Self {
        Entry(self.0 | FREE | STALE)
    }

    /// Whether the entry is the begin of a frame, not an end: an access ordered behind it uses what began there, any
    /// other access what was there before.
    #[inline]
    pub(crate) fn is_frame_begin(self) -> bool {
        self.is_frame_end() && self.kind() == Kind::ATOMIC_WRITE
    }

    /// Whether the entry ended a frame, or began one.
    #[inline]
    pub(crate) fn is_frame_end(self) -> bool {
        self.0 & (FREE | STALE) == FREE | STALE
    }

    /// Whether the entry freed the bytes.
    #[inline]
    pub(crate) fn is_free(self) -> bool {
        self.0 & FREE != 0
    }

    /// The access without its epoch and context: bytes, kind and marks.
    pub(crate) fn without_origin(self) -> u64 {
        let context = ((1 << CONTEXT_BITS) - 1) << CONTEXT_SHIFT;
        self.0 & !(context | u64::from(u32::MAX))
    }

    #[inline]
    pub(crate) fn epoch(self) -> Epoch {
        Epoch(self.0 as u32)
    }

    #[inline]
    pub(crate) fn context(self) -> u32 {
        (self.0 >> CONTEXT_SHIFT) as u32 & ((1 << CONTEXT_BITS) - 1)
    }

    /// Returns the access for the bytes of `mask` only; the empty entry for a mask of 0.
    #[inline]
    pub(crate) fn with_mask(self, mask: u8) -> Self {
        if mask == 0 {
            return Entry::EMPTY;
        }
        Entry(self.0 & ((1 << MASK_SHIFT) - 1) | u64::from(mask) << MASK_SHIFT)
    }

    /// Whether both entries are the same access, apart from the bytes and from whether it is stale.
    #[inline]
    pub(crate) fn same_but_mask(self, other: Entry) -> bool {
        ((self.0 ^ other.0) & !STALE) << (64 - MASK_SHIFT) == 0
    }

    /// What makes `self` redundant: an entry `e` with `e & filter == wanted`, for the pair `(filter, wanted)`. Such an
    /// entry is of the same epoch, covers all bytes of `self`, and conflicts with as much.
    ///
    /// An atomic write never is, since it must make plain writes stale. A free never is: what comes behind
    /// it must find it.
    #[inline(always)]
    pub(crate) fn redundant_by(self) -> Option<(u64, u64)> {
        let kind = self.kind();
        if kind == Kind::ATOMIC_WRITE || self.is_free() {
            return None;
        }
        let stale = if kind == Kind::WRITE { STALE } else { 0 };
        let kind_bits = u64::from(kind.0) << KIND_SHIFT;
        let wanted = self.0 & (u64::from(u32::MAX) | kind_bits | 0xFF << MASK_SHIFT);
        Some((wanted | u64::from(u32::MAX) | FREE | stale, wanted))
    }

    /// The pair of [`Entry::redundant_by`], which an entry satisfies whether it is stale or not.
    pub(crate) fn redundant_by_stale(self) -> Option<(u64, u64)> {
        let (filter, wanted) = self.redundant_by()?;
        Some((filter & !STALE, wanted))
    }

    /// Returns the access with the mark that an atomic write came after it.
    pub(crate) fn made_stale(self) -> Self {
        Entry(self.0 | STALE)
    }

    /// Whether an atomic write came after it, or it is of a frame.
    pub(crate) fn is_stale(self) -> bool {
        self.0 & STALE != 0
    }

    /// A link to overflow chunk `chunk`.
    #[inline]
    pub(crate) fn link(chunk: u32) -> Self {
        Entry(u64::from(chunk) + 1)
    }

    /// The chunk a link leads to; `None` for an access or an empty entry.
    #[inline]
    pub(crate) fn linked(self) -> Option<u32> {
        if self.mask() == 0 && self.0 != 0 {
            return Some((self.0 - 1) as u32);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_and_dominance_as_in_the_standard() {
        use Kind as K;
        let all = [K::ATOMIC_READ, K::READ, K::ATOMIC_WRITE, K::WRITE];
        for a in all {
            for b in all {
                let conflict = (a.is_write() || b.is_write()) && !(a.is_atomic() && b.is_atomic());
                assert_eq!(a.conflicts(b), conflict, "{a:?} {b:?}");
                let dominates = all.iter().all(|&c| !c.conflicts(b) || c.conflicts(a));
                assert_eq!(a.dominates(b), dominates, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn redundancy_is_of_epoch_bytes_kind_and_not_behind_an_atomic_write() {
        let is_redundant = |now: Entry, old: Entry| {
            now.redundant_by()
                .is_some_and(|(filter, wanted)| old.0 & filter == wanted)
        };
        let entry = |clock, kind, mask| Entry::new(Epoch::new(3, clock), kind, 5, mask);
        let write = entry(9, Kind::WRITE, 0x0F);
        for kind in [Kind::ATOMIC_READ, Kind::READ, Kind::WRITE] {
            assert!(is_redundant(entry(9, kind, 0x03), write));
            assert!(!is_redundant(entry(8, kind, 0x03), write));
            assert!(!is_redundant(entry(9, kind, 0x18), write));
            assert!(!is_redundant(entry(9, kind, 0x18), Entry::EMPTY));
            assert_eq!(
                is_redundant(entry(9, kind, 3), write.made_stale()),
                kind != Kind::WRITE
            );
            assert!(!is_redundant(entry(9, kind, 0x03), write.made_free()));
            assert!(!is_redundant(entry(9, kind, 3).made_free(), write));
        }
        assert!(!is_redundant(entry(9, Kind::ATOMIC_WRITE, 0x03), write));
        assert!(!is_redundant(write, entry(9, Kind::READ, 0x0F)));
        assert!(!is_redundant(write, entry(9, Kind::ATOMIC_WRITE, 0x0F)));
        assert!(!is_redundant(
            entry(9, Kind::READ, 1),
            entry(9, Kind::ATOMIC_READ, 1)
        ));
    }

    #[test]
    fn fields_do_not_overlap() {
        let slot = (1 << SLOT_BITS) - 1;
        let epoch = Epoch::new(slot, CLOCK_MAX);
        let entry = Entry::new(epoch, Kind::READ, (1 << CONTEXT_BITS) - 1, 0x81);
        assert_eq!(
            (entry.mask(), entry.kind(), entry.epoch()),
            (0x81, Kind::READ, epoch)
        );
        assert_eq!((epoch.slot(), epoch.clock()), (slot, CLOCK_MAX));
        assert_eq!(entry.context(), (1 << CONTEXT_BITS) - 1);
        assert_eq!(entry.with_mask(0), Entry::EMPTY);
        assert!(entry.same_but_mask(entry.with_mask(1)));
        let stale = entry.made_stale();
        assert!(stale.same_but_mask(entry));
        assert_eq!(
            (stale.mask(), stale.kind(), stale.epoch()),
            (0x81, Kind::READ, epoch)
        );
        assert_eq!(stale.context(), (1 << CONTEXT_BITS) - 1);
        let free = entry.made_free();
        assert!(free.is_free() && !entry.is_free() && !free.same_but_mask(entry));
        assert_eq!(
            (free.mask(), free.kind(), free.epoch(), free.context()),
            (0x81, Kind::READ, epoch, entry.context())
        );
        assert_eq!(Entry::link(0).linked(), Some(0));
        assert_eq!(Entry::EMPTY.linked(), None);
        assert_eq!(entry.linked(), None);
    }
}
