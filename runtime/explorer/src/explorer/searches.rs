//! The next step of an execution, by search.

use super::{Explorer, State};
use crate::config::SearchKind;
use crate::enabled::{alternatives_with, can_run, enabled_steps, first_step};
use crate::end::Fault;
use crate::mutation::Mutation;
use crate::object::thread::Standing;
use crate::object::{alternatives, effect, Alternatives, Effect};
use crate::program::{Program, ThreadId, THREADS_MAX, TIMEOUT};
use crate::state::Now;
use crate::tree::{NodeId, Step};

impl Explorer {
    /// One step of the optimal search; false if there is none.
    pub(super) fn step_optimal<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Optimal(optimal) = &mut self.state else {
            unreachable!("asked before")
        };
        if let Some(node) = optimal.next_planned() {
            let (thread, alternative) = (optimal.step(node).thread, optimal.step(node).alternative);
            let effect = self.execute(program, thread, alternative)?;
            self.enter_planned(node, &effect)?;
            return Ok(true);
        }
        let chosen = match optimal.takes_first() {
            true => first_step(&self.trace),
            false => optimal.choose(enabled_steps(&self.trace)),
        };
        let Some((thread, alternative)) = chosen else {
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

    pub(super) fn enter_planned(&mut self, node: NodeId, effect: &Effect) -> Result<(), Fault> {
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
    pub(super) fn mispredicted(&self, thread: ThreadId) -> Fault {
        let event = self.trace.len() - 1;
        Fault::Misprediction {
            event,
            thread,
            operation: Some(Box::new(*self.trace.operation(event))),
        }
    }

    /// [`Mutation::AlternativesAtFreeNodes`]: the other alternatives, as siblings.
    fn siblings_of_free_choice(&self, thread: ThreadId, taken: u32) -> Vec<Step> {
        if !self.config.mutation.is(Mutation::AlternativesAtFreeNodes) {
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

    pub(super) fn step_classic<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
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
        self.trace.look_for_awaited(program);
        classic.note_pending(&mut self.trace, program);
        Ok(true)
    }

    pub(super) fn step_dfs<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
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

    pub(super) fn step_of_sample<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let State::Sample(sampler) = &mut self.state else {
            unreachable!("asked before")
        };
        let Some((thread, alternative)) = sampler.choose(&self.trace) else {
            return Ok(false);
        };
        self.execute(program, thread, alternative)?;
        let State::Sample(sampler) = &mut self.state else {
            unreachable!("asked before")
        };
        sampler.executed(&self.trace);
        Ok(true)
    }

    pub(super) fn step_replay<P: Program>(&mut self, program: &mut P) -> Result<bool, Fault> {
        let step = self.trace.len();
        let wanted = match &self.config.search {
            SearchKind::Replay(schedule) => schedule.get(step).copied(),
            _ => program.guide(&self.trace, &|thread, alternative| {
                self.can_execute(thread, alternative)
            }),
        };
        let (thread, alternative) = match wanted {
            Some(next) => next,
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
    pub(super) fn default_step(&self) -> Option<(ThreadId, Alternatives)> {
        enabled_steps(&self.trace).next()
    }

    pub(super) fn can_execute(&self, thread: ThreadId, alternative: u32) -> bool {
        let Standing::Before(operation) = self.trace.threads.get(thread) else {
            return false;
        };
        let succeeds = self.trace.compares_equal(thread);
        can_run(&self.trace, thread, operation, alternative)
            && alternatives_with(&self.trace, thread, operation, alternative, succeeds)
                .contains(alternative)
    }
}
