//! A set of positions in a trace, as bits.

use crate::sorted::short;

/// A set of positions in a trace. Its memory is kept when it is filled anew.
#[derive(Clone, Default)]
pub(crate) struct Positions {
    /// Position `k` is a member if bit `k % 64` of `words[k / 64]` is set.
    words: Vec<u64>,
    /// Number of members that [`Positions::remove`] took out since the set was filled.
    removed: usize,
    /// A position below which there is no member.
    low: usize,
}

/// Number of removed members after which the lower bound is computed anew (chosen: few plans of small programs lose
/// as many).
const MANY: usize = short(64);

impl Positions {
    /// Makes the set the positions in `begin..end` for which `stays` holds.
    #[inline]
    pub fn fill(&mut self, begin: usize, end: usize, mut stays: impl FnMut(usize) -> bool) {
        (self.removed, self.low) = (0, begin);
        self.words.clear();
        self.words.resize(end.div_ceil(64), 0);
        for k in begin..end {
            self.words[k / 64] |= u64::from(stays(k)) << (k % 64);
        }
    }

    /// Makes the set the positions `begin`, `begin + 1`, ... whose item of `stay` is true.
    #[inline]
    pub fn fill_with(&mut self, begin: usize, stay: impl Iterator<Item = bool>) {
        (self.removed, self.low) = (0, begin);
        self.words.clear();
        self.words.resize(begin / 64, 0);
        let (mut word, mut bit) = (0, begin % 64);
        for stays in stay {
            word |= u64::from(stays) << bit;
            bit += 1;
            if bit == 64 {
                self.words.push(word);
                (word, bit) = (0, 0);
            }
        }
        self.words.push(word);
    }

    /// Takes `k` out without counting it as removed. `k` must be below the end with which the set was filled.
    #[inline]
    pub fn leave_out(&mut self, k: usize) {
        self.words[k / 64] &= !(1 << (k % 64));
    }

    /// Makes the set equal to `other`.
    pub fn copy_from(&mut self, other: &Positions) {
        self.words.clone_from(&other.words);
        (self.removed, self.low) = (other.removed, other.low);
    }

    /// True if `k` is a member.
    #[inline]
    pub fn contains(&self, k: usize) -> bool {
        self.words
            .get(k / 64)
            .is_some_and(|word| word >> (k % 64) & 1 == 1)
    }

    /// Takes `k` out and counts it. `k` must be below the end with which the set was filled.
    #[inline]
    pub fn remove(&mut self, k: usize) {
        self.words[k / 64] &= !(1 << (k % 64));
        self.removed += 1;
        if self.removed.is_multiple_of(MANY) {
            let first = self.first();
            self.low = first.unwrap_or(64 * self.words.len());
        }
    }

    /// A position below which there is no member.
    #[inline]
    pub fn low(&self) -> usize {
        self.low
    }

    /// Number of members that [`Positions::remove`] took out since the set was filled.
    #[inline]
    pub fn removed(&self) -> usize {
        self.removed
    }

    /// Makes `k` a member if `member`, and no member otherwise.
    #[inline]
    pub fn set(&mut self, k: usize, member: bool) {
        if k / 64 >= self.words.len() {
            self.words.resize(k / 64 + 1, 0);
        }
        self.words[k / 64] &= !(1 << (k % 64));
        self.words[k / 64] |= u64::from(member) << (k % 64);
        self.low = 0;
    }

    /// Takes out all members from `end` on.
    pub fn truncate(&mut self, end: usize) {
        self.words.truncate(end.div_ceil(64));
        if let Some(word) = self.words.get_mut(end / 64) {
            *word &= (1 << (end % 64)) - 1;
        }
    }

    /// The lowest member; `None` if there is none.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The highest member; `None` if there is none.
    #[inline]
    pub fn last(&self) -> Option<usize> {
        let (i, word) = self
            .words
            .iter()
            .enumerate()
            .rev()
            .find(|(_, word)| **word != 0)?;
        Some(i * 64 + 63 - word.leading_zeros() as usize)
    }

    /// The members, lowest first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate();
        words.skip(self.low / 64).flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(i * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_stays() {
        let mut set = Positions::default();
        set.fill(3, 200, |k| k % 7 == 0);
        let expected: Vec<usize> = (3..200).filter(|k| k % 7 == 0).collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), expected);
        set.remove(63);
        assert!(!set.contains(63) && set.contains(70) && !set.contains(0) && !set.contains(2000));
        assert_eq!(set.last(), Some(196));
        set.truncate(70);
        assert_eq!(set.last(), Some(56));
        set.set(300, true);
        set.truncate(301);
        assert_eq!(set.last(), Some(300));
        set.truncate(300);
        assert_eq!(set.last(), Some(56));
        for (begin, end) in [(3, 64), (3, 65), (64, 128), (0, 64), (5, 5), (70, 300)] {
            set.fill_with(begin, (begin..end).map(|k| k % 3 == 0));
            let expected: Vec<usize> = (begin..end).filter(|k| k % 3 == 0).collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), expected);
        }
        set.leave_out(72);
        assert!(!set.contains(72) && set.contains(75));
        set.fill(0, 2, |_| true);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 1]);
    }
}
