//! Programs with their expected verdicts, checked end to end.
//!
//! Each program under `programs/` says in its header what a check must find: [`header`] reads it,
//! [`trial`] compiles and checks the program, [`verify`] compares. Numbers in headers are derived
//! by hand or with [`enumerate`], a brute-force enumerator that shares nothing with the search;
//! `tests/derivations.rs` ties the two together.
#![forbid(unsafe_code)]

pub mod enumerate;
pub mod header;
pub mod limited;
pub mod normalise;
pub mod random;
pub mod tool;
pub mod trial;
pub mod verify;
