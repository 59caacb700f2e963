//! One step: decide, let the program run it, find its races, append it.

use super::Explorer;
use crate::enabled::{
    alternatives_with, can_run, could_go_on, finds_expected, is_blocked_by_lock, timed_out,
};
use crate::end::Fault;
use crate::object::memory::{self, CELLS_MAX};
use crate::object::mutex;
use crate::object::{effect, Effect, View, OK};
use crate::operation::{Interned, OperationIndex};
use crate::search::Search;
use crate::state::Now;
use crate::threads::Standing;
use crate::trace::{NewEvent, Parked, Way};
use crate::Program;
use dpor_model::{Decision, Executed, Kind, Next, Operation, ThreadId, NO_OBJECT, TIMEOUT};
use smallvec::SmallVec;

/// States of an event's objects, in the order of its accesses.
struct Values {
    before: SmallVec<[u64; CELLS_MAX]>,
    after: SmallVec<[u64; CELLS_MAX]>,
}

impl Values {
    fn none() -> Self {
        Values::of([0; CELLS_MAX], [0; CELLS_MAX])
    }

    #[inline]
    fn of(before: [u64; CELLS_MAX], after: [u64; CELLS_MAX]) -> Self {
        Values {
            before: before.into(),
            after: after.into(),
        }
    }
}

impl Explorer {
    /// Executes the next operation of `thread`, and appends it to the trace.
    pub(super) fn execute<P: Program>(
        &mut self,
        program: &mut P,
        thread: ThreadId,
        alternative: u32,
    ) -> Result<Effect, Fault> {
        let trace = &mut self.trace;
        let operation = match trace.threads.get(thread) {
            Standing::Before(operation) if can_run(trace, thread, operation, alternative) => {
                operation
            }
            _ => return Err(self.unexecutable(thread)),
        };
        trace.learn_kind(operation);
        let succeeds = finds_expected(trace, program, operation);
        let view = Now(trace);
        let interned = trace.table.get(operation);
        let choices = alternatives_with(trace, thread, operation, alternative, succeeds);
        if !choices.contains(alternative) {
            return Err(self.unexecutable(thread));
        }
        let kind = interned.operation.kind;
        let preemptive = trace
            .events()
            .last()
            .is_some_and(|last| last.thread != thread && could_go_on(trace, last.thread));
        let mut effect = effect(interned, thread, alternative, succeeds, &view);
        let decision = Decision {
            alternative,
            result: effect.result,
        };
        let created = match kind {
            Kind::Create if effect.misuse.is_none() => {
                let created = interned.operation.thread();
                Some(self.admit(created)?)
            }
            _ => None,
        };
        if alternative == TIMEOUT {
            self.note_timeout(thread)?;
        }
        self.trace.observe(kind, &effect.footprint);
        self.trace.find_base(thread, operation);
        self.trace.check_unseen_reads(thread, &effect.footprint);
        let (next, values) = match effect.misuse {
            None => self.step_program(program, (thread, operation), decision, &mut effect)?,
            Some(_) => (Standing::Ended, Values::none()),
        };
        if let Some(reversals) = self.search.reversals() {
            if alternative != TIMEOUT {
                reversals.note_races(&self.trace, thread, operation, &effect.footprint);
            }
            if choices.is_choice() {
                reversals.note_choice(&self.trace, choices, alternative);
            }
            if effect.footprint.iter().any(|access| access.class.is_look()) {
                reversals.note_look(&self.trace);
            }
        }
        let (footprint, misuse) = (&effect.footprint[..], effect.misuse);
        self.trace.append(NewEvent {
            thread,
            operation,
            decision,
            footprint,
            before: &values.before,
            after: &values.after,
            misuse,
            next,
        });
        if preemptive {
            self.trace.mark_preemptive();
        }
        if kind == Kind::BarrierArrive && self.search.reduces() {
            self.trace.note_arrival();
        }
        if kind == Kind::ReadModifyWrite && effect.is_update() {
            self.trace.note_operand(program.operand());
        }
        if misuse.is_none() {
            self.finish_step(program, thread, operation, created)?;
        }
        Ok(effect)
    }

    /// Lets the program execute the operation of a thread: where the thread stands then, and the states of the objects
    /// that the operation touched.
    ///
    /// # Errors
    /// [`Fault::Stopped`].
    #[inline(always)]
    fn step_program<P: Program>(
        &mut self,
        program: &mut P,
        (thread, operation): (ThreadId, OperationIndex),
        decision: Decision,
        effect: &mut Effect,
    ) -> Result<(Standing, Values), Fault> {
        let interned = self.trace.table.get(operation);
        let (kind, wide) = (interned.operation.kind, interned.peeks);
        let wide_before = wide.then(|| self.wide_values(program, operation));
        let executed = program.step(thread, decision);
        // Asked first: a fault in the place of a standing takes 3 % of a search.
        if matches!(executed.next, Next::Stopped) {
            return Err(Fault::Stopped);
        }
        let next = self.standing(operation, kind, executed);
        let mut values = self.values(thread, operation, executed, effect);
        if let Some(before) = wide_before {
            values = self.with_wide(program, operation, values, before);
        }
        Ok((next, values))
    }

