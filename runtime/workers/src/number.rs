//! How many processes explore, by the options and by what the search is.

use dpor_abi::options::{Checkpoint, Options, Output, Search};
use dpor_engine::runtime::Runtime;
use dpor_engine::search_config;

/// The number of processes of this machine that explore.
pub fn wanted(rt: &Runtime) -> u32 {
    match is_alone(rt) {
        true => 1,
        false => rt.options.workers,
    }
}

/// The number of processes that explore, with those of other ranks.
pub fn all(rt: &Runtime) -> u32 {
    let ranks = rt.options.cluster.filter(|_| !is_alone(rt));
    wanted(rt) * ranks.map_or(1, |cluster| cluster.size)
}

/// Whether the search goes in one order, or with what one process knows.
pub fn is_alone(rt: &Runtime) -> bool {
    rt.is_replay()
        || rt.deaths.is_some()
        || (rt.options.search != Search::Optimal && !samples_are_shareable(&rt.options))
        || search_config::reductions(&rt.options).symmetry
}

/// Whether samples are drawn, and may be drawn by several.
pub fn samples_are_shareable(options: &Options) -> bool {
    // Forked checkpoints share the engine's stack; files and outputs are of executions in order.
    options.search.samples()
        && options.checkpoint != Checkpoint::Fork
        && options.output != Output::All
        && !options.commit_files
}
