//! That no thread is put off for ever, seen to on the graph that is finished.
//!
//! **Of ends.** Where the steps of the chosen sets go round in a component that they never leave, each thread that is
//! enabled at all of its states has to move at one of them. The steps that are added for that are no steps of a chosen
//! set, and the ways of the proof do not go along them.
//!
//! **Of runs.** Each cycle has a state at which all threads are expanded that are enabled there.

use super::components::{components, Arrows};
use super::graph::{Graph, StateId};
use super::standing::Standings;
use dpor_model::{ThreadId, ThreadSet};

/// What has to be expanded: at which state which thread.
pub(super) fn put_off(graph: &Graph, standings: &Standings) -> Vec<(StateId, ThreadId)> {
    let chosen = graph.all().flat_map(|state| {
        let edges = graph.edges(state).filter(|edge| edge.chosen);
        edges.map(move |edge| (state.0, edge.target.0))
    });
    let arrows = Arrows::new(graph.states(), chosen);
    let components = components(&arrows);
    let mut all = Vec::new();
    for (number, members) in components.iter().enumerate() {
        let stays = |&to: &u32| components.of[to as usize] == number as u32;
        if !members
            .iter()
            .all(|&state| arrows.of(state).iter().all(stays))
        {
            continue;
        }
        let mut always = ThreadSet::all();
        let mut moved = ThreadSet::default();
        for state in members.iter().copied().map(StateId) {
            let mut enabled = ThreadSet::default();
            { standings.enabled(graph.standings(state)) }.for_each(|thread| enabled.insert(thread));
            always = always.and(&enabled);
            graph
                .edges(state)
                .for_each(|edge| moved.insert(edge.thread));
        }
        let entered = members[members.len() - 1];
        let waiting = always.minus(&moved);
        all.extend(waiting.iter().map(|thread| (StateId(entered), thread)));
    }
    all
}

/// What has to be expanded so that each cycle has a state at which everybody is.
pub(super) fn partial_cycles(graph: &Graph, standings: &Standings) -> Vec<(StateId, ThreadId)> {
    let left: Vec<ThreadSet> = graph
        .all()
        .map(|state| unexpanded(graph, standings, state))
        .collect();
    let is_partial = |state: StateId| !left[state.0 as usize].is_empty();
    let arrows = graph
        .all()
        .filter(|&state| is_partial(state))
        .flat_map(|state| {
            let edges = graph.edges(state).filter(|edge| is_partial(edge.target));
            edges.map(move |edge| (state.0, edge.target.0))
        });
    let arrows = Arrows::new(graph.states(), arrows);
    let mut all = Vec::new();
    for members in components(&arrows).iter() {
        let entered = members[members.len() - 1];
        if members.len() > 1 || arrows.of(entered).contains(&entered) {
            let left = &left[entered as usize];
            all.extend(left.iter().map(|thread| (StateId(entered), thread)));
        }
    }
    all
}

/// The threads that are enabled at a state and were not expanded there.
fn unexpanded(graph: &Graph, standings: &Standings, state: StateId) -> ThreadSet {
    let mut left = ThreadSet::default();
    { standings.enabled(graph.standings(state)) }.for_each(|thread| left.insert(thread));
    graph.edges(state).for_each(|edge| left.remove(edge.thread));
    left
}
