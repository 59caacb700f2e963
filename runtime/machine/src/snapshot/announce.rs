//! Announcements of what happens to the program's memory without a fault: the kernel writes to it, or gives it back.
//!
//! Made on fibers and in handlers of signals, far from whoever owns the [`Snapshots`] of the process; so these are
//! named once, at the root ([`announce_to`]). Before that an announcement is of no interest.

use super::Snapshots;
use crate::state::Kept;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Whoever hears the announcements; null before the root.
static SNAPSHOTS: Kept<AtomicPtr<Option<Snapshots>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Lets `snapshots`, as soon as there are some, hear what is announced from now on.
///
/// # Safety
/// The place is valid for as long as the process lives, and nobody holds a reference to it while a fiber or a
/// handler runs.
pub unsafe fn announce_to(snapshots: *mut Option<Snapshots>) {
    SNAPSHOTS.store(snapshots, Ordering::Relaxed);
}

/// Announces that the kernel will write `bytes` bytes at `address`, on behalf of a fiber.
pub fn touch(address: usize, bytes: usize) {
    let snapshots = SNAPSHOTS.load(Ordering::Relaxed);
    // SAFETY: null, or valid ever after and without another reference, as the caller of `announce_to` promised.
    if let Some(Some(snapshots)) = unsafe { snapshots.as_mut() } {
        snapshots.touch(address, bytes);
    }
}

/// Announces that the program may use a range again that it could not access for a while
/// ([`Snapshots::protect_again`]).
pub fn protect_again(start: usize, end: usize) {
    let snapshots = SNAPSHOTS.load(Ordering::Relaxed);
    // SAFETY: null, or valid ever after and without another reference, as the caller of `announce_to` promised.
    if let Some(Some(snapshots)) = unsafe { snapshots.as_ref() } {
        snapshots.protect_again(start, end);
    }
}
