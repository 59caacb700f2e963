//! The search within a bound of preemptions against an enumeration of all runs within it.

use crate::language::{Program, State};
use crate::machine::{Machine, Manner};
use crate::random::{program, Random};
use dpor_explorer::states::{explore, Config};
use dpor_explorer::Mutation;
use std::collections::{BTreeSet, HashMap, HashSet};

/// States that runs within a bound reach, with the thread that moved last.
struct Reached {
    states: HashSet<(State, Option<usize>)>,
    /// Some run goes beyond the bound, from a state and a last thread to which each run within it leads with all of it.
    leaves_some: bool,
}

/// All (state, last thread, preemptions) of runs within the bound; `None` if there are too many.
fn reached(program: &Program, most: u32) -> Option<Reached> {
    let first = (program.initial(), None, 0);
    let mut seen = HashSet::from([first.clone()]);
    let mut todo = vec![first];
    let mut least: HashMap<(State, Option<usize>), u32> = HashMap::new();
    let mut beyond = HashSet::new();
    while let Some((state, last, spent)) = todo.pop() {
        let fewest = least.entry((state.clone(), last)).or_insert(spent);
        *fewest = spent.min(*fewest);
        for thread in (0..state.threads.len()).filter(|&t| program.is_enabled(&state, t)) {
            let preempts = last.is_some_and(|l| l != thread && program.is_enabled(&state, l));
            let costs = spent + u32::from(preempts);
            if costs > most {
                beyond.insert((state.clone(), last));
                continue;
            }
            for alternative in 0..program.alternatives(&state, thread) {
                let after = program.step(&state, thread, alternative).1;
                let next = (after, Some(thread), costs);
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        if seen.len() > 6_000 {
            return None;
        }
    }
    Some(Reached {
        leaves_some: beyond.iter().any(|pair| least[pair] == most),
        states: least.into_keys().collect(),
    })
}

/// What the search finds within a bound.
fn found(program: &Program, most: u32, manner: Manner, mistake: Mutation) -> Reached {
    let mut machine = Machine::new(program, manner);
    let config = Config {
        preemptions_max: Some(most),
        mutation: mistake.into(),
        ..Config::default()
    };
    let Ok(explored) = explore(&mut machine, &config);
    assert!(explored.is_complete && explored.rounds == 1);
    let graph = &explored.graph;
    let states = graph.all().map(|id| {
        let way = graph.way(id);
        let state = machine.states[graph.fingerprint(id) as usize].clone();
        assert_eq!(way_leads_to(program, &way, most), state);
        (state, way.last().map(|&(thread, _)| thread.index()))
    });
    Reached {
        states: states.collect(),
        leaves_some: explored.leaves_some,
    }
}

/// Where a way leads, which is within the bound.
fn way_leads_to(program: &Program, way: &[(dpor_model::ThreadId, u32)], most: u32) -> State {
    let (mut state, mut last, mut spent) = (program.initial(), None, 0);
    for &(thread, alternative) in way {
        let thread = thread.index();
        let preempts = |l: usize| l != thread && program.is_enabled(&state, l);
        spent += u32::from(last.is_some_and(preempts));
        state = program.step(&state, thread, alternative as u8).1;
        last = Some(thread);
    }
    assert!(spent <= most, "a way within the bound");
    state
}

/// Whether the search differs from the enumeration; `None` if the program is too large or too small.
fn differs(seed: u64, most: u32, mistake: Mutation) -> Option<bool> {
    let random = program(&mut Random(seed));
    let expected = reached(&random, most).filter(|all| all.states.len() > 8)?;
    let manner = Manner {
        keeps: (seed % 3) as u32,
        ..Manner::PLAIN
    };
    let found = found(&random, most, manner, mistake);
    let states = |all: &Reached| -> BTreeSet<State> {
        all.states.iter().map(|(state, _)| state.clone()).collect()
    };
    Some(match mistake {
        Mutation::None => {
            found.states != expected.states || found.leaves_some != expected.leaves_some
        }
        _ => states(&found) != states(&expected),
    })
}

#[test]
fn what_is_within_the_bound_is_found_and_nothing_else() {
    let mut compared = 0;
    for seed in 0..600 {
        for most in 0..=3 {
            if let Some(differs) = differs(seed, most, Mutation::None) {
                assert!(!differs, "seed {seed}, {most} preemptions");
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn mistakes_within_a_bound_are_noticed() {
    for mistake in [Mutation::MoverForgotten, Mutation::FewestForgotten] {
        let tries = (0..1_000).flat_map(|seed| [0, 1, 2].map(|most| (seed, most)));
        let mut noticed = tries.filter_map(|(seed, most)| differs(seed, most, mistake));
        assert!(noticed.any(|differs| differs), "{mistake:?}");
    }
}

/// With as many preemptions as the bound allows at most, no step is left out, and all is found.
#[test]
fn a_bound_that_is_large_leaves_nothing() {
    let mut whole = 0;
    for seed in 0..200 {
        let random = program(&mut Random(seed));
        let Some(all) = crate::brute::whole(&random, 100) else {
            continue;
        };
        let found = found(&random, 1_000, Manner::PLAIN, Mutation::None);
        let states: HashSet<State> = found.states.into_iter().map(|(state, _)| state).collect();
        assert_eq!(states, all.states, "seed {seed}");
        assert!(!found.leaves_some);
        whole += 1;
    }
    assert!(whole > 50, "{whole}");
}
