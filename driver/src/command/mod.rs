//! One file per subcommand.

pub mod again;
pub mod check;
pub mod diff;
pub mod doctor;
pub mod each_test;
pub mod list;
pub mod replay;
pub mod scenario;
pub mod share;
pub mod show;
