//! What a thread knows of the call of `std::lock` in which it stands.

use dpor_model::several::Several;

/// The call of `std::lock` in which a thread stands.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Wanted {
    /// Mutexes of the call. `None`: the thread stands in no such call.
    pub(super) all: Option<&'static Several>,
    /// Bit k: the thread holds mutex k already, and the function has not asked for it yet.
    pub(super) granted: u32,
    /// Whether the thread asks for the mutexes in a loop.
    pub(super) loops: bool,
    /// Number of times that the call failed to get all of them.
    pub(super) failures: u8,
}
