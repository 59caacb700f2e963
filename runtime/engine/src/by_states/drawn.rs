//! What is drawn of a graph of states (`--graph`): noted while it grows, since a graph knows numbers only.

use crate::properties::{all, Purpose};
use crate::steps::pending;
use dpor_explorer::states::{Explored, Lasso, Move, Place, Standing, StateId};
use dpor_explorer::Trace;
use dpor_model::{ThreadId, TIMEOUT};
use dpor_report::{DrawnState, DrawnStep, PartOfRun, StateGraph, Step, DRAWN_MAX};
use std::collections::{HashMap, HashSet};

/// What was noted of the round that runs.
#[derive(Default)]
pub(super) struct Drawn {
    /// The operations before which threads stood, by their places, as indices.
    numbers: HashMap<Place, u32>,
    operations: Vec<Step>,
    /// Which properties hold, by state; a bit each.
    values: HashMap<StateId, u64>,
    /// The states where something was found.
    wrong: HashSet<StateId>,
    runs: Vec<Lasso>,
}

impl Drawn {
    /// The states that were met mean nothing any more.
    pub fn forget_states(&mut self) {
        self.values.clear();
        self.wrong.clear();
    }

    /// Threads stand so, where the trace ends.
    pub fn note_standings(&mut self, trace: &Trace, standings: &[Standing]) {
        for (thread, standing) in standings.iter().enumerate() {
            let thread = ThreadId(thread as u16);
            let Some(operation) = trace.pending(thread) else {
                continue;
            };
            let next = self.operations.len() as u32;
            if *self.numbers.entry(standing.place).or_insert(next) == next {
                self.operations.push(pending(thread, operation));
            }
        }
    }

    /// A state was met, at which these properties hold; `is_wrong`: something was found there.
    pub fn note_state(&mut self, state: StateId, values: u64, is_wrong: bool) {
        self.values.insert(state, values);
        if is_wrong {
            self.wrong.insert(state);
        }
    }

    /// A run that is a finding.
    pub fn note_run(&mut self, run: &Lasso) {
        self.runs.push(run.clone());
    }

    /// The graph; `None` if it is not finished or too large.
    pub fn graph(
        self,
        explored: &Explored,
        built_in: &dyn Fn(u64) -> Vec<String>,
    ) -> Option<StateGraph> {
        if !explored.is_complete || explored.graph.states() > DRAWN_MAX {
            return None;
        }
        let graph = &explored.graph;
        let runs = self.parts_of_runs();
        let state = |state: StateId| {
            let mut holds = self.named(state);
            holds.extend(built_in(graph.valuation(state)));
            DrawnState {
                holds,
                is_end: explored.enabled(state).is_empty(),
                is_wrong: self.wrong.contains(&state),
            }
        };
        let mut steps = Vec::new();
        for from in graph.all() {
            for edge in graph.edges(from) {
                let mut all = graph
                    .edges(from)
                    .filter(|other| other.thread == edge.thread);
                let is_choice = all.nth(1).is_some();
                let place = explored.place(from, edge.thread);
                steps.push(DrawnStep {
                    from: from.0,
                    to: edge.target.0,
                    operation: *place.and_then(|place| self.numbers.get(&place))?,
                    choice: match edge.alternative {
                        TIMEOUT => Some("time-out".to_owned()),
                        alternative => is_choice.then(|| alternative.to_string()),
                    },
                    run: runs.get(&(from, edge.thread, edge.alternative)).copied(),
                });
            }
        }
        Some(StateGraph {
            states: graph.all().map(state).collect(),
            steps,
            operations: self.operations,
        })
    }

    /// The propositions that hold at a state, and the invariants that do not.
    fn named(&self, state: StateId) -> Vec<String> {
        let values = self.values.get(&state).copied().unwrap_or_default();
        let named = all().iter().enumerate().filter_map(|(number, property)| {
            let holds = values >> number & 1 == 1;
            match property.purpose {
                Purpose::Proposition => holds.then(|| property.name.clone()),
                Purpose::Invariant => (!holds).then(|| format!("!{}", property.name)),
                // From which state on it is to hold is not known here.
                Purpose::InvariantFromCall => None,
            }
        });
        named.collect()
    }

    /// The steps of findings' runs; those of a loop count as such.
    fn parts_of_runs(&self) -> HashMap<(StateId, ThreadId, u32), PartOfRun> {
        let mut parts = HashMap::new();
        let step = |one: &Move| one.step.map(|(thread, n)| (one.state, thread, n));
        for run in &self.runs {
            for key in run.stem.iter().filter_map(step) {
                parts.entry(key).or_insert(PartOfRun::Way);
            }
        }
        for run in &self.runs {
            parts.extend(
                run.around
                    .iter()
                    .filter_map(step)
                    .map(|key| (key, PartOfRun::Loop)),
            );
        }
        parts
    }
}
