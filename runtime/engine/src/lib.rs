//! Runs program threads as fibers, one step at a time, as the explorer decides.
//!
//! ```text
//!   fiber: interposed call or hook ── perform(operation) ──► suspended        (publishes what it does next)
//!   engine: explorer.next ── step(thread) ──► fiber goes on: performs it, runs to its next operation
//! ```
//!
//! What interposed functions and hooks call runs on a program fiber (with the program's thread-local storage: no
//! `thread_local!`, no `std::thread`, no `println!`), except where said. This file names it, and defines nothing.

#[macro_use]
pub mod real;
pub mod accesses;
pub mod atomic_site;
pub mod auto_checkpoint;
pub mod begun_anew;
pub mod between;
pub mod blocks;
pub mod by_states;
pub mod call_order;
pub mod call_stacks;
pub mod children;
pub mod clock;
pub mod code_places;
pub mod concern;
pub mod cut_executions;
pub mod deaths;
pub mod debugger;
pub mod detector;
mod deterministic;
pub mod driver_channel;
pub mod early;
pub mod endless;
pub mod estimating;
pub mod execution;
pub mod execution_end;
pub mod exit_state;
pub mod fault_words;
pub mod find_one;
pub mod findings;
pub mod first_uses;
pub mod forever;
pub mod forked;
pub mod frames;
pub mod given;
pub mod guard;
pub mod guide;
pub mod in_library;
pub mod journal;
pub mod knowledge;
pub mod leaks;
pub mod left_threads;
pub mod lifetimes;
pub mod live_stacks;
pub mod loaded;
pub mod long_step;
pub mod loop_iteration;
pub mod memory;
pub mod memory_image;
pub mod more_threads;
#[cfg(feature = "mutations")]
pub mod mutations;
pub mod native;
pub mod object;
pub mod orders;
pub mod output;
pub mod own_image;
pub mod own_memory;
mod own_places;
pub mod own_semaphore;
pub mod own_storage;
pub mod perform;
pub mod polled;
pub mod private_stack;
pub mod process;
pub mod process_end;
pub mod program;
pub mod progress;
pub mod properties;
pub mod race_findings;
mod refusal;
pub mod report;
pub mod resources_used;
pub mod restoring;
pub mod root;
pub mod root_memory;
pub mod rounds;
pub mod run;
pub mod running;
pub mod runtime;
pub mod runtime_at_root;
pub mod sampling;
pub mod schedule;
pub mod scoped_cell;
pub mod search_config;
pub mod search_fault;
pub mod searching;
pub mod signals;
pub mod sites;
pub mod spill;
pub mod starts;
pub mod state;
pub mod steps;
pub mod stop;
pub mod stopping;
pub mod store_ownership;
pub mod stuck;
pub mod thread_mask;
pub mod thread_object;
pub mod threads;
pub mod turn;

pub mod foreign;
pub mod input;
pub mod kept_accesses;
pub mod learned_events;
pub mod taken_for_atomic;
pub mod time_limit;
pub mod told_races;
#[cfg(feature = "training")]
pub mod training;
pub mod unblocked;
pub mod vacuous;
pub mod verdict;
pub mod waits;
pub mod weaker;
pub mod worker_process;
pub mod world;

pub use detector::{ask_races, is_page_whole, races, races_of_access, races_of_memory, Detector};
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
    atomic_begin, atomic_end, cut, dead, fail, fail_with, finish_thread, perform, unsupported,
    wait_for_end,
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
