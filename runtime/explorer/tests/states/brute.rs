//! The graph of all states by brute force: every enabled thread, everywhere.

use crate::language::{Local, Program, State, Status, Touched};
use std::collections::{BTreeSet, HashSet};

/// A step of one thread: its number, where it stood, what the step touched, where it stood then.
pub type OwnStep = (usize, Local, Touched, Local);

/// What a program can do, as far as a reduction has to keep it.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// States of single threads.
    pub locals: BTreeSet<(usize, Local)>,
    pub steps: BTreeSet<OwnStep>,
    /// States in which no thread can go on.
    pub ends: BTreeSet<State>,
    /// Those of them in which some thread waits.
    pub deadlocks: BTreeSet<State>,
    /// What the propositions say, in some state.
    pub valuations: BTreeSet<Vec<bool>>,
}

impl Facts {
    /// Adds what a state says by itself.
    pub fn note(&mut self, program: &Program, state: &State) {
        self.locals
            .extend(state.threads.iter().copied().enumerate());
        self.valuations.insert(program.valuation(state));
        if (0..state.threads.len()).all(|thread| !program.is_enabled(state, thread)) {
            self.ends.insert(state.clone());
            if state
                .threads
                .iter()
                .any(|local| local.status == Status::Runs)
            {
                self.deadlocks.insert(state.clone());
            }
        }
    }

    /// The names of what differs.
    pub fn differs(&self, other: &Facts) -> Vec<&'static str> {
        let all = [
            ("locals", self.locals != other.locals),
            ("steps", self.steps != other.steps),
            ("ends", self.ends != other.ends),
            ("deadlocks", self.deadlocks != other.deadlocks),
            ("valuations", self.valuations != other.valuations),
        ];
        all.into_iter()
            .filter(|(_, differs)| *differs)
            .map(|(name, _)| name)
            .collect()
    }
}

/// All states, and all steps.
#[derive(Default)]
pub struct Whole {
    pub states: HashSet<State>,
    pub steps: usize,
    pub facts: Facts,
}

/// The whole graph, or `None` if it has more states than this.
pub fn whole(program: &Program, most: usize) -> Option<Whole> {
    let mut whole = Whole::default();
    let mut waiting = vec![program.initial()];
    whole.states.insert(program.initial());
    while let Some(state) = waiting.pop() {
        whole.facts.note(program, &state);
        for thread in (0..state.threads.len()).filter(|&t| program.is_enabled(&state, t)) {
            for alternative in 0..program.alternatives(&state, thread) {
                let (touched, after) = program.step(&state, thread, alternative);
                whole.steps += 1;
                let step = (
                    thread,
                    state.threads[thread],
                    touched,
                    after.threads[thread],
                );
                whole.facts.steps.insert(step);
                if whole.states.insert(after.clone()) {
                    waiting.push(after);
                }
            }
        }
        if whole.states.len() > most {
            return None;
        }
    }
    Some(whole)
}
