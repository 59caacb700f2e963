//! Propositions about threads: who is enabled, who has ended, whether nobody can go on.

use crate::language::{Op, Program, State, Status};
use crate::machine::{bits, Machine, Manner, Tells};
use crate::oracle::STATES;
use crate::programs::of;
use crate::random::{program, Random};
use crate::runs::{formula, is_violated, store, violation};
use dpor_explorer::states::{explore, Config, Explored, Keeps};
use dpor_ltl::Formula;

/// The graph of a program whose states tell other propositions than those of the program.
pub fn telling(program: &Program, tells: Tells, reduces: bool) -> Explored {
    let mut machine = Machine::new(program, Manner::PLAIN);
    machine.tells = tells;
    let config = Config {
        reduces,
        keeps: Keeps::Runs,
        ..Config::default()
    };
    let Ok(explored) = explore(&mut machine, &config);
    explored
}

/// Steps that are independent need not be so for whether a thread is enabled: of who takes a lock and who comes to stand
/// before it, which touch nothing in common, the first makes the other wait. So formulas about that are asked of the
/// whole graph: here the reduced one lets thread 0 come to its lock first, and says that it is never enabled once
/// variable 1 is set.
#[test]
fn who_is_enabled_is_asked_of_the_whole_graph() {
    let comes = vec![store(0), Op::Lock(0)];
    let takes = vec![Op::Lock(0), store(1)];
    let program = of(2, 1, 2, vec![comes, takes]);
    let tells = |_: &Program, state: &State| {
        let (first, owner) = (&state.threads[0], state.owners[0]);
        let is_enabled = first.status == Status::Runs && (first.at == 0 || owner.is_none());
        u64::from(is_enabled) | u64::from(state.variables[1] == 1) << 1
    };
    let (enabled, set) = (Formula::Proposition(0), Formula::Proposition(1));
    let never = enabled.and(set).negated().globally();
    let holds = |reduces: bool| {
        let explored = telling(&program, tells, reduces);
        violation(&explored, &never, true).is_none()
    };
    assert!(!holds(false), "lock and store of thread 1 come first");
    assert!(holds(true), "if not, the reduction has become good enough");
}

/// Proposition 0 is about threads, 1 is the first one of the program.
fn beside(program: &Program, state: &State, holds: bool) -> u64 {
    u64::from(holds) | (bits(program, state) & 1) << 1
}

fn is_first_enabled(program: &Program, state: &State) -> u64 {
    beside(program, state, program.is_enabled(state, 0))
}

fn has_second_ended(program: &Program, state: &State) -> u64 {
    let status = state.threads[1].status;
    let has_ended = !matches!(status, Status::Unborn | Status::Runs | Status::Spins);
    beside(program, state, has_ended)
}

fn is_stuck(program: &Program, state: &State) -> u64 {
    let mut threads = 0..state.threads.len();
    let is_stuck = threads.all(|thread| !program.is_enabled(state, thread));
    beside(program, state, is_stuck)
}

/// The whole graph gives the verdict of another algorithm. The reduced one misleads too rarely for random programs (2 of
/// 24,086 formulas, both about who is stuck): that is what the witness above is for.
#[test]
fn verdicts_about_threads_are_those_of_the_whole_graph() {
    let kinds: [Tells; 3] = [is_first_enabled, has_second_ended, is_stuck];
    let (mut compared, mut violated, mut misled) = (0, 0, [0; 3]);
    for seed in 1..1_500 {
        let mut r = Random(seed);
        let random = program(&mut r);
        let whole = crate::brute::whole(&random, 700);
        if whole.is_none_or(|whole| whole.states.len() < *STATES.start()) {
            continue;
        }
        let kind = seed as usize % kinds.len();
        let formula = formula(&mut r, 3);
        let Some(expected) = is_violated(&random, kinds[kind], &formula) else {
            continue;
        };
        let found = |reduces: bool| {
            let explored = telling(&random, kinds[kind], reduces);
            violation(&explored, &formula, true).is_some()
        };
        assert_eq!(
            found(false),
            expected,
            "seed {seed}: {formula}\n{random:#?}"
        );
        compared += 1;
        violated += usize::from(expected);
        misled[kind] += usize::from(found(true) != expected);
    }
    println!("{compared} formulas, {violated} violated; the reduced graph misleads: {misled:?}");
    assert!(compared > 300 && violated > 50 && violated < compared - 50);
}
