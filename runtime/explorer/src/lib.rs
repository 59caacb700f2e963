//! The search: every Mazurkiewicz trace of a program once.
#![forbid(unsafe_code)]

pub mod program;
