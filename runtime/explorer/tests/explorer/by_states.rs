//! The search over states, with every kind of object: it ends where brute force ends.

use crate::brute::{self, Ending, State};
use crate::interpreter::{Interpreter, Machine, Op, Threads};
use crate::random::{program, shrink, Random, FLAVOURS};
use dpor_explorer::states::{explore, ByStates, Config, Explored, Program as _, StateId};
use dpor_explorer::{Fault, Mutation};
use std::collections::BTreeSet;

/// Programs with more moves in their merged state space are skipped.
const MOVES_MAX: usize = 3_000;

/// How an execution ended, with cells, registers, and where the threads are.
type Last = (Ending, Vec<u64>, Vec<u64>, Vec<usize>);

fn last(ending: Ending, machine: &Machine) -> Last {
    (
        ending,
        machine.memory.to_vec(),
        machine.registers.iter().flatten().copied().collect(),
        machine.pc.clone(),
    )
}

/// All ends, by brute force; `None` if there are too many moves, or loops, which go round here and wait there for what
/// they looked at.
fn expected(threads: &Threads) -> Option<BTreeSet<Last>> {
    if threads
        .iter()
        .flatten()
        .any(|op| matches!(op, Op::Again(_)))
    {
        return None;
    }
    let all = brute::traces_from(State::with(threads, false), threads, MOVES_MAX)?;
    Some(
        all.values()
            .map(|state| last(state.ending(threads), &state.machine))
            .collect(),
    )
}

/// The graph, and the ends of a search over states.
fn found(threads: &Threads, config: &Config) -> Result<(Explored, BTreeSet<Last>), Fault> {
    let mut program = Interpreter::new(threads);
    let explored = explore(&mut ByStates::new(&mut program, config), config)?;
    let graph = &explored.graph;
    let ends: Vec<StateId> = graph
        .all()
        .filter(|&id| graph.edges(id).next().is_none())
        .collect();
    let mut all = BTreeSet::new();
    for id in ends {
        let mut program = Interpreter::new(threads);
        let mut again = ByStates::new(&mut program, config);
        again.to_root()?;
        for (thread, alternative) in graph.way(id) {
            again.step(thread, alternative)?;
        }
        let misused = again.misuse().is_some();
        let machine = &program.machine;
        let unfinished =
            || (0..threads.len()).any(|t| machine.begun[t] && !machine.is_finished(threads, t));
        let ending = match () {
            () if misused => Ending::Misuse,
            () if machine.ended => Ending::Exited,
            () if machine.dead.contains(&true) => Ending::Blocked,
            () if unfinished() => Ending::Deadlock,
            () => Ending::Complete,
        };
        all.insert(last(ending, machine));
    }
    Ok((explored, all))
}

/// What is wrong with a search over states, reduced or not.
fn wrong(threads: &Threads, reduces: bool, seed: u64, mistake: Mutation) -> Option<Option<String>> {
    let expected = expected(threads)?;
    let config = Config {
        reduces,
        seed,
        walks: (seed % 3) as u32,
        mutation: mistake.into(),
        ..Config::default()
    };
    let found = match found(threads, &config) {
        Ok((_, found)) => found,
        Err(fault) => return Some(Some(format!("{fault:?}"))),
    };
    let missed: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    let is_right = missed.is_empty() && extra.is_empty();
    Some((!is_right).then(|| format!("missed {missed:?}\nextra {extra:?}")))
}

#[test]
fn ends_are_those_of_brute_force() {
    let setting = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |value| value.parse().expect("a number"))
    };
    let (first, programs) = (
        setting("DPOR_ORACLE_SEED", 0),
        setting("DPOR_ORACLE_PROGRAMS", 1_500),
    );
    let (mut done, mut at) = (0, first);
    while done < programs {
        at += 1;
        let flavour = FLAVOURS[(at % FLAVOURS.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        let reduces = at % 4 != 0;
        let Some(problem) = wrong(&threads, reduces, at, Mutation::None) else {
            continue;
        };
        if problem.is_some() {
            let fails =
                |t: &Threads| wrong(t, reduces, at, Mutation::None).is_some_and(|p| p.is_some());
            let small = shrink(threads, fails);
            let again = wrong(&small, reduces, at, Mutation::None);
            panic!(
                "{flavour:?}, seed {at}, reduces: {reduces}\n{small:?}\n{}",
                again.flatten().unwrap_or_default()
            );
        }
        done += 1;
    }
    println!("{done} programs, {} skipped as too big", at - first - done);
}

/// What is left out of a state, or of what threads do, makes two states one that go on differently.
#[test]
fn mistakes_are_noticed() {
    for mistake in [
        Mutation::HistoryForgotten,
        Mutation::ObjectsForgotten,
        Mutation::WayOnUnseen,
    ] {
        let noticed = (1..20_000).find(|&seed| {
            let flavour = FLAVOURS[(seed % FLAVOURS.len() as u64) as usize];
            let threads = program(&mut Random(seed), flavour);
            wrong(&threads, true, seed, mistake).is_some_and(|problem| problem.is_some())
        });
        println!("{mistake:?}: noticed in program {noticed:?}");
        assert!(noticed.is_some(), "{mistake:?} was not noticed");
    }
}

/// If all states have the same hash, a search that compares states exactly visits as many as with good hashes, and one that
/// compares fingerprints takes all for the first.
#[test]
fn exact_states_do_not_depend_on_a_hash() {
    let (mut compared, mut larger) = (0, 0);
    for seed in 0..60 {
        let threads = program(
            &mut Random(seed),
            FLAVOURS[(seed % FLAVOURS.len() as u64) as usize],
        );
        let states = |exactly: bool, mistake: Mutation| {
            let config = Config {
                reduces: false,
                mutation: mistake.into(),
                ..Config::default()
            };
            let mut program = Interpreter::new(&threads);
            let by_states = ByStates::new(&mut program, &config);
            let mut by_states = match exactly {
                true => by_states.exactly(),
                false => by_states,
            };
            let explored = explore(&mut by_states, &config).ok()?;
            Some((explored.graph.states(), explored.graph.steps()))
        };
        let Some(all) = states(false, Mutation::None) else {
            continue;
        };
        compared += 1;
        larger += usize::from(all.0 > 10);
        assert_eq!(states(true, Mutation::None), Some(all), "seed {seed}");
        assert_eq!(
            states(true, Mutation::HashesAlike),
            Some(all),
            "seed {seed}"
        );
        let taken_for_one = states(false, Mutation::HashesAlike);
        // Or it notices that it is not where it thinks to be.
        assert!(taken_for_one.is_none_or(|all| all.0 == 1), "seed {seed}");
    }
    assert!(compared > 30 && larger > 20, "{compared} {larger}");
}
