//! One execution: its events, what happens before what, and the state of every object.
//!
//! Everything is kept per event and in flat vectors, so that taking back the last events is a
//! matter of popping; nothing is computed again for the part that stays.
//!
//! *Clocks.* `clock[t]` of an event is 1 + the position of the last event of thread `t` that
//! happens before it (itself included), 0 if there is none: `i` happens before `j` if and only if
//! `clock(j)[thread of i] > i`. The order is the one of dependent events: program order, conflicts,
//! and the edges of create, join and waking (the first two come from `crate::passive`).

use crate::commuting::Commuting;
use crate::conflict::{is_global, Access, Class, Object, GLOBAL};
use crate::end::MisuseKind;
use crate::object::thread::{members, Standing, Threads};
use crate::object::{condvar, mutex};
use crate::observe::Observations;
use crate::operation::{Interned, OperationIndex, Table};
use crate::passive::Passives;
use crate::program::{Decision, Kind, ObjectId, Operation, ThreadId, THREADS_MAX, TIMEOUT};
use crate::symmetry::Symmetry;
use crate::unseen::Unseen;

/// One visible operation that was executed.
#[derive(Clone, Debug)]
pub struct Event {
    /// Who.
    pub thread: ThreadId,
    /// What was decided: alternative and result.
    pub decision: Decision,
    /// Mutexes that the thread held before it, a bit each; only the first 64 mutexes have one.
    pub lockset: u64,
    /// If it is a misuse. Then it is the last event, and the program did not execute it.
    pub misuse: Option<MisuseKind>,
    /// True if the thread of the event before it could have gone on.
    pub preemptive: bool,
    pub(crate) operation: OperationIndex,
    /// Where the thread stood afterwards.
    pub(crate) next: Standing,
    /// 1 + position of the thread's event before, or 0.
    previous: u32,
    /// What came before it in its thread.
    row: Row,
    /// `Create`: what `creator` of the created thread was, and where that thread stood.
    displaced: (u32, Standing),
    /// Where its accesses begin.
    accesses: u32,
    /// Passive steps before it.
    pub(crate) passives: u32,
}

/// One access in the log of its object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub event: u32,
    pub thread: ThreadId,
    /// A store that somebody read: of class `WRITE` by now.
    pub observed: bool,
    pub class: Class,
    /// Index of the first entry of its run: the longest sequence of commuting entries it is in.
    pub run: u32,
    pub before: u64,
    pub after: u64,
}

/// A plain write to a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainWrite {
    /// Number of events before it.
    pub after: u32,
    /// What its thread did last before it.
    row: Row,
    pub cell: Object,
    pub value: u64,
}

/// What a thread did last: whose clock its next event starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// Nothing.
    Zero,
    /// The event at this position.
    Event(u32),
    /// This passive step (`crate::passive`).
    Passive(u32),
}

/// What a new event is made of.
pub(crate) struct NewEvent<'a> {
    pub thread: ThreadId,
    pub operation: OperationIndex,
    pub decision: Decision,
    pub footprint: &'a [Access],
    /// States of the objects of `footprint`.
    pub before: &'a [u64],
    pub after: &'a [u64],
    pub misuse: Option<MisuseKind>,
    pub next: Standing,
}

/// The events of the last execution, or of the present one as far as it went.
pub struct Trace {
    pub(crate) table: Table,
    pub(crate) threads: Threads,
    events: Vec<Event>,
    accesses: Vec<Access>,
    /// Row `k`: the clock of event `k`; each of `stride` numbers.
    pub(crate) clocks: Vec<u32>,
    pub(crate) stride: usize,
    pub(crate) logs: Vec<Vec<Entry>>,
    plain: Vec<PlainWrite>,
    pub(crate) passive: Passives,
    pub(crate) observations: Observations,
    pub(crate) unseen: Unseen,
    pub(crate) symmetry: Symmetry,
    /// Positions of the events with which a thread gave up waiting.
    timeouts: Vec<u32>,
    /// Event, operand: of updates, in order.
    operands: Vec<(u32, u64)>,
    /// 1 + position of each thread's last event.
    last: [u32; THREADS_MAX],
    /// Positions of each thread's events, ascending.
    by_thread: Vec<Vec<u32>>,
    /// What each thread did last.
    pub(crate) rows: [Row; THREADS_MAX],
    /// 1 + position of the event that created it.
    pub(crate) creator: [u32; THREADS_MAX],
    held: [u64; THREADS_MAX],
    /// Objects that have a bit in locksets, in order of their bits.
    locks: Vec<Object>,
    /// States of objects at the root that are not 0.
    pub(crate) initial: Vec<(Object, u64)>,
    pub(crate) commuting: Commuting,
    /// See [`Trace::compares_equal`].
    pub(crate) comparisons: u64,
    /// The clock of what comes before the next event by program order and edges alone.
    pub(crate) base: Vec<u32>,
}

