//! Runs executions: back to the branch, along the plan, to the end.

mod step;
mod worker;

use crate::classic::Classic;
use crate::commuting::Commuting;
use crate::config::{Config, Mutation, Search};
use crate::deadlock;
use crate::dfs::Dfs;
use crate::enabled::{
    alternatives_with, can_run, enabled_steps, is_blocked_by_lock, is_enabled, succeeds_now,
};
use crate::end::{Counters, End, Execution, Fault, Misuse};
use crate::object::thread::Standing;
use crate::object::{alternatives, effect, Alternatives, Effect};
use crate::operation::Table;
use crate::optimal::{Insert, Optimal, Reversals};
use crate::passive::Passive;
use crate::program::{
    Checkpoint, Decision, Next, ObjectId, Program, ThreadId, ROOT, THREADS_MAX, TIMEOUT,
};
use crate::spill::Spill;
use crate::state::Now;
use crate::symmetry::Symmetry;
use crate::trace::Trace;
use crate::tree::{NodeId, Step};
use crate::worker::Partition;

/// A search in progress. All of its state is here: a copy of the process that holds it goes on
/// where it stands, and nothing is kept on the stack between two calls of [`Explorer::next`].
pub struct Explorer {
    config: Config,
    trace: Trace,
    state: State,
    visits: Vec<Visit>,
    counters: Counters,
    phase: Phase,
}

enum State {
    Optimal(Box<Optimal>),
    Classic(Classic),
    Worker(Box<Partition>),
    Dfs(Dfs),
    Replay,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    Done,
}

/// What is known of a node of the present path as a place to return to.
#[derive(Clone, Copy, Default)]
struct Visit {
    checkpoint: Option<Checkpoint>,
    /// Events that a checkpoint here would have saved so far.
    repeated: u32,
}

impl Explorer {
    /// A search that has not begun.
    pub fn new(config: Config) -> Self {
        let state = State::new(&config);
        let commuting = Commuting::new(&config);
        Explorer {
            trace: Trace::new(Table::new(&config), Symmetry::new(&config), commuting),
            config,
            state,
            visits: Vec::new(),
            counters: Counters::default(),
            phase: Phase::New,
        }
    }

