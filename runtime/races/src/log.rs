//! What the words of shadow memory were before they changed, by which [`rollback`](crate::Races::rollback)
//! takes the changes back.
//!
//! A change is written down each time, without asking whether the word has one since the last mark: that
//! is rare where marks are near (one for each event), and the question would cost more than the answer
//! saves. Where no mark comes for a long time, the same words change again and again, and of several changes of one word
//! between two marks the oldest is enough. So behind so many changes the log is *thinned*, and from then on up to the next
//! mark the question is asked. Whoever gives up marks has the rest thinned with [`Log::thin_between`].

use crate::shadow::OVERFLOW;
use core::ops::Range;

/// Changes of words, oldest first.
#[derive(Default)]
pub(crate) struct Log {
    /// (place, word before the change).
    changes: Vec<(u32, u64)>,
    /// Number of changes at the last mark; those before it are never thinned.
    marked: usize,
    /// The number of changes at which [`Log::reach_limit`] decides how to go on.
    limit: usize,
    /// Whether only the first change of each word since the last mark is noted: `seen` has those that are.
    is_long: bool,
    /// Places met so far while a part is thinned.
    seen: Places,
}

/// Changes behind a mark from which on it is asked of each whether it is the first one (chosen: 64 KB of them; few where
/// the tests of this file are to meet it).
const LONG: usize = if cfg!(test) { 16 } else { 4096 };

impl Log {
    /// Notes that the word at `place` was `old`.
    #[inline]
    pub(crate) fn push(&mut self, place: u32, old: u64) {
        if self.is_long && !self.seen.insert(place) {
            return;
        }
        if self.changes.len() >= self.limit {
            self.reach_limit();
        }
        self.changes.push((place, old));
    }

    /// Sets a mark, and returns the number of changes before it for [`Log::pop_behind`].
    #[inline]
    pub(crate) fn mark(&mut self) -> usize {
        self.mark_at(self.changes.len());
        self.marked
    }

    /// The last mark is at this number of changes, which is not more than there are.
    #[inline]
    fn mark_at(&mut self, marked: usize) {
        self.marked = marked;
        self.is_long = false;
        self.limit = self.changes.capacity().min(marked + LONG);
    }

    /// Takes out a change that came after the `mark`: among those of one word, the latest that is kept.
    #[inline]
    pub(crate) fn pop_behind(&mut self, mark: usize) -> Option<(u32, u64)> {
        if self.changes.len() > mark {
            return self.changes.pop();
        }
        self.mark_at(mark);
        None
    }

    /// Forgets all changes and marks.
    pub(crate) fn clear(&mut self) {
        self.changes.clear();
        self.mark_at(0);
    }

    #[cold]
    fn reach_limit(&mut self) {
        if !self.is_long && self.changes.len() >= self.marked + LONG {
            let kept = self.thin_part(self.marked..self.changes.len(), self.marked);
            self.changes.truncate(kept);
            self.is_long = true;
        }
        if self.changes.len() == self.changes.capacity() {
            let more = self.changes.capacity().max(64);
            self.changes.reserve_exact(more);
        }
        self.limit = match self.is_long {
            true => self.changes.capacity(),
            false => self.changes.capacity().min(self.marked + LONG),
        };
    }

    /// Leaves of the changes of a word between two of the `marks`, and behind the last, the oldest. There are
    /// no other marks than these; they are in ascending order, and adapted.
    pub(crate) fn thin_between<'a>(&mut self, marks: impl Iterator<Item = &'a mut usize>) {
        let (mut from, mut kept) = (0, 0);
        for mark in marks {
            kept = self.thin_part(from..*mark, kept);
            from = *mark;
            *mark = kept;
            self.marked = kept;
        }
        kept = self.thin_part(from..self.changes.len(), kept);
        self.changes.truncate(kept);
        self.mark_at(self.marked);
    }

    /// Moves the oldest change of each word in `part` to `kept` and behind it, and says where they end.
    fn thin_part(&mut self, part: Range<usize>, mut kept: usize) -> usize {
        self.seen.begin();
        for at in part {
            let change = self.changes[at];
            if self.seen.insert(change.0) {
                self.changes[kept] = change;
                kept += 1;
            }
        }
        kept
    }

    /// The number of changes that are remembered.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.changes.len()
    }
}

