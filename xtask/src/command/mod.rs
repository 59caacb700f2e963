//! One file per command.

pub mod bench;
pub mod build;
pub mod check;
pub mod checkpoints;
pub mod circles;
pub mod cluster;
pub mod deb;
pub mod demo;
pub mod docs;
pub mod endure;
pub mod estimates;
pub mod install;
pub mod instructions;
pub mod miri;
pub mod oracle;
pub mod peers;
pub mod private;
mod profile;
pub mod real;
pub mod recipes;
pub mod run;
pub mod samples;
pub mod seeds;
pub mod simulate;
pub mod slowdown;
pub mod soak;
pub mod test;