    /// Runs one execution to its end. `None`: all were explored.
    ///
    /// # Errors
    /// [`Fault`]: the program is not what it was before, or cannot be explored. The search is over.
    // Not an iterator: each step needs the program.
    #[allow(
        clippy::should_implement_trait,
        reason = "takes the program and is no iterator"
    )]
    pub fn next<P: Program>(&mut self, program: &mut P) -> Result<Option<Execution>, Fault> {
        let outcome = self.run(program);
        if let Err(_) | Ok(None) = outcome {
            self.phase = Phase::Done;
        }
        outcome
    }

    fn run<P: Program>(&mut self, program: &mut P) -> Result<Option<Execution>, Fault> {
        let depth = match self.phase {
            Phase::Done => return Ok(None),
            Phase::New => {
                self.begin(program)?;
                0
            }
            Phase::Running => {
                let next = match &mut self.state {
                    State::Optimal(optimal) => optimal.advance(),
                    State::Classic(classic) => classic.advance(),
                    State::Dfs(dfs) => dfs.advance(),
                    State::Worker(_) | State::Replay => None,
                };
                let Some(depth) = next else { return Ok(None) };
                self.rewind(program, depth)?;
                depth
            }
        };
        let mut execution = self.explore_from(program, depth)?;
        while self.trace.commuting.take_wrong().is_some() {
            self.begin_anew(program)?;
            execution = self.explore_from(program, 0)?;
        }
        Ok(Some(execution))
    }

    /// Runs to the end of the execution, whose first `depth` events are there, and analyses it.
    fn explore_from<P: Program>(
        &mut self,
        program: &mut P,
        depth: usize,
    ) -> Result<Execution, Fault> {
        let end = self.extend(program)?;
        let end = self.redundant_or(end);
        self.counters.events += (self.trace.len() - depth) as u64;
        if !self.trace.commuting.was_wrong() {
            self.analyse(program, &end, depth);
            self.counters.count(&end);
        }
        Ok(Execution {
            end,
            events: self.trace.len(),
            replayed: depth,
        })
    }

    /// True if [`Explorer::next`] has another execution to run.
    pub fn has_more(&self) -> bool {
        match (&self.phase, &self.state) {
            (Phase::New, _) => true,
            (Phase::Done, _) | (_, State::Replay | State::Worker(_)) => false,
            (Phase::Running, State::Optimal(optimal)) => optimal.has_more(),
            (Phase::Running, State::Classic(classic)) => classic.has_more(),
            (Phase::Running, State::Dfs(dfs)) => dfs.has_more(),
        }
    }

    /// True if some execution had a store and a read without an event that nothing orders, so that
    /// [`crate::Reductions::observers`] may hide what the search would find without it: it has to
    /// begin again without.
    pub fn is_disordered(&self) -> bool {
        self.trace.unseen.disordered
    }

    /// What the search learned of barriers: for [`Config::crowded_barriers`].
    pub fn crowded_barriers(&self) -> Vec<(ObjectId, u64)> {
        let crowded = self.trace.commuting.crowded();
        crowded
            .map(|(barrier, width)| (self.trace.table.object_id(barrier), width))
            .collect()
    }

    /// Keeps the tree of plans within so many bytes of memory, the rest in `store`; as far as
    /// possible: the present path stays. For [`Search::Optimal`].
    pub fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        if let State::Optimal(optimal) = &mut self.state {
            optimal.spill_to(store, bytes);
        }
    }

    /// The events of the execution that [`Explorer::next`] ran last, or in which it failed.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        match &self.state {
            State::Optimal(optimal) => {
                counters.reversals = optimal.reversals.count;
                counters.nodes_max = optimal.nodes_max as u64;
                counters.nodes_spilled = optimal.spilled();
            }
            State::Worker(partition) => {
                counters.reversals = partition.reversals.count;
                counters.nodes_max = partition.nodes_max as u64;
            }
            State::Classic(classic) => counters.reversals = classic.reversals,
            State::Dfs(_) | State::Replay => {}
        }
        counters
    }

    /// Switches away from threads that could have gone on, in the last execution.
    pub fn preemptions(&self) -> usize {
        self.trace
            .events()
            .iter()
            .filter(|event| event.preemptive)
            .count()
    }

    /// The last execution as [`Search::Replay`] takes it.
    pub fn schedule(&self) -> Vec<(ThreadId, u32)> {
        let events = self.trace.events().iter();
        events
            .map(|event| (event.thread, event.decision.alternative))
            .collect()
    }

    fn begin<P: Program>(&mut self, program: &mut P) -> Result<(), Fault> {
        self.phase = Phase::Running;
        self.visits.push(Visit {
            checkpoint: Some(ROOT),
            repeated: 0,
        });
        program.restore(ROOT);
        self.counters.checkpoints_restored += 1;
        for (thread, next) in program.root() {
            self.admit(u64::from(thread.0))?;
            let standing = match next {
                Next::Operation(op) => Standing::Before(self.trace.table.intern(&op)),
                Next::Finished => Standing::Finished,
                Next::Dead => Standing::Dead,
                Next::Ended => Standing::Ended,
            };
            self.trace.stand(thread, standing);
        }
        for operation in program.initialized_at_root() {
            self.trace.initialize(&operation);
        }
        for &(barrier, width) in &self.config.crowded_barriers {
            let barrier = self.trace.table.object(barrier);
            self.trace.commuting.crowd(barrier, width);
        }
        self.settle(program)?;
        Ok(())
    }

    /// Forgets all executions, but not what they taught about barriers.
    fn begin_anew<P: Program>(&mut self, program: &mut P) -> Result<(), Fault> {
        self.rewind(program, 0)?;
        match &mut self.state {
            State::Optimal(optimal) => optimal.begin_anew(),
            state => *state = State::new(&self.config),
        }
        self.counters = Counters {
            events: self.counters.events,
            events_replayed: self.counters.events_replayed,
            checkpoints_taken: self.counters.checkpoints_taken,
            checkpoints_restored: self.counters.checkpoints_restored,
            threads_max: self.counters.threads_max,
            restarts: self.counters.restarts + 1,
            ..Counters::default()
        };
        Ok(())
    }

    fn admit(&mut self, thread: u64) -> Result<ThreadId, Fault> {
        if thread >= THREADS_MAX as u64 {
            return Err(Fault::ThreadLimit);
        }
        let thread = ThreadId(thread as u16);
        self.trace.admit(thread);
        self.counters.threads_max = self.counters.threads_max.max(u32::from(thread.0) + 1);
        Ok(thread)
    }

    /// Takes program and trace back to the state after `depth` events.
    fn rewind<P: Program>(&mut self, program: &mut P, depth: usize) -> Result<(), Fault> {
        for left in self.visits.drain(depth.min(self.visits.len() - 1) + 1..) {
            if let Some(checkpoint) = left.checkpoint {
                program.discard(checkpoint);
            }
        }
        self.visits.resize(depth + 1, Visit::default());
        self.trace.truncate(depth);
        let saved = self.visits.iter().enumerate().rev();
        let mut saved = saved.filter_map(|(d, visit)| Some((d, visit.checkpoint?)));
        let (from, checkpoint) = saved.next().expect("the root has a checkpoint");
        program.restore(checkpoint);
        self.counters.checkpoints_restored += 1;
        if checkpoint == ROOT {
            self.repeat_passive(program, 0)?;
        }
        let place = self.place_of_checkpoint(from, depth);
        for position in from..depth {
            self.repeat(program, position)?;
            if place == Some(position + 1) {
                self.visits[position + 1].checkpoint = program.checkpoint();
                let taken = self.visits[position + 1].checkpoint.is_some();
                self.counters.checkpoints_taken += u64::from(taken);
            }
        }
        self.counters.events_replayed += (depth - from) as u64;
        Ok(())
    }

    /// Where to take a checkpoint while the events `from..depth` are repeated: the deepest node at
    /// which one would have saved enough events so far. Who came by so often will come again.
    fn place_of_checkpoint(&mut self, from: usize, depth: usize) -> Option<usize> {
        if !self.config.checkpoints {
            return None;
        }
        for (visit, repeated) in self.visits[from + 1..=depth].iter_mut().zip(1..) {
            visit.repeated += repeated;
        }
        (from + 1..=depth)
            .rev()
            .find(|&d| self.visits[d].repeated >= self.config.checkpoint_after)
    }

    /// Executes an event again, and the passive steps after it, and checks that they do the same.
    fn repeat<P: Program>(&self, program: &mut P, position: usize) -> Result<(), Fault> {
        let event = self.trace.event(position);
        let next = &program.step(event.thread, event.decision).next;
        self.verify(position, event.next, next)?;
        self.repeat_passive(program, position + 1)
    }

    /// Repeats the passive steps between the event before position `after` and the next.
    fn repeat_passive<P: Program>(&self, program: &mut P, after: usize) -> Result<(), Fault> {
        let steps = self.trace.passives_after(after);
        let taken = |step: &&Passive| !step.passed;
        for step in steps.iter().filter(taken) {
            let next = &program.step(step.thread, Decision::default()).next;
            self.verify(after.saturating_sub(1), step.next, next)?;
        }
        Ok(())
    }

    #[inline]
    fn verify(&self, event: usize, expected: Standing, got: &Next) -> Result<(), Fault> {
        let same = match (expected, got) {
            (Standing::Before(index), Next::Operation(op)) => {
                self.trace.table.get(index).operation == *op
            }
            (Standing::Finished, Next::Finished) | (Standing::Dead, Next::Dead) => true,
            _ => false,
        };
        match same {
            true => Ok(()),
            false => Err(self.divergence(event, expected, got)),
        }
    }

    #[cold]
    fn divergence(&self, event: usize, expected: Standing, got: &Next) -> Fault {
        let expected = match expected {
            Standing::Before(index) => Some(Box::new(self.trace.table.get(index).operation)),
            _ => None,
        };
        let got = match got {
            Next::Operation(op) => Some(Box::new(*op)),
            _ => None,
        };
        Fault::Divergence {
            event,
            expected,
            got,
        }
    }

    /// Runs from where the trace stands to the end of the execution.
    fn extend<P: Program>(&mut self, program: &mut P) -> Result<End, Fault> {
        loop {
            if let Some(end) = self.ended() {
                return Ok(end);
            }
            self.trace.note_comparisons(program);
            let step = match &self.state {
                State::Optimal(_) => self.step_optimal(program)?,
                State::Classic(_) => self.step_classic(program)?,
                State::Worker(_) => self.step_of_worker(program)?,
                State::Dfs(_) => self.step_dfs(program)?,
                State::Replay => self.step_replay(program)?,
            };
            if !step {
                return Ok(self.stuck());
            }
        }
    }

    /// How the execution ended with its last event, if it did.
    fn ended(&self) -> Option<End> {
        let length = self.trace.len();
        let last = self.trace.events().last()?;
        if self.trace.commuting.was_wrong() {
            return Some(End::Redundant);
        }
        if let Some(kind) = last.misuse {
            return Some(End::Misuse(Misuse {
                kind,
                event: length - 1,
            }));
        }
        if last.next == Standing::Ended {
            return Some(End::Exited);
        }
        let bound = self.config.max_events?;
        (length as u64 >= bound && self.default_step().is_some()).then_some(End::EventBound)
    }

    /// An execution that lacks a read that was to come is equivalent to one explored elsewhere.
    fn redundant_or(&self, end: End) -> End {
        match &self.state {
            State::Optimal(optimal) if optimal.owes() && end != End::EventBound => End::Redundant,
            _ => end,
        }
    }

    /// How an execution ended in which nothing can or may go on.
    fn stuck(&self) -> End {
        if self.default_step().is_some() {
            End::Redundant
        } else if self.trace.threads.dead != 0 {
            End::Blocked
        } else if self.trace.threads.pending == 0 {
            End::Complete
        } else {
            End::Deadlock(deadlock::describe(&self.trace))
        }
    }

    /// One step of the optimal search; false if there is none.
    fn step_optimal<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Optimal(optimal) = &mut self.state else {
            unreachable!("asked before")
        };
        if let Some(node) = optimal.next_planned() {
            let (thread, alternative) = (optimal.step(node).thread, optimal.step(node).alternative);
            let effect = self.execute(program, thread, alternative)?;
            self.enter_planned(node, &effect)?;
            return Ok(true);
        }
        let Some((thread, alternative)) = optimal.choose(enabled_steps(&self.trace)) else {
            return Ok(false);
        };
        let siblings = self.siblings_of_free_choice(thread, alternative);
        let footprint = self.execute(program, thread, alternative)?.footprint;
        let State::Optimal(optimal) = &mut self.state else {
            unreachable!("asked before")
        };
        let node = optimal.add_free(Step {
            thread,
            alternative,
            footprint,
        });
        for step in siblings {
            optimal.add_free(step);
        }
        optimal.enter(node, &self.trace);
        Ok(true)
    }

    fn enter_planned(&mut self, node: NodeId, effect: &Effect) -> Result<(), Fault> {
        let State::Optimal(optimal) = &mut self.state else {
            unreachable!("asked before")
        };
        let step = optimal.step(node);
        if step.footprint != effect.footprint {
            let thread = step.thread;
            return Err(self.mispredicted(thread));
        }
        optimal.enter(node, &self.trace);
        Ok(())
    }

    /// The last event, of `thread`, did not have the outcome that was derived for it.
    fn mispredicted(&self, thread: ThreadId) -> Fault {
        let event = self.trace.len() - 1;
        Fault::Misprediction {
            event,
            thread,
            operation: Some(Box::new(*self.trace.operation(event))),
        }
    }

    /// [`Mutation::AlternativesAtFreeNodes`]: the other alternatives, as siblings.
    fn siblings_of_free_choice(&self, thread: ThreadId, taken: u32) -> Vec<Step> {
        if self.config.mutation != Mutation::AlternativesAtFreeNodes {
            return Vec::new();
        }
        let Standing::Before(operation) = self.trace.threads.get(thread) else {
            return Vec::new();
        };
        let interned = self.trace.table.get(operation);
        let view = Now(&self.trace);
        let succeeds = self.trace.compares_equal(thread);
        let others = alternatives(interned, thread, succeeds, &view)
            .iter()
            .filter(|&a| a != taken);
        let step = |alternative| Step {
            thread,
            alternative,
            footprint: effect(interned, thread, alternative, succeeds, &view).footprint,
        };
        others.map(step).collect()
    }

    fn step_classic<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Classic(classic) = &mut self.state else {
            unreachable!("asked before")
        };
        let Some((thread, alternative)) = classic.choose(&self.trace) else {
            return Ok(false);
        };
        match alternative {
            TIMEOUT => classic.note_quiet(&mut self.trace, program),
            _ => classic.note_taken(&mut self.trace, program, thread),
        }
        let footprint = self.execute(program, thread, alternative)?.footprint;
        let State::Classic(classic) = &mut self.state else {
            unreachable!("asked before")
        };
        classic.enter(Step {
            thread,
            alternative,
            footprint,
        });
        classic.note_pending(&mut self.trace, program);
        Ok(true)
    }

    fn step_dfs<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Dfs(dfs) = &mut self.state else {
            unreachable!("asked before")
        };
        let all = enabled_steps(&self.trace);
        let all =
            all.flat_map(|(thread, alternatives)| alternatives.iter().map(move |a| (thread, a)));
        let Some((thread, alternative)) = dfs.choose(self.trace.len(), all) else {
            return Ok(false);
        };
        self.execute(program, thread, alternative)?;
        Ok(true)
    }

    fn step_replay<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let step = self.trace.len();
        let Search::Replay(schedule) = &self.config.search else {
            unreachable!("asked before")
        };
        let (thread, alternative) = match schedule.get(step) {
            Some(&next) => next,
            None => match self.default_step() {
                Some((thread, alternatives)) => (thread, alternatives.first()),
                None => return Ok(false),
            },
        };
        if usize::from(thread.0) >= THREADS_MAX || !self.can_execute(thread, alternative) {
            return Err(Fault::BadSchedule { step });
        }
        self.execute(program, thread, alternative)?;
        Ok(true)
    }

    /// What the default scheduler does: the running thread goes on if it can, otherwise the
    /// lowest.
    fn default_step(&self) -> Option<(ThreadId, Alternatives)> {
        enabled_steps(&self.trace).next()
    }

    fn can_execute(&self, thread: ThreadId, alternative: u32) -> bool {
        let Standing::Before(operation) = self.trace.threads.get(thread) else {
            return false;
        };
        let succeeds = self.trace.compares_equal(thread);
        can_run(&self.trace, thread, operation, alternative)
            && alternatives_with(&self.trace, thread, operation, alternative, succeeds)
                .contains(alternative)
    }

    /// Turns the execution that just ended into plans.
    fn analyse<P: Program>(&mut self, program: &mut P, end: &End, new_from: usize) {
        if let State::Classic(classic) = &mut self.state {
            return classic.analyse(&mut self.trace, program);
        }
        let Some(reversals) = self.state.reversals() else {
            return;
        };
        let mut reversals = std::mem::take(reversals);
        let ended = Ended {
            trace: &mut self.trace,
            end,
            new_from,
            mutation: self.config.mutation,
        };
        match &mut self.state {
            State::Optimal(optimal) => {
                ended.analyse(program, &mut reversals, &mut **optimal);
                optimal.reversals = reversals;
                optimal.note_size();
            }
            State::Worker(partition) => {
                ended.analyse(program, &mut reversals, &mut **partition);
                partition.reversals = reversals;
            }
            State::Classic(_) | State::Dfs(_) | State::Replay => {}
        }
    }
}

