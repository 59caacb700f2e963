//! Sets of threads.

use crate::{ThreadId, THREADS_MAX};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::hash::{Hash, Hasher};

/// Threads that have their bit in the first word.
const LOW: usize = u64::BITS as usize;
/// Words for the others.
const HIGH: usize = THREADS_MAX.div_ceil(LOW) - 1;

/// The words of the others.
#[derive(Clone, Debug)]
struct High([u64; HIGH]);

/// A set of threads. Bit `t` of the first word is thread `t`; memory for others is there once one of them was a
/// member, so that a program with few threads never allocates for it.
#[derive(Clone, Default, Debug)]
pub struct ThreadSet {
    low: u64,
    high: Option<Box<High>>,
}

impl ThreadSet {
    /// Nobody.
    pub const EMPTY: ThreadSet = ThreadSet { low: 0, high: None };

    /// The threads below 64 that have a bit in a word.
    #[inline]
    pub const fn of_word(low: u64) -> ThreadSet {
        ThreadSet { low, high: None }
    }

    /// The set of one thread.
    #[inline]
    pub fn of(thread: ThreadId) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        set.insert(thread);
        set
    }

    /// All threads that can be.
    pub fn all() -> ThreadSet {
        let mut set = ThreadSet::of_word(u64::MAX);
        set.high = Some(Box::new(High([u64::MAX; HIGH])));
        set
    }

    /// The first word.
    #[inline]
    pub fn low(&self) -> u64 {
        self.low
    }

    /// The word of the threads with low numbers, to be changed.
    #[inline]
    pub fn low_mut(&mut self) -> &mut u64 {
        &mut self.low
    }

    #[inline]
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.above().iter().copied())
    }

    #[inline]
    fn above(&self) -> &[u64] {
        self.high.as_ref().map_or(&[], |high| &high.0)
    }

    #[cold]
    fn high_word(&mut self, thread: ThreadId) -> &mut u64 {
        let high = self.high.get_or_insert_with(|| Box::new(High([0; HIGH])));
        &mut high.0[usize::from(thread.0) / LOW - 1]
    }

    /// True if `thread` is a member.
    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        match usize::from(thread.0) {
            low if low < LOW => self.low >> low & 1 == 1,
            high => {
                let word = self.above().get(high / LOW - 1);
                word.is_some_and(|word| word >> (high % LOW) & 1 == 1)
            }
        }
    }

    /// Makes `thread` a member, or none.
    #[inline]
    pub fn put(&mut self, thread: ThreadId, member: bool) {
        let bit = u64::from(member) << (thread.0 % LOW as u16);
        let gone = !(1 << (thread.0 % LOW as u16));
        if usize::from(thread.0) < LOW {
            self.low = self.low & gone | bit;
        } else if member || self.high.is_some() {
            let word = self.high_word(thread);
            *word = *word & gone | bit;
        }
    }

    /// Makes `thread` a member.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        self.put(thread, true);
    }

    /// Makes `thread` no member.
    #[inline]
    pub fn remove(&mut self, thread: ThreadId) {
        self.put(thread, false);
    }

    /// The members, and `thread`.
    #[inline]
    pub fn with(mut self, thread: ThreadId) -> ThreadSet {
        self.insert(thread);
        self
    }

    /// The members but `thread`.
    #[inline]
    pub fn without(mut self, thread: ThreadId) -> ThreadSet {
        self.remove(thread);
        self
    }

    /// True if there is no member.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && (self.high.is_none() || self.is_empty_above())
    }

    #[cold]
    fn is_empty_above(&self) -> bool {
        self.above().iter().all(|&word| word == 0)
    }

    /// True if nobody but `thread` is a member.
    #[inline]
    pub fn is_at_most(&self, thread: ThreadId) -> bool {
        let bit = u64::from(usize::from(thread.0) < LOW) << (thread.0 % LOW as u16);
        self.low & !bit == 0 && self.are_above_at_most(thread)
    }

    #[inline]
    fn are_above_at_most(&self, thread: ThreadId) -> bool {
        self.high.is_none() || self.iter().all(|member| member == thread)
    }

    /// Takes the lowest member out.
    #[inline]
    pub fn pop_first(&mut self) -> Option<ThreadId> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    /// How many members there are.
    #[inline]
    pub fn len(&self) -> u32 {
        self.words().map(u64::count_ones).sum()
    }

    /// Forgets all members.
    #[inline]
    pub fn clear(&mut self) {
        self.low = 0;
        if let Some(high) = &mut self.high {
            high.0.fill(0);
        }
    }

    /// The lowest member.
    #[inline]
    pub fn first(&self) -> Option<ThreadId> {
        self.iter().next()
    }

    /// The members, lowest first.
    #[inline]
    pub fn iter(&self) -> Members<'_> {
        Members {
            word: self.low,
            begun: 0,
            set: self,
        }
    }

    /// True if the sets have a common member.
    #[inline]
    pub fn meets(&self, other: &ThreadSet) -> bool {
        self.words().zip(other.words()).any(|(a, b)| a & b != 0)
    }

    /// True if all members are members of `other`.
    #[inline]
    pub fn is_within(&self, other: &ThreadSet) -> bool {
        self.low & !other.low == 0 && (self.high.is_none() || self.is_above_within(other))
    }

    #[cold]
    fn is_above_within(&self, other: &ThreadSet) -> bool {
        let above = other.above();
        let mut words = self.above().iter().enumerate();
        words.all(|(k, word)| word & !above.get(k).copied().unwrap_or(0) == 0)
    }

    /// Makes all members of `other` members.
    #[inline]
    pub fn add(&mut self, other: &ThreadSet) {
        self.low |= other.low;
        if other.high.is_some() {
            let high = self.high.get_or_insert_with(|| Box::new(High([0; HIGH])));
            { high.0.iter_mut() }
                .zip(other.above())
                .for_each(|(a, b)| *a |= b);
        }
    }

    /// The common members.
    pub fn and(&self, other: &ThreadSet) -> ThreadSet {
        let mut set = self.clone();
        set.low &= other.low;
        if let Some(high) = &mut set.high {
            let above = other.above();
            let words = high.0.iter_mut().enumerate();
            words.for_each(|(k, word)| *word &= above.get(k).copied().unwrap_or(0));
        }
        set
    }

    /// The members that are none of `other`.
    pub fn minus(&self, other: &ThreadSet) -> ThreadSet {
        let mut set = self.clone();
        set.low &= !other.low;
        if let Some(high) = &mut set.high {
            { high.0.iter_mut() }
                .zip(other.above())
                .for_each(|(a, b)| *a &= !b);
        }
        set
    }
}

