//! Which shared object.

use serde::{Deserialize, Serialize};

/// A shared object: a block of at most 8 bytes of memory inside one aligned group of 8 (the address
/// of its first byte), a synchronization object (its address with bits that set it apart from
/// memory), or an object of libc. Stable over all executions.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
pub struct ObjectId(pub u64);

/// No object.
pub const NO_OBJECT: ObjectId = ObjectId(u64::MAX);
