//! Volatile accesses that are taken for atomic ones.

use crate::kept_accesses::KeptAccesses;

/// A volatile access: where it is made, to which address, and by whom.
pub type Access = (u64, u64, u32);

/// The volatile accesses made so far.
pub type Volatiles = KeptAccesses<Access>;
