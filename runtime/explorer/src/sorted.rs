//! Searches in sorted lists of positions, of which the last few are asked for most.

/// Index of the first element of `all`, which is sorted by `position`, whose position is above `first`. Fastest where
/// it is among the last few elements.
#[inline]
pub(crate) fn first_after<T>(all: &[T], first: usize, position: impl Fn(&T) -> u32) -> usize {
    const FEW: usize = short(8);
    let mut begin = all.len();
    while begin > 0 && all.len() - begin < FEW {
        if position(&all[begin - 1]) as usize <= first {
            return begin;
        }
        begin -= 1;
    }
    all[..begin].partition_point(|entry| position(entry) as usize <= first)
}

/// The threshold between two ways of computing the same: `chosen` for speed, or 2 with debug assertions, so that the
/// tests, whose programs are small, take both ways.
pub(crate) const fn short(chosen: usize) -> usize {
    if cfg!(debug_assertions) {
        2
    } else {
        chosen
    }
}

/// Number of entries above which a list is searched by halves; shorter lists are read backwards, which saves 3 % of the
/// instructions of small programs (chosen; `cargo xtask instructions`).
pub(crate) const LONG: usize = short(64);