impl PartialEq for ThreadSet {
    fn eq(&self, other: &ThreadSet) -> bool {
        self.is_within(other) && other.is_within(self)
    }
}

impl Eq for ThreadSet {}

impl Hash for ThreadSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Sets that are equal may differ in whether there is memory for more threads.
        let last = self.above().iter().rposition(|&word| word != 0);
        let above = &self.above()[..last.map_or(0, |last| last + 1)];
        self.low.hash(state);
        above.iter().for_each(|word| word.hash(state));
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

impl Serialize for ThreadSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.words())
    }
}

impl<'de> Deserialize<'de> for ThreadSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ThreadSet, D::Error> {
        let words = Vec::<u64>::deserialize(deserializer)?;
        let mut set = ThreadSet::of_word(words.first().copied().unwrap_or(0));
        for (k, &word) in words.iter().skip(1).take(HIGH).enumerate() {
            let high = set.high.get_or_insert_with(|| Box::new(High([0; HIGH])));
            high.0[k] = word;
        }
        Ok(set)
    }
}

/// The members of a set, in ascending order ([`ThreadSet::iter`]).
#[derive(Clone, Debug)]
pub struct Members<'a> {
    /// What is left of the present word.
    word: u64,
    /// How many words came before it.
    begun: u16,
    set: &'a ThreadSet,
}

