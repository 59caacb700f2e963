//! Executions of one worker of several: [`crate::worker`].

use super::{Explorer, Phase, State};
use crate::config::Config;
use crate::enabled::enabled_steps;
use crate::end::{Execution, Fault};
use crate::operation::Table;
use crate::program::Program;
use crate::tree::Step;
use crate::worker::{Partition, WorkerId};

impl Explorer {
    /// A search of a part of the tree, which messages assign.
    pub(crate) fn for_worker(me: WorkerId, mut config: Config) -> Self {
        // What sleeps unless it is read is not part of the protocol.
        config.reductions.observers = false;
        let partition = Partition::new(me, config.order, config.mutation);
        Explorer {
            state: State::Worker(Box::new(partition)),
            ..Explorer::new(config)
        }
    }

    pub(crate) fn partition(&self) -> &Partition {
        match &self.state {
            State::Worker(partition) => partition,
            _ => unreachable!("asked of workers only"),
        }
    }

    fn partition_mut(&mut self) -> &mut Partition {
        self.partition_and_table().0
    }

    pub(crate) fn partition_and_table(&mut self) -> (&mut Partition, &mut Table) {
        match &mut self.state {
            State::Worker(partition) => (partition, &mut self.trace.table),
            _ => unreachable!("asked of workers only"),
        }
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
        let State::Worker(partition) = &mut self.state else {
            unreachable!("asked of workers only")
        };
        let Some(depth) = partition.advance(&self.trace) else {
            return Ok(None);
        };
        match self.phase {
            Phase::New => self.begin(program)?,
            _ => self.rewind(program, depth)?,
        }
        let execution = self.explore_from(program, depth)?;
        if let Some((barrier, width)) = self.trace.commuting.take_wrong() {
            let barrier = self.trace.table.object_id(barrier);
            return Err(Fault::CrowdedBarrier { barrier, width });
        }
        let new_events = (execution.events - depth) as u64;
        self.partition_mut().finish(&execution, new_events);
        Ok(Some(execution))
    }

    /// One step; false if there is none.
    pub(super) fn step_of_worker<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        if let Some(node) = self.partition_mut().next_planned() {
            let step = self.partition().step(node);
            let (thread, alternative) = (step.thread, step.alternative);
            let effect = self.execute(program, thread, alternative)?;
            if self.partition().step(node).footprint != effect.footprint {
                return Err(self.mispredicted(thread));
            }
            self.partition_mut().enter(node);
            return Ok(true);
        }
        let State::Worker(partition) = &mut self.state else {
            unreachable!("asked of workers only")
        };
        let Some((thread, alternative)) = partition.choose(enabled_steps(&self.trace)) else {
            return Ok(false);
        };
        let footprint = self.execute(program, thread, alternative)?.footprint;
        let partition = self.partition_mut();
        let node = partition.add_free(Step {
            thread,
            alternative,
            footprint,
        });
        partition.enter(node);
        Ok(true)
    }
}
