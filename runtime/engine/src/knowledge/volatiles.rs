//! Volatile accesses that are taken for atomic ones.

use crate::kept_accesses::KeptAccesses;
use dpor_model::SiteId;

/// A volatile access: where it is made, to which address, and by whom.
pub type Access = (SiteId, u64, u32);

/// The volatile accesses made so far.
pub type Volatiles = KeptAccesses<Access>;
