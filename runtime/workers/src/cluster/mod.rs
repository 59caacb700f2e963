//! Several ranks on one search, each with a coordinator and workers of its own.
//!
//! ```text
//!   worker ══ ring ══► coordinator ── socket ──► driver ══ MPI ══► driver ──► coordinator ══ ring ══► worker
//! ```
//!
//! Every rank runs the same program to the same root; rank 0 leads: it begins the rounds, orders all to
//! rest, gives threads their numbers, and reports. Objects go by addresses, so memory must lie at the same
//! places everywhere: that is compared, as for a saved search. Workers send each other the same messages as
//! on one machine.
//!
//! Whether no message is under way is found out by counting, in two waves: what all had received by the
//! first is what all had sent by the second. Source: Mattern, *Algorithms for distributed termination
//! detection* (1987), section 5 (the four counter method).

mod follow;
mod frame;
mod gateway;
mod lead;
mod link;

pub use follow::follow;
pub use lead::{Lead, Reported};
