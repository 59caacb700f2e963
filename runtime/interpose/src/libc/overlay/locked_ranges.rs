//! The ranges of bytes of files that open files have locked, in the world.

use super::state::INODES;
use crate::scoped_cell::ScopedCell;
use crate::thread_mask::ThreadMask;
use crate::world::{self, rolled_back};
use dpor_model::ThreadId;

/// Locked ranges at once.
pub(super) const RANGES: usize = 64;
/// Ranges that were unlocked, of which each is remembered once.
pub(super) const UNLOCKED: usize = 256;

/// A range of bytes of a file that an open file has locked.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Range {
    /// Number of the open file; of one that was unlocked: 0.
    pub(super) owner: u32,
    /// Number of the file.
    pub(super) inode: u16,
    pub(super) exclusive: bool,
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Range {
    /// Returns whether the two have a byte in common.
    pub(super) fn overlaps(&self, other: &Range) -> bool {
        self.inode == other.inode && self.first <= other.last && other.first <= self.last
    }

    /// Returns whether one open file cannot have this lock while another has the other.
    pub(super) fn excludes(&self, other: &Range) -> bool {
        self.overlaps(other) && (self.exclusive || other.exclusive)
    }
}

/// State of the locks that a restore takes back.
#[repr(C)]
pub struct State {
    pub(super) count: u16,
    pub(super) unlocked_count: u16,
    /// The locks, those of one open file together and in order; the open files in the order in
    /// which they came.
    pub(super) ranges: [Range; RANGES],
    pub(super) unlocked: [Range; UNLOCKED],
    /// By inode: threads that wait for a change of its locks.
    pub(super) waiters: [ThreadMask; INODES],
}

rolled_back!(static STATE: RolledBack<State> = world::RANGES);

/// Returns all locks, to be looked at or changed.
pub(super) fn state() -> ScopedCell<State> {
    // SAFETY: the state of the overlay, which is reached through this function and its like only.
    unsafe { ScopedCell::at(STATE.get()) }
}

impl State {
    /// Returns the ranges that are locked.
    pub(super) fn held(&self) -> &[Range] {
        &self.ranges[..usize::from(self.count)]
    }
}

/// Returns a locked range, as it is now; `None`: there are not so many.
pub(super) fn held(at: usize) -> Option<Range> {
    state().look(|state| state.held().get(at).copied())
}

/// Returns whether a thread waits for a range.
pub fn waits(thread: usize) -> bool {
    let thread = ThreadId(thread as u16);
    let has = |waiters: &ThreadMask| waiters.contains(thread);
    state().look(|state| state.waiters.iter().any(has))
}

/// Returns whether an open file has locked something.
pub fn has_some(owner: u32) -> bool {
    let is_own = |held: &Range| held.owner == owner;
    state().look(|state| state.held().iter().any(is_own))
}