const STRIDE_MIN: usize = 8;

impl Trace {
    pub(crate) fn new(table: Table, symmetry: Symmetry, commuting: Commuting) -> Self {
        Trace {
            table,
            symmetry,
            threads: Threads::new(),
            events: Vec::new(),
            accesses: Vec::new(),
            clocks: Vec::new(),
            stride: STRIDE_MIN,
            logs: Vec::new(),
            plain: Vec::new(),
            passive: Passives::default(),
            observations: Observations::default(),
            unseen: Unseen::default(),
            timeouts: Vec::new(),
            operands: Vec::new(),
            last: [0; THREADS_MAX],
            by_thread: vec![Vec::new(); THREADS_MAX],
            rows: [Row::Zero; THREADS_MAX],
            creator: [0; THREADS_MAX],
            held: [0; THREADS_MAX],
            locks: Vec::new(),
            initial: Vec::new(),
            commuting,
            comparisons: 0,
            base: vec![0; STRIDE_MIN],
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True before the first event.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event by its position.
    pub fn event(&self, position: usize) -> &Event {
        &self.events[position]
    }

    /// All events in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What the event executed.
    pub fn operation(&self, position: usize) -> &Operation {
        &self.interned(position).operation
    }

    /// What `thread` stands before, if it stands before an operation.
    pub fn pending(&self, thread: ThreadId) -> Option<&Operation> {
        let operation = self.pending_operation(thread)?;
        Some(&self.table.get(operation).operation)
    }

    pub(crate) fn pending_operation(&self, thread: ThreadId) -> Option<OperationIndex> {
        match self.threads.get(thread) {
            Standing::Before(operation) => Some(operation),
            _ => None,
        }
    }

    /// The clock of an event: see the module documentation.
    pub fn clock(&self, position: usize) -> &[u32] {
        &self.clocks[position * self.stride..][..self.stride]
    }

    /// True if event `first` happens before event `second`, or is it.
    #[inline]
    pub fn happens_before(&self, first: usize, second: usize) -> bool {
        let thread = usize::from(self.events[first].thread.0);
        self.clocks[second * self.stride + thread] as usize > first
    }

    /// For each event after `first`: whether it does not happen after `first`.
    #[inline]
    pub(crate) fn not_after(&self, first: usize) -> impl Iterator<Item = bool> + '_ {
        let thread = usize::from(self.events[first].thread.0);
        let rows = &self.clocks[(first + 1) * self.stride..];
        let rows = rows.chunks_exact(self.stride);
        rows.map(move |row| row[thread] as usize <= first)
    }

    /// Objects the event touched: its name and true if its outcome changed it (a failed
    /// compare-exchange or trylock does not). Empty for operations without object, and for those
    /// that conflict with everything.
    pub fn accesses(&self, position: usize) -> impl Iterator<Item = (ObjectId, bool)> + '_ {
        let listed = self
            .footprint(position)
            .iter()
            .filter(|a| a.object != GLOBAL);
        listed.map(|a| (self.table.object_id(a.object), a.class != Class::READ))
    }

    /// State of an object before and after an event that touched it. Memory: the cell's bytes.
    pub fn values(&self, position: usize, object: ObjectId) -> Option<(u64, u64)> {
        let log = self.log(self.table.find_object(object)?);
        let at = log
            .binary_search_by_key(&(position as u32), |entry| entry.event)
            .ok()?;
        Some((log[at].before, log[at].after))
    }

