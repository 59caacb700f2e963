//! Threads and synchronization objects, as POSIX sees them.
/// Rolled-back part.
#[repr(C)]
pub struct State {
    pub(crate) placeholder: u64,
}
