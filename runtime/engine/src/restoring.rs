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
/// Pages from which on what a restore copies counts as events that are repeated, one for one: 4 KB take 0.1 to
/// 0.4 µs, an event that is repeated 0.1 to 0.2 µs.
const MANY_COPIED: usize = 1024;
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
    /// Nanoseconds of restores that were measured one by one since [`Restoring::mean_ns`] was asked for, and their number.
    since: (u64, u64),
    /// Pages that the last restore copied, if they were many.
    many_copied: u32,
    /// Restores in a row of checkpoints that copied many pages nevertheless.
    in_vain: u32,
}

fn keep_least(least: &mut Option<u64>, ns: u64) {
    *least = Some(least.map_or(ns, |least| least.min(ns)));
}

impl Restoring {
    /// Restores, and perhaps measures it. `repeats`: again is the same as once. Otherwise the first one is measured,
    /// which is so dear that asking for the time is nothing.
    #[inline]
    pub fn time<T>(&mut self, repeats: bool, mut restore: impl FnMut() -> T) -> T {
        let before = if repeats { 0 } else { clock::monotonic_ns() };
        let restored = restore();
        if !repeats {
            let ns = clock::monotonic_ns() - before;
            keep_least(&mut self.ns_least, ns * REPEATS);
            self.since = (self.since.0 + ns, self.since.1 + 1);
        }
        self.restores += 1;
        if self.restores % RESTORES_PER_SAMPLE == WARM {
            if repeats {
                let before = clock::monotonic_ns();
                (0..REPEATS).for_each(|_| {
                    restore();
                });
                keep_least(&mut self.ns_least, clock::monotonic_ns() - before);
            }
            self.is_sample_due = true;
        }
        if self.is_sample_due {
            self.repeats_since = Some(clock::monotonic_ns());
        }
        restored
    }

    /// Nanoseconds of a restore on average, of those that were measured one by one since this was asked for; `None`:
    /// there were none.
    pub fn mean_ns(&mut self) -> Option<u64> {
        let (ns, count) = std::mem::take(&mut self.since);
        ns.checked_div(count)
    }

    /// Tells how many pages the last restore copied, and whether it was one of the root.
    #[inline]
    pub fn copied(&mut self, pages: usize, is_root: bool) {
        let is_many = pages >= MANY_COPIED;
        self.many_copied = if is_many { pages as u32 } else { 0 };
        if !is_root {
            self.in_vain = if is_many { self.in_vain + 1 } else { 0 };
        }
    }

    /// The number of events whose repetition is as dear as the last restore, if a checkpoint can spare it: what changed
    /// between its state and the next restore is copied anyway. Where that was much, again and again, it weighs less
    /// and less.
    pub fn weighs(&self) -> u32 {
        self.many_copied >> self.in_vain.min(u32::BITS - 1)
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
