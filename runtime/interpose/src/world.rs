//! What the runtime knows about the program and must forget when the program goes back in time.
//!
//! One plain structure at a fixed address, saved and restored like the program's own pages
//! (snapshot/). It holds no pointer into the runtime's own memory that a rollback could make stale,
//! and all-zero bytes are its first value. Everything else the runtime knows (the search, findings,
//! captured images) lives in arena/ and is never taken back.

/// Where it is mapped.
pub const ADDRESS: usize = 0x1000_0000_0000;

/// The rolled-back part of each concern.
#[repr(C)]
pub struct World {
    /// Fibers: which exist, what they stand before.
    pub engine: crate::engine::State,
    /// Threads as POSIX sees them: keys, joins, destructors.
    pub pthread: crate::pthread::State,
    /// Virtual time, random numbers, descriptors.
    pub libc: crate::libc::State,
}

/// The world. Valid once `start` has mapped it, which is before any program code runs.
///
/// Raw on purpose: fibers switch between any two accesses, so a reference must never be held
/// across [`crate::engine::perform`].
#[inline(always)]
pub fn world() -> *mut World {
    ADDRESS as *mut World
}
