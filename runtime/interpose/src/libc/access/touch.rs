//! The callback by which a call's accesses are told.

/// Callback that is told of each access: its address, its bytes, and whether it writes.
pub type Touch<'a> = dyn FnMut(usize, u64, bool) + 'a;
