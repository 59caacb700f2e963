//! Formulas: the reduced graph gives the verdict of the whole one, and what violates one is a run.

use crate::built_in::telling;
use crate::language::{Cell, Op, Program, State, Value};
use crate::machine::{bits, Machine, Manner, Tells};
use crate::oracle::STATES;
use crate::programs::{of, peterson, spin_lock};
use crate::random::{program, Random};
use dpor_explorer::states::{accepted_run, explore, Config, Explored, Keeps, Lasso};
use dpor_explorer::Mutation;
use dpor_ltl::{holds_on_lasso, Automaton, Formula};
use std::collections::{BTreeSet, HashMap};

/// Steps that propositions see have no common object: the rule for steps that are seen is all there is.
const APART: Manner = Manner {
    watches: false,
    ..Manner::PLAIN
};

/// The graph of a search that keeps runs, and the states by their fingerprints.
fn searched(
    program: &Program,
    reduces: bool,
    mistake: Mutation,
    manner: Manner,
) -> (Explored, Vec<State>) {
    let mut machine = Machine::new(program, manner);
    let config = Config {
        reduces,
        keeps: Keeps::Runs,
        mutation: mistake.into(),
        ..Config::default()
    };
    let Ok(explored) = explore(&mut machine, &config);
    (explored, machine.states)
}

/// A formula over propositions 0 and 1.
pub fn formula(r: &mut Random, depth: usize) -> Formula {
    if depth == 0 || r.percent(15) {
        let proposition = Formula::Proposition(r.below(2) as u32);
        return if r.percent(50) {
            proposition
        } else {
            proposition.negated()
        };
    }
    let first = formula(r, depth - 1);
    match r.below(8) {
        0 => first.and(formula(r, depth - 1)),
        1 => first.or(formula(r, depth - 1)),
        2 => first.until(formula(r, depth - 1)),
        3 => first.release(formula(r, depth - 1)),
        4 | 5 => first.finally(),
        _ => first.globally(),
    }
}

/// A violation of a formula in a graph.
pub fn violation(explored: &Explored, formula: &Formula, is_fair: bool) -> Option<Lasso> {
    let automaton = Automaton::of(&formula.negated()).expect("it is small");
    accepted_run(explored, &automaton, is_fair)
}

/// Checks that a lasso is a run of the program, weakly fair if that is claimed, that violates the formula.
pub fn assert_is_violation(
    program: &Program,
    states: &[State],
    explored: &Explored,
    formula: &Formula,
    lasso: &Lasso,
    is_fair: bool,
) {
    let moves: Vec<_> = lasso.stem.iter().chain(&lasso.around).collect();
    let state = |at: usize| &states[explored.graph.fingerprint(moves[at].state) as usize];
    assert_eq!(state(0), &program.initial(), "it begins at the root");
    let enabled = |state: &State| -> Vec<usize> {
        (0..state.threads.len())
            .filter(|&t| program.is_enabled(state, t))
            .collect()
    };
    let mut unfair: BTreeSet<usize> = (0..program.code.len()).collect();
    for (at, one) in moves.iter().enumerate() {
        let next = if at + 1 < moves.len() {
            at + 1
        } else {
            lasso.stem.len()
        };
        match one.step {
            None => {
                assert!(
                    enabled(state(at)).is_empty(),
                    "who can go on does not stand still"
                );
                assert_eq!(state(next), state(at));
            }
            Some((thread, alternative)) => {
                assert!(program.is_enabled(state(at), thread.index()));
                let (_, after) = program.step(state(at), thread.index(), alternative as u8);
                assert_eq!(&after, state(next), "a step leads to the next state");
            }
        }
        if at >= lasso.stem.len() {
            let able = enabled(state(at));
            unfair.retain(|&thread| {
                able.contains(&thread) && one.step.map(|(t, _)| t.index()) != Some(thread)
            });
        }
    }
    assert!(
        !is_fair || unfair.is_empty(),
        "{unfair:?} are enabled for ever and never move"
    );
    let word: Vec<u64> = (0..moves.len())
        .map(|at| bits(program, state(at)))
        .collect();
    let (stem, around) = word.split_at(lasso.stem.len());
    assert!(
        !holds_on_lasso(formula, stem, around),
        "{formula} holds on it"
    );
}

/// A state of the program and one of an automaton.
type Node = (State, u32);

/// The steps of a node's state, with the nodes that they lead to.
fn steps(
    (program, tells): (&Program, Tells),
    automaton: &Automaton,
    (state, q): &Node,
) -> Vec<(Option<usize>, Node)> {
    let mut targets = Vec::new();
    for thread in (0..state.threads.len()).filter(|&t| program.is_enabled(state, t)) {
        for alternative in 0..program.alternatives(state, thread) {
            targets.push((Some(thread), program.step(state, thread, alternative).1));
        }
    }
    if targets.is_empty() {
        targets.push((None, state.clone()));
    }
    let mut all = Vec::new();
    for (thread, target) in targets {
        let valuation = tells(program, &target);
        let next = automaton.states[*q as usize].next.iter().copied();
        let reads = next.filter(|&q| automaton.states[q as usize].reads(valuation));
        all.extend(reads.map(|q| (thread, (target.clone(), q))));
    }
    all
}

