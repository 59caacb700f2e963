//! The searches: what decides which executions of a program are run.

pub(crate) mod classic;
pub(crate) mod dfs;
pub(crate) mod icb;
pub(crate) mod optimal;
pub(crate) mod sample;
