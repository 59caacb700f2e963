//! Programs with their expected verdicts, checked end to end.
//!
//! Each program under `programs/` says in its header what a check must find: [`header`] reads it,
//! [`deal`] says how it is compiled and checked, [`trial`] does it, [`verify`] compares. Numbers in headers are derived
//! by hand, with [`enumerate`], a brute-force enumerator that shares nothing with the search, or
//! with [`normal_form`], which counts without running; `tests/suite/derivations.rs` ties them together.
//! [`signal_model`] is a machine of its own for programs with signals.
#![forbid(unsafe_code)]

pub mod compiled;
pub mod deal;
pub mod enumerate;
pub mod header;
pub mod limited;
pub mod normal_form;
pub mod normalise;
pub mod processes;
pub mod random;
pub mod signal_model;
pub mod tool;
pub mod trial;
pub mod verify;
pub mod waiting;
