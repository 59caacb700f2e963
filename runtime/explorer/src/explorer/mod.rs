//! Runs executions: back to the branch, along the plan, to the end.

mod begin;
mod bounded;
mod ended;
mod estimate;
mod leaving;
mod rewind;
mod samples;
mod searches;
mod step;
mod worker;

use crate::bound::coverage::{Coverage, States};
use crate::bound::Bound;
use crate::commuting::Commuting;
use crate::config::{Config, Order, Reductions, SearchKind};
use crate::deadlock;
use crate::end::{Counters, End, Execution, Fault, Misuse};
use crate::object::thread::Standing;
use crate::operation::Table;
use crate::prefix::PrefixProgress;
use crate::program::{Checkpoint, Next, ObjectId, Program, ThreadId, ThreadSet, ROOT, THREADS_MAX};
use crate::reversals::Reversals;
use crate::search::classic::Classic;
use crate::search::dfs::Dfs;
use crate::search::icb::Icb;
use crate::search::optimal::Optimal;
use crate::search::sample::Sampler;
use crate::spill::Spill;
use crate::symmetry::Symmetry;
use crate::trace::Trace;
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
    bound: Option<Box<Bound>>,
    states: Option<Box<States>>,
    coverage: Vec<Coverage>,
    begun: Option<Box<PrefixProgress>>,
}

enum State {
    Optimal(Box<Optimal>),
    Classic(Classic),
    Worker(Box<Partition>),
    Dfs(Dfs),
    Sample(Box<Sampler>),
    Icb(Icb),
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
    /// How often the one that is here was restored.
    restored: u32,
}

impl Explorer {
    /// A search that has not begun.
    pub fn new(config: Config) -> Self {
        let mut config = config.into_bounded().into_begun();
        if let SearchKind::Sample(_) = config.search {
            config.reductions = Reductions::NONE;
        }
        let state = State::new(&config);
        let commuting = Commuting::new(&config);
        Explorer {
            trace: Trace::new(Table::new(&config), Symmetry::new(&config), commuting),
            bound: config.new_bound(),
            states: config.new_states(),
            coverage: Vec::new(),
            begun: config.new_begun(),
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
                self.config.check_beginning()?;
                self.begin(program)?;
                0
            }
            Phase::Running => {
                let next = match &mut self.state {
                    State::Optimal(optimal) => optimal.advance(),
                    State::Classic(classic) => classic.advance(),
                    State::Dfs(dfs) => dfs.advance(),
                    State::Sample(sampler) => sampler.advance(),
                    State::Icb(icb) => icb.advance(),
                    State::Worker(_) | State::Replay => None,
                };
                let next = next.or_else(|| self.raise_bound());
                let next = next.or_else(|| self.begin_otherwise());
                let Some(depth) = next else { return Ok(None) };
                self.rewind(program, depth)?;
                depth
            }
        };
        let mut execution = self.explore_from(program, depth)?;
        while self.trace.take_wrong() {
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
        if let Some(bound) = &mut self.bound {
            bound.truncate(depth);
        }
        let end = self.extend(program)?;
        self.must_be_readable()?;
        let end = self.redundant_or(end);
        self.counters.events += (self.trace.len() - depth) as u64;
        let mut beyond = false;
        if !self.trace.was_wrong() {
            self.analyse(program, &end, depth);
            match self.states {
                None => self.counters.count(&end),
                Some(_) => beyond = self.count_bounded(&end, depth),
            }
        }
        self.must_be_readable()?;
        Ok(Execution {
            end,
            events: self.trace.len(),
            replayed: depth,
            beyond,
        })
    }

    /// Plans that were written out were there when they were wanted.
    #[inline]
    fn must_be_readable(&self) -> Result<(), Fault> {
        match &self.state {
            State::Optimal(optimal) if optimal.is_unreadable() => Err(Fault::Unreadable),
            _ => Ok(()),
        }
    }

