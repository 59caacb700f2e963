//! Several steps of a thread at once, where nobody else's step can matter in between: only the state behind them is kept.
//!
//! At a state each thread of the set that is expanded goes on behind its first step. It stops before a step that clashes
//! with what a thread outside of the closed set may do before it moves, or with a step of another member's run here but
//! for that run's last one; and behind a step that clashes with the last one of another's run, or has other alternatives,
//! or makes other threads stand otherwise (one of them begins, or is let go). A member that waits counts with its pending
//! operation, as a write. Steps that are added so that nobody is put off are not fused.
//!
//! Why nothing is missed: of a path from the state take the first member that comes to the end of its run; if none does,
//! any member that moves, and let it come there: what is left of its run commutes with all of the path. The whole run
//! commutes to the front, since what the others did before are parts of their runs without the last step, and steps of
//! threads outside. The rest is shorter. If no member moves the path commutes with all runs, as with single steps.
//!
//! **Source**: supersteps as in pancam (Zaks and Joshi, SPIN 2008). **Deviations**: they are made by the threads of a closed
//! set, threads that wait are asked, too, and the states in between are looked at.

use super::graph::{BeyondIndex, Run, StateId};
use super::learning::learn;
use super::program::Program;
use super::search::Search;
use super::standing::Wait;
use crate::conflict::{conflict, is_global, Access, Class, Footprint};
use crate::mutation::Mutation;
use dpor_model::{ThreadId, ThreadSet};
use std::collections::HashMap;

/// What runs touch behind their first steps, each once.
#[derive(Default)]
pub(super) struct Beyond {
    all: Vec<Footprint>,
    numbers: HashMap<Footprint, BeyondIndex>,
}

impl Beyond {
    /// The number of the union of what several steps touch.
    fn number(&mut self, mut union: Footprint) -> BeyondIndex {
        union.sort_unstable_by_key(|access| (access.object, access.class));
        union.dedup();
        if union.is_empty() {
            return BeyondIndex::default();
        }
        let all = &mut self.all;
        let number = self.numbers.entry(union).or_insert_with_key(|union| {
            all.push(union.clone());
            BeyondIndex(all.len() as u32)
        });
        *number
    }

    fn get(&self, number: BeyondIndex) -> &[Access] {
        let before = number.0.checked_sub(1);
        before.map_or(&[], |at| &self.all[at as usize])
    }
}

/// What the threads of a closed set do at a state.
struct Runs {
    members: ThreadSet,
    /// Of the members that have not ended: what the steps touch that they make here, by what is known. At least one.
    steps: Vec<(ThreadId, Vec<Footprint>)>,
}

impl Runs {
    fn others(&self, thread: ThreadId) -> impl Iterator<Item = &[Footprint]> {
        let others = self.steps.iter().filter(move |(of, _)| *of != thread);
        others.map(|(_, steps)| &steps[..])
    }

    /// True if what a thread does clashes with the last step of another's run.
    fn meets_last(&self, thread: ThreadId, does: &[Access]) -> bool {
        let mut lasts = self.others(thread).filter_map(<[_]>::last);
        lasts.any(|last| conflict(does, last))
    }

    /// True if what a thread does clashes with another step of another's run.
    fn meets_others(&self, thread: ThreadId, does: &[Access]) -> bool {
        let mut before = { self.others(thread) }.flat_map(|steps| &steps[..steps.len() - 1]);
        before.any(|step| conflict(does, step))
    }

    fn add(&mut self, thread: ThreadId, does: Footprint) {
        let own = self.steps.iter_mut().find(|(of, _)| *of == thread);
        own.expect("it is a member").1.push(does);
    }
}

/// What an operation touches for which its thread waits, as the write that it would be.
fn as_write(next: &Footprint) -> Footprint {
    let write = |access: &Access| Access {
        class: Class::WRITE,
        ..*access
    };
    next.iter().map(write).collect()
}

