//! When two accesses are stores of which the first does nothing for the second.

use crate::conflict::Access;

/// True if two footprints are stores to the same bytes.
#[inline]
pub(crate) fn same_store(a: &[Access], b: &[Access]) -> bool {
    matches!((a, b), ([a], [b]) if a == b && a.class.is_store())
}
