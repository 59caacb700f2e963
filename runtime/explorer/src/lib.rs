//! The search: every Mazurkiewicz trace of a program once.
//!
//! A [`Program`] runs step by step and can be taken back; an [`Explorer`] decides which
//! thread goes on, owns the model of mutexes, condition variables and threads, and plans from each
//! execution the ones that differ from it. It does no input or output and has no global state.
//!
//! Optimal dynamic partial-order reduction: two executions are equivalent if one becomes the other
//! by swapping neighbouring events that do not conflict; exactly one of each class is run. See
//! `optimal` (the search), `race` (what is reversed), `conflict` (what conflicts).
//!
//! Or samples: executions drawn at random ([`SearchKind::Sample`]).
//!
//! Several processes can share one search ([`worker::Worker`]), and plans that do not fit into
//! memory go elsewhere ([`Spill`]).
//!
//! **Source**: Abdulla, Aronis, Jonsson, Sagonas: Source Sets: A Foundation for Optimal Dynamic
//! Partial Order Reduction, J. ACM 2017.
//!
//! **Deviations**
//! 1. Blocking operations are transitions that are not enabled, never failed attempts, so that no
//!    execution is spent on waiting; `race` says what is reversed instead.
//! 2. A choice races with its own alternatives, so that they take part in sleep sets and plans.
//! 3. The order of the tree, not the time of exploration, decides what sleeps: see `tree`.
//! 4. The end of the process conflicts with everything; operations that it forestalled are
//!    reversed before it.
#![forbid(unsafe_code)]

mod awaited;

mod beside_main;
mod bound;
mod cell_bytes;
mod commuting;
mod config;
mod conflict;
mod cycle;
mod deadlock;
mod enabled;
mod encode;
mod end;
mod estimate;
mod explorer;
mod futex_wakers;
mod gate;
mod generation;
mod increments;
mod loop_iteration;
mod marks;
mod memory_class;
mod mutation;
mod object;
mod observers;
mod operation;
mod parked;
mod passive;
mod plan;
mod positions;
mod prefix;
mod program;
mod quick_check;
mod race;
mod references;
mod relation;
mod reversals;
mod search;
mod sleep_sets;
mod sorted;
mod spill;
mod state;
pub mod states;
mod symmetry;
mod threads;
mod trace;
mod tree;
mod uninstrumented;
pub mod worker;

pub use beside_main::Beside;
pub use bound::coverage::Coverage;
#[doc(hidden)]
pub use config::Order;
pub use config::{Config, Reductions, SearchKind};
pub use end::{Counters, Deadlock, End, Execution, Fault, Misuse, MisuseKind, Waiting};
pub use estimate::Estimate;
pub use explorer::Explorer;
#[doc(hidden)]
pub use mutation::{Mutation, Seeded};
pub use object::kinds;
pub use prefix::{Continuation, Prefix};
pub use program::Program;
pub use search::sample::{Method, Samples, Sampling};
pub use spill::{Spill, SpillId};
pub use trace::{Event, Starving, Trace};
