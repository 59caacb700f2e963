//! A search over states, and what its graph says of the program.

use crate::brute::Facts;
use crate::language::{Program, State};
use crate::machine::{Machine, Manner};
use dpor_explorer::states::{explore, Config, Edge, Explored};

pub struct Searched {
    pub explored: Explored,
    pub facts: Facts,
    /// Steps that the machine made.
    pub steps: usize,
}

/// Searches. The facts are those of the last graph alone, not of what was seen on the way to it.
pub fn search(program: &Program, config: &Config, manner: Manner) -> Searched {
    let mut machine = Machine::new(program, manner);
    let Ok(explored) = explore(&mut machine, config);
    let mut facts = Facts::default();
    let graph = &explored.graph;
    let state = |id| &machine.states[graph.fingerprint(id) as usize];
    for id in graph.all() {
        facts.note(program, state(id));
        for edge in graph.edges(id) {
            let after = note_steps(program, state(id), &edge, &mut facts);
            let target = state(edge.target);
            assert_eq!(&after, target, "a step leads where its edge says");
        }
    }
    Searched {
        facts,
        steps: machine.steps,
        explored,
    }
}

/// Takes the steps of an edge, notes what they show, and returns the state behind them.
fn note_steps(program: &Program, from: &State, edge: &Edge, facts: &mut Facts) -> State {
    let thread = edge.thread.index();
    let mut at = from.clone();
    for nth in 1..=edge.steps {
        if nth > 1 {
            facts.note(program, &at);
        }
        let alternative = match nth == edge.steps {
            true => edge.alternative as u8,
            false => 0,
        };
        assert!(program.is_enabled(&at, thread));
        let (touched, after) = program.step(&at, thread, alternative);
        let own = (thread, at.threads[thread], touched, after.threads[thread]);
        facts.steps.insert(own);
        at = after;
    }
    at
}
