//! Runs program threads as fibers, one step at a time, as the explorer decides.
//!
//! ```text
//!   fiber: interposed call or hook ── perform(operation) ──► suspended        (publishes what it does next)
//!   engine: explorer.next ── step(thread) ──► fiber goes on: performs it, runs to its next operation
//! ```
//!
//! What interposed functions and hooks call runs on a program fiber (with the program's thread-local storage: no
//! `thread_local!`, no `std::thread`, no `println!`), except where said. This file names it, and defines nothing.

pub mod accesses;
mod auto_checkpoint;
mod between;
pub mod blocks;
mod children;
pub mod clock;
pub mod concern;
mod cut_executions;
mod deaths;
mod debugger;
mod detector;
mod driver_channel;
pub mod early;
mod endless;
mod estimating;
pub(crate) mod execution;
mod execution_end;
pub mod exit_state;
mod fault_handlers;
mod fault_words;
mod find_one;
pub mod findings;
mod forever;
mod forked;
mod frames;
mod guard;
mod guide;
mod in_library;
pub mod journal;
pub mod knowledge;
mod leaks;
mod left_threads;
pub mod lifetimes;
pub(crate) mod loaded;
pub mod long_step;
mod loop_iteration;
mod memory;
#[cfg(feature = "mutations")]
pub mod mutations;
mod native;
pub mod object;
pub mod orders;
pub mod output;
pub mod own_image;
mod own_memory;
pub mod own_semaphore;
pub mod perform;
mod polled;
mod private_stack;
mod process_end;
mod program;
mod progress;
mod race_findings;
mod report;
mod resources_used;
mod restoring;
pub mod root;
pub mod rounds;
pub(crate) mod run;
pub mod running;
pub mod runtime;
mod runtime_at_root;
mod sampling;
mod schedule;
mod search_config;
mod search_fault;
mod searching;
pub mod signals;
pub mod sites;
mod spill;
mod starts;
mod state;
mod steps;
pub mod stop;
pub(crate) mod stopping;
pub mod store_ownership;
mod thread_object;
mod threads;
mod turn;

pub mod foreign;
pub mod kept_accesses;
pub mod learned_events;
pub mod taken_for_atomic;
mod time_limit;
mod unblocked;
mod vacuous;
mod verdict;
mod waits;
pub mod weaker;
pub mod worker_process;
pub mod workers;

pub use detector::{ask_races, races, races_of_access, Detector};
pub use findings::{warn, warn_of};
pub use lifetimes::{
    describe_place, find_held, is_followed, is_on_stack, is_short_lived, tell, tell_left,
    tell_uninitialized_mutex,
};
pub use loaded::{each as each_loaded, headers_of};
pub use loop_iteration::{
    changed_in_turn, first_of_turn, forget_turn, perform_again, set_turn, take_turn, wrote_since,
};
pub use memory::{
    begin_of_stack, end_of_stack, exploration_begins_with_access, freed_wrongly,
    is_followed as follows_memory,
};
pub use own_memory::is_used_by_runtime;
pub use perform::{
    atomic_begin, atomic_end, cut, dead, fail, finish_thread, perform, unsupported, wait_for_end,
};
pub use polled::relaxed as tells_without_order;
pub use process_end::{end_process, finish_process, main_returned, note_abandoned, Last};
pub use race_findings::{destroyed, race};
pub use running::{
    active, before_root, begin, capture, depth, has_company, is_cancelled, is_ending,
    is_inside_event, is_interruptible, memory_object, note_allocation, observe, operation, site,
    spurious_max, thread,
};
pub use state::{Fiber, State};
pub use threads::{
    created_last, has_finished, join, pthread_of, release_thread, reserve_thread, stack_of,
    stands_at_end, thread_of,
};
