//! Atomic accesses that ask for less than sequential consistency.

use crate::kept_accesses::KeptAccesses;
use dpor_model::SiteId;

/// An access: the address of its site, and of what it accesses.
pub type Access = (SiteId, u64);

/// The accesses made so far that ask for less than sequential consistency.
pub type Weaker = KeptAccesses<Access>;
