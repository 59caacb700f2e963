//! What a program with a header cannot show (those are `programs.rs`): the commands, their reports, the
//! book, and the searches that are disturbed.
//!
//! One binary, so that it is linked once and its tests that wait overlap: no test may change what the
//! process has but once (its environment, its folder), and each has a [`Tool`] of its own name.
//!
//! [`Tool`]: dpor_testsuite::tool::Tool
#![deny(unsafe_code)]

mod applications;
mod behaviour;
mod book;
mod cache;
mod call_stacks;
mod checkpoints;
mod contract;
mod deaths;
mod debugger;
mod derivations;
mod diff;
mod diff_base;
mod diff_calls;
mod diff_versions;
mod eleven;
mod environment;
mod escape;
mod estimates;
mod exits;
mod foreign;
mod gcc;
mod kept_states;
mod late_signals;
mod levels;
mod link_time;
mod list_executions;
mod looks;
mod minimal;
mod misuses;
mod mpi;
mod mutations;
mod names;
mod opaque;
mod openmp;
mod packages;
mod promises;
mod random;
mod ranks;
mod reach;
mod reach_random;
mod reach_unknown;
mod reductions;
mod reports;
mod samples;
mod saved;
mod scenarios;
mod schedules;
mod sizes;
mod state_automata;
mod state_graphs;
mod states;
mod states_answers;
mod states_benchmarks;
mod states_fused;
mod statics;
mod steps_told;
mod strict;
mod suppressions;
mod thread_api;
mod turns;
mod unloaded;
mod waiting;
mod waiting_for_others;
mod watched;
mod workers;
