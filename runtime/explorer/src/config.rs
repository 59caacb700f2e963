//! What to search, how, and how far.

use crate::mutation::Seeded;
use crate::prefix::Prefix;
use crate::search::sample::Sampling;
use dpor_model::{ObjectId, ThreadId};

/// Settings of one search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Which executions.
    pub search: SearchKind,
    /// What makes executions equivalent besides swapping events that do not conflict.
    pub reductions: Reductions,
    /// Take checkpoints where they would have saved enough events. The results do not depend on it.
    pub checkpoints: bool,
    /// Events repeated before they are worth a checkpoint: what taking one costs, in events.
    pub checkpoint_after: u32,
    /// Number of events after which an execution is ended ([`crate::End::EventBound`]).
    pub max_events: Option<u64>,
    /// Explore the traces with at most so many preemptions, for [`SearchKind::Optimal`]: the reductions
    /// `observers` and `symmetry` are off then. Executions beyond it that were run all the same have
    /// [`crate::Execution::beyond`].
    pub bound: Option<u32>,
    /// First the traces without a preemption, then those with one, and so on up to `bound`. An execution
    /// beyond the present bound is run again when its turn comes. The whole tree stays in memory.
    pub iterative: bool,
    /// How many more preemptions a prefix may have: for tests. `None`: what was found to be enough.
    #[doc(hidden)]
    pub slack: Option<u32>,
    /// Only executions that begin so, for [`SearchKind::Optimal`] without a bound, in one process
    /// ([`crate::Fault::PrefixUnsupported`]). The reductions `observers` and `symmetry` are off then.
    pub prefix: Option<Prefix>,
    /// Barriers, with the number of threads they wait for, that more threads than that use. The
    /// search finds out by itself and begins anew; workers cannot ([`crate::Fault::CrowdedBarrier`]).
    pub crowded_barriers: Vec<(ObjectId, u64)>,
    /// Cells in which threads wait for a value ([`dpor_model::Operation::waits`]). Found out like the barriers
    /// ([`crate::Fault::AwaitedCell`]).
    pub awaited_cells: Vec<ObjectId>,
    /// A thread makes a turn in vain of a loop twice before it waits: plain accesses meet what it looks at, and a turn
    /// that is left out could race with them although the one behind it does not.
    pub turns_again: bool,
    /// Order of work: for tests, the results do not depend on it.
    #[doc(hidden)]
    pub order: Order,
    /// A deliberate mistake, to see that the tests notice it.
    #[doc(hidden)]
    pub mutation: Seeded,
}

impl Config {
    /// True if a bound of preemptions is asked for, which may rise.
    pub(crate) fn is_bounded(&self) -> bool {
        self.bound.is_some() || self.iterative
    }

    /// Switches off the reductions that a bound or a prefix does not go with.
    pub(crate) fn limit_reductions(&mut self) {
        if self.is_bounded() || self.prefix.is_some() {
            self.reductions.observers = false;
            self.reductions.symmetry = false;
            self.reductions.turns = false;
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            search: SearchKind::Optimal,
            reductions: Reductions::default(),
            checkpoints: true,
            checkpoint_after: 48,
            max_events: None,
            bound: None,
            iterative: false,
            slack: None,
            prefix: None,
            crowded_barriers: Vec::new(),
            awaited_cells: Vec::new(),
            turns_again: false,
            order: Order::Leftmost,
            mutation: Seeded::default(),
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
    /// without result by the same operator on the same bytes ([`dpor_model::update`]), readers'
    /// locks and unlocks of a read-write lock, posts of a semaphore, and arrivals at a barrier.
    pub commute: bool,
    /// Two stores commute if nobody reads either before it is overwritten. Without effect together
    /// with `symmetry`.
    pub observers: bool,
    /// Read-modify-writes of which only the answer of one comparison is seen ([`dpor_model::Counter`]) commute with
    /// their like that have the same answer, in the optimal search. Without effect together with `symmetry` or a bound.
    pub counters: bool,
    /// With `commute` and `counters`: increments commute with counts that are dropped and not the last one, as far as these
    /// are not the last one in any order; where they may be, the search begins anew without this.
    pub increments: bool,
    /// Threads created one after another to do the same have no names of their own
    /// ([`dpor_model::Kind::Create`]).
    pub symmetry: bool,
    /// A thread whose turn of a loop looked in vain goes no further in that execution, and goes on in those in which the
    /// turn is left out (docs/decisions/0094). Without, it waits until a cell that it looked at changes, and goes on
    /// (docs/decisions/0047). All changes of such cells have to be events ([`crate::Program::parked_unaware`]). Only of
    /// [`SearchKind::Optimal`].
    pub turns: bool,
}

impl Reductions {
    /// Mazurkiewicz traces.
    pub const NONE: Reductions = Reductions {
        commute: false,
        observers: false,
        counters: false,
        increments: false,
        symmetry: false,
        turns: false,
    };
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions {
            commute: true,
            observers: false,
            counters: false,
            increments: false,
            symmetry: false,
            turns: false,
        }
    }
}

/// Which executions are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Exactly one of each Mazurkiewicz trace.
    Optimal,
    /// At least one of each Mazurkiewicz trace, as Flanagan and Godefroid's search finds them.
    Classic,
    /// Every interleaving of the visible events.
    Dfs,
    /// Some, drawn at random. Without reductions, whatever [`Config::reductions`] says.
    Sample(Sampling),
    /// Every schedule with at most [`Config::bound`] preemptions, those with fewer first, without any reduction.
    Icb,
    /// One execution: these steps (thread, alternative), then those of the default scheduler.
    Replay(Vec<(ThreadId, u32)>),
    /// One execution: the steps that the program asks for ([`crate::Program::guide`]), or else the default
    /// scheduler's.
    Guided,
    /// None: each step is decided outside ([`crate::states::ByStates`]). Loops go round as they are, and no thread is
    /// parked or made to wait for what a turn looked at.
    States,
}

/// Order in which the optimal search works.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The leftmost open branch, deepest first.
    Leftmost,
    /// As the variant before, but nothing is freed: some branches wait for another bound. Not for [`Config::order`].
    KeepAll,
    /// Any open branch, any default thread: what many workers might do. The seed.
    Random(u64),
}