    /// Takes note of what came with the step of a thread that was just appended, and of the thread that it created.
    ///
    /// # Errors
    /// [`Fault::Unlike`], [`Fault::Stopped`].
    #[inline(always)]
    fn finish_step<P: Program>(
        &mut self,
        program: &mut P,
        thread: ThreadId,
        operation: OperationIndex,
        created: Option<ThreadId>,
    ) -> Result<(), Fault> {
        self.note_passed(program, thread, operation)?;
        self.note_plain_accesses(program, thread);
        if let Some(created) = created {
            let site = self.trace.table.get(operation).operation.site;
            let start = self.trace.table.intern(&Operation::new(Kind::Start, site));
            self.trace.stand(created, Standing::Before(start));
        }
        self.must_be_alike(thread)?;
        self.settle(program)
    }

    /// A thread is about to give up waiting, because no thread can go on. All that happened happens
    /// before that, and all that comes happens after it, so that the races of what is blocked now
    /// have to be looked for now. Which thread gives up first is a choice.
    ///
    /// # Errors
    /// [`Fault::Unlike`]: threads that are held back behind their likes are not there to give up.
    #[cold]
    fn note_timeout(&mut self, thread: ThreadId) -> Result<(), Fault> {
        if self.trace.symmetry.is_active() {
            return Err(Fault::Unlike { thread });
        }
        self.trace.unseen.disordered |= self.trace.table.stores;
        let Some(reversals) = self.search.reversals() else {
            return Ok(());
        };
        let gives_up = timed_out(&self.trace).without(thread);
        let pending: Vec<_> = self.trace.pending_threads().collect();
        for (thread, operation) in pending {
            if gives_up.contains(thread) {
                reversals.note_other_timeout(&self.trace, thread, operation);
            }
            if is_blocked_by_lock(&self.trace, thread, operation) {
                self.trace.find_base(thread, operation);
                reversals.note_blocked(&self.trace, thread, operation);
            }
        }
        Ok(())
    }

    /// Lets threads take their passive steps (`crate::passive`).
    ///
    /// # Errors
    /// [`Fault::Unlike`], [`Fault::Stopped`].
    #[inline]
    pub(super) fn settle<P: Program>(&mut self, program: &mut P) -> Result<(), Fault> {
        while let Some((thread, operation, way)) = self.trace.next_passive() {
            let kind = self.trace.table.get(operation).operation.kind;
            let executed = program.step(thread, way.decision());
            if matches!(executed.next, Next::Stopped) {
                return Err(Fault::Stopped);
            }
            let next = self.standing(operation, kind, executed);
            self.trace.append_passive(thread, operation, next, way);
            self.note_passed(program, thread, operation)?;
            self.note_plain_accesses(program, thread);
            self.must_be_alike(thread)?;
        }
        Ok(())
    }

    /// Appends the joins that the thread passed after `operation`, in the same step.
    ///
    /// # Errors
    /// [`Fault::Unlike`].
    #[inline]
    fn note_passed<P: Program>(
        &mut self,
        program: &mut P,
        thread: ThreadId,
        operation: OperationIndex,
    ) -> Result<(), Fault> {
        let end = self.trace.threads.get(thread);
        let mut joins = program.passed().iter();
        let Some(first) = joins.next() else {
            return Ok(());
        };
        let mut join = self.trace.table.follow(operation, first);
        loop {
            let later = joins
                .next()
                .map(|later| self.trace.table.follow(join, later));
            let next = later.map_or(end, Standing::Before);
            self.trace.append_passive(thread, join, next, Way::Passed);
            self.must_be_alike(thread)?;
            match later {
                Some(later) => join = later,
                None => return Ok(()),
            }
        }
    }

    #[inline]
    fn must_be_alike(&self, thread: ThreadId) -> Result<(), Fault> {
        match self.trace.is_unlike(thread) {
            true => Err(Fault::Unlike { thread }),
            false => Ok(()),
        }
    }

    fn note_plain_accesses<P: Program>(&mut self, program: &mut P, thread: ThreadId) {
        for &(cell, value) in program.trailing_writes() {
            self.trace.note_plain_write(thread, cell, value);
        }
        for &cell in program.trailing_reads() {
            match cell == NO_OBJECT {
                true => self.trace.note_unseen_read(thread),
                false => self.trace.note_plain_read(thread, cell),
            }
        }
    }

