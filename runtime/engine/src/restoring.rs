//! Costs and benefits of taking memory back, measured as the check runs.
//!
//! Asking the kernel for the time costs as much as a small restore, so that one in
//! [`RESTORES_PER_SAMPLE`] is measured, by doing it [`REPEATS`] times: again is the same as once. After such
//! a restore the events are measured that are repeated to get back to the branch.

use crate::clock;

/// Restores of which one is measured: at this rate the repetitions are 0.4 % of the work.
const RESTORES_PER_SAMPLE: u64 = 4096;
/// Restores on the first of which none is measured: their pages come into the caches.
const WARM: u64 = 32;
const REPEATS: u64 = 16;
/// Checkpoints that are measured at first; after them one in [`TAKEN_PER_SAMPLE`] is.
const TAKEN_FIRST: u64 = 8;
const TAKEN_PER_SAMPLE: u64 = 64;
/// Least number of events that are measured.
const EVENTS_MIN: usize = 4;

/// A checkpoint is worth it where the events that it saves would take so many times what taking it and
/// restoring it costs (ALGORITHM, section 3).
const WORTH: u64 = 4;
/// Bounds of what is worth it, in events: what is measured is not that exact.
const WORTH_MIN: u64 = 8;
const WORTH_MAX: u64 = 1 << 20;

/// The times measured so far.
#[derive(Default)]
pub struct Restoring {
    restores: u64,
    /// Least nanoseconds of [`REPEATS`] restores: being interrupted only adds.
    ns_least: Option<u64>,
    taken: u64,
    /// Least nanoseconds of taking a checkpoint.
    take_ns: Option<u64>,
    /// Monotonic time in nanoseconds at which the events began that are to be measured.
    repeats_since: Option<u64>,
    is_sample_due: bool,
    /// Least time of an event that is repeated, in sixteenths of a nanosecond.
    event_16th_ns: Option<u64>,
    /// True if something was measured that was not told.
    is_new: bool,
}

fn keep_least(least: &mut Option<u64>, ns: u64) {
    *least = Some(least.map_or(ns, |least| least.min(ns)));
}

impl Restoring {
    /// Restores, and perhaps measures it.
    pub fn time(&mut self, restore: impl Fn()) {
        restore();
        self.restores += 1;
        if self.restores % RESTORES_PER_SAMPLE == WARM {
            let before = clock::monotonic_ns();
            (0..REPEATS).for_each(|_| restore());
            keep_least(&mut self.ns_least, clock::monotonic_ns() - before);
            self.is_sample_due = true;
        }
        if self.is_sample_due {
            self.repeats_since = Some(clock::monotonic_ns());
        }
    }

    /// Tells how many events were repeated since the last restore.
    #[inline]
    pub fn repeated(&mut self, events: usize) {
        if self.repeats_since.is_some() {
            self.measure(events);
        }
    }

    #[cold]
    fn measure(&mut self, events: usize) {
        let since = self.repeats_since.take();
        if let (Some(since), true) = (since, events >= EVENTS_MIN) {
            let ns = clock::monotonic_ns() - since;
            keep_least(&mut self.event_16th_ns, 16 * ns / events as u64);
            self.is_sample_due = false;
            self.is_new = true;
        }
    }

    /// Takes a checkpoint, and perhaps measures it.
    pub fn time_taking<T>(&mut self, take: impl FnOnce() -> T) -> T {
        self.taken += 1;
        if self.taken > TAKEN_FIRST && self.taken % TAKEN_PER_SAMPLE != 1 {
            return take();
        }
        let before = clock::monotonic_ns();
        let taken = take();
        keep_least(&mut self.take_ns, clock::monotonic_ns() - before);
        self.is_new = true;
        taken
    }

    /// Nanoseconds of one restore, if any was measured.
    pub fn ns(&self) -> Option<f64> {
        self.ns_least.map(|ns| ns as f64 / REPEATS as f64)
    }

    /// Number of events that have to be repeated before a checkpoint is worth it, if that is known and was not told
    /// since it changed.
    pub fn news(&mut self) -> Option<u32> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let restore_ns = self.ns_least? / REPEATS;
        // None was taken yet: it copies what a restore copies.
        let cost_ns = restore_ns + self.take_ns.unwrap_or(restore_ns);
        let events = WORTH * 16 * cost_ns / self.event_16th_ns?.max(1);
        Some(events.clamp(WORTH_MIN, WORTH_MAX) as u32)
    }

    /// Another search in this process has to be told again.
    pub fn tell_again(&mut self) {
        self.is_new = true;
    }
}
