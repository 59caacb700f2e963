//! What to search, how, and how far.

use crate::program::ThreadId;

/// Settings of one search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Which executions.
    pub search: Search,
    /// Take checkpoints at branch nodes that are visited twice. The results do not depend on it.
    pub checkpoints: bool,
    /// End an execution after so many events ([`crate::End::EventBound`]).
    pub max_events: Option<u64>,
    /// Order of work: for tests, the results do not depend on it.
    #[doc(hidden)]
    pub order: Order,
    /// A deliberate mistake, to see that the tests notice it.
    #[doc(hidden)]
    pub mutation: Mutation,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            search: Search::Optimal,
            checkpoints: true,
            max_events: None,
            order: Order::Leftmost,
            mutation: Mutation::None,
        }
    }
}

/// Which executions are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Exactly one of each Mazurkiewicz trace.
    Optimal,
    /// At least one of each Mazurkiewicz trace, as Flanagan and Godefroid's search finds them.
    Classic,
    /// Every interleaving of the visible events.
    Dfs,
    /// One: these steps (thread, alternative), then the default scheduler.
    Replay(Vec<(ThreadId, u32)>),
}

/// Order in which the optimal search works.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The leftmost open branch, deepest first.
    Leftmost,
    /// Any open branch, any default thread: what many workers might do. The seed.
    Random(u64),
}

/// Known ways to get the search wrong.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// No mistake.
    #[default]
    None,
    /// Analyse only races whose second event is new in this execution.
    IncrementalAnalysis,
    /// A sibling that was started covers what the walk would insert below it.
    StartedIsCovered,
    /// A moved event keeps the outcome that it had where it was.
    StaleOutcome,
    /// Remove one event before a blocked writer, not every reader.
    SingleRemoval,
    /// Not a mistake: insertions go on below branches in which the reversed event no longer
    /// sleeps, as in the published algorithm. The same traces from larger trees.
    DeepInsertion,
    /// Deep insertion, and other alternatives are added where a free choice is made, and nowhere
    /// else.
    AlternativesAtFreeNodes,
    /// Operations that the end of the process forestalled are not reversed before it.
    ExitForestallsNothing,
    /// Operations that are blocked at the end are forgotten.
    NoVirtualEvents,
    /// Classic: what sleeps is not woken by what conflicts with it.
    NeverWakes,
    /// Classic: of an operation's races only that with the latest event is looked at.
    LatestOnly,
    /// Workers: a reversal is not sent to whom a branch in its way was given.
    ForwardDropped,
    /// Workers: earlier branches at nodes of others are not asked whether they cover a reversal.
    RemoteBeforeUntested,
    /// Workers: what is closed is freed, and covers all that would be inserted there.
    FreedWhenClosed,
}