    pub(super) fn unexecutable(&self, thread: ThreadId) -> Fault {
        let is_it = |parked: &&Parked| parked.thread == thread;
        let parked = self.trace.parked.iter().find(is_it);
        let behind_turn = || parked.map(|turn| self.trace.table.get(turn.operation).operation);
        let operation = { self.trace.pending(thread).copied() }.or_else(behind_turn);
        let operation = operation.map(Box::new);
        Fault::Misprediction {
            event: self.trace.len(),
            thread,
            operation,
        }
    }

    /// Where the thread stands after its step, in which it did not stop the program.
    #[inline]
    pub(super) fn standing(
        &mut self,
        operation: OperationIndex,
        kind: Kind,
        executed: &Executed,
    ) -> Standing {
        match &executed.next {
            _ if kind == Kind::Exit => Standing::Ended,
            Next::Operation(next) => Standing::Before(self.trace.table.follow(operation, next)),
            Next::Finished => Standing::Finished,
            Next::Dead => Standing::Dead,
            Next::Ended if kind == Kind::ProcessEnd => Standing::Ended,
            next => panic!("only an end of the process ends it, not {kind:?}: {next:?}"),
        }
    }

    /// The states of the event's objects before and after it. What was compared is known only now.
    #[inline]
    fn values(
        &self,
        thread: ThreadId,
        operation: OperationIndex,
        executed: &Executed,
        outcome: &mut Effect,
    ) -> Values {
        let interned = self.trace.table.get(operation);
        match interned.operation.kind {
            Kind::CompareExchange => {
                let succeeds = memory::succeeds(&interned.operation, executed.before);
                outcome.footprint = memory::footprint(interned, succeeds);
                Values::of(executed.before, executed.after)
            }
            Kind::ReadModifyWrite | Kind::Load if interned.counter.is_some() => {
                outcome.footprint = memory::counted(interned, executed.before[0]);
                Values::of(executed.before, executed.after)
            }
            Kind::Load | Kind::Store | Kind::ReadModifyWrite => {
                Values::of(executed.before, executed.after)
            }
            Kind::FutexWait => {
                let succeeds = memory::succeeds(&interned.operation, executed.before);
                *outcome = effect(interned, thread, 0, succeeds, &Now(&self.trace));
                self.compared_values(interned, executed, outcome)
            }
            Kind::FutexRequeue | Kind::FutexWakeOp => {
                self.compared_values(interned, executed, outcome)
            }
            Kind::MutexLockAll => {
                let view = Now(&self.trace);
                let (before, after) = mutex::values_of_all(interned, thread, &view).unzip();
                Values { before, after }
            }
            // Who gives up leaves the levels as they are.
            Kind::Channel if outcome.result == OK => {
                Values::of(self.states(outcome), executed.after)
            }
            _ => Values::of(self.states(outcome), outcome.after),
        }
    }

    /// The present states of the objects of an event.
    #[inline]
    fn states(&self, outcome: &Effect) -> [u64; CELLS_MAX] {
        let mut states = [0; CELLS_MAX];
        for (state, access) in states.iter_mut().zip(&outcome.footprint) {
            *state = Now(&self.trace).value(access.object);
        }
        states
    }

    /// The states of the objects of an event on a futex that compares a word. The program tells the word.
    #[cold]
    fn compared_values(
        &self,
        interned: &Interned,
        executed: &Executed,
        outcome: &Effect,
    ) -> Values {
        let mut before = self.states(outcome);
        let mut after = outcome.after;
        for (i, access) in outcome.footprint.iter().enumerate() {
            if interned.compared().contains(&access.object) {
                (before[i], after[i]) = (executed.before[0], executed.after[0]);
            }
        }
        Values::of(before, after)
    }

    /// The operation with what it found, where [`Executed`] does not show all cells, from what they were before: those that were only looked at
    /// are what they were.
    #[cold]
    fn with_wide<P: Program>(
        &self,
        program: &mut P,
        operation: OperationIndex,
        shown: Values,
        before: SmallVec<[u64; CELLS_MAX]>,
    ) -> Values {
        let interned = self.trace.table.get(operation);
        if interned.gate.is_none() {
            let after = self.wide_values(program, operation);
            return Values { before, after };
        }
        let own = interned.own().len();
        let with = |shown: &[u64]| shown[..own].iter().chain(&before[own..]).copied().collect();
        Values {
            before: with(&shown.before),
            after: with(&shown.after),
        }
    }

    /// The cells of an access too wide for [`Executed`], as far as the program can tell.
    #[cold]
    fn wide_values<P: Program>(
        &self,
        program: &mut P,
        operation: OperationIndex,
    ) -> SmallVec<[u64; CELLS_MAX]> {
        let objects = self.trace.table.get(operation).objects.iter();
        objects
            .map(|&cell| self.trace.present(program, cell))
            .collect()
    }
}