/// All pairs of nodes of which the first leads to the second.
fn pairs(edges: &[Vec<(Option<usize>, usize)>]) -> Vec<Vec<bool>> {
    let mut leads = vec![vec![false; edges.len()]; edges.len()];
    for (from, leads) in leads.iter_mut().enumerate() {
        let mut todo: Vec<usize> = edges[from].iter().map(|&(_, to)| to).collect();
        while let Some(to) = todo.pop() {
            if !std::mem::replace(&mut leads[to], true) {
                todo.extend(edges[to].iter().map(|&(_, to)| to));
            }
        }
    }
    leads
}

/// The verdict by another algorithm: which nodes of the product lead to each other is computed for all pairs. `None` if
/// the product is too big for that.
pub fn is_violated(program: &Program, tells: Tells, formula: &Formula) -> Option<bool> {
    let automaton = Automaton::of(&formula.negated()).expect("it is small");
    let first = program.initial();
    let reads = |&&q: &&u32| automaton.states[q as usize].reads(tells(program, &first));
    let roots = automaton.first.iter().filter(reads);
    let mut nodes: Vec<Node> = roots.map(|&q| (first.clone(), q)).collect();
    let known = nodes.iter().cloned().enumerate();
    let mut numbers: HashMap<Node, usize> = known.map(|(n, node)| (node, n)).collect();
    let mut edges: Vec<Vec<(Option<usize>, usize)>> = Vec::new();
    while edges.len() < nodes.len() {
        let mut own = Vec::new();
        for (thread, node) in steps((program, tells), &automaton, &nodes[edges.len()]) {
            let fresh = nodes.len();
            let number = *numbers.entry(node.clone()).or_insert(fresh);
            if number == fresh {
                nodes.push(node);
            }
            own.push((thread, number));
        }
        edges.push(own);
        if nodes.len() > 300 {
            return None;
        }
    }
    let leads = pairs(&edges);
    let owes = |node: usize| automaton.states[nodes[node].1 as usize].owes;
    let accepts = |node: usize| {
        let mutual = |&other: &usize| leads[node][other] && leads[other][node];
        let together: Vec<usize> = (0..nodes.len()).filter(mutual).collect();
        let kept = |bit: u32| together.iter().any(|&m| owes(m) >> bit & 1 == 0);
        let moves = |thread: usize| {
            together.iter().any(|&m| {
                let inside = |&&(_, to): &&(Option<usize>, usize)| together.contains(&to);
                let mut all = edges[m].iter().filter(inside);
                let rests = !program.is_enabled(&nodes[m].0, thread);
                all.any(|&(by, _)| by == Some(thread) || rests)
            })
        };
        leads[node][node] && (0..automaton.untils).all(kept) && (0..program.code.len()).all(moves)
    };
    Some((0..nodes.len()).any(accepts))
}

#[test]
fn verdicts_are_those_of_the_whole_graph() {
    let (mut programs, mut violated, mut formulas, mut again) = (0, 0, 0, 0);
    let (mut whole_states, mut reduced_states) = (0, 0);
    let mut seed = 0;
    while programs < 600 {
        seed += 1;
        let mut r = Random(seed);
        let random = program(&mut r);
        if crate::brute::whole(&random, 700).is_none_or(|w| w.states.len() < *STATES.start()) {
            continue;
        }
        programs += 1;
        let manner = if seed % 2 == 0 { APART } else { Manner::PLAIN };
        let (whole, states) = searched(&random, false, Mutation::None, APART);
        let (reduced, reduced_by_number) = searched(&random, true, Mutation::None, manner);
        whole_states += whole.graph.states();
        reduced_states += reduced.graph.states();
        for _ in 0..3 {
            let formula = formula(&mut r, 3);
            for is_fair in [true, false] {
                let expected = violation(&whole, &formula, is_fair);
                let found = violation(&reduced, &formula, is_fair);
                assert_eq!(
                    found.is_some(),
                    expected.is_some(),
                    "seed {seed}, fair {is_fair}: {formula}\n{random:#?}"
                );
                if let Some(lasso) = &expected {
                    assert_is_violation(&random, &states, &whole, &formula, lasso, is_fair);
                }
                if let Some(lasso) = &found {
                    assert_is_violation(
                        &random,
                        &reduced_by_number,
                        &reduced,
                        &formula,
                        lasso,
                        is_fair,
                    );
                }
                if is_fair {
                    formulas += 1;
                    violated += usize::from(found.is_some());
                    if let Some(by_pairs) = is_violated(&random, bits, &formula) {
                        again += 1;
                        assert_eq!(by_pairs, found.is_some(), "seed {seed}: {formula}");
                    }
                }
            }
        }
    }
    println!("{programs} programs, {formulas} formulas, {violated} violated, {again} by pairs; states {whole_states}, reduced {reduced_states}");
    assert!(again > 300 && violated * 4 > formulas && violated * 4 < 3 * formulas);
}

