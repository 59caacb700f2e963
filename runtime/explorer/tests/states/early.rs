//! Graphs that are not finished are shown to the program: what is found there is a run, and what follows is as without.

use crate::language::{Cell, Op, State, Value};
use crate::machine::{may_wait, Machine, Manner};
use crate::oracle::STATES;
use crate::programs::of;
use crate::random::{program, Random};
use crate::runs::{assert_is_violation, formula, violation};
use dpor_explorer::states::{explore, run_that_repeats, Config, Explored, Keeps, Lasso};
use dpor_ltl::{Automaton, Formula};
use dpor_model::ThreadId;
use std::cell::{Cell as Counter, RefCell};

/// Stores touch no common object of the propositions.
const APART: Manner = Manner {
    watches: false,
    ..Manner::PLAIN
};

fn shown_from(shown_from: u64, seed: u64) -> Config {
    Config {
        keeps: Keeps::Runs,
        shown_from,
        seed,
        walks: if seed.is_multiple_of(2) { 0 } else { 10 },
        ..Config::default()
    }
}

/// Each violation in a graph that is not finished is one of the program, and the verdict of the finished graph is that of
/// the search that shows none.
#[test]
fn what_is_found_early_is_a_run() {
    let (mut shown, mut early, mut late) = (Counter::new(0), Counter::new(0), 0);
    for seed in 0..3_000 {
        let mut r = Random(seed);
        let random = program(&mut r);
        let size = crate::brute::whole(&random, 700).map(|whole| whole.states.len());
        if size.is_none_or(|size| size < *STATES.start()) {
            continue;
        }
        let formula = formula(&mut r, 3);
        let looks = |explored: &Explored, states: &[State]| {
            shown.set(shown.get() + 1);
            assert!(!explored.is_complete && explored.graph.states() > 1);
            for is_fair in [true, false] {
                if let Some(lasso) = violation(explored, &formula, is_fair) {
                    early.set(early.get() + 1);
                    assert_is_violation(&random, states, explored, &formula, &lasso, is_fair);
                }
            }
            true
        };
        let mut machine = Machine::new(&random, APART);
        machine.shown = Some(&looks);
        let Ok(found) = explore(&mut machine, &shown_from(2 + seed % 7, seed));
        let Ok(plain) = explore(
            &mut Machine::new(&random, APART),
            &shown_from(u64::MAX, seed),
        );
        assert!(found.is_complete);
        for is_fair in [true, false] {
            let verdicts = [&found, &plain].map(|one| violation(one, &formula, is_fair).is_some());
            assert_eq!(verdicts[0], verdicts[1], "seed {seed}: {formula}");
            late += u32::from(verdicts[0]);
        }
    }
    println!("shown {shown:?}, violated early {early:?}, in the end {late}");
    assert!(*shown.get_mut() > 3_000 && *early.get_mut() > 1_000);
}

/// A run on which a thread waits for its turn for ever, while others go on.
fn starves(explored: &Explored, thread: ThreadId) -> Option<Lasso> {
    let all = Automaton::of(&Formula::True).expect("it is small");
    run_that_repeats(explored, &all, true, &|state, edge| {
        explored.waits_its_turn(state, thread) && edge.is_some_and(|edge| edge.thread != thread)
    })
}

/// So with threads that wait for their turn, which each waits at all states of the loop.
#[test]
fn who_starves_early_starves() {
    let found = Counter::new(0);
    for seed in 0..1_000 {
        let random = program(&mut Random(seed));
        if crate::brute::whole(&random, 700).is_none() {
            continue;
        }
        let looks = |explored: &Explored, states: &[State]| {
            for thread in 0..random.code.len() {
                let Some(lasso) = starves(explored, ThreadId(thread as u16)) else {
                    continue;
                };
                found.set(found.get() + 1);
                assert_is_violation(&random, states, explored, &Formula::False, &lasso, true);
                for one in &lasso.around {
                    let state = &states[explored.graph.fingerprint(one.state) as usize];
                    assert!(may_wait(&random, state, thread));
                    let by = one.step.map(|(by, _)| by.index());
                    assert!(by.is_some_and(|by| by != thread));
                }
            }
            true
        };
        let mut machine = Machine::new(&random, Manner::PLAIN);
        machine.shown = Some(&looks);
        let Ok(_) = explore(&mut machine, &shown_from(2 + seed % 7, seed));
    }
    println!("{found:?} starve early");
    assert!(found.get() > 100);
}

/// One thread counts for ever, to a number that is large, if it does not choose to go round without; whatever it chooses
/// last, a run that goes round is found among few states.
#[test]
fn a_counter_does_not_hide_a_loop() {
    for counts_first in [false, true] {
        let next = Op::Next(1, 250);
        let carry = Op::IfEqual(1, Value::Number(0), 8);
        let zero = Value::Number(u8::from(!counts_first));
        // 0: choose; 1: if it is that, to 3 (count); 2: store, again; 3: count, …
        let code = vec![
            Op::Choose(2, 0),
            Op::IfEqual(0, zero, 4),
            Op::Store(Cell::At(0), Value::Number(0)),
            Op::Goto(0),
            next,
            carry,
            Op::Store(Cell::At(1), Value::In(1)),
            Op::Goto(0),
            Op::Next(2, 250),
            Op::Store(Cell::At(2), Value::In(2)),
            Op::Goto(0),
        ];
        let other = vec![Op::Load(Cell::At(3), 0), Op::Goto(0)];
        let mut random = of(4, 0, 250, vec![code, other]);
        random.propositions = vec![(1, 7), (2, 1)];
        let finally = Formula::Proposition(0).finally();
        let states_then = Counter::new(None);
        let lassos = RefCell::new(Vec::new());
        let looks = |explored: &Explored, states: &[State]| {
            let Some(lasso) = violation(explored, &finally, true) else {
                return true;
            };
            assert_is_violation(&random, states, explored, &finally, &lasso, true);
            states_then.set(Some(explored.graph.states()));
            lassos.borrow_mut().push(lasso);
            false
        };
        let mut machine = Machine::new(&random, APART);
        machine.shown = Some(&looks);
        let Ok(found) = explore(&mut machine, &shown_from(64, 0));
        assert!(!found.is_complete);
        let states = states_then.get().expect("it was found");
        assert!(states < 1_000, "{states} states");
    }
}