    /// True if [`Explorer::next`] has another execution to run.
    pub fn has_more(&self) -> bool {
        match (&self.phase, &self.state) {
            (Phase::New, _) => true,
            (Phase::Done, _) | (_, State::Replay | State::Worker(_)) => false,
            (Phase::Running, State::Optimal(optimal)) => {
                optimal.has_more()
                    || self.has_another_bound()
                    || self.begun.as_ref().is_some_and(|begun| begun.has_more())
            }
            (Phase::Running, State::Classic(classic)) => classic.has_more(),
            (Phase::Running, State::Dfs(dfs)) => dfs.has_more(),
            (Phase::Running, State::Sample(sampler)) => sampler.has_more(),
            (Phase::Running, State::Icb(icb)) => icb.has_more(),
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

    /// What the search learned of cells in which somebody waits: for [`Config::awaited_cells`].
    pub fn awaited_cells(&self) -> Vec<ObjectId> {
        let table = &self.trace.table;
        let all = table.awaited().iter();
        all.map(|&cell| table.object_id(cell)).collect()
    }

    /// Keeps the tree of plans within so many bytes of memory, the rest in `store`; as far as
    /// possible: the present path stays. For [`SearchKind::Optimal`].
    pub fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        if let (State::Optimal(optimal), false) = (&mut self.state, self.config.iterative) {
            optimal.spill_to(store, bytes);
        }
    }

    /// How many events have to be repeated before a checkpoint is worth it: [`Config::checkpoint_after`],
    /// from now on.
    pub fn set_checkpoint_after(&mut self, events: u32) {
        self.config.checkpoint_after = events;
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
            State::Dfs(_) | State::Icb(_) | State::Sample(_) | State::Replay => {}
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

    /// The last execution as [`SearchKind::Replay`] takes it.
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
            ..Visit::default()
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
                Next::Stopped => return Err(Fault::Stopped),
            };
            self.trace.stand(thread, standing);
        }
        for operation in program.initialized_at_root() {
            self.trace.initialize(&operation);
        }
        self.know_exceptions();
        self.settle(program)?;
        Ok(())
    }

    /// Takes note of the barriers that are known to have more users than they wait for, and of the cells in
    /// which somebody is known to wait: what there commutes elsewhere does not.
    fn know_exceptions(&mut self) {
        for &cell in &self.config.awaited_cells {
            let cell = self.trace.table.object(cell);
            self.trace.table.await_in(cell);
        }
        self.trace.table.take_wrong();
        for &(barrier, width) in &self.config.crowded_barriers {
            let barrier = self.trace.table.object(barrier);
            self.trace.commuting.crowd(barrier, width);
        }
    }

    /// Forgets all executions, but not what they taught about barriers and awaited cells.
    fn begin_anew<P: Program>(&mut self, program: &mut P) -> Result<(), Fault> {
        self.rewind(program, 0)?;
        match &mut self.state {
            State::Optimal(optimal) => optimal.begin_anew(),
            state => *state = State::new(&self.config),
        }
        self.forget_bound();
        self.begun = self.config.new_begun();
        self.counters = Counters {
            events: self.counters.events,
            events_replayed: self.counters.events_replayed,
            checkpoints_taken: self.counters.checkpoints_taken,
            checkpoints_evicted: self.counters.checkpoints_evicted,
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

    /// Runs from where the trace stands to the end of the execution.
    fn extend<P: Program>(&mut self, program: &mut P) -> Result<End, Fault> {
        loop {
            self.trace.look_for_awaited(program);
            if self.may_leave() {
                self.leave(program)?;
            }
            if let Some(end) = self.ended() {
                return Ok(end);
            }
            if self.bound.is_some() && self.leaves_bound() {
                return Ok(self.cut());
            }
            self.trace.note_comparisons(program);
            let step = match &self.state {
                State::Optimal(_) if self.begun.is_some() && self.is_beginning() => {
                    self.step_of_beginning(program)?
                }
                State::Optimal(_) => self.step_optimal(program)?,
                State::Classic(_) => self.step_classic(program)?,
                State::Worker(_) => self.step_of_worker(program)?,
                State::Dfs(_) => self.step_dfs(program)?,
                State::Sample(_) => self.step_of_sample(program)?,
                State::Icb(_) => self.step_icb(program)?,
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
        if self.trace.was_wrong() {
            return Some(End::Redundant);
        }
        if let Some(kind) = last.misuse {
            return Some(End::Misuse(Misuse {
                kind,
                event: length - 1,
            }));
        }
        if self.trace.threads.is_over() {
            return Some(End::Exited);
        }
        if self.goes_round() {
            return Some(End::Livelock(self.trace.describe_cycle()));
        }
        let bound = self.config.max_events?;
        (length as u64 >= bound && self.default_step().is_some()).then_some(End::EventBound)
    }

    /// True if it is said already how the execution goes on: then it goes on so.
    fn is_led(&self) -> bool {
        match (&self.state, &self.config.search) {
            (State::Optimal(optimal), _) => optimal.is_led() || self.is_beginning(),
            (State::Worker(partition), _) => partition.is_led(),
            (State::Replay, SearchKind::Replay(schedule)) => self.trace.len() < schedule.len(),
            _ => false,
        }
    }

    /// An execution that lacks a read that was to come is equivalent to one explored elsewhere.
    fn redundant_or(&self, end: End) -> End {
        let owes = match &self.state {
            State::Optimal(optimal) => optimal.owes(),
            State::Worker(partition) => partition.owes(),
            State::Classic(_)
            | State::Dfs(_)
            | State::Icb(_)
            | State::Sample(_)
            | State::Replay => false,
        };
        match owes && !matches!(end, End::EventBound | End::Livelock(_)) {
            true => End::Redundant,
            false => end,
        }
    }

    /// True if the threads that do not go on go round for ever: what comes when a loop finds something else is explored
    /// elsewhere.
    fn only_goes_round(&self) -> bool {
        let parked = self.trace.parked_threads();
        self.trace.threads.dead.is_within(&parked) && self.trace.is_settled()
    }

    /// How an execution ended in which nothing can or may go on.
    fn stuck(&self) -> End {
        if self.default_step().is_some() {
            End::Redundant
        } else if !self.trace.threads.dead.is_empty() && !self.only_goes_round() {
            End::Blocked
        } else if self.trace.threads.pending.is_empty() && self.trace.threads.dead.is_empty() {
            End::Complete
        } else {
            End::Deadlock(deadlock::describe(&self.trace, &ThreadSet::EMPTY))
        }
    }
}

impl State {
    fn new(config: &Config) -> State {
        let (order, mutation) = (config.order, config.mutation);
        match config.search {
            SearchKind::Optimal if config.is_iterative() => {
                State::Optimal(Box::new(Optimal::new(Order::Kept, mutation)))
            }
            SearchKind::Optimal => State::Optimal(Box::new(Optimal::new(order, mutation))),
            SearchKind::Classic => State::Classic(Classic::new(order, mutation)),
            SearchKind::Dfs => State::Dfs(Dfs::default()),
            SearchKind::Sample(sampling) => State::Sample(Box::new(Sampler::new(sampling))),
            SearchKind::Icb => State::Icb(Icb::new(config.bound.unwrap_or(u32::MAX))),
            SearchKind::Replay(_) | SearchKind::Guided => State::Replay,
        }
    }

    /// True if it matters which events commute.
    #[inline]
    fn reduces(&self) -> bool {
        !matches!(
            self,
            State::Dfs(_) | State::Icb(_) | State::Sample(_) | State::Replay
        )
    }

    /// Where races are noted for the end of the execution, if the optimal search reverses any.
    #[inline]
    fn reversals(&mut self) -> Option<&mut Reversals> {
        match self {
            State::Optimal(optimal) => Some(&mut optimal.reversals),
            State::Worker(partition) => Some(&mut partition.reversals),
            State::Classic(_)
            | State::Dfs(_)
            | State::Icb(_)
            | State::Sample(_)
            | State::Replay => None,
        }
    }
}
