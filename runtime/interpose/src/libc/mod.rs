//! Calls into libc with state that threads share.
/// Rolled-back part.
#[repr(C)]
pub struct State {
    pub(crate) placeholder: u64,
}