/// What is found in a graph that was cut short is a run of the program all the same: a state that was not expanded is no
/// end.
#[test]
fn what_is_found_in_a_part_is_a_run() {
    let (mut found, mut cut) = (0, 0);
    for seed in 0..400 {
        let mut r = Random(seed);
        let random = program(&mut r);
        let mut machine = Machine::new(&random, APART);
        let (states_max, depth_max) = [(5, u32::MAX), (u64::MAX, 4)][(seed % 2) as usize];
        let config = Config {
            keeps: Keeps::Runs,
            states_max,
            depth_max,
            ..Config::default()
        };
        let Ok(explored) = explore(&mut machine, &config);
        let formula = formula(&mut r, 3);
        if explored.is_complete {
            continue;
        }
        cut += 1;
        for is_fair in [true, false] {
            if let Some(lasso) = violation(&explored, &formula, is_fair) {
                found += 1;
                let states = &machine.states;
                assert_is_violation(&random, states, &explored, &formula, &lasso, is_fair);
            }
        }
    }
    assert!(cut > 200 && found > 20, "{found} of {cut}");
}

pub fn store(variable: usize) -> Op {
    Op::Store(Cell::At(variable), Value::Number(1))
}

/// Whether a formula holds: of the whole graph, of the reduced one, of the one with a mistake.
fn verdicts(program: &Program, formula: &Formula, mistake: Mutation) -> [bool; 3] {
    let graphs = [
        (false, Mutation::None),
        (true, Mutation::None),
        (true, mistake),
    ];
    graphs.map(|(reduces, mistake)| {
        let (explored, _) = searched(program, reduces, mistake, APART);
        violation(&explored, formula, true).is_none()
    })
}

/// Two independent stores, each seen by a proposition: which comes first matters.
#[test]
fn steps_that_are_seen_are_not_chosen_alone() {
    let mut program = of(2, 0, 2, vec![vec![store(0)], vec![store(1)]]);
    program.propositions = vec![(0, 1), (1, 1)];
    let (a, b) = (Formula::Proposition(0), Formula::Proposition(1));
    let order = b.negated().until(a);
    assert_eq!(
        verdicts(&program, &order, Mutation::VisibleChosen),
        [false, false, true]
    );
}

/// A cycle from which one may leave needs a state of its own at which everybody is expanded; the rule for ends asks that
/// of components that nobody leaves.
#[test]
fn cycles_that_may_be_left_are_mended() {
    let chooses = vec![
        Op::Choose(2, 0),
        Op::IfEqual(0, Value::Number(0), 0),
        store(1),
    ];
    let mut program = of(2, 0, 2, vec![chooses, vec![store(0)]]);
    program.propositions = vec![(0, 1), (1, 1)];
    let (a, b) = (Formula::Proposition(0), Formula::Proposition(1));
    let answers = a.implies(b.finally()).globally();
    assert_eq!(
        verdicts(&program, &answers, Mutation::RunsAsEnds),
        [false, false, true]
    );
}

/// Whether a thread that wants in may stay outside for ever. A state tells with bit 0 that it wants, with bit 1 that it is
/// inside.
fn may_starve(program: &Program, tells: Tells, is_fair: bool) -> bool {
    let explored = telling(program, tells, false);
    let (wants, is_inside) = (Formula::Proposition(0), Formula::Proposition(1));
    violation(
        &explored,
        &wants.implies(is_inside.finally()).globally(),
        is_fair,
    )
    .is_some()
}

/// Peterson's algorithm lets in whoever wants to, if runs are weakly fair. A lock that is tried again and again does not:
/// the other may hold it at each try.
#[test]
fn who_wants_gets_in() {
    let of_peterson = |_: &Program, state: &State| {
        let inside = (6..8).contains(&state.threads[0].at);
        u64::from(state.variables[0] == 1) | u64::from(inside) << 1
    };
    assert!(!may_starve(&peterson(), of_peterson, true));
    assert!(
        may_starve(&peterson(), of_peterson, false),
        "the other runs alone"
    );
    let of_lock = |_: &Program, state: &State| {
        let at = state.threads[0].at;
        u64::from(at == 0) | u64::from((2..=5).contains(&at)) << 1
    };
    assert!(may_starve(&spin_lock(2), of_lock, true));
}
