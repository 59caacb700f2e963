//! Which synchronization calls commute, as far as that is a property of the whole program.
//!
//! The class of an event must not depend on events that commute with it. Whether arrivals at a
//! barrier commute depends on how many threads ever use it: more than complete a generation, and
//! the order decides who is in which. So the search takes them to commute, collects the users of
//! each barrier over *all* its executions, and if they become too many begins anew with arrivals
//! that conflict. A search that ends without that never was wrong: see docs/proof.md, 5.6.

use crate::config::Config;
use crate::conflict::Object;
use crate::mutation::{Mutation, Seeded};
use dpor_model::{ThreadId, ThreadSet};

/// What commutes in this search.
#[derive(Clone, Debug)]
pub(crate) struct Commuting {
    pub mutation: Seeded,
    /// Nothing else does either.
    nothing: bool,
    /// Barrier, width, the threads that arrived there in any execution.
    users: Vec<(Object, u64, ThreadSet)>,
    /// The barrier for which the search has to begin anew, and its width.
    wrong: Option<(Object, u64)>,
    /// How often something new was noted.
    pub news: u32,
}

impl Commuting {
    pub fn new(config: &Config) -> Self {
        Commuting {
            mutation: config.mutation,
            nothing: !config.reductions.commute,
            users: Vec::new(),
            wrong: None,
            news: 0,
        }
    }

    fn users(&self, barrier: Object, width: u64) -> Option<&ThreadSet> {
        let found = self.users.iter().find(|u| u.0 == barrier && u.1 == width);
        found.map(|u| &u.2)
    }

    /// True if posts of a semaphore commute with each other.
    pub fn posts(&self) -> bool {
        !self.nothing && !self.mutation.is(Mutation::PostsConflict)
    }

    /// True if arrivals at the barrier, initialized for `width` threads, commute.
    pub fn arrivals(&self, barrier: Object, width: u64) -> bool {
        let fits =
            || { self.users(barrier, width) }.is_none_or(|users| u64::from(users.len()) <= width);
        !self.nothing
            && !self.mutation.is(Mutation::ArrivalsConflict)
            && (self.mutation.is(Mutation::CrowdsCommute) || fits())
    }

    /// Notes that `thread` arrived.
    pub fn note_arrival(&mut self, barrier: Object, width: u64, thread: ThreadId) {
        let known = self.users(barrier, width);
        if !known.is_some_and(|users| users.contains(thread)) {
            self.note_users(barrier, width, &ThreadSet::of(thread));
        }
    }

    /// Notes that these threads arrived in some execution.
    pub fn note_users(&mut self, barrier: Object, width: u64, threads: &ThreadSet) {
        if { self.users(barrier, width) }.is_some_and(|users| threads.is_within(users)) {
            return;
        }
        self.news += 1;
        let commuted = self.arrivals(barrier, width);
        let entry = self.users.iter_mut();
        match { entry }.find(|u| u.0 == barrier && u.1 == width) {
            Some(entry) => entry.2.add(threads),
            None => self.users.push((barrier, width, threads.clone())),
        }
        if commuted && !self.arrivals(barrier, width) {
            self.wrong = Some((barrier, width));
        }
    }

    /// Takes note that more threads use the barrier than it waits for.
    pub fn crowd(&mut self, barrier: Object, width: u64) {
        let all = ThreadSet::all();
        if self.users(barrier, width) != Some(&all) {
            self.users.push((barrier, width, all));
        }
    }

    /// All users: barrier, width, threads.
    pub fn all_users(&self) -> &[(Object, u64, ThreadSet)] {
        &self.users
    }

    /// Barriers that more threads use than they wait for, and their widths.
    pub fn crowded(&self) -> impl Iterator<Item = (Object, u64)> + '_ {
        let crowded = |u: &&(Object, u64, ThreadSet)| u64::from(u.2.len()) > u.1;
        self.users.iter().filter(crowded).map(|u| (u.0, u.1))
    }

    /// True if arrivals were taken to commute that do not.
    pub fn was_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    /// Like [`Commuting::was_wrong`]; forgets it.
    pub fn take_wrong(&mut self) -> Option<(Object, u64)> {
        self.wrong.take()
    }
}
