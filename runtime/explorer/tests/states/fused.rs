//! Several steps of a thread at once: the graph, with what is looked at in between, has what the whole one has.

use crate::brute::whole;
use crate::compared::search;
use crate::language::{Cell, Op, Value};
use crate::machine::Manner;
use crate::oracle::{number, STATES};
use crate::programs::of;
use crate::random::{program, Random};
use dpor_explorer::states::Config;
use dpor_explorer::Mutation;

fn fusing(fused_max: u16, seed: u64, mistake: Mutation) -> Config {
    Config {
        fused_max,
        seed,
        walks: if seed.is_multiple_of(3) { 0 } else { 10 },
        // Where no round begins anew, states are expanded again in place.
        restarts: if seed.is_multiple_of(5) { 0 } else { 8 },
        mutation: mistake.into(),
        ..Config::default()
    }
}

/// What differs, and the states of the whole graph, the reduced one and the fused one. `None`: it is too large or too small.
fn compared(seed: u64, mistake: Mutation) -> Option<(Vec<&'static str>, [usize; 3])> {
    let random = program(&mut Random(seed));
    let whole = whole(&random, *STATES.end()).filter(|w| STATES.contains(&w.states.len()))?;
    let manner = Manner {
        coarse: seed % 2 == 1,
        keeps: (seed % 4) as u32,
        ..Manner::PLAIN
    };
    let fused_max = [2, 3, 8, 60][(seed / 4 % 4) as usize];
    let fused = search(&random, &fusing(fused_max, seed, mistake), manner);
    let reduced = search(&random, &fusing(1, seed, Mutation::None), manner);
    let longest = { fused.explored.graph.all() }
        .flat_map(|id| fused.explored.graph.edges(id))
        .map(|edge| edge.steps)
        .max();
    assert!(longest.is_none_or(|steps| steps <= fused_max));
    let states = [&reduced, &fused].map(|found| found.explored.graph.states());
    let differs = whole.facts.differs(&fused.facts);
    Some((differs, [whole.states.len(), states[0], states[1]]))
}

#[test]
fn nothing_is_missed_between() {
    let first = number("DPOR_ORACLE_SEED", 0);
    let programs = number("DPOR_ORACLE_PROGRAMS", 2_000);
    let (mut tried, mut sums) = (0, [0; 3]);
    for seed in first.. {
        if tried == programs {
            break;
        }
        let Some((differs, states)) = compared(seed, Mutation::None) else {
            continue;
        };
        tried += 1;
        assert!(
            differs.is_empty(),
            "seed {seed}: {differs:?}\n{:#?}",
            program(&mut Random(seed))
        );
        (0..3).for_each(|n| sums[n] += states[n]);
        assert!(states[2] <= states[0], "seed {seed}");
    }
    println!("{programs} programs; states: whole, reduced, fused: {sums:?}");
    assert!(sums[2] < sums[1]);
}

#[track_caller]
fn noticed(mistake: Mutation) {
    let mut tried = 0;
    for seed in 0.. {
        let Some((differs, _)) = compared(seed, mistake) else {
            continue;
        };
        tried += 1;
        if !differs.is_empty() {
            println!("{mistake:?}: noticed by program {tried}");
            return;
        }
        assert!(tried < 3_000, "{mistake:?} was not noticed");
    }
}

#[test]
fn mistakes_of_runs_are_noticed() {
    noticed(Mutation::FusedThroughOthers);
    noticed(Mutation::FusedThroughFutures);
    noticed(Mutation::FusedThroughBegins);
    noticed(Mutation::FusedForGood);
}

const X: Cell = Cell::At(0);
const Y: Cell = Cell::At(1);
const Z: Cell = Cell::At(2);

fn store(cell: Cell) -> Op {
    Op::Store(cell, Value::Number(1))
}

/// Which facts are missed with so many steps at most and a mistake, without random walks before.
fn lost(code: &[Vec<Op>], fused_max: u16, mistake: Mutation) -> Vec<&'static str> {
    let program = of(3, 0, 2, code.to_vec());
    let whole = whole(&program, usize::MAX).expect("no limit");
    let found = search(&program, &fusing(fused_max, 0, mistake), Manner::PLAIN);
    whole.facts.differs(&found.facts)
}

/// The smallest programs for each rule: without it something is missed.
#[test]
fn each_rule_is_needed() {
    let both = vec![store(X), store(Y)];
    let loads = |cells: &[Cell]| -> Vec<Op> {
        let each = cells.iter().enumerate();
        each.map(|(n, &cell)| Op::Load(cell, n)).collect()
    };
    let begins = vec![Op::Create(1), store(X)];
    let three = vec![store(X), store(Z), store(Y)];
    let cases = [
        ([three, loads(&[Y, X, Z])], 2, Mutation::FusedThroughOthers),
        (
            [both.clone(), loads(&[Y])],
            8,
            Mutation::FusedThroughFutures,
        ),
        ([begins, loads(&[X])], 8, Mutation::FusedThroughBegins),
        ([both, loads(&[Z, Y])], 8, Mutation::FusedForGood),
    ];
    for (code, most, mistake) in cases {
        assert!(lost(&code, most, Mutation::None).is_empty(), "{mistake:?}");
        assert!(!lost(&code, most, mistake).is_empty(), "{mistake:?}");
    }
}

/// What a limit of states or of depth leaves out is told, and ways are as long as depths say.
#[test]
fn limits_are_told_of_runs_too() {
    let (mut cut, mut not_cut) = (0, 0);
    for seed in 0..200 {
        let random = program(&mut Random(seed));
        let Some(whole) = whole(&random, *STATES.end()) else {
            continue;
        };
        for (states_max, depth_max) in [(4, u32::MAX), (u64::MAX, 6), (u64::MAX, 30)] {
            let config = Config {
                states_max,
                depth_max,
                ..fusing(8, seed, Mutation::None)
            };
            let found = search(&random, &config, Manner::PLAIN);
            let graph = &found.explored.graph;
            for id in graph.all() {
                assert_eq!(graph.depth(id) as usize, graph.way(id).len());
                assert!(graph.depth(id) <= depth_max.saturating_add(1));
            }
            match found.explored.is_complete {
                false => cut += 1,
                true => {
                    not_cut += 1;
                    assert!(whole.facts.differs(&found.facts).is_empty(), "seed {seed}");
                }
            }
        }
    }
    assert!(cut > 100 && not_cut > 100, "{cut} {not_cut}");
}
