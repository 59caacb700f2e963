//! The search, against brute force and hand counts: one binary, whose support is compiled once.
//! `cargo test -p dpor-explorer --test explorer oracle::` runs one module.

mod bound;
mod brute;
mod by_states;
mod classic;
mod compare;
mod counters;
mod counts;
mod early;
mod ends;
mod estimates;
mod icb;
mod increments;
mod interpreter;
mod leaving;
mod library;
mod marks;
mod mutations;
mod observed;
mod observers;
mod oracle;
mod parked;
mod places;
mod prefixes;
mod random;
mod reductions;
mod samples;
mod samples_chances;
mod scaling;
mod simulation;
mod spill;
// Of the runtime, for what is included of it.
#[allow(dead_code, reason = "the runtime uses the rest")]
#[path = "../../../machine/src/state.rs"]
mod state;
mod stopped;
mod symmetry;
mod wide;
mod workers;
mod workers_observers;
