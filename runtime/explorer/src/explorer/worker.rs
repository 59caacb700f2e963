//! Executions of one worker of several: [`crate::worker`].

use super::{Explorer, Phase};
use crate::config::Config;
use crate::end::{Execution, Fault};
use crate::operation::Table;
use crate::search::strategy::Strategy;
use crate::search::Search;
use crate::worker::{BarrierUsers, Partition, WorkerId};
use crate::Program;

/// Why [`Strategy::partition`] is one.
const IS_PARTITION: &str = "only workers ask for their part of the tree";

impl Explorer {
    /// A search of a part of the tree, which messages assign.
    pub(crate) fn for_worker(me: WorkerId, config: Config) -> Self {
        let partition = Partition::new(me, config.order, config.mutation);
        let mut config = config;
        config.limit_reductions();
        let mut explorer = Explorer::with(config, Strategy::Worker(partition));
        explorer.trace.table.is_shared = true;
        // Others may speak of them before it runs anything.
        explorer.know_exceptions();
        explorer
    }

    /// The part of the tree that is this worker's.
    ///
    /// # Panics
    /// If the explorer was not made by [`Explorer::for_worker`].
    pub(crate) fn partition(&self) -> &Partition {
        self.search.partition().expect(IS_PARTITION)
    }

    fn partition_mut(&mut self) -> &mut Partition {
        self.search.partition_mut().expect(IS_PARTITION)
    }

    /// The part of the tree that is this worker's, and the operations that the explorer knows.
    pub(crate) fn partition_and_table(&mut self) -> (&mut Partition, &mut Table) {
        let partition = self.search.partition_mut().expect(IS_PARTITION);
        (partition, &mut self.trace.table)
    }

    /// Runs one execution of this worker's part. `None`: there is none at present.
    pub(crate) fn next_of_worker<P: Program>(
        &mut self,
        program: &mut P,
    ) -> Result<Option<Execution>, Fault> {
        let outcome = self.run_of_worker(program);
        if outcome.is_err() {
            self.phase = Phase::Done;
        }
        outcome
    }

    fn run_of_worker<P: Program>(&mut self, program: &mut P) -> Result<Option<Execution>, Fault> {
        if self.phase == Phase::Done {
            return Ok(None);
        }
        self.check_learnt()?;
        let Some(depth) = self.search.advance(&self.trace) else {
            return Ok(None);
        };
        if self.config.prefix.is_some() {
            return Err(Fault::PrefixUnsupported);
        }
        match self.phase {
            Phase::New => self.begin(program)?,
            _ => self.rewind(program, depth)?,
        }
        let execution = self.explore_from(program, depth)?;
        self.check_learnt()?;
        self.tell_barriers();
        let new_events = (execution.events - depth) as u64;
        self.partition_mut().finish(&execution, new_events);
        Ok(Some(execution))
    }

    /// What makes all that was explored so far worth nothing.
    fn check_learnt(&mut self) -> Result<(), Fault> {
        if let Some((barrier, width)) = self.trace.commuting.take_wrong() {
            let barrier = self.trace.table.object_id(barrier);
            return Err(Fault::CrowdedBarrier { barrier, width });
        }
        if let Some(cell) = self.trace.table.take_wrong() {
            let cell = self.trace.table.object_id(cell);
            return Err(Fault::AwaitedCell { cell });
        }
        if self.trace.table.take_miscounted() {
            return Err(Fault::Miscounted);
        }
        match self.is_disordered() {
            true => Err(Fault::Disordered),
            false => Ok(()),
        }
    }

    /// True if something is known, and not reported yet, for which the search has to begin anew.
    pub(crate) fn is_wrong(&self) -> bool {
        self.trace.was_wrong()
    }

    /// Notes what another worker knows of barriers.
    pub(crate) fn note_barriers(&mut self, barriers: &[BarrierUsers]) {
        for users in barriers {
            let barrier = self.trace.table.object(users.barrier);
            let commuting = &mut self.trace.commuting;
            commuting.note_users(barrier, users.width, &users.threads);
        }
        self.tell_barriers();
    }

    /// Tells the partition what is known of barriers, if something is new.
    fn tell_barriers(&mut self) {
        if std::mem::take(&mut self.trace.commuting.news) == 0 {
            return;
        }
        let trace = &self.trace;
        let all = trace.commuting.all_users().iter();
        let all = all.map(|(barrier, width, threads)| BarrierUsers {
            barrier: trace.table.object_id(*barrier),
            width: *width,
            threads: threads.clone(),
        });
        let all = all.collect();
        self.partition_mut().barriers = all;
    }
}
