//! What a search over states found, and what is asked of it.

use super::graph::{Graph, StateId};
use super::standing::{Place, Standings, Wait};
use crate::conflict::Class;
use dpor_model::{ThreadId, ThreadSet};
use std::collections::HashMap;

/// What a search over states found.
pub struct Explored {
    /// The graph of the last round.
    pub graph: Graph,
    /// How many rounds there were.
    pub rounds: u32,
    /// Steps that were executed in all rounds, without those that only led back to a state.
    pub steps: u64,
    /// Those of them that were executed in the last round.
    pub steps_of_last_round: u64,
    /// The graph is all that there is; otherwise the search ended at [`super::Config::states_max`], or the program said that it
    /// is enough ([`super::Program::is_enough`]), or states were too far away.
    pub is_complete: bool,
    /// Some step was not executed since that would have been a preemption too many ([`super::Config::preemptions_max`]).
    pub leaves_some: bool,
    /// What is missing lies behind states that were not expanded because they are too far away ([`super::Config::depth_max`]).
    pub is_cut_by_depth: bool,
    pub(super) standings: Standings,
}

impl Explored {
    /// The threads that are enabled at a state.
    pub fn enabled(&self, state: StateId) -> ThreadSet {
        self.standings
            .enabled(self.graph.standings(state))
            .collect()
    }

    /// Pairs of states at which all threads stand alike, of the `last` that were met; `most` pairs at most.
    pub fn alike(&self, last: usize, most: usize) -> Vec<(StateId, StateId)> {
        let first = self.graph.states().saturating_sub(last);
        let mut before: HashMap<&[u32], StateId> = HashMap::new();
        let mut pairs = Vec::new();
        for state in self.graph.all().skip(first) {
            if let Some(other) = before.insert(self.graph.standings(state), state) {
                pairs.push((other, state));
            }
        }
        pairs.truncate(most);
        pairs
    }

    /// True if a thread, which is there at a state, waits its turn ([`super::standing::Standing::waits_its_turn`]).
    pub fn waits_its_turn(&self, state: StateId, thread: ThreadId) -> bool {
        let standings = self.graph.standings(state);
        let number = standings.get(thread.index());
        number.is_some_and(|&number| self.standings.get(number).standing.waits_its_turn)
    }

    /// Who has to move before a thread can, at a state; `None` if it is not there.
    pub fn wait(&self, state: StateId, thread: ThreadId) -> Option<Wait> {
        let number = *self.graph.standings(state).get(thread.index())?;
        Some(self.standings.get(number).standing.wait)
    }

    /// Where a thread is at a state; `None` if it is not there.
    pub fn place(&self, state: StateId, thread: ThreadId) -> Option<Place> {
        let number = *self.graph.standings(state).get(thread.index())?;
        Some(self.standings.get(number).standing.place)
    }

    /// True if a thread can go on at a state, and its next operation looks at something and changes nothing.
    pub fn looks(&self, state: StateId, thread: ThreadId) -> bool {
        let standings = self.graph.standings(state);
        let number = standings.get(thread.index());
        number.is_some_and(|&number| {
            let standing = &self.standings.get(number).standing;
            let mut next = standing.next.iter();
            standing.wait == Wait::Enabled
                && !standing.next.is_empty()
                && next.all(|access| access.class == Class::READ)
        })
    }

    /// All threads that were there at some state.
    pub fn threads(&self) -> ThreadSet {
        let most = { self.graph.all() }
            .map(|state| self.graph.standings(state).len())
            .max();
        (0..most.unwrap_or(0) as u16).map(ThreadId).collect()
    }
}
