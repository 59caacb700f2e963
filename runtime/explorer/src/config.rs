//! What to search, how, and how far.

use crate::program::ThreadId;

/// Settings of one search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Which executions.
    pub search: Search,
    /// What makes executions equivalent besides swapping events that do not conflict.
    pub reductions: Reductions,
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
            reductions: Reductions::default(),
            checkpoints: true,
            max_events: None,
            order: Order::Leftmost,
            mutation: Mutation::None,
        }
    }
}

/// What may merge executions beyond Mazurkiewicz traces.
///
/// Without any, two operations of different threads conflict if they have a common object and one
/// of them changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reductions {
    /// Operations that change an object, but alike in either order, commute: read-modify-writes
    /// without result by the same operator on the same bytes ([`crate::program::update`]), and
    /// readers' locks and unlocks of a read-write lock.
    pub commute: bool,
    /// Threads created one after another to do the same have no names of their own
    /// ([`crate::program::Kind::Create`]).
    pub symmetry: bool,
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions {
            commute: true,
            symmetry: false,
        }
    }
}

/// Which executions are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Exactly one of each Mazurkiewicz trace.
    Optimal,
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
    /// An exchange without result commutes with its like, and with additions.
    ExchangeCommutes,
    /// Read-modify-writes of different widths commute.
    WidthsCommute,
    /// Two threads that are alike stay so although their events conflict.
    OrderedTwins,
    /// Workers: a reversal is not sent to whom a branch in its way was given.
    ForwardDropped,
    /// Workers: earlier branches at nodes of others are not asked whether they cover a reversal.
    RemoteBeforeUntested,
    /// Workers: what is closed is freed, and covers all that would be inserted there.
    FreedWhenClosed,
}
