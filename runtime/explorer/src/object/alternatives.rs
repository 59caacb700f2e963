//! What can be decided for an operation.

use dpor_model::{ThreadId, ThreadSet};

/// The alternatives of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alternatives {
    One(u32),
    Below(u32),
    /// Threads below 64, a bit each.
    Members(u64),
    /// Threads, some of them above.
    Many(&'static ThreadSet),
}

impl Alternatives {
    #[inline]
    pub fn first(self) -> u32 {
        match self {
            Alternatives::One(a) => a,
            Alternatives::Below(_) => 0,
            Alternatives::Members(mask) => mask.trailing_zeros(),
            Alternatives::Many(set) => nth(set, 0),
        }
    }

    #[inline]
    pub fn contains(self, alternative: u32) -> bool {
        match self {
            Alternatives::One(a) => a == alternative,
            Alternatives::Below(n) => alternative < n,
            Alternatives::Members(mask) => alternative < 64 && mask >> alternative & 1 == 1,
            Alternatives::Many(set) => contains(set, alternative),
        }
    }

    #[inline]
    pub fn is_choice(self) -> bool {
        match self {
            Alternatives::One(_) => false,
            Alternatives::Below(n) => n > 1,
            Alternatives::Members(mask) => mask.count_ones() > 1,
            Alternatives::Many(set) => set.len() > 1,
        }
    }

    /// How many there are, at least one.
    pub fn count(self) -> u32 {
        match self {
            Alternatives::One(_) => 1,
            Alternatives::Below(n) => n,
            Alternatives::Members(mask) => mask.count_ones(),
            Alternatives::Many(set) => set.len(),
        }
    }

    /// The `n`th alternative, in the order of [`Alternatives::iter`].
    pub fn nth(self, n: u32) -> u32 {
        match self {
            Alternatives::One(a) => a,
            Alternatives::Below(_) => n,
            Alternatives::Members(mask) => (0..n)
                .fold(mask, |rest, _| rest & (rest - 1))
                .trailing_zeros(),
            Alternatives::Many(set) => nth(set, n),
        }
    }

    /// All of them, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let (count, mut mask) = match self {
            Alternatives::One(_) => (1, 0),
            Alternatives::Below(n) => (n, 0),
            Alternatives::Members(mask) => (mask.count_ones(), mask),
            Alternatives::Many(set) => (set.len(), 0),
        };
        (0..count).map(move |i| match self {
            Alternatives::One(a) => a,
            Alternatives::Below(_) => i,
            Alternatives::Members(_) => {
                let lowest = mask.trailing_zeros();
                mask &= mask - 1;
                lowest
            }
            Alternatives::Many(set) => nth(set, i),
        })
    }
}

#[cold]
fn contains(set: &ThreadSet, alternative: u32) -> bool {
    u16::try_from(alternative).is_ok_and(|thread| set.contains(ThreadId(thread)))
}

#[cold]
fn nth(set: &ThreadSet, n: u32) -> u32 {
    let thread = set.iter().nth(n as usize);
    thread.map_or(0, |thread| thread.0.into())
}