    /// The mutexes of a lockset.
    pub fn lockset(&self, set: u64) -> impl Iterator<Item = ObjectId> + '_ {
        let locks = self.locks.iter().enumerate();
        locks
            .filter(move |(bit, _)| set >> bit & 1 == 1)
            .map(|(_, &o)| self.table.object_id(o))
    }

    /// Positions of a thread's events, ascending.
    #[inline]
    pub(crate) fn events_of(&self, thread: ThreadId) -> &[u32] {
        &self.by_thread[usize::from(thread.0)]
    }

    /// Position of the last event of a thread.
    pub fn last_event(&self, thread: ThreadId) -> Option<usize> {
        (self.last[usize::from(thread.0)] as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn interned(&self, position: usize) -> &Interned {
        self.table.get(self.events[position].operation)
    }

    #[inline]
    pub(crate) fn footprint(&self, position: usize) -> &[Access] {
        let begin = self.events[position].accesses as usize;
        match self.events.get(position + 1) {
            Some(next) => &self.accesses[begin..next.accesses as usize],
            None => &self.accesses[begin..],
        }
    }

    #[inline]
    pub(crate) fn log(&self, object: Object) -> &[Entry] {
        self.logs.get(object.0 as usize).map_or(&[], |log| log)
    }

    #[inline]
    pub(crate) fn plain_writes(&self) -> &[PlainWrite] {
        &self.plain
    }

    #[inline]
    pub(crate) fn base(&self) -> &[u32] {
        &self.base
    }

    /// Mutexes that a thread holds now, as a lockset.
    #[inline]
    pub fn held(&self, thread: ThreadId) -> u64 {
        self.held[usize::from(thread.0)]
    }

    /// 1 + position of each thread's last event, 0 if it has none.
    #[inline]
    pub(crate) fn frontier(&self) -> &[u32] {
        &self.last[..self.stride]
    }

    /// Notes where a thread stands now.
    #[inline]
    pub(crate) fn stand(&mut self, thread: ThreadId, standing: Standing) {
        let (passive, timed) = match standing {
            Standing::Before(operation) => {
                let operation = &self.table.get(operation).operation;
                let passive = operation.kind.is_passive(operation.argument);
                (passive, operation.timed)
            }
            _ => (false, false),
        };
        self.threads.set(thread, standing, passive, timed);
    }

    /// Makes room for thread `thread` in the clocks.
    pub(crate) fn admit(&mut self, thread: ThreadId) {
        let needed = usize::from(thread.0) + 1;
        if needed <= self.stride {
            return;
        }
        let stride = needed.next_power_of_two();
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

    /// The clock of what a thread did last. `None`: nothing.
    #[inline]
    pub(crate) fn row(&self, row: Row) -> Option<&[u32]> {
        match row {
            Row::Zero => None,
            Row::Event(event) => Some(self.clock(event as usize)),
            Row::Passive(step) => Some(self.passive.clock(step, self.stride)),
        }
    }

    /// Joins the clock of the event before `end` (1 + its position; 0: nothing) to `clock`.
    #[inline]
    fn join(&self, clock: &mut [u32], end: u32) {
        if end > 0 {
            join_rows(clock, self.clock(end as usize - 1));
        }
    }

    /// 1 + position of the event of another thread that took `thread`, which stands before the second
    /// half of a wait, out of the waiters of `condvar`; 0 if none did.
    fn waker(&self, condvar: Object, thread: ThreadId) -> u32 {
        let waker = self.waker_before(condvar, thread, self.len());
        waker.map_or(0, |waker| waker as u32 + 1)
    }

    /// The same where `end` is the number of events before the second half. Between the halves the thread
    /// may have made other events.
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
                && condvar::waits(e.before, thread)
                && !condvar::waits(e.after, thread)
        });
        wakers.next().map(|e| e.event as usize)
    }

    /// The event that woke the thread of event `position`, if that is the second half of a wait.
    pub(crate) fn waker_of(&self, position: usize) -> Option<usize> {
        let thread = self.event(position).thread;
        let interned = self.interned(position);
        match interned.operation.kind {
            Kind::CondReacquire => self.waker_before(interned.object(), thread, position),
            Kind::FutexWoken => self.futex_waker_of(position, interned),
            _ => None,
        }
    }

    /// The class of an access when it happened.
    #[inline]
    pub(crate) fn first_class(&self, entry: &Entry) -> Class {
        match entry.observed {
            true => self.footprint(entry.event as usize)[0].class,
            false => entry.class,
        }
    }

    /// What the thread of event `position` did before it.
    #[inline]
    pub(crate) fn row_before(&self, position: usize) -> Row {
        self.events[position].row
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

    /// Appends an event, with the base computed last ([`Trace::find_base`]).
    pub(crate) fn append(&mut self, new: NewEvent<'_>) {
        let position = self.events.len() as u32;
        let thread = usize::from(new.thread.0);
        self.append_clock(position, new.thread, new.footprint);
        let begin = self.accesses.len() as u32;
        for (i, &access) in new.footprint.iter().enumerate() {
            self.log_access(position, new.thread, access, new.before[i], new.after[i]);
        }
        let interned = self.table.get(new.operation);
        let kind = interned.operation.kind;
        let displaced = match kind {
            Kind::Create if new.misuse.is_none() => {
                let created = interned.operation.argument as usize;
                let displaced = (
                    self.creator[created],
                    self.threads.get(ThreadId(created as u16)),
                );
                self.creator[created] = position + 1;
                displaced
            }
            _ => (0, Standing::Absent),
        };
        let lockset = self.held[thread];
        if kind_changes_holds(kind) && new.misuse.is_none() {
            self.update_held(new.thread, new.operation, &new);
        }
        self.stand(new.thread, new.next);
        self.events.push(Event {
            thread: new.thread,
            decision: new.decision,
            lockset,
            misuse: new.misuse,
            preemptive: false,
            operation: new.operation,
            next: new.next,
            previous: self.last[thread],
            row: self.rows[thread],
            displaced,
            accesses: begin,
            passives: self.passive.len() as u32,
        });
        if new.decision.alternative == TIMEOUT {
            self.timeouts.push(position);
        }
        self.last[thread] = position + 1;
        self.by_thread[thread].push(position);
        self.rows[thread] = Row::Event(position);
        self.note_own();
    }

    pub(crate) fn mark_preemptive(&mut self) {
        self.events
            .last_mut()
            .expect("an event was appended")
            .preemptive = true;
    }

    fn append_clock(&mut self, position: u32, thread: ThreadId, footprint: &[Access]) {
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

    #[inline]
    fn log_access(
        &mut self,
        event: u32,
        thread: ThreadId,
        access: Access,
        before: u64,
        after: u64,
    ) {
        let index = access.object.0 as usize;
        if index >= self.logs.len() {
            self.logs
                .resize_with(self.table.objects().max(index + 1), Vec::new);
        }
        let log = &mut self.logs[index];
        let run = match log.last() {
            Some(last) if last.class.commutes(access.class) => last.run,
            _ => log.len() as u32,
        };
        log.push(Entry {
            event,
            thread,
            observed: false,
            class: access.class,
            run,
            before,
            after,
        });
        self.accesses.push(access);
    }

    /// Keeps track of the mutexes that a thread holds, for locksets.
    fn update_held(&mut self, thread: ThreadId, operation: OperationIndex, new: &NewEvent<'_>) {
        let interned = self.table.get(operation);
        let object = interned.other.unwrap_or_else(|| interned.object());
        let Some(i) = new.footprint.iter().position(|a| a.object == object) else {
            return;
        };
        let bit = match self.locks.iter().position(|&o| o == object) {
            Some(bit) => bit,
            None => {
                self.locks.push(object);
                self.locks.len() - 1
            }
        };
        if bit < 64 {
            let held = &mut self.held[usize::from(thread.0)];
            *held &= !(1 << bit);
            *held |= u64::from(mutex::owner(new.after[i]) == Some(thread)) << bit;
        }
    }

    /// Notes that `thread` wrote `value` to a cell in its last step.
    pub(crate) fn note_plain_write(&mut self, thread: ThreadId, cell: ObjectId, value: u64) {
        if let Some(cell) = self.table.find_object(cell) {
            self.plain.push(PlainWrite {
                after: self.events.len() as u32,
                row: self.rows[usize::from(thread.0)],
                cell,
                value,
            });
        }
    }

    /// True if a plain write is left when only the events are for which `inside` holds, a set that
    /// contains what happens before its members.
    pub(crate) fn is_left(&self, write: &PlainWrite, inside: impl Fn(usize) -> bool) -> bool {
        self.is_row_left(write.row, inside)
    }

    /// The same for what `row` stands for.
    pub(crate) fn is_row_left(&self, row: Row, inside: impl Fn(usize) -> bool) -> bool {
        match row {
            Row::Event(event) => inside(event as usize),
            row => {
                let ends = self.row(row).unwrap_or_default().iter();
                ends.filter(|&&end| end > 0)
                    .all(|&end| inside(end as usize - 1))
            }
        }
    }

    /// The last event is an update with this operand.
    pub(crate) fn note_operand(&mut self, operand: u64) {
        let event = self.events.len() as u32 - 1;
        self.operands.push((event, operand));
    }

    /// The operand of an update.
    pub(crate) fn operand(&self, position: usize) -> u64 {
        let at = self
            .operands
            .binary_search_by_key(&(position as u32), |operand| operand.0);
        self.operands[at.expect("an update has an operand")].1
    }

    /// Takes back all events from position `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.take_back_observations(length);
        self.unseen.truncate(length);
        while self.events.len() > length {
            self.take_back_passive(self.events.len());
            self.take_back_event();
        }
        self.clocks.truncate(length * self.stride);
        let kept = self
            .plain
            .partition_point(|write| (write.after as usize) <= length);
        self.plain.truncate(kept);
        while self.timeouts.pop_if(|p| *p as usize >= length).is_some() {}
        let kept = self
            .operands
            .partition_point(|operand| (operand.0 as usize) < length);
        self.operands.truncate(kept);
    }

    fn take_back_event(&mut self) {
        let event = self.events.pop().expect("there is one");
        let thread = usize::from(event.thread.0);
        for access in &self.accesses[event.accesses as usize..] {
            self.logs[access.object.0 as usize].pop();
        }
        self.accesses.truncate(event.accesses as usize);
        let interned = self.table.get(event.operation);
        if interned.operation.kind == Kind::Create && event.misuse.is_none() {
            let created = interned.operation.argument as usize;
            self.creator[created] = event.displaced.0;
            self.stand(ThreadId(created as u16), event.displaced.1);
        }
        self.take_back_own(event.thread);
        self.stand(event.thread, Standing::Before(event.operation));
        self.last[thread] = event.previous;
        self.by_thread[thread].pop();
        self.rows[thread] = event.row;
        self.held[thread] = event.lockset;
    }

    /// Threads that stand before an operation.
    pub(crate) fn pending_threads(&self) -> impl Iterator<Item = (ThreadId, OperationIndex)> + '_ {
        members(self.threads.pending).map(|t| match self.threads.get(t) {
            Standing::Before(operation) => (t, operation),
            other => unreachable!("thread {t:?} pending but {other:?}"),
        })
    }
}

fn kind_changes_holds(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::MutexLock
            | Kind::MutexTrylock
            | Kind::MutexUnlock
            | Kind::MutexAbandon
            | Kind::CondEnqueue
            | Kind::CondReacquire
    )
}

/// Rows of `from` numbers each, as rows of `to`.
pub(crate) fn widen(rows: &[u32], from: usize, to: usize) -> Vec<u32> {
    let mut wider = vec![0; rows.len() / from * to];
    for (new, old) in wider.chunks_mut(to).zip(rows.chunks(from)) {
        new[..from].copy_from_slice(old);
    }
    wider
}

#[inline]
pub(crate) fn join_rows(into: &mut [u32], from: &[u32]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}
