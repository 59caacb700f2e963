//! How the search over states is to go.

use crate::mutation::Seeded;

/// What the graph has to keep of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// States and steps of single threads, and states in which nobody can go on.
    Ends,
    /// Runs, up to what no proposition notices and to repetition.
    Runs,
}

/// What is chosen for a search over states.
#[derive(Clone, Debug)]
pub struct Config {
    /// Closed sets of threads are expanded, not all threads everywhere.
    pub reduces: bool,
    /// What the reduction keeps.
    pub keeps: Keeps,
    /// Random walks before the first round, from which futures are learned.
    pub walks: u32,
    /// Steps of such a walk, at most.
    pub walk_steps: u32,
    /// Rounds that begin anew; later ones expand at the states where too little was known, and only there.
    pub restarts: u32,
    /// Steps of a thread that may be executed as one, at most: where nobody else's step can matter in between. More than
    /// one only with [`Keeps::Ends`], with [`Config::reduces`], and without [`Config::preemptions_max`].
    pub fused_max: u16,
    /// Only runs with at most so many preemptions count: switches away from a thread that is enabled and does not pause.
    /// All threads are expanded everywhere, whatever [`Config::reduces`] says.
    pub preemptions_max: Option<u32>,
    /// States of one round, at most. The search ends there.
    pub states_max: u64,
    /// States that are further from the root than this, in steps by the way on which they were met, are not expanded.
    pub depth_max: u32,
    /// The program is shown the graph when it has so many states, and again whenever they have doubled
    /// ([`super::Program::is_shown`]). Some states that are near the root are expanded before, whose turn it is not.
    pub shown_from: u64,
    /// What the random walks are drawn by.
    pub seed: u64,
    /// A mistake for tests.
    #[doc(hidden)]
    pub mutation: Seeded,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            reduces: true,
            keeps: Keeps::Ends,
            walks: 10,
            walk_steps: 40,
            restarts: 8,
            fused_max: 1,
            preemptions_max: None,
            states_max: u64::MAX,
            depth_max: u32::MAX,
            shown_from: u64::MAX,
            seed: 0,
            mutation: Seeded::default(),
        }
    }
}
