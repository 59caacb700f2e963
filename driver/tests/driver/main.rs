//! The commands and their reports: one binary, linked once.
//! `cargo test -p dpor --test driver cli::` runs one module.

mod cli;
mod human;
mod installation;
mod names;
mod wrapper;
