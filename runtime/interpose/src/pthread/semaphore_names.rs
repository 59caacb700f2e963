//! The table of semaphores with names, in the world.

use crate::world::{self, rolled_back};
use ::libc::sem_t;

/// Semaphores with names that are open or can be opened.
pub(super) const NAMES_MAX: usize = 32;
/// Longest name, in bytes, with the NUL at its end.
pub(super) const NAME_BYTES: usize = 64;

/// One semaphore and its name. All zero: an unused place.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) semaphore: sem_t,
    /// Name with a NUL at its end; empty once unlinked.
    pub(super) name: [u8; NAME_BYTES],
    /// Number of times that the semaphore was opened and not yet closed.
    pub(super) open: usize,
    pub(super) exists: bool,
}

/// All semaphores with names. All zero at first.
#[repr(C)]
pub(crate) struct Names {
    pub(super) all: [Named; NAMES_MAX],
}

rolled_back!(static NAMES: RolledBack<Names> = world::NAMED_SEMAPHORES);

/// Returns the table.
pub(super) fn names() -> *mut Names {
    NAMES.get()
}

/// Returns whether `address` lies in the table of semaphores, which is no memory of the program's.
pub(super) fn contains(address: u64) -> bool {
    (address as usize).wrapping_sub(names() as usize) < size_of::<Names>()
}