/// The places seen in one part of a log: a bit for each, in tables as long as the highest place needs, which is a
/// thirty-second of the memory that the places are in.
#[derive(Default)]
struct Places {
    /// Tables for places of cells and of chunks. An entry is about 64 places: the part in which they were seen, and a
    /// bit for each.
    bits: [Vec<(u32, u64)>; 2],
    part: u32,
}

impl Places {
    /// A part begins: no place was seen in it.
    fn begin(&mut self) {
        let (part, is_over) = self.part.overflowing_add(1);
        self.part = part;
        if is_over {
            self.bits = Default::default();
            self.part = 1;
        }
    }

    /// Notes that `place` was seen in this part, and returns whether that is new.
    #[inline(always)]
    fn insert(&mut self, place: u32) -> bool {
        let bits = &mut self.bits[(place >= OVERFLOW) as usize];
        let at = (place % OVERFLOW / 64) as usize;
        if at >= bits.len() {
            bits.resize((at + 1).next_power_of_two(), (0, 0));
        }
        let entry = &mut bits[at];
        if entry.0 != self.part {
            *entry = (self.part, 0);
        }
        let bit = 1 << (place % 64);
        let is_new = entry.1 & bit == 0;
        entry.1 |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Words, and the same words at each mark.
    #[derive(Clone, Debug)]
    enum Step {
        Set(u32, u64),
        Mark,
        Back(usize),
        /// Gives up the marks whose number has this bit.
        GiveUp(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            40 => (0..300u32, 0..4u64).prop_map(|(place, word)| {
                // Of cells and of chunks.
                let place = if place < 200 { place * 40 } else { OVERFLOW + place };
                Step::Set(place, word)
            }),
            1 => Just(Step::Mark),
            1 => (0..8usize).prop_map(Step::Back),
            1 => (0..3u32).prop_map(Step::GiveUp),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_thinned_the_words_come_back(steps in prop::collection::vec(step(), 0..3000)) {
            let mut words = std::collections::BTreeMap::<u32, u64>::new();
            let mut log = Log::default();
            let mut marks = vec![(log.mark(), words.clone())];
            for step in steps {
                match step {
                    Step::Set(place, word) => {
                        let old = words.insert(place, word).unwrap_or(0);
                        log.push(place, old);
                    }
                    Step::Mark => marks.push((log.mark(), words.clone())),
                    Step::GiveUp(bit) => {
                        let mut number = 0;
                        marks.retain(|_| {
                            number += 1;
                            number == 1 || number >> bit & 1 == 0
                        });
                        log.thin_between(marks.iter_mut().map(|(mark, _)| mark));
                    }
                    Step::Back(behind) => {
                        marks.truncate(marks.len().saturating_sub(behind).max(1));
                        let (mark, then) = marks.last().expect("the first is never gone");
                        while let Some((place, old)) = log.pop_behind(*mark) {
                            words.insert(place, old);
                        }
                        words.retain(|_, word| *word != 0);
                        let mut then = then.clone();
                        then.retain(|_, word| *word != 0);
                        prop_assert_eq!(&words, &then);
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_time_without_a_mark_takes_room_for_the_words_that_differ() {
        let mut log = Log::default();
        log.push(7, 1);
        log.mark();
        for round in 0..100_000u64 {
            for place in 0..100 {
                log.push(place, round);
            }
        }
        assert!(log.changes.capacity() <= 400, "{}", log.changes.capacity());
        // What was before the mark stays, and so do the oldest of each word behind it.
        assert_eq!(log.changes[0], (7, 1));
        let mut oldest = [u64::MAX; 100];
        while let Some((place, old)) = log.pop_behind(1) {
            oldest[place as usize] = old;
        }
        assert_eq!(oldest, [0; 100]);
    }
}
