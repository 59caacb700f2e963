//! Races that were told of in the running step: a loop that races at each byte of an array is one finding, not 300,000.
//!
//! Two races of one step with the same accesses of the source by the same threads make the same finding
//! ([`key`](crate::knowledge::findings::key)), of which the first is shown. To write each of them out takes microseconds
//! and kilobytes.

use crate::knowledge::findings::Map;
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Access, Race};

/// What tells the findings of races in one step apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ToldRace {
    sides: [(ThreadId, SiteId, bool, bool); 2],
    /// What the race is: see the fields of [`Race`].
    is: [bool; 6],
    is_on_block: bool,
}

impl ToldRace {
    /// `None`: what is found depends on the address, or ends the thread. `is_on_block`: the race is on a block of the heap.
    pub fn of(race: &Race, is_on_block: bool) -> Option<ToldRace> {
        let ends_thread = race.outside && race.later.write;
        let may_be_of_stack = !is_on_block && (race.ends || race.freed);
        if ends_thread || may_be_of_stack || race.returned || race.returns {
            return None;
        }
        let side = |access: &Access| (access.thread, access.site, access.write, access.atomic);
        Some(ToldRace {
            sides: [side(&race.earlier), side(&race.later)],
            is: [
                race.outside,
                race.after_free,
                race.freed,
                race.frees,
                race.ends,
                race.freed_before,
            ],
            is_on_block,
        })
    }
}

/// The races of a step that were told of.
#[derive(Default)]
pub struct ToldRaces(Map<ToldRace, ()>);

impl ToldRaces {
    /// A step begins: no race was told of in it.
    #[inline(always)]
    pub fn step_begins(&mut self) {
        if !self.0.is_empty() {
            self.0.clear();
        }
    }

    /// Whether such a race was told of.
    pub fn has(&self, race: &ToldRace) -> bool {
        self.0.contains_key(race)
    }

    /// Such a race was told of.
    pub fn add(&mut self, race: ToldRace) {
        self.0.insert(race, ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(address: u64) -> Race {
        let access = |thread, write| Access {
            thread: ThreadId(thread),
            write,
            atomic: false,
            site: SiteId(8),
            locks: Vec::new(),
        };
        Race {
            address,
            bytes: 1,
            earlier: access(0, true),
            later: access(1, false),
            outside: false,
            after_free: false,
            freed: false,
            frees: false,
            ends: false,
            returned: false,
            returns: false,
            freed_before: false,
            doubtful: false,
        }
    }

    #[test]
    fn bytes_are_alike_and_directions_are_not() {
        let first = ToldRace::of(&race(1), true).expect("it is told of once");
        let mut told = ToldRaces::default();
        told.add(first);
        let of = |race: Race| ToldRace::of(&race, true).expect("it is told of once");
        assert!(told.has(&of(race(2))));
        let mut other = race(2);
        other.later.write = true;
        assert!(!told.has(&of(other)));
        let mut other = race(2);
        other.later.thread = ThreadId(2);
        assert!(!told.has(&of(other)));
        let mut freed = race(2);
        freed.freed = true;
        assert!(!told.has(&of(freed)));
        told.step_begins();
        assert!(!told.has(&of(race(1))));
    }

    #[test]
    fn what_depends_on_the_address_or_ends_the_thread_is_told_of_each_time() {
        let write = |change: fn(&mut Race)| {
            let mut one = race(1);
            one.later.write = true;
            change(&mut one);
            one
        };
        assert!(ToldRace::of(&write(|race| race.outside = true), true).is_none());
        assert!(ToldRace::of(&write(|race| race.returned = true), true).is_none());
        let freed = write(|race| race.freed = true);
        assert!(ToldRace::of(&freed, false).is_none() && ToldRace::of(&freed, true).is_some());
    }
}
