//! Appending an event to a trace, and removing the last ones.

use super::{Entry, Event, NewEvent, PlainWrite, Row, Trace};
use crate::conflict::{Access, Object};
use crate::object::mutex;
use crate::operation::OperationIndex;
use crate::threads::Standing;
use dpor_model::{Kind, ObjectId, ThreadId, TIMEOUT};

impl Trace {
    /// Appends an event, with the base computed last ([`Trace::find_base`]).
    pub(crate) fn append(&mut self, new: NewEvent<'_>) {
        let position = self.events.len() as u32;
        let thread = usize::from(new.thread.0);
        self.append_clock(position, new.thread, new.footprint);
        let begin = self.accesses.len() as u32;
        for (i, &access) in new.footprint.iter().enumerate() {
            // What properties see has no state.
            let state = |states: &[u64]| states.get(i).copied().unwrap_or(0);
            self.log_access(
                position,
                new.thread,
                access,
                state(new.before),
                state(new.after),
            );
        }
        let interned = self.table.get(new.operation);
        let kind = interned.operation.kind;
        let displaced = match kind {
            Kind::Create if new.misuse.is_none() => {
                let created = usize::from(interned.operation.thread().0);
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

    /// Notes that the last event is a switch away from a thread that could have gone on.
    pub(crate) fn mark_preemptive(&mut self) {
        self.events
            .last_mut()
            .expect("an event was appended")
            .preemptive = true;
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

    /// Updates the set of mutexes that a thread holds, for locksets.
    fn update_held(&mut self, thread: ThreadId, operation: OperationIndex, new: &NewEvent<'_>) {
        let interned = self.table.get(operation);
        if interned.operation.kind == Kind::MutexLockAll {
            for (i, access) in new.footprint.iter().enumerate() {
                self.update_held_of(thread, access.object, new.after[i]);
            }
            return;
        }
        let object = interned.other.unwrap_or_else(|| interned.object());
        if let Some(i) = new.footprint.iter().position(|a| a.object == object) {
            self.update_held_of(thread, object, new.after[i]);
        }
    }

    /// Updates the holders of the mutex `object`, whose state is `value` after an event of `thread`.
    fn update_held_of(&mut self, thread: ThreadId, object: Object, value: u64) {
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
            *held |= u64::from(mutex::owner(value) == Some(thread)) << bit;
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

    /// Notes the operand of the last event, which is an update.
    pub(crate) fn note_operand(&mut self, operand: u64) {
        let event = self.events.len() as u32 - 1;
        self.operands.push((event, operand));
    }

    /// Removes all events from position `length` on.
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
        self.awaited.truncate(length);
        self.turns.truncate(length);
        self.unpark(length);
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
            let created = usize::from(interned.operation.thread().0);
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
}

fn kind_changes_holds(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::MutexLock
            | Kind::MutexLockAll
            | Kind::MutexTrylock
            | Kind::MutexUnlock
            | Kind::MutexAbandon
            | Kind::CondEnqueue
            | Kind::CondReacquire
    )
}
