//! How long taking memory back takes.
//!
//! Asking the kernel for the time costs as much as a small restore, so that one in
//! [`RESTORES_PER_SAMPLE`] is measured, by doing it [`REPEATS`] times: again is the same as once.

use super::run;

/// At this rate the repetitions are 0.4 % of the work.
const RESTORES_PER_SAMPLE: u64 = 4096;
/// Restores on the first of which none is measured: their pages come into the caches.
const WARM: u64 = 32;
const REPEATS: u64 = 16;

/// What was measured so far.
#[derive(Default)]
pub struct Restoring {
    restores: u64,
    /// Least time of [`REPEATS`] restores: being interrupted only adds.
    ns_least: Option<u64>,
}

impl Restoring {
    /// Restores, and perhaps measures it.
    pub fn time(&mut self, restore: impl Fn()) {
        restore();
        self.restores += 1;
        if self.restores % RESTORES_PER_SAMPLE != WARM {
            return;
        }
        let before = run::monotonic_ns();
        (0..REPEATS).for_each(|_| restore());
        let ns = run::monotonic_ns() - before;
        self.ns_least = Some(self.ns_least.map_or(ns, |least| least.min(ns)));
    }

    /// Nanoseconds of one restore, if any was measured.
    pub fn ns(&self) -> Option<f64> {
        self.ns_least.map(|ns| ns as f64 / REPEATS as f64)
    }
}
