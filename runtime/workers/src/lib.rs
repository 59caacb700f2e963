//! Several processes on one search.
//!
//! ```text
//!   coordinator ── fork ──► worker 0 … N−1     each explores its part of the tree (dpor_explorer::worker)
//!        ▲                     │  ▲
//!        └──── accounts ───────┘  └── messages between workers: rings in shared memory (shared.rs)
//! ```
//!
//! The process of the root explores alone for a short while: most searches are over by then, and most of
//! what a search learns of its program is learnt by then. After that it runs no program code any more; it
//! forks the workers from where it stands, waits, puts together what they report, and begins again
//! with new ones if they learnt something that a search has to know from its beginning (learned_facts.rs).
//!
//! With other machines' processes it is the same, with messages that travel further (cluster).
//!
//! A worker is the same program in the same state, so addresses mean the same in all of them. Its memory
//! is its own, the runtime's too ([`dpor_machine::arena::detach`]); what it shares is listed in shared.rs.

mod account;
mod cluster;
mod coordinator;
mod keeper;
mod learned_facts;
mod mailbox;
mod member;
mod number;
mod paying;
mod sampling;
mod saved;
mod shared;
mod split;
mod team;

use dpor_engine::clock;
use dpor_engine::searching::Engine;
pub use member::leave;
pub use number::all;
use number::{is_alone, wanted};
pub use shared::WORKERS_MAX;

use dpor_abi::options::Options;
use dpor_abi::options::Search;
use dpor_engine::forked;
use dpor_engine::runtime::Runtime;
use dpor_explorer::Program;
use dpor_model::ROOT;

/// Explores with workers, to the end: those of this process alone, or of a cluster. False: there are none,
/// and this process is to go on alone.
pub fn explore(engine: &mut Engine) -> bool {
    if paying::is_due(engine.rt()) && !paying::decide(engine) {
        return false;
    }
    if number::samples_are_shareable(&engine.rt().options) {
        return sampling::share(engine);
    }
    if forked::is_used(&engine.rt().options) {
        // The workers' root is what they are forked from.
        engine.native.restore(ROOT);
    }
    match engine.rt().options.cluster {
        Some(cluster) if cluster.rank > 0 => cluster::follow(engine, cluster),
        cluster => coordinator::explore(engine, cluster.map(cluster::Lead::new)),
    }
    true
}

/// Reads the rest of the search that the options say to go on with, if they name one, and returns the clocks at its
/// root, in the words of option `clock`.
///
/// # Errors
/// One sentence that says why the file cannot be read.
pub fn read_left(options: &Options) -> Result<Option<String>, String> {
    let is_alone = !options.replay.is_empty() || !options.deaths.is_empty();
    if is_alone {
        return Ok(None);
    }
    if options.is_kept() {
        let refused = [
            (options.search != Search::Optimal, "--search=optimal"),
            (options.reductions.symmetry, "no --reductions=symmetry"),
            (options.commit_files, "no --commit-files"),
        ];
        if let Some((_, needed)) = refused.iter().find(|(refused, _)| *refused) {
            return Err(format!("--save and --resume need {needed}"));
        }
    }
    match options.resume.as_str() {
        "" => Ok(None),
        path => saved::read(path).map(|left| Some(saved::keep(left))),
    }
}

/// Whether this process has workers from the beginning of the search.
pub fn are_due_at_once(rt: &Runtime) -> bool {
    let follows = rt.options.cluster.is_some_and(|cluster| cluster.rank > 0);
    follows || (rt.options.is_kept() && !is_alone(rt))
}

/// Whether it is time to fork workers.
pub fn are_due(rt: &Runtime) -> bool {
    if are_due_at_once(rt) {
        return true;
    }
    if paying::is_due(rt) {
        return !is_alone(rt);
    }
    let since = |rt: &Runtime| clock::monotonic_ns() - rt.started_ns;
    let several = wanted(rt) > 1 || (rt.options.cluster.is_some() && !is_alone(rt));
    several && since(rt) >= rt.options.workers_after * 1_000_000
}
