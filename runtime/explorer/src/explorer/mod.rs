//! Runs executions: back to the branch, along the plan, to the end.

pub(crate) mod by_states;
mod leaving;
mod rewind;
mod samples;
mod step;
mod worker;

use crate::bound::coverage::Coverage;
use crate::commuting::Commuting;
use crate::config::Config;
use crate::deadlock;
use crate::end::{Counters, End, Execution, Fault, Misuse};
use crate::estimate::Estimate;
use crate::object::kinds;
use crate::operation::Table;
use crate::search::steps::default_step;
use crate::search::strategy::Strategy;
use crate::search::{Ended, Search};
use crate::spill::Spill;
use crate::threads::Standing;
use crate::trace::{Symmetry, Trace};
use crate::tree::Step;
use crate::Program;
use dpor_model::{Checkpoint, Next, ObjectId, ThreadId, ThreadSet, ROOT, THREADS_MAX};

/// A search in progress. All of its state is here: a copy of the process that holds it goes on
/// where it stands, and nothing is kept on the stack between two calls of [`Explorer::next`].
pub struct Explorer {
    config: Config,
    trace: Trace,
    search: Strategy,
    visits: Vec<Visit>,
    counters: Counters,
    phase: Phase,
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
        let mut config = config;
        config.limit_reductions();
        let search = Strategy::of(&mut config);
        Explorer::with(config, search)
    }

    /// A search that has not begun, as `config` says but for which executions are run.
    fn with(config: Config, search: Strategy) -> Self {
        let commuting = Commuting::new(&config);
        Explorer {
            trace: Trace::new(
                Table::new(&config, kinds::facts),
                Symmetry::new(&config),
                commuting,
            ),
            config,
            search,
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
                if self.config.prefix.is_some() && !self.search.takes_prefix() {
                    return Err(Fault::PrefixUnsupported);
                }
                self.begin(program)?;
                0
            }
            Phase::Running => {
                let Some(depth) = self.search.advance(&self.trace) else {
                    return Ok(None);
                };
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
        let end = self.extend(program)?;
        self.search.check()?;
        let end = self.redundant_or(end);
        if !self.trace.are_increments_right() {
            self.trace.table.references.note_miscounted();
        }
        self.counters.events += (self.trace.len() - depth) as u64;
        let mut beyond = false;
        if !self.trace.was_wrong() {
            let execution = Ended {
                trace: &mut self.trace,
                end: &end,
                new_from: depth,
            };
            beyond = self.search.ended(execution, program);
            let miscounted = self.search.reversals().is_some_and(|r| r.miscounted);
            if miscounted {
                self.trace.table.references.note_miscounted();
            }
            if !beyond {
                self.counters.count(&end);
            }
        }
        self.search.check()?;
        Ok(Execution {
            end,
            events: self.trace.len(),
            replayed: depth,
            beyond,
        })
    }

    /// True if [`Explorer::next`] has another execution to run.
    pub fn has_more(&self) -> bool {
        match self.phase {
            Phase::New => true,
            Phase::Running => self.search.has_more(),
            Phase::Done => false,
        }
    }

    /// True if some execution had a store and a read without an event that nothing orders, so that
    /// [`crate::Reductions::observers`] may hide what the search would find without it: it has to
    /// begin again without.
    pub fn is_disordered(&self) -> bool {
        self.trace.unseen.disordered
    }

    /// True if the search took an increment to commute with a drop that may be the last one, and began again without
    /// [`crate::Reductions::increments`].
    pub fn gave_up_increments(&self) -> bool {
        self.trace.table.references.gave_up
    }

    /// True if the search takes looks at counts to commute with others, which [`crate::worker::Worker`]s do not.
    pub fn has_looks(&self) -> bool {
        self.trace.table.looks
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
    /// possible: the present path stays. For [`SearchKind::Optimal`](crate::SearchKind::Optimal).
    pub fn spill_to(&mut self, store: Box<dyn Spill + Send>, bytes: usize) {
        self.search.spill_to(store, bytes);
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
        self.search.count(&mut counters);
        counters
    }

    /// The present bound of preemptions, if there is one.
    pub fn bound(&self) -> Option<u32> {
        self.search.bound()
    }

    /// True if there is something with more preemptions than the bound.
    pub fn leaves_some(&self) -> bool {
        self.search.leaves_some()
    }

    /// What was reached with each bound so far, the present one last.
    pub fn coverage(&self) -> Vec<Coverage> {
        self.search.coverage()
    }

    /// Whether this search can be estimated at all: the optimal one, from left to right, if everything is to be
    /// explored. (Of a depth-first search the same estimate was within a factor of three in half of the cases only.)
    pub fn is_estimated(&self) -> bool {
        self.search.is_estimated()
    }

    /// How many executions there will have been at the end; of a worker, in its part. `None`: there is too
    /// little to go by, or [`Explorer::is_estimated`] says no.
    ///
    /// *Cost*: some microseconds. To be asked between two executions.
    pub fn estimate(&self) -> Option<Estimate> {
        match self.phase != Phase::New && self.is_estimated() {
            true => self.search.estimate(&self.trace),
            false => None,
        }
    }

    /// Switches away from threads that could have gone on, in the last execution.
    pub fn preemptions(&self) -> usize {
        self.trace
            .events()
            .iter()
            .filter(|event| event.preemptive)
            .count()
    }

    /// The last execution as [`SearchKind::Replay`](crate::SearchKind::Replay) takes it.
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
            self.admit(thread)?;
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
        self.search.begin_anew(&self.config);
        if let Some(reversals) = self.search.reversals() {
            reversals.miscounted = false;
        }
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

    fn admit(&mut self, thread: ThreadId) -> Result<ThreadId, Fault> {
        if usize::from(thread.0) >= THREADS_MAX {
            return Err(Fault::ThreadLimit);
        }
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
            self.trace.note_comparisons(program);
            let next = self.search.next_step(&mut self.trace, program)?;
            let Some((thread, alternative)) = next else {
                return Ok(match self.search.is_cut() {
                    true => End::PreemptionBound,
                    false => self.stuck(),
                });
            };
            let footprint = self.execute(program, thread, alternative)?.footprint;
            let step = Step {
                thread,
                alternative,
                footprint,
            };
            self.search.executed(&mut self.trace, program, step)?;
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
        (length as u64 >= bound && default_step(&self.trace).is_some()).then_some(End::EventBound)
    }

    /// An execution that lacks a read that was to come is equivalent to one explored elsewhere.
    fn redundant_or(&self, end: End) -> End {
        match self.search.owes_read() && !matches!(end, End::EventBound | End::Livelock(_)) {
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
        if default_step(&self.trace).is_some() {
            End::Redundant
        } else if self.trace.retries()
            || !self.trace.threads.dead.is_empty() && !self.only_goes_round()
        {
            End::Blocked
        } else if self.trace.threads.pending.is_empty() && self.trace.threads.dead.is_empty() {
            End::Complete
        } else {
            End::Deadlock(deadlock::describe(&self.trace, &ThreadSet::EMPTY))
        }
    }
}
