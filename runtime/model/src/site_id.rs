//! Which place of the program's code.

use serde::{Deserialize, Serialize};

/// A place of the program's code, as whoever runs the program names it: natively the address of the record of a
/// `dpor_abi::Site`. The search and the judgement of races only compare it. Stable over all executions of one run.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
#[repr(transparent)]
pub struct SiteId(pub u64);

impl SiteId {
    /// A place of which nothing is known.
    pub const UNKNOWN: SiteId = SiteId(0);
}
