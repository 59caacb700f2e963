//! What the runtime knows about the program and must forget when the program goes back in time.
//!
//! One plain structure at a fixed address, saved and restored like the program's own pages
//! ([`dpor_machine::snapshot`]). It holds no pointer into the runtime's own memory that a rollback could make stale,
//! and all-zero bytes are its first value. Everything else the runtime knows (the search, findings,
//! captured images) lives in the arena and is never taken back.

use crate::state::RolledBack;

pub use dpor_explorer::program::THREADS_MAX;

const _: () = assert!(THREADS_MAX == dpor_abi::options::MANY_THREADS);

/// Where it is mapped.
pub const ADDRESS: usize = 0x1000_0000_0000;

static WORLD: RolledBack<World> = RolledBack::at(ADDRESS);

/// The rolled-back part of each concern.
#[repr(C)]
pub struct World {
    /// Fibers: which exist.
    pub engine: crate::engine::State,
    /// Threads.
    pub threads: [Thread; THREADS_MAX],
    /// What threads share: keys, pending signals.
    pub pthread: crate::pthread::State,
    /// Virtual time, random numbers, descriptors.
    pub libc: crate::libc::State,
    /// By thread number: 1 + the thread to which it came back when its owner was joined; 0: none.
    pub returned: [u16; THREADS_MAX],
}

/// What nearly every step of a thread writes, all of it together: with few threads on one page, which
/// every restore copies.
#[repr(C)]
pub struct Thread {
    /// What it stands before.
    pub fiber: crate::engine::Fiber,
    /// As POSIX sees it.
    pub(crate) posix: crate::pthread::Thread,
}

/// The world. Valid once `start` has mapped it, which is before any program code runs.
///
/// Raw on purpose: fibers switch between any two accesses, so a reference must never be held
/// across [`crate::engine::perform`].
#[inline(always)]
pub fn world() -> *mut World {
    WORLD.get()
}
