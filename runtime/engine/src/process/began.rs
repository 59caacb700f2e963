//! When the runtime was there.

use core::sync::atomic::{AtomicU64, Ordering};
use dpor_machine::state::Kept;

/// When the process began, in nanoseconds of the monotonic clock.
static BEGAN_NS: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// Says that the runtime is there now, `at_ns` of the monotonic clock.
pub fn begins(at_ns: u64) {
    BEGAN_NS.store(at_ns, Ordering::Relaxed);
}

/// The time from which on a limit of time counts, in nanoseconds of the monotonic clock: what the program did before
/// its second thread is a part of the check.
pub fn began_ns() -> u64 {
    BEGAN_NS.load(Ordering::Relaxed)
}
