//! Threads that wait for their turn and never get it: the reduced graph has such a run if and only if there is one that is
//! weakly fair. (Without fairness every thread that can wait may be left standing, and the reduction does not keep that.)

use crate::language::{Program, State};
use crate::machine::{may_wait, Machine, Manner};
use crate::oracle::STATES;
use crate::random::{program, Random};
use dpor_explorer::states::{explore, run_that_repeats, Config, Explored, Keeps};
use dpor_ltl::{Automaton, Formula};
use dpor_model::ThreadId;
use std::collections::{BTreeSet, HashMap};

fn searched(program: &Program, reduces: bool) -> Explored {
    let mut machine = Machine::new(program, Manner::PLAIN);
    let config = Config {
        reduces,
        keeps: Keeps::Runs,
        ..Config::default()
    };
    let Ok(explored) = explore(&mut machine, &config);
    explored
}

/// Whether a thread waits for ever on some weakly fair run, without a step of its own.
fn starves(explored: &Explored, thread: ThreadId) -> bool {
    let all = Automaton::of(&Formula::True).expect("it is small");
    let run = run_that_repeats(explored, &all, true, &|state, edge| {
        explored.waits_its_turn(state, thread) && edge.is_none_or(|edge| edge.thread != thread)
    });
    run.is_some()
}

/// The same by definition: there is a set of states that lead to each other by steps of others while the thread waits,
/// such that each thread moves in it, or is not enabled at one of them.
fn starves_by_definition(program: &Program, thread: usize) -> bool {
    let mut states = vec![program.initial()];
    let mut numbers: HashMap<State, usize> = HashMap::from([(states[0].clone(), 0)]);
    let mut edges: Vec<Vec<(Option<usize>, usize)>> = Vec::new();
    while edges.len() < states.len() {
        let state = states[edges.len()].clone();
        let mut own = Vec::new();
        for by in (0..state.threads.len()).filter(|&t| program.is_enabled(&state, t)) {
            for alternative in 0..program.alternatives(&state, by) {
                let after = program.step(&state, by, alternative).1;
                let fresh = states.len();
                let number = *numbers.entry(after.clone()).or_insert(fresh);
                if number == fresh {
                    states.push(after);
                }
                own.push((Some(by), number));
            }
        }
        if own.is_empty() {
            own.push((None, edges.len()));
        }
        edges.push(own);
    }
    let waits = |n: usize| may_wait(program, &states[n], thread);
    let inside: Vec<Vec<(Option<usize>, usize)>> = edges
        .iter()
        .enumerate()
        .map(|(n, own)| {
            let all = own.iter().copied();
            all.filter(|&(by, _)| waits(n) && by != Some(thread))
                .collect()
        })
        .collect();
    let reach = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<usize> = inside[from].iter().map(|&(_, to)| to).collect();
        while let Some(n) = todo.pop() {
            if seen.insert(n) {
                todo.extend(inside[n].iter().map(|&(_, to)| to));
            }
        }
        seen
    };
    let leads: Vec<BTreeSet<usize>> = (0..states.len()).map(reach).collect();
    (0..states.len()).any(|n| {
        let together: Vec<usize> = { leads[n].iter().copied() }
            .filter(|&m| leads[m].contains(&n))
            .collect();
        let is_marked = |t: usize| {
            together.iter().any(|&m| {
                let moves = inside[m].iter();
                let mut moves = moves.filter(|(_, to)| together.contains(to));
                !program.is_enabled(&states[m], t) || moves.any(|&(by, _)| by == Some(t))
            })
        };
        !together.is_empty() && (0..program.code.len()).all(is_marked)
    })
}

#[test]
fn who_starves_is_found() {
    let (mut programs, mut starving, mut seed) = (0, 0, 0);
    while programs < 300 {
        seed += 1;
        let random = program(&mut Random(seed));
        let size = crate::brute::whole(&random, 200).map(|whole| whole.states.len());
        if size.is_none_or(|size| size < *STATES.start()) {
            continue;
        }
        programs += 1;
        let (whole, reduced) = (searched(&random, false), searched(&random, true));
        for thread in 0..random.code.len() {
            let expected = starves_by_definition(&random, thread);
            let of = ThreadId(thread as u16);
            for (explored, which) in [(&whole, "whole"), (&reduced, "reduced")] {
                let found = starves(explored, of);
                assert_eq!(found, expected, "{which}, seed {seed}, thread {thread}");
            }
            starving += usize::from(expected);
        }
    }
    assert!(starving > 100, "{starving}");
}
