//! The race detector, against definitions by brute force: one binary, whose support is compiled once.
//! `cargo test -p dpor-races --test races oracle::` runs one module.

mod ahead;
mod clauses;
mod commuting;
mod judging;
mod knowledge;
mod linearization;
mod looks;
mod oracle;
mod program;
mod rollback;
mod stacks;
mod uses;
mod whole;
