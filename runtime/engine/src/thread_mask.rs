//! Sets of threads in what goes back in time ([`crate::world`]): plain words, without memory of their own.

use crate::world::THREADS_MAX;
use dpor_model::ThreadId;

const WORDS: usize = THREADS_MAX.div_ceil(64);

/// A set of threads, a bit each. All-zero bytes are the empty set.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ThreadMask([u64; WORDS]);

impl ThreadMask {
    /// The empty set.
    pub const EMPTY: ThreadMask = ThreadMask([0; WORDS]);

    /// The set of all threads.
    pub const ALL: ThreadMask = ThreadMask([u64::MAX; WORDS]);

    /// Returns the set that holds one thread.
    pub fn of(thread: ThreadId) -> ThreadMask {
        let mut mask = ThreadMask::EMPTY;
        mask.insert(thread);
        mask
    }

    /// Returns whether `thread` is a member.
    #[inline(always)]
    pub fn contains(&self, thread: ThreadId) -> bool {
        self.0[usize::from(thread.0) / 64] >> (thread.0 % 64) & 1 == 1
    }

    /// Makes `thread` a member, or none.
    #[inline]
    pub fn put(&mut self, thread: ThreadId, member: bool) {
        let word = &mut self.0[usize::from(thread.0) / 64];
        *word = *word & !(1 << (thread.0 % 64)) | u64::from(member) << (thread.0 % 64);
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

    /// Returns the members that are none of `others`.
    pub fn minus(&self, others: &ThreadMask) -> ThreadMask {
        let mut mask = *self;
        let words = mask.0.iter_mut().zip(&others.0);
        words.for_each(|(word, other)| *word &= !other);
        mask
    }

    /// Returns the threads that are in both sets.
    pub fn and(&self, others: &ThreadMask) -> ThreadMask {
        self.minus(&ThreadMask::ALL.minus(others))
    }

    /// Makes all of `others` members.
    pub fn add(&mut self, others: &ThreadMask) {
        let words = self.0.iter_mut().zip(&others.0);
        words.for_each(|(word, other)| *word |= other);
    }

    /// Returns whether the set has no member.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Returns whether `thread` is the only member.
    #[inline]
    pub fn is_only(&self, thread: ThreadId) -> bool {
        let own = usize::from(thread.0) / 64;
        self.0[own] == 1 << (thread.0 % 64) && { self.0.iter().enumerate() }
            .all(|(k, &word)| k == own || word == 0)
    }

    /// Returns the number of members.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the members, lowest first.
    pub fn iter(self) -> impl Iterator<Item = ThreadId> {
        let words = self.0.into_iter().zip((0..).step_by(64));
        words.flat_map(|(mut word, base): (u64, u16)| {
            core::iter::from_fn(move || {
                let lowest = (word != 0).then(|| word.trailing_zeros() as u16)?;
                word &= word - 1;
                Some(ThreadId(base + lowest))
            })
        })
    }

    /// Returns the words of the set, those of the first threads first.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the mask with these words.
    pub fn from_words(words: impl Iterator<Item = u64>) -> ThreadMask {
        let mut mask = ThreadMask::EMPTY;
        mask.0
            .iter_mut()
            .zip(words)
            .for_each(|(into, word)| *into = word);
        mask
    }
}

impl Default for ThreadMask {
    fn default() -> Self {
        ThreadMask::EMPTY
    }
}

impl FromIterator<ThreadId> for ThreadMask {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> ThreadMask {
        let mut mask = ThreadMask::EMPTY;
        threads.into_iter().for_each(|thread| mask.insert(thread));
        mask
    }
}
