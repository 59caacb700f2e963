//! Sets of waiters as states of objects.
//!
//! A state is one `u64`. If no waiter has a number above 62, bit `t` of it is thread `t`. Otherwise the highest
//! bit is set, and the others are the number of the set among those that came before in this search: a set gets
//! its number once, so that equal states are equal sets, and never loses it. So its memory is never given back,
//! as it is not before the end of the search, and a process runs few searches.

use super::Alternatives;
use crate::mutation::{Mutation, Seeded};
use dpor_model::{ThreadId, ThreadSet};
use std::cell::RefCell;
use std::collections::HashMap;

/// Marks the number of a set.
const MANY: u64 = 1 << 63;

/// The sets that have numbers.
#[derive(Default, Clone, Debug)]
pub(crate) struct WaiterSets {
    known: RefCell<Known>,
    /// [`Mutation::WaitersInOneWord`].
    forgets: bool,
}

#[derive(Default, Clone, Debug)]
struct Known {
    sets: Vec<&'static ThreadSet>,
    numbers: HashMap<&'static ThreadSet, u64>,
}

impl WaiterSets {
    /// Nobody waits yet.
    pub fn new(mutation: Seeded) -> WaiterSets {
        WaiterSets {
            known: RefCell::default(),
            forgets: mutation.is(Mutation::WaitersInOneWord),
        }
    }

    /// True if `thread` is a waiter in this state. What is no set, as the state of a destroyed object, has none.
    #[inline]
    pub fn contains(&self, state: u64, thread: ThreadId) -> bool {
        match state & MANY == 0 {
            true => thread.0 < 63 && state >> thread.0 & 1 == 1,
            false => self.is_among_many(state, thread),
        }
    }

    #[cold]
    fn is_among_many(&self, state: u64, thread: ThreadId) -> bool {
        let known = self.known.borrow();
        let set = known.sets.get((state & !MANY) as usize);
        set.is_some_and(|set| set.contains(thread))
    }

    /// The waiters.
    #[inline]
    pub fn set(&self, state: u64) -> ThreadSet {
        match state & MANY == 0 {
            true => ThreadSet::of_word(state),
            false => {
                let known = self.known.borrow();
                let set = known.sets.get((state & !MANY) as usize);
                set.map_or(ThreadSet::EMPTY, |&set| set.clone())
            }
        }
    }

    /// The waiters, one of whom is to be chosen.
    #[inline]
    pub fn alternatives(&self, state: u64) -> Alternatives {
        match state & MANY == 0 {
            true => Alternatives::Members(state),
            false => Alternatives::Many(self.known.borrow().sets[(state & !MANY) as usize]),
        }
    }

    /// The state with these waiters.
    #[inline]
    pub fn state(&self, set: ThreadSet) -> u64 {
        match set.low() & MANY == 0 && set.is_within(&ThreadSet::of_word(!MANY)) {
            true => set.low(),
            false => self.number(set),
        }
    }

    #[cold]
    fn number(&self, set: ThreadSet) -> u64 {
        if self.forgets {
            return set.low() & !MANY;
        }
        let known = &mut *self.known.borrow_mut();
        if let Some(number) = known.numbers.get(&set) {
            return MANY | number;
        }
        let (set, number) = (&*Box::leak(Box::new(set)), known.sets.len() as u64);
        known.sets.push(set);
        known.numbers.insert(set, number);
        MANY | number
    }

    /// The state with one waiter more.
    #[inline]
    pub fn with(&self, state: u64, thread: ThreadId) -> u64 {
        match state & MANY == 0 && thread.0 < 63 {
            true => state | 1 << thread.0,
            false => self.state(self.set(state).with(thread)),
        }
    }

    /// The state with one waiter less.
    #[inline]
    pub fn without(&self, state: u64, thread: ThreadId) -> u64 {
        match state & MANY == 0 {
            true if thread.0 < 63 => state & !(1 << thread.0),
            true => state,
            false => self.state(self.set(state).without(thread)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_a_set() {
        let sets = WaiterSets::default();
        let numbers = [0, 62, 63, 64, 700];
        let mut seen = HashMap::new();
        for mask in 0..1 << numbers.len() {
            let chosen = numbers.iter().enumerate();
            let chosen = chosen.filter(|(k, _)| mask >> k & 1 == 1);
            let chosen: Vec<ThreadId> = chosen.map(|(_, &n)| ThreadId(n)).collect();
            let forwards = chosen.iter().fold(0, |state, &t| sets.with(state, t));
            let backwards = chosen.iter().rev().fold(0, |state, &t| sets.with(state, t));
            assert_eq!(forwards, backwards, "whoever comes first");
            assert_eq!(sets.set(forwards).iter().collect::<Vec<_>>(), chosen);
            assert_eq!(seen.insert(forwards, mask), None, "different sets differ");
            for n in numbers.map(ThreadId) {
                assert_eq!(sets.contains(forwards, n), chosen.contains(&n));
                let rest = sets.without(forwards, n);
                assert!(!sets.contains(rest, n));
                if chosen.contains(&n) {
                    assert_eq!(sets.with(rest, n), forwards);
                }
            }
            assert_eq!(chosen.iter().fold(forwards, |s, &t| sets.without(s, t)), 0);
        }
        assert_eq!(sets.with(0, ThreadId(62)), 1 << 62, "few are their bits");
    }
}
