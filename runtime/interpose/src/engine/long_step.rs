//! A thread that makes very many plain accesses without an operation may be waiting for a plain variable: it is set
//! aside, so that the thread that would write it runs.

use super::runtime::CALL_SITE;
use super::{is_cancelled, perform, site};
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;
use dpor_explorer::program::{Kind, Operation};

/// Plain accesses of a step before its thread is set aside: many times what a data structure walk makes, and well
/// under a millisecond.
const PLAIN_ACCESSES_MAX: i64 = 20_000;

/// How many plain accesses the running thread has left. No atomic: those are not counted down in one instruction.
struct Left(UnsafeCell<i64>);

// SAFETY: only the thread that runs the program's fibers touches it.
unsafe impl Sync for Left {}

static LEFT: Left = Left(UnsafeCell::new(PLAIN_ACCESSES_MAX));

/// A step begins.
pub fn begin() {
    // SAFETY: only this thread.
    unsafe { *LEFT.0.get() = PLAIN_ACCESSES_MAX }
}

/// The running thread makes a plain access; it is set aside before, if it has made too many. `access`: its site.
#[inline(always)]
pub fn count_plain_access(access: u64) {
    if !has_counted_plain_access() {
        set_aside(access);
    }
}

/// Counts a plain access, unless that needs [`count_plain_access`].
#[inline(always)]
pub fn has_counted_plain_access() -> bool {
    // SAFETY: only this thread.
    unsafe {
        *LEFT.0.get() -= 1;
        *LEFT.0.get() >= 0
    }
}

#[cold]
fn set_aside(access: u64) {
    if is_cancelled() {
        crate::pthread::cancel::anywhere(access);
    }
    let before = site();
    perform(Operation::new(Kind::Pause, access));
    CALL_SITE.store(before, Ordering::Relaxed);
}
