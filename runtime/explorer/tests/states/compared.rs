//! A search over states, and what its graph says of the program.

use crate::brute::Facts;
use crate::language::Program;
use crate::machine::{Machine, Manner};
use dpor_explorer::states::{explore, Config, Explored};

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
            let thread = edge.thread.index();
            let (touched, after) = program.step(state(id), thread, edge.alternative as u8);
            assert_eq!(
                &after,
                state(edge.target),
                "a step leads where its edge says"
            );
            let own = (
                thread,
                state(id).threads[thread],
                touched,
                after.threads[thread],
            );
            facts.steps.insert(own);
        }
    }
    Searched {
        facts,
        steps: machine.steps,
        explored,
    }
}