impl Iterator for Members<'_> {
    type Item = ThreadId;

    #[inline]
    fn next(&mut self) -> Option<ThreadId> {
        if self.word == 0 && (self.set.high.is_none() || !self.go_on()) {
            return None;
        }
        let lowest = self.word.trailing_zeros() as u16;
        self.word &= self.word - 1;
        Some(ThreadId(self.begun * LOW as u16 + lowest))
    }
}

impl Members<'_> {
    /// Goes on to the next word with members, if there is one.
    #[cold]
    fn go_on(&mut self) -> bool {
        let above = self.set.above().iter().zip(1u16..);
        let next = above.skip(self.begun.into()).find(|(&word, _)| word != 0);
        match next {
            Some((&word, begun)) => {
                (self.word, self.begun) = (word, begun);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::hash::BuildHasher;

    const NUMBERS: [u16; 9] = [0, 1, 62, 63, 64, 65, 128, 1023, THREADS_MAX as u16 - 1];

    fn set(numbers: &[u16]) -> ThreadSet {
        numbers.iter().copied().map(ThreadId).collect()
    }

    /// All sets of these numbers, against sets of the library.
    #[test]
    fn is_a_set() {
        let chosen = |mask: usize| -> Vec<u16> {
            let all = NUMBERS.iter().enumerate();
            all.filter(|(k, _)| mask >> k & 1 == 1)
                .map(|(_, &n)| n)
                .collect()
        };
        let hashes = std::hash::RandomState::new();
        for mask in 0..1 << NUMBERS.len() {
            let a = chosen(mask);
            let one = set(&a);
            let members: Vec<u16> = one.iter().map(|thread| thread.0).collect();
            assert_eq!(members, a, "lowest first");
            assert_eq!(one.len() as usize, a.len());
            assert_eq!(one.is_empty(), a.is_empty());
            for n in NUMBERS {
                let thread = ThreadId(n);
                assert_eq!(one.contains(thread), a.contains(&n));
                assert_eq!(one.is_at_most(thread), a.iter().all(|&m| m == n));
                let more = one.clone().with(thread);
                assert!(more.contains(thread) && one.is_within(&more));
                let back = more.without(thread);
                assert!(!back.contains(thread));
                assert_eq!(back == one, !a.contains(&n));
                if back == one {
                    assert_eq!(hashes.hash_one(&back), hashes.hash_one(&one));
                }
            }
            for other in (0..1 << NUMBERS.len()).step_by(7) {
                let b = chosen(other);
                let two = set(&b);
                let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
                let numbers = |set: &ThreadSet| -> Vec<u16> { set.iter().map(|t| t.0).collect() };
                let mut both = one.clone();
                both.add(&two);
                let expected: Vec<u16> = a.union(&b).map(|&&n| n).collect();
                assert_eq!(numbers(&both), expected);
                let expected: Vec<u16> = a.intersection(&b).map(|&&n| n).collect();
                assert_eq!(numbers(&one.and(&two)), expected);
                assert_eq!(one.meets(&two), !expected.is_empty());
                let expected: Vec<u16> = a.difference(&b).map(|&&n| n).collect();
                assert_eq!(numbers(&one.minus(&two)), expected);
                assert_eq!(one.is_within(&two), expected.is_empty());
            }
        }
    }

    #[test]
    fn few_threads_need_no_memory() {
        let mut low = set(&[0, 63]);
        low.remove(ThreadId(700));
        assert!(low.high.is_none());
        assert_eq!(low.low(), 1 << 63 | 1);
        assert_eq!(ThreadSet::all().iter().count(), (HIGH + 1) * LOW);
    }
}
