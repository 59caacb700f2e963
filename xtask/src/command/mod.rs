//! One file per command.

pub mod build;
