//! What a search over states counts, and what the replay of a run that goes on for ever looks for.

use dpor_explorer::states::Contents;
use dpor_report::{Bits, Differing, Finding, StateGraph};

/// What a search over states counts, of the round that runs; rounds are those of all.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// States that were met.
    pub states: u64,
    /// Steps, those included that were made again on the way to a state.
    pub steps: u64,
    /// Steps of the graph, of all rounds; `None`: it is not finished.
    pub edges: Option<u64>,
    /// Rounds that were begun.
    pub rounds: u64,
    /// The longest way by which a state was met, in events.
    pub depth: u64,
    /// Bytes that the graph takes, at the end.
    pub bytes: u64,
    /// Some run comes back to where it was.
    pub is_endless: bool,
    /// Main returned in some state, and others had not ended.
    pub is_leaving: bool,
    /// Some step was left out because of the bound of preemptions.
    pub leaves_some: bool,
    /// All states were visited.
    pub is_complete: bool,
    /// The contents of states, if they are compared exactly.
    pub contents: Option<Contents>,
    /// How sure it is that none was taken for others, if only bits of states were kept.
    pub bits: Option<Bits>,
    /// What made the last states differ, if the search did not come to its end.
    pub differing: Vec<Differing>,
    /// What was asked of all runs and holds, one sentence each.
    pub holds: Vec<String>,
    /// Pairs of states with the same abstraction that were seen to go on alike, or not.
    pub compared: u64,
    /// Sentences about propositions that formulas speak of and that hold nowhere.
    pub never: Vec<String>,
    /// States and steps, where they are to be drawn and can be.
    pub graph: Option<StateGraph>,
    /// The program looked at a clock, which stands still.
    pub is_clock_read: bool,
}

/// What a replay looks for.
pub struct RepeatedLoop {
    /// The number of events before the loop; `None`: the run ends, and goes on by standing still.
    pub(crate) begins: Option<usize>,
    /// The number of events behind the first time round.
    pub(crate) ends: usize,
    /// The number of the state where the loop began last.
    pub(crate) before: Option<u128>,
    /// The number of the state where the loop began the time before.
    pub(crate) last: Option<u128>,
    /// The number of events when that was.
    pub(crate) at: Option<usize>,
    /// The finding, until it is shown again.
    pub(crate) finding: Option<Box<Finding>>,
}
