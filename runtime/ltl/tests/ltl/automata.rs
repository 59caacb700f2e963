//! An automaton accepts the words of its formula, and no others.

use crate::random::Random;
use dpor_ltl::{holds_on_lasso, Automaton, Formula, TooLarge};
use std::collections::HashSet;

/// True if the automaton accepts the word, by search in its product with the word.
pub fn accepts(automaton: &Automaton, stem: &[u64], around: &[u64]) -> bool {
    let word: Vec<u64> = stem.iter().chain(around).copied().collect();
    type Node = (usize, u32);
    let reads = |&(at, state): &Node| automaton.states[state as usize].reads(word[at]);
    let next = |&(at, state): &Node| -> Vec<Node> {
        let at = if at + 1 < word.len() {
            at + 1
        } else {
            stem.len()
        };
        let states = automaton.states[state as usize].next.iter();
        states.map(|&state| (at, state)).filter(reads).collect()
    };
    let reached = |from: Vec<Node>| -> HashSet<Node> {
        let (mut seen, mut todo) = (HashSet::new(), from);
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(next(&node));
            }
        }
        seen
    };
    let first = automaton.first.iter().map(|&state| (0, state));
    // A node on a cycle such that what lies on cycles through it owes no until all the time.
    reached(first.filter(reads).collect())
        .into_iter()
        .any(|node| {
            let behind = reached(next(&node));
            if !behind.contains(&node) {
                return false;
            }
            let together = behind
                .iter()
                .filter(|other| reached(next(other)).contains(&node));
            let owed = together.fold(u64::MAX, |owed, (_, state)| {
                owed & automaton.states[*state as usize].owes
            });
            owed == 0
        })
}

#[test]
fn automata_accept_what_formulas_say() {
    let (mut held, mut words) = (0, 0);
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let depth = 1 + random.below(3);
        let formula = random.formula(depth);
        let automaton = Automaton::of(&formula).expect("it is small");
        let violations = Automaton::of(&formula.negated()).expect("it is small");
        for _ in 0..4 {
            let (stem, around) = random.lasso();
            let holds = holds_on_lasso(&formula, &stem, &around);
            assert_eq!(
                accepts(&automaton, &stem, &around),
                holds,
                "{formula}: {stem:?} {around:?}"
            );
            assert_eq!(
                accepts(&violations, &stem, &around),
                !holds,
                "!{formula}: {stem:?} {around:?}"
            );
            held += usize::from(holds);
            words += 1;
        }
    }
    assert!(
        (words / 4..words * 3 / 4).contains(&held),
        "both happen: {held} of {words}"
    );
}

#[test]
fn negation_and_normal_forms_say_the_same() {
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let formula = random.formula(4);
        let (stem, around) = random.lasso();
        let holds = |formula: &Formula| holds_on_lasso(formula, &stem, &around);
        assert_eq!(holds(&formula.normalized()), holds(&formula), "{formula}");
        assert_ne!(holds(&formula.negated()), holds(&formula), "{formula}");
    }
}

#[test]
fn sizes_are_those_of_textbooks() {
    let (p, q) = (Formula::Proposition(0), Formula::Proposition(1));
    let states = |formula: Formula| Automaton::of(&formula).expect("it is small").states.len();
    // The word may do anything once it was kept; one state for "anything".
    assert_eq!(states(p.clone().finally()), 3, "now, later, anything");
    assert_eq!(states(p.clone().globally()), 1);
    assert_eq!(
        Automaton::of(&Formula::False).expect("small").first.len(),
        0
    );
    assert_eq!(states(Formula::True), 1);
    assert_eq!(
        states(p.clone().globally().and(q.finally()).normalized()),
        3
    );
    assert_eq!(
        states(p.and(Formula::Not(Box::new(Formula::Proposition(0))))),
        0,
        "it contradicts itself"
    );
}

#[test]
fn what_nobody_can_read_is_refused() {
    // Each of many propositions again and again: 2^n combinations of what is owed.
    let often = (0..60).map(|n| Formula::Proposition(n).finally().globally());
    let all = often.reduce(Formula::and).expect("there are some");
    assert_eq!(Automaton::of(&all).err(), Some(TooLarge));
    // Each of many is `p or q`, and in the end neither may hold: all ways contradict themselves.
    let (p, q) = (Formula::Proposition(0), Formula::Proposition(1));
    let either = (2..40).map(|n| p.clone().or(q.clone().and(Formula::Proposition(n))));
    let neither = p.clone().negated().and(q.clone().negated());
    let none = either.fold(neither, |all, one| one.and(all));
    let states = Automaton::of(&none).map(|automaton| automaton.states.len());
    assert!(matches!(states, Ok(0) | Err(TooLarge)), "{states:?}");
}
