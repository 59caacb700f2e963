//! The smallest known programs for what can go wrong: each is missed without one rule, and not with it.

use crate::brute::whole;
use crate::compared::search;
use crate::language::{Cell, Op, Program, Value};
use crate::machine::Manner;
use crate::programs::of;
use dpor_explorer::states::Config;
use dpor_explorer::Mutation;

const X: Cell = Cell::At(0);
const Y: Cell = Cell::At(1);
const Z: Cell = Cell::At(2);

fn store(cell: Cell, number: u8) -> Op {
    Op::Store(cell, Value::Number(number))
}

/// What is missed, with a mistake, and without random walks before.
pub fn lost(program: &Program, mistake: Mutation, manner: Manner) -> Vec<&'static str> {
    let whole = whole(program, usize::MAX).expect("no limit");
    let config = Config {
        walks: 0,
        mutation: mistake.into(),
        ..Config::default()
    };
    whole.facts.differs(&search(program, &config, manner).facts)
}

#[track_caller]
fn needs(program: &Program, mistake: Mutation) {
    let right = lost(program, Mutation::None, Manner::PLAIN);
    assert!(right.is_empty(), "{right:?}");
    assert_ne!(
        lost(program, mistake, Manner::PLAIN).len(),
        0,
        "{mistake:?} was not noticed"
    );
}

/// A thread that goes round alone hides the other for ever.
#[test]
fn somebody_is_put_off() {
    let round = vec![Op::Load(Z, 0), Op::Goto(0)];
    needs(
        &of(3, 0, 2, vec![round, vec![store(X, 1)]]),
        Mutation::PutOff,
    );
}

/// What a thread does behind a wait is not known before somebody let it go: the one that does so is expanded alone.
#[test]
fn futures_are_learned_again() {
    let waits = vec![Op::Await(X, 1), Op::Load(Y, 0)];
    let lets_go = vec![store(X, 1), store(Y, 1)];
    needs(&of(2, 0, 2, vec![lets_go, waits]), Mutation::LearnsOnce);
}

/// An operation that is pending and was never performed is part of a thread's future.
#[test]
fn pending_operations_look() {
    let waits = vec![Op::Await(X, 0), store(Y, 1)];
    needs(
        &of(2, 0, 2, vec![vec![Op::Add(X, 1, 0)], waits]),
        Mutation::LooksForgotten,
    );
}

/// A thread that waits may be let go by a step, and then do what conflicts with what follows. The mistake makes some
/// random program wrong (`mutations`); this one is right either way, since whoever lets it go is a member.
#[test]
fn whoever_is_let_go_goes_on() {
    let first = vec![Op::Lock(0), store(X, 1), Op::Unlock(0), Op::Load(Y, 0)];
    let second = vec![Op::Lock(0), Op::Load(X, 0), store(Y, 1), Op::Unlock(0)];
    let program = of(2, 1, 2, vec![first, second]);
    assert!(lost(&program, Mutation::None, Manner::PLAIN).is_empty());
}

/// Two independent stores, and an invariant that looks at both cells: without a common object two of the four values
/// are never seen.
#[test]
fn what_an_invariant_looks_at_is_common() {
    let mut program = of(2, 0, 2, vec![vec![store(X, 1)], vec![store(Y, 1)]]);
    program.propositions = vec![(0, 1), (1, 1)];
    assert!(lost(&program, Mutation::None, Manner::PLAIN).is_empty());
    let blind = Manner {
        watches: false,
        ..Manner::PLAIN
    };
    assert_eq!(lost(&program, Mutation::None, blind), ["valuations"]);
}

/// What comes behind a join of a thread conflicts with nothing that this thread does before: main reads what both wrote,
/// and still their stores have one order. What a thread does that was created in a step belongs to that step's future.
#[test]
fn joins_cut_futures_and_creations_extend_them() {
    let main = vec![
        Op::Create(1),
        Op::Create(2),
        Op::Join(1),
        Op::Join(2),
        Op::Load(X, 0),
        Op::Load(Y, 0),
    ];
    let program = of(2, 0, 2, vec![main, vec![store(X, 1)], vec![store(Y, 1)]]);
    assert!(lost(&program, Mutation::None, Manner::PLAIN).is_empty());
    let reduced = search(&program, &Config::default(), Manner::PLAIN);
    assert_eq!(
        reduced.explored.graph.steps(),
        8,
        "one way: two creations, two stores, two joins, two loads"
    );
    // The creator reads what the thread writes that it creates later.
    let creates = vec![Op::Load(Z, 0), Op::Create(2), Op::Load(X, 0)];
    let program = of(
        3,
        0,
        2,
        vec![
            creates,
            vec![Op::Load(X, 0), store(Z, 1)],
            vec![store(X, 1)],
        ],
    );
    assert!(lost(&program, Mutation::None, Manner::PLAIN).is_empty());
}
