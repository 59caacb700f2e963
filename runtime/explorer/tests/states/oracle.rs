//! Random programs: the reduced graph has what the whole one has.
//!
//! `DPOR_ORACLE_PROGRAMS` and `DPOR_ORACLE_SEED` say how many, and from which seed on.

use crate::brute::whole;
use crate::compared::search;
use crate::language::Program;
use crate::machine::Manner;
use crate::random::{program, Random};
use dpor_explorer::states::Config;
use std::env::var;

/// States of a program that is compared, at most; and at least, since smaller ones show nothing.
pub const STATES: std::ops::RangeInclusive<usize> = 8..=3_000;

/// What the reduced graph lacks or has too much.
pub fn differences(
    program: &Program,
    config: &Config,
    manner: Manner,
) -> Option<Vec<&'static str>> {
    let whole = whole(program, *STATES.end())?;
    if whole.states.len() < *STATES.start() {
        return None;
    }
    Some(whole.facts.differs(&search(program, config, manner).facts))
}

/// A number that the environment may set.
pub fn number(name: &str, otherwise: u64) -> u64 {
    var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn nothing_is_missed() {
    let first = number("DPOR_ORACLE_SEED", 0);
    let programs = number("DPOR_ORACLE_PROGRAMS", 2_000);
    let manners = [
        Manner::PLAIN,
        Manner {
            coarse: true,
            ..Manner::PLAIN
        },
        Manner {
            keeps: 3,
            ..Manner::PLAIN
        },
        Manner {
            keeps: 0,
            coarse: true,
            ..Manner::PLAIN
        },
    ];
    let (mut compared, mut states, mut reduced, mut ends, mut deadlocks) = (0, 0, 0, 0, 0);
    for seed in first.. {
        if compared == programs {
            break;
        }
        let random = program(&mut Random(seed));
        let Some(whole) =
            whole(&random, *STATES.end()).filter(|w| STATES.contains(&w.states.len()))
        else {
            continue;
        };
        compared += 1;
        let manner = manners[(seed % 4) as usize];
        let walks = if seed % 3 == 0 { 0 } else { 10 };
        let config = Config {
            seed,
            walks,
            ..Config::default()
        };
        let found = search(&random, &config, manner);
        let differs = whole.facts.differs(&found.facts);
        assert!(
            differs.is_empty(),
            "seed {seed}: {differs:?}, {manner:?}\n{random:#?}"
        );
        states += whole.states.len();
        reduced += found.explored.graph.states();
        ends += usize::from(!whole.facts.ends.is_empty());
        deadlocks += usize::from(!whole.facts.deadlocks.is_empty());
        assert!(
            found.explored.graph.states() <= whole.states.len(),
            "seed {seed}"
        );
    }
    println!("{compared} programs, {ends} that may end, {deadlocks} with deadlocks; states: {states}, reduced {reduced}");
    assert!(reduced < states);
}

/// Without the reduction the graph is the whole one, state by state.
#[test]
fn without_reduction_all_states_are_there() {
    for seed in 0..200 {
        let random = program(&mut Random(seed));
        let Some(whole) = whole(&random, *STATES.end()) else {
            continue;
        };
        let config = Config {
            reduces: false,
            ..Config::default()
        };
        let found = search(&random, &config, Manner::PLAIN);
        let graph = &found.explored.graph;
        assert_eq!(
            (graph.states(), graph.steps()),
            (whole.states.len(), whole.steps)
        );
        assert!(whole.facts.differs(&found.facts).is_empty());
        assert_eq!(found.explored.rounds, 1);
    }
}

/// The way to each state leads there.
#[test]
fn ways_lead_to_their_states() {
    for seed in 0..50 {
        let random = program(&mut Random(seed));
        let found = search(
            &random,
            &Config::default(),
            Manner {
                keeps: 5,
                ..Manner::PLAIN
            },
        );
        assert!(
            found.steps as u64 >= found.explored.steps,
            "replayed steps count too"
        );
        let graph = &found.explored.graph;
        let mut seen = std::collections::HashMap::new();
        for id in graph.all() {
            let mut state = random.initial();
            for (thread, alternative) in graph.way(id) {
                state = random.step(&state, thread.index(), alternative as u8).1;
            }
            assert_eq!(seen.insert(state, id), None, "each state once");
        }
    }
}

/// A limit of states ends the search, and it says so.
#[test]
fn a_limit_ends_the_search() {
    let random = program(&mut Random(1));
    let all = search(&random, &Config::default(), Manner::PLAIN).explored;
    assert!(all.is_complete && all.graph.states() > 4);
    let few = Config {
        states_max: 4,
        ..Config::default()
    };
    let cut = search(&random, &few, Manner::PLAIN).explored;
    assert!(!cut.is_complete && (4..8).contains(&cut.graph.states()));
}

/// A limit of depth is told wherever it keeps a state away, and only there; no way is longer than one step beyond it.
#[test]
fn a_limit_of_depth_is_told_where_it_cuts() {
    let (mut cut, mut not_cut) = (0, 0);
    for seed in 0..200 {
        let random = program(&mut Random(seed));
        let Some(whole) = whole(&random, *STATES.end()) else {
            continue;
        };
        for depth_max in [2, 5, 12, 100] {
            for reduces in [false, true] {
                let config = Config {
                    reduces,
                    depth_max,
                    ..Config::default()
                };
                let found = search(&random, &config, Manner::PLAIN);
                let graph = &found.explored.graph;
                for id in graph.all() {
                    assert_eq!(graph.depth(id) as usize, graph.way(id).len());
                    assert!(graph.depth(id) <= depth_max + 1);
                }
                assert_ne!(found.explored.is_complete, found.explored.is_cut_by_depth);
                if !found.explored.is_complete {
                    cut += 1;
                    continue;
                }
                not_cut += 1;
                assert!(whole.facts.differs(&found.facts).is_empty(), "seed {seed}");
            }
        }
    }
    assert!(cut > 100 && not_cut > 100, "{cut} {not_cut}");
}