impl State {
    fn new(config: &Config) -> State {
        let (order, mutation) = (config.order, config.mutation);
        match config.search {
            Search::Optimal => State::Optimal(Box::new(Optimal::new(order, mutation))),
            Search::Classic => State::Classic(Classic::new(order, mutation)),
            Search::Dfs => State::Dfs(Dfs::default()),
            Search::Replay(_) => State::Replay,
        }
    }

    /// True if it matters which events commute.
    #[inline]
    fn reduces(&self) -> bool {
        !matches!(self, State::Dfs(_) | State::Replay)
    }

    /// Where races are noted for the end of the execution, if the optimal search reverses any.
    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        match self {
            State::Optimal(optimal) => Some(&mut optimal.reversals),
            State::Worker(partition) => Some(&mut partition.reversals),
            State::Classic(_) | State::Dfs(_) | State::Replay => None,
        }
    }
}

/// An execution that just ended.
struct Ended<'a> {
    trace: &'a mut Trace,
    end: &'a End,
    new_from: usize,
    mutation: Mutation,
}

impl Ended<'_> {
    /// Reverses its races, those of operations that never ran included.
    fn analyse<P: Program>(
        self,
        program: &mut P,
        reversals: &mut Reversals,
        tree: &mut impl Insert,
    ) {
        let trace = self.trace;
        reversals.analyse(trace, self.new_from, tree);
        if self.mutation == Mutation::NoVirtualEvents {
            return;
        }
        let forestalled = matches!(self.end, End::Exited | End::Misuse(_));
        let ender = trace.events().last().map(|event| event.thread);
        let pending: Vec<_> = trace.pending_threads().collect();
        for (thread, operation) in pending {
            if trace.is_held_back(thread) {
                continue; // Its elder stands before the same.
            }
            if !is_enabled(trace, thread, operation) {
                if is_blocked_by_lock(trace, thread, operation) {
                    trace.find_base(thread, operation);
                    reversals.analyse_blocked(trace, thread, operation, tree);
                }
            } else if forestalled
                && Some(thread) != ender
                && self.mutation != Mutation::ExitForestallsNothing
            {
                let succeeds = succeeds_now(trace, program, operation);
                reversals.analyse_forestalled(trace, thread, operation, succeeds, tree);
            }
        }
    }
}
