//! Clock vectors of a trace.
//!
//! `clock[t]` of an event is 1 + the position of the last event of thread `t` that happens before it
//! (itself included), 0 if there is none: `i` happens before `j` if and only if
//! `clock(j)[thread of i] > i`. The order is the one of dependent events: program order, conflicts,
//! and the edges of create, join and waking (the first two come from `crate::passive`).

use super::row::{join_rows, widen};
use super::{Entry, Row, Trace};
use crate::conflict::{is_global, Access, Object, GLOBAL};
use crate::operation::OperationIndex;
use dpor_model::{Kind, ThreadId, THREADS_MAX};

impl Trace {
    /// The clock of an event: see the module documentation.
    pub fn clock(&self, position: usize) -> &[u32] {
        &self.clocks[position * self.stride..][..self.stride]
    }

    /// True if event `first` happens before event `second`, or the two are the same.
    #[inline]
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        let thread = usize::from(self.events[first].thread.0);
        self.clocks[second * self.stride + thread] as usize > first
    }

    /// Whether each event from position `first + 1` on, in order, does not happen after event `first`.
    #[inline]
    pub(crate) fn not_after(&self, first: usize) -> impl Iterator<Item = bool> + '_ {
        let thread = usize::from(self.events[first].thread.0);
        let rows = &self.clocks[(first + 1) * self.stride..];
        let rows = rows.chunks_exact(self.stride);
        rows.map(move |row| row[thread] as usize <= first)
    }

    /// Makes room for thread `thread` in the clocks.
    pub(crate) fn admit(&mut self, thread: ThreadId) {
        let needed = usize::from(thread.0) + 1;
        if needed <= self.stride {
            return;
        }
        // Beyond a few threads a row is a part of the memory that counts.
        let stride = match needed {
            0..=64 => needed.next_power_of_two(),
            _ => needed.next_multiple_of(64).min(THREADS_MAX),
        };
        self.clocks = widen(&self.clocks, self.stride, stride);
        self.passive.widen(self.stride, stride);
        self.observations.widen(self.stride, stride);
        self.stride = stride;
        self.base = vec![0; stride];
    }

    /// Computes [`Trace::base`] for the next event of `thread`.
    pub(crate) fn find_base(&mut self, thread: ThreadId, operation: OperationIndex) {
        let mut base = std::mem::take(&mut self.base);
        match self.row(self.rows[usize::from(thread.0)]) {
            None => base.fill(0),
            Some(row) => base.copy_from_slice(row),
        }
        let interned = self.table.get(operation);
        match interned.operation.kind {
            Kind::CondReacquire => {
                let waker = self.waker(interned.object(), thread);
                self.join(&mut base, waker);
            }
            Kind::BarrierLeave => {
                let ends = self.leaves_after(interned, thread);
                ends.iter().for_each(|&end| self.join(&mut base, end));
            }
            Kind::FutexWoken => {
                let waker = self.futex_waker(interned.object(), thread);
                self.join(&mut base, waker.map_or(0, |waker| waker as u32 + 1));
            }
            _ => {}
        }
        self.join(&mut base, self.elders_event(thread));
        if let Some(&timeout) = self.timeouts.last() {
            self.join(&mut base, timeout + 1);
        }
        self.base = base;
    }

    /// The clock of an event or passive step; `None` for [`Row::Zero`], a thread that did nothing yet.
    #[inline]
    pub(crate) fn row(&self, row: Row) -> Option<&[u32]> {
        match row {
            Row::Zero => None,
            Row::Event(event) => Some(self.clock(event as usize)),
            Row::Passive(step) => Some(self.passive.clock(step, self.stride)),
        }
    }

    /// Joins the clock of the event at position `end - 1` into `clock`; nothing if `end` is 0.
    #[inline]
    fn join(&self, clock: &mut [u32], end: u32) {
        if end > 0 {
            join_rows(clock, self.clock(end as usize - 1));
        }
    }

    pub(super) fn append_clock(&mut self, position: u32, thread: ThreadId, footprint: &[Access]) {
        let mut clock = std::mem::take(&mut self.base);
        if is_global(footprint) {
            for t in 0..self.stride {
                self.join(&mut clock, self.last[t]);
            }
        } else {
            for &access in footprint {
                self.last_conflicting(access, |entry| self.join(&mut clock, entry.event + 1));
            }
            if let Some(global) = self.log(GLOBAL).last() {
                self.join(&mut clock, global.event + 1);
            }
        }
        clock[usize::from(thread.0)] = position + 1;
        self.clocks.extend_from_slice(&clock);
        self.base = clock;
    }

    /// Calls `each` with the log entries that an event with this access conflicts with and that
    /// no other such entry dominates: the last run that does not commute with it.
    #[inline]
    pub(crate) fn last_conflicting(&self, access: Access, mut each: impl FnMut(&Entry)) {
        let log = self.log(access.object);
        let Some(last) = log.last() else { return };
        let run = if last.class.commutes(access.class) {
            match (last.run as usize).checked_sub(1) {
                None => return,
                Some(before) => &log[log[before].run as usize..=before],
            }
        } else {
            &log[last.run as usize..]
        };
        run.iter().for_each(&mut each);
    }

    /// 1 + position of the event of another thread that took `thread`, which stands before the second
    /// half of a wait, out of the waiters of `condvar`; 0 if none did.
    fn waker(&self, condvar: Object, thread: ThreadId) -> u32 {
        let waker = self.waker_before(condvar, thread, self.len());
        waker.map_or(0, |waker| waker as u32 + 1)
    }

    /// Position of the event that took `thread` out of the waiters of `condvar` between the two halves of a wait, of
    /// which the second comes after `end` events; `None` if none did. Between the halves the thread may have made
    /// other events.
    fn waker_before(&self, condvar: Object, thread: ThreadId, end: usize) -> Option<usize> {
        let own = self.events_of(thread).iter().rev();
        let enqueued = own
            .map(|&k| k as usize)
            .find(|&k| k < end && self.operation(k).kind == Kind::CondEnqueue)?;
        let log = self.log(condvar).iter().rev();
        let since = log
            .skip_while(|e| e.event as usize >= end)
            .take_while(|e| e.event as usize > enqueued);
        let mut wakers = since.filter(|e| {
            e.thread != thread
                && self.waiters.contains(e.before, thread)
                && !self.waiters.contains(e.after, thread)
        });
        wakers.next().map(|e| e.event as usize)
    }

    /// Position of the event that woke the thread of event `position`; `None` if that is not the second half of a
    /// wait, or nobody woke it.
    pub(crate) fn waker_of(&self, position: usize) -> Option<usize> {
        let thread = self.event(position).thread;
        let interned = self.interned(position);
        match interned.operation.kind {
            Kind::CondReacquire => self.waker_before(interned.object(), thread, position),
            Kind::FutexWoken => self.futex_waker_of(position, interned),
            _ => None,
        }
    }
}
