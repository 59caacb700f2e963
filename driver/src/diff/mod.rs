//! `dpor diff`: the same program at two optimization levels, or two versions of a program.
//!
//! The tool checks what the compiler made of a program. So a behaviour that only one of two levels has is
//! the optimizer's doing, and one that only one of two versions has is that of the change between them.
//!
//! ```text
//!   sources ──► level 1 ──► check ──► side ─┐   matching: findings     access:    what became of accesses
//!          └──► level 2 ──► check ──► side ─┴─► judge:    endings      schedules: how executions went
//!                                               versions: findings although lines moved
//! ```
//!
//! **What is not a difference**: addresses, numbers of executions and events, columns, the order of
//! findings, which thread does what in a race, how far an access reaches beyond the variable that is meant.
//! **What is not known**: what a level that was not explored completely does not have. It may have
//! it where nobody looked, so such a difference is no difference.

pub mod access;
pub mod between;
pub mod build;
pub mod difference;
pub mod judge;
pub mod matching;
pub mod patience;
pub mod replays;
pub mod sarif;
pub mod schedules;
pub mod side;
pub mod text;
pub mod versions;
pub mod work_tree;