impl<P: Program> Search<'_, P> {
    /// Expands these threads at a state, each by several steps if that can be.
    pub(super) fn expand_fused(
        &mut self,
        state: StateId,
        chosen: &ThreadSet,
    ) -> Result<(), P::Stop> {
        let mut runs = self.runs(state, chosen);
        for thread in chosen.iter() {
            self.expand_run(state, thread, &mut runs)?;
        }
        Ok(())
    }

    /// The members of the set of which these threads are chosen.
    fn members(&self, state: StateId, chosen: &ThreadSet) -> ThreadSet {
        let here = self.here(state);
        match chosen.len() < here.enabled().len() {
            true => here.members(chosen),
            false => (0..here.all.len() as u16).map(ThreadId).collect(),
        }
    }

    fn runs(&self, state: StateId, chosen: &ThreadSet) -> Runs {
        let members = self.members(state, chosen);
        let here = self.here(state);
        let mut steps = Vec::new();
        for thread in members.iter() {
            let standing = &here.thread(thread).standing;
            let first = match standing.wait {
                Wait::Ended => continue,
                Wait::Enabled => standing.next.clone(),
                _ => as_write(&standing.next),
            };
            steps.push((thread, vec![first]));
        }
        Runs { members, steps }
    }

    /// Executes a thread's run at a state, and all alternatives of its last step.
    fn expand_run(
        &mut self,
        state: StateId,
        thread: ThreadId,
        runs: &mut Runs,
    ) -> Result<(), P::Stop> {
        let mut run = Run {
            steps: 0,
            ..Run::step(state, thread, 0)
        };
        let mut stand = self.graph.standings(state).to_vec();
        let (mut beyond, mut progress) = (Footprint::new(), false);
        self.visit(state)?;
        loop {
            let standing = &self.standings.get(stand[thread.index()]).standing;
            let (next, alternatives) = (standing.next.clone(), standing.alternatives.clone());
            let first = alternatives[0];
            let stops = alternatives[..] != [0] || runs.meets_last(thread, &next);
            let (after, marks) = self.pass((thread, first), &stand)?;
            run = Run {
                alternative: first,
                steps: run.steps + 1,
                ..run
            };
            progress |= marks;
            let begins = self.others_moved(thread, &stand, &after);
            stand = after;
            if !stops && !begins && self.may_go_on(&run, &stand, runs) {
                let next = &self.standings.get(stand[thread.index()]).standing.next;
                beyond.extend(next.iter().copied());
                runs.add(thread, next.clone());
                continue;
            }
            let beyond = self.beyond.number(beyond);
            let target = self.meet(Some(run));
            if target == state && run.steps > 1 && alternatives.len() == 1 {
                // Once round, and nothing has changed: one step is worth more.
                return self.expand_again(Run::step(state, thread, 0));
            }
            self.graph.add_edge(run, target, (true, progress), beyond);
            for &alternative in &alternatives[1..] {
                self.repeat_run(Run { alternative, ..run }, beyond)?;
            }
            return Ok(());
        }
    }

    /// Executes a step where the threads stand so, learns from it, and returns how they stand then, and whether the
    /// thread marked that it gets on. What is behind it is no state that is known.
    fn pass(
        &mut self,
        (thread, alternative): (ThreadId, u32),
        before: &[u32],
    ) -> Result<(Vec<u32>, bool), P::Stop> {
        self.at = None;
        let step = self.program.step(thread, alternative)?;
        let after = self.stand();
        learn(
            &mut self.futures,
            &self.standings,
            (thread, &step.footprint),
            (before, &after),
            self.config.mutation,
        );
        self.steps += 1;
        Ok((after, step.progress))
    }

    /// True if others stand otherwise behind a step of a thread than before it.
    fn others_moved(&self, thread: ThreadId, before: &[u32], after: &[u32]) -> bool {
        if self.config.mutation.is(Mutation::FusedThroughBegins) {
            return false;
        }
        let mut pairs = before.iter().zip(after).enumerate();
        before.len() != after.len() || pairs.any(|(n, (was, is))| n != thread.index() && was != is)
    }

    /// True if the next step may be fused to a run, behind which the threads stand so.
    fn may_go_on(&self, run: &Run, stand: &[u32], runs: &Runs) -> bool {
        let standing = &self.standings.get(stand[run.thread.index()]).standing;
        if standing.wait != Wait::Enabled || run.steps >= self.config.fused_max {
            return false;
        }
        let mistake = |which| self.config.mutation.is(which);
        let others = runs.meets_others(run.thread, &standing.next);
        let here = self.here(run.from);
        let outside = here.clashes_outside(&runs.members, run.thread, &standing.next);
        let depth_max = self.config.depth_max;
        (depth_max == u32::MAX || self.graph.depth_behind(run) <= depth_max)
            && !is_global(&standing.next)
            && (!others || mistake(Mutation::FusedThroughOthers))
            && (!outside || mistake(Mutation::FusedThroughFutures))
    }

    /// Executes a step that is known, and adds it.
    fn expand_again(&mut self, step: Run) -> Result<(), P::Stop> {
        self.visit(step.from)?;
        self.at = None;
        let does = self.program.step(step.thread, step.alternative)?;
        let target = self.meet(Some(step));
        let none = BeyondIndex::default();
        { &mut self.graph }.add_edge(step, target, (true, does.progress), none);
        Ok(())
    }

    /// Executes a run that is known but for the alternative of its last step, and adds it.
    fn repeat_run(&mut self, run: Run, beyond: BeyondIndex) -> Result<(), P::Stop> {
        self.visit(run.from)?;
        self.at = None;
        let mut progress = false;
        for _ in 1..run.steps {
            progress |= self.program.step(run.thread, 0)?.progress;
        }
        let before = self.stand();
        let (_, marks) = self.pass((run.thread, run.alternative), &before)?;
        let target = self.meet(Some(run));
        let marks = progress | marks;
        self.graph.add_edge(run, target, (true, marks), beyond);
        Ok(())
    }

    /// True if what was fused to the first steps of these threads at a state clashes with what is known now that threads
    /// outside may do.
    pub(super) fn is_too_long(&self, state: StateId, chosen: &ThreadSet) -> bool {
        if self.config.fused_max == 1 || self.config.mutation.is(Mutation::FusedForGood) {
            return false;
        }
        let (members, here) = (self.members(state, chosen), self.here(state));
        let mut edges = self.graph.edges(state).filter(|edge| edge.chosen);
        edges.any(|edge| {
            let beyond = self.beyond.get(edge.beyond);
            here.clashes_outside(&members, edge.thread, beyond)
        })
    }
}
