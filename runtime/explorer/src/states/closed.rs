//! Which threads are expanded at a state: a closed set.
//!
//! A set of threads is closed if, for each member that is enabled, it has every thread that may do later what conflicts
//! with the member's next step; and for each member that waits, somebody who has to move first. So whatever the threads
//! outside do, the members that are enabled stay so, and their steps commute with all of it.

use super::futures::{clashes, writes_any, Futures};
use super::standing::{Met, Standings, Wait};
use crate::conflict::Access;
use crate::mutation::{Mutation, Seeded};
use dpor_model::{ThreadId, ThreadSet};

/// How all threads stand at a state, and what is known of what they may do.
pub(super) struct Here<'a> {
    /// Numbers of standings, by thread.
    pub all: &'a [u32],
    pub standings: &'a Standings,
    pub futures: &'a Futures,
    pub mutation: Seeded,
}

impl Here<'_> {
    pub fn thread(&self, thread: ThreadId) -> &Met {
        self.standings.get(self.all[thread.index()])
    }

    /// The threads that are enabled.
    pub fn enabled(&self) -> ThreadSet {
        let mut set = ThreadSet::default();
        { self.standings.enabled(self.all) }.for_each(|thread| set.insert(thread));
        set
    }

    /// The threads that have begun and not ended, but `thread`.
    pub fn others(&self, thread: ThreadId) -> impl Iterator<Item = (ThreadId, &Met)> {
        let all = (0..self.all.len() as u16).map(ThreadId);
        let others = all.filter(move |&other| other != thread);
        let others = others.map(|other| (other, self.thread(other)));
        others.filter(|(_, met)| met.standing.wait != Wait::Ended)
    }

    /// The enabled members of the smallest closed set that has these threads.
    pub fn closed(&self, seeds: &ThreadSet) -> ThreadSet {
        self.close(seeds).1
    }

    /// The smallest closed set that has these threads.
    pub fn members(&self, seeds: &ThreadSet) -> ThreadSet {
        self.close(seeds).0
    }

    /// The smallest closed set that has these threads, and its enabled members.
    fn close(&self, seeds: &ThreadSet) -> (ThreadSet, ThreadSet) {
        let (mut members, mut enabled) = (ThreadSet::default(), ThreadSet::default());
        let mut todo = seeds.clone();
        while let Some(member) = todo.pop_first() {
            members.insert(member);
            let met = self.thread(member);
            if met.standing.wait == Wait::Enabled {
                enabled.insert(member);
            }
            self.has_to_have(member, met, |other| {
                if !members.contains(other) {
                    todo.insert(other);
                }
            });
        }
        (members, enabled)
    }

    /// True if something that the threads outside of a set may do before a thread moves clashes with a footprint.
    pub fn clashes_outside(
        &self,
        members: &ThreadSet,
        thread: ThreadId,
        footprint: &[Access],
    ) -> bool {
        let mut outside = { self.others(thread) }.filter(|&(other, _)| !members.contains(other));
        outside.any(|(_, met)| clashes(footprint, self.futures.of(met.place, Some(thread))))
    }

    /// The threads that a closed set has if it has `member`.
    fn has_to_have(&self, member: ThreadId, met: &Met, mut add: impl FnMut(ThreadId)) {
        let next = &met.standing.next;
        match met.standing.wait {
            Wait::Ended => {}
            Wait::Thread(other) if other == member => {}
            Wait::Thread(other) => add(other),
            Wait::Everybody => self.others(member).for_each(|(other, _)| add(other)),
            Wait::Writers => {
                for (other, met) in self.others(member) {
                    if writes_any(self.futures.of(met.place, None), next) {
                        add(other);
                    }
                }
            }
            Wait::Enabled => {
                for (other, met) in self.others(member) {
                    let waits = met.standing.wait != Wait::Enabled;
                    if waits && self.mutation.is(Mutation::WaitersForgotten) {
                        continue;
                    }
                    if clashes(next, self.futures.of(met.place, Some(member))) {
                        add(other);
                    }
                }
            }
        }
    }

    /// The smallest closed set's enabled threads; of equal ones those of the first thread from `turn` on, so that a
    /// cycle has steps of many threads, and little has to be mended.
    pub fn choose(&self, turn: ThreadId) -> ThreadSet {
        let enabled = self.enabled();
        let (before, after): (Vec<_>, Vec<_>) = enabled.iter().partition(|&thread| thread < turn);
        let mut best = enabled.clone();
        for thread in after.into_iter().chain(before) {
            let set = self.closed(&ThreadSet::of(thread));
            if set.len() < best.len() {
                best = set;
            }
        }
        best
    }
}
