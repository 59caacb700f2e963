//! The rounds of the search: explore, mend, learn, and begin anew if too little was known.

use super::closed::Here;
use super::explored::Explored;
use super::fused::Beyond;
use super::futures::Futures;
use super::graph::{BeyondIndex, Graph, Run, StateId, ROOT};
use super::learning::{learn, Draws};
use super::limits::{Config, Keeps};
use super::mend::{partial_cycles, put_off};
use super::program::Program;
use super::standing::{Standing, Standings};
use super::within::Within;
use crate::mutation::Mutation;
use dpor_model::{ThreadId, ThreadSet};
use std::collections::HashSet;
use std::mem;

/// A search in progress.
pub(super) struct Search<'a, P> {
    pub(super) program: &'a mut P,
    pub(super) config: &'a Config,
    pub(super) graph: Graph,
    pub(super) futures: Futures,
    pub(super) standings: Standings,
    /// States that were met and not expanded.
    pub(super) waiting: Vec<StateId>,
    /// States that are too far away to be expanded, and at which some thread is enabled.
    pub(super) far: HashSet<StateId>,
    /// The search within a bound of preemptions, if there is one.
    pub(super) within: Option<Within>,
    /// Where the program stands, if that is known.
    pub(super) at: Option<StateId>,
    rounds: u32,
    pub(super) steps: u64,
    steps_before_round: u64,
    /// What fused steps touch.
    pub(super) beyond: Beyond,
    /// The number of states at which the program is shown the graph next.
    pub(super) shown_from: u64,
    /// How the threads stand where the program does.
    present: Vec<Standing>,
}

/// Visits the states of a program.
///
/// # Errors
/// The program cannot go on being explored.
///
/// # Panics
/// Steps are to be fused where that keeps too little ([`Config::fused_max`]).
pub fn explore<P: Program>(program: &mut P, config: &Config) -> Result<Explored, P::Stop> {
    let keeps_ends = config.reduces && config.keeps == Keeps::Ends;
    let may_fuse = keeps_ends && config.preemptions_max.is_none();
    assert!(config.fused_max == 1 || may_fuse, "only ends are kept");
    let mut search = Search {
        program,
        config,
        graph: Graph::default(),
        futures: Futures::new(config.mutation),
        standings: Standings::default(),
        waiting: Vec::new(),
        far: HashSet::new(),
        within: config.preemptions_max.map(Within::new),
        at: None,
        rounds: 0,
        steps: 0,
        steps_before_round: 0,
        beyond: Beyond::default(),
        shown_from: config.shown_from,
        present: Vec::new(),
    };
    search.run()?;
    let is_over = search.waiting.is_empty();
    let is_cut_by_depth = is_over && !search.far.is_empty();
    Ok(Explored {
        is_complete: is_over && !is_cut_by_depth,
        is_cut_by_depth,
        ..search.found()
    })
}

impl<P: Program> Search<'_, P> {
    fn run(&mut self) -> Result<(), P::Stop> {
        self.begin()?;
        if self.within.is_some() {
            self.rounds = 1;
            return self.expand_within();
        }
        if self.config.reduces {
            self.walk()?;
            self.begin()?;
        }
        loop {
            self.rounds += 1;
            self.steps_before_round = self.steps;
            self.futures.learn();
            if !self.round()? {
                return Ok(());
            }
            if self.rounds <= self.config.restarts {
                self.begin()?;
            }
        }
    }

    /// What was found so far; it is taken out of the search.
    pub(super) fn found(&mut self) -> Explored {
        Explored {
            graph: mem::take(&mut self.graph),
            rounds: self.rounds,
            steps: self.steps,
            steps_of_last_round: self.steps - self.steps_before_round,
            is_complete: false,
            is_cut_by_depth: false,
            leaves_some: { self.within.as_ref() }.is_some_and(|within| within.leaves_some),
            standings: mem::take(&mut self.standings),
        }
    }

    /// Begins a round at the root, with nothing but what was learned.
    fn begin(&mut self) -> Result<(), P::Stop> {
        let asks_depths = self.config.depth_max < u32::MAX || self.config.shown_from < u64::MAX;
        self.graph = Graph::new(self.within.is_some(), asks_depths);
        self.waiting.clear();
        self.far.clear();
        self.program.forget_kept();
        self.program.to_root()?;
        self.meet(None);
        Ok(())
    }

    /// Some random executions, from which futures are learned before anything is reduced.
    fn walk(&mut self) -> Result<(), P::Stop> {
        let mut draws = Draws(self.config.seed);
        for _ in 0..self.config.walks {
            let mut state = ROOT;
            for _ in 0..self.config.walk_steps {
                let stand = self.graph.standings(state);
                let enabled: Vec<ThreadId> = self.standings.enabled(stand).collect();
                if enabled.is_empty() {
                    break;
                }
                let thread = enabled[draws.below(enabled.len())];
                let standing = &self.standings.get(stand[thread.index()]).standing;
                let alternative = standing.alternatives[draws.below(standing.alternatives.len())];
                (state, _) = self.execute(state, thread, alternative)?;
            }
        }
        Ok(())
    }

    /// Explores until nobody is put off. True if some state's set was too small for what is known then.
    fn round(&mut self) -> Result<bool, P::Stop> {
        loop {
            while let Some(state) = self.pop() {
                self.expand_chosen(state)?;
                self.show_early()?;
            }
            let is_cut = !self.waiting.is_empty();
            if is_cut || !self.config.reduces {
                return Ok(false);
            }
            if !self.mend()? {
                break;
            }
        }
        if self.config.mutation.is(Mutation::LearnsOnce) || !self.futures.learn() {
            return Ok(false);
        }
        let begins_anew = self.rounds <= self.config.restarts;
        let mut any = false;
        for state in self.graph.all() {
            if self.is_too_little(state) {
                any = true;
                if begins_anew {
                    // All that was expanded is forgotten anyway.
                    break;
                }
                self.graph.forget_edges(state);
                self.expand_chosen(state)?;
            }
        }
        Ok(any)
    }

    /// The state that was met last and waits to be expanded, unless there are too many.
    fn pop(&mut self) -> Option<StateId> {
        let fits = !self.is_enough();
        fits.then(|| self.waiting.pop()).flatten()
    }

    fn mend(&mut self) -> Result<bool, P::Stop> {
        if self.config.mutation.is(Mutation::PutOff) {
            return Ok(false);
        }
        let keeps_runs = self.config.keeps == Keeps::Runs;
        let missing = match keeps_runs && !self.config.mutation.is(Mutation::RunsAsEnds) {
            true => partial_cycles(&self.graph, &self.standings),
            false => put_off(&self.graph, &self.standings),
        };
        let is_near = |(state, _): &(StateId, ThreadId)| !self.far.contains(state);
        let missing: Vec<(StateId, ThreadId)> = missing.into_iter().filter(is_near).collect();
        for &(state, thread) in &missing {
            self.expand(state, thread, false)?;
        }
        Ok(!missing.is_empty())
    }

    pub(super) fn here(&self, state: StateId) -> Here<'_> {
        Here {
            all: self.graph.standings(state),
            standings: &self.standings,
            futures: &self.futures,
            mutation: self.config.mutation,
        }
    }

    /// True if not all threads were chosen at a state, and those that were are not closed any more.
    fn is_too_little(&self, state: StateId) -> bool {
        let here = self.here(state);
        let mut chosen = ThreadSet::default();
        let edges = self.graph.edges(state).filter(|edge| edge.chosen);
        edges.for_each(|edge| chosen.insert(edge.thread));
        let is_partial = chosen.len() < here.enabled().len();
        is_partial && (!here.closed(&chosen).is_within(&chosen) || self.is_too_long(state, &chosen))
    }

    pub(super) fn expand_chosen(&mut self, state: StateId) -> Result<(), P::Stop> {
        let here = self.here(state);
        let chosen = match self.config.reduces {
            true => here.choose(self.graph.turn(state)),
            false => here.enabled(),
        };
        if self.config.fused_max > 1 {
            return self.expand_fused(state, &chosen);
        }
        for thread in chosen.iter() {
            self.expand(state, thread, true)?;
        }
        let sees =
            self.config.keeps == Keeps::Runs && !self.config.mutation.is(Mutation::VisibleChosen);
        if sees && self.is_seen(state) {
            let rest = self.here(state).enabled().minus(&chosen);
            for thread in rest.iter() {
                self.expand(state, thread, true)?;
            }
        }
        Ok(())
    }

    /// True if a step from a state changes which propositions hold.
    fn is_seen(&self, state: StateId) -> bool {
        let here = self.graph.valuation(state);
        let mut edges = self.graph.edges(state);
        edges.any(|edge| self.graph.valuation(edge.target) != here)
    }

    /// Executes all alternatives of a thread's step at a state.
    pub(super) fn expand(
        &mut self,
        state: StateId,
        thread: ThreadId,
        chosen: bool,
    ) -> Result<(), P::Stop> {
        let number = self.graph.standings(state)[thread.index()];
        let alternatives = self.standings.get(number).standing.alternatives.clone();
        for alternative in alternatives {
            let (target, progress) = self.execute(state, thread, alternative)?;
            let step = Run::step(state, thread, alternative);
            let none = BeyondIndex::default();
            self.graph.add_edge(step, target, (chosen, progress), none);
            self.steps += 1;
            self.spend(step, target);
        }
        Ok(())
    }

    /// Executes a step at a state, learns from it, and returns where it led, and whether the thread gets on.
    pub(super) fn execute(
        &mut self,
        state: StateId,
        thread: ThreadId,
        alternative: u32,
    ) -> Result<(StateId, bool), P::Stop> {
        self.visit(state)?;
        self.at = None;
        let step = self.program.step(thread, alternative)?;
        let target = self.meet(Some(Run::step(state, thread, alternative)));
        let (before, after) = (self.graph.standings(state), self.graph.standings(target));
        learn(
            &mut self.futures,
            &self.standings,
            (thread, &step.footprint),
            (before, after),
            self.config.mutation,
        );
        Ok((target, step.progress))
    }

    /// The state where the program stands, which may be new.
    pub(super) fn meet(&mut self, run: Option<Run>) -> StateId {
        let fingerprint = self.program.fingerprint();
        let mover = run.map(|run| run.thread);
        let key = match &self.within {
            Some(_) => self.key_within(fingerprint, mover),
            None => fingerprint,
        };
        let state = match self.graph.find(key) {
            Some(state) if self.program.is_abstract() => {
                self.at = None;
                return state;
            }
            Some(state) => {
                self.meet_again(state, run);
                state
            }
            None => {
                let row = self.stand();
                let valuation = self.program.valuation();
                let state = self
                    .graph
                    .add((key, fingerprint, valuation), run, row.into_iter());
                self.program.met();
                self.program.keep(state);
                self.wait(state);
                state
            }
        };
        self.at = Some(state);
        state
    }

    /// How the threads stand where the program does: numbers of standings.
    pub(super) fn stand(&mut self) -> Vec<u32> {
        self.present.clear();
        self.program.standings(&mut self.present);
        let all = self.present.iter();
        all.map(|one| self.standings.number(one, &mut self.futures))
            .collect()
    }

    /// Whether no further state is to be expanded.
    pub(super) fn is_enough(&self) -> bool {
        self.graph.states() as u64 >= self.config.states_max || self.program.is_enough()
    }

    /// A state that was met is to be expanded, unless it is too far away.
    fn wait(&mut self, state: StateId) {
        if self.within.is_some() {
            // It waits in a queue of its own.
            return;
        }
        match self.is_far(state) && !self.here(state).enabled().is_empty() {
            true => drop(self.far.insert(state)),
            false => self.waiting.push(state),
        }
    }

    /// True if a state is too far away to be expanded.
    pub(super) fn is_far(&self, state: StateId) -> bool {
        self.config.depth_max < u32::MAX && self.graph.depth(state) > self.config.depth_max
    }

    /// A state was met before: it may have been too far away then, and is not on this way.
    fn meet_again(&mut self, state: StateId, run: Option<Run>) {
        let Some(run) = run.filter(|_| self.within.is_none() && self.far.contains(&state)) else {
            return;
        };
        if self.graph.depth_behind(&run) < self.graph.depth(state) {
            self.far.remove(&state);
            self.graph.move_to(state, run);
            self.wait(state);
        }
    }

    /// Takes the program to a state that was met.
    pub(super) fn visit(&mut self, state: StateId) -> Result<(), P::Stop> {
        if self.at == Some(state) || self.program.to_kept(state)? {
            self.at = Some(state);
            return Ok(());
        }
        let mut way = Vec::new();
        let mut from = state;
        loop {
            match self.graph.parent(from) {
                None => {
                    self.program.to_root()?;
                    break;
                }
                Some(run) => {
                    way.push((from, run));
                    from = run.from;
                }
            }
            if self.program.to_kept(from)? {
                break;
            }
        }
        for (state, run) in way.into_iter().rev() {
            for (thread, alternative) in run.each() {
                self.program.step(thread, alternative)?;
            }
            self.program.keep(state);
        }
        self.at = Some(state);
        Ok(())
    }
}
