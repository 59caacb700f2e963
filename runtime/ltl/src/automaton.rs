//! Automata of formulas: generalized Büchi automata, labelled on their states.
//!
//! Source: the tableau of Gerth, Peled, Vardi and Wolper, Simple On-the-fly Automatic Verification of Linear Temporal
//! Logic (PSTV 1995).

use crate::Formula;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

/// Automata have at most so many states; a formula whose automaton has more is one that nobody can read.
pub const STATES_MAX: usize = 10_000;

/// Formulas that are made to hold on all ways to the states that may come next, at most: ways that contradict themselves
/// lead to none.
const STEPS_MAX: usize = 100 * STATES_MAX;

/// Formulas have at most so many different untils.
const UNTILS_MAX: usize = 64;

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The propositions that have to hold, a bit each.
    pub holds: u64,
    /// The propositions that must not hold.
    pub fails: u64,
    /// The untils that are owed here, a bit each: promised and not kept yet.
    pub owes: u64,
    /// The states that may come next.
    pub next: Vec<u32>,
}

impl State {
    /// True if the state reads a valuation.
    pub fn reads(&self, valuation: u64) -> bool {
        self.holds & !valuation == 0 && self.fails & valuation == 0
    }
}

/// An automaton. It accepts a word if there is a run that begins in one of `first`, reads each valuation of the word by
/// one state after the other, and owes no until for ever.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// The states.
    pub states: Vec<State>,
    /// Where runs begin.
    pub first: Vec<u32>,
    /// The number of untils.
    pub untils: u32,
}

/// The formula's automaton has more than [`STATES_MAX`] states, or it has more than 64 untils.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the formula is too large: its automaton has more than {STATES_MAX} states"
        )
    }
}

/// What a state promises: literals now, formulas of the next state.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Node {
    holds: u64,
    fails: u64,
    owes: u64,
    later: BTreeSet<u32>,
}

/// The formulas that occur, by numbers, and the untils among them.
#[derive(Default)]
struct Parts {
    all: Vec<Formula>,
    numbers: HashMap<Formula, u32>,
    /// The numbers of the untils.
    untils: Vec<u32>,
}

impl Parts {
    fn add(&mut self, formula: &Formula) -> u32 {
        if let Some(&number) = self.numbers.get(formula) {
            return number;
        }
        match formula {
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b) => {
                self.add(a);
                self.add(b);
            }
            _ => {}
        }
        let number = self.all.len() as u32;
        self.all.push(formula.clone());
        self.numbers.insert(formula.clone(), number);
        if matches!(formula, Formula::Until(..)) {
            self.untils.push(number);
        }
        number
    }

    fn number(&self, formula: &Formula) -> u32 {
        self.numbers[formula]
    }
}

/// A set of formulas on the way to a node.
#[derive(Clone, Default)]
struct Open {
    node: Node,
    todo: Vec<u32>,
    /// Formulas that hold now.
    seen: BTreeSet<u32>,
}

impl Parts {
    /// All ways in which these formulas hold together.
    ///
    /// # Errors
    /// [`TooLarge`]: there are more than automata have states.
    fn cover(&self, formulas: impl IntoIterator<Item = u32>) -> Result<Vec<Node>, TooLarge> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let mut steps = 0;
        let mut ways = vec![Open {
            todo: formulas.into_iter().collect(),
            ..Open::default()
        }];
        while let Some(mut open) = ways.pop() {
            steps += 1;
            if steps > STEPS_MAX {
                return Err(TooLarge);
            }
            let Some(number) = open.todo.pop() else {
                self.owe(&mut open);
                if known.insert(open.node.clone()) {
                    found.push(open.node);
                }
                continue;
            };
            match open.seen.insert(number) {
                true => self.hold(open, number, &mut ways),
                false => ways.push(open),
            }
        }
        Ok(found)
    }

    /// Makes a formula hold: adds the ways to do so, none if it contradicts the literals.
    fn hold(&self, mut open: Open, number: u32, ways: &mut Vec<Open>) {
        let with = |open: &Open, now: &[&Formula], later: bool| {
            let mut open = open.clone();
            open.todo
                .extend(now.iter().map(|formula| self.number(formula)));
            if later {
                open.node.later.insert(number);
            }
            open
        };
        match &self.all[number as usize] {
            Formula::True => ways.push(open),
            Formula::False => {}
            Formula::Proposition(n) => {
                open.node.holds |= 1 << n;
                if open.node.holds & open.node.fails == 0 {
                    ways.push(open);
                }
            }
            Formula::Not(inner) => {
                let Formula::Proposition(n) = **inner else {
                    unreachable!("the formula is in normal form");
                };
                open.node.fails |= 1 << n;
                if open.node.holds & open.node.fails == 0 {
                    ways.push(open);
                }
            }
            Formula::And(a, b) => ways.push(with(&open, &[a, b], false)),
            Formula::Or(a, b) => {
                ways.extend([with(&open, &[b], false), with(&open, &[a], false)]);
            }
            Formula::Until(a, b) => {
                ways.extend([with(&open, &[a], true), with(&open, &[b], false)]);
            }
            Formula::Release(a, b) => {
                ways.extend([with(&open, &[b], true), with(&open, &[a, b], false)]);
            }
        }
    }

    /// Notes the untils that hold and whose second part does not.
    fn owe(&self, open: &mut Open) {
        for (bit, &until) in self.untils.iter().enumerate() {
            let Formula::Until(_, wanted) = &self.all[until as usize] else {
                unreachable!("it is in the list of untils");
            };
            if open.seen.contains(&until) && !open.seen.contains(&self.number(wanted)) {
                open.node.owes |= 1 << bit;
            }
        }
    }
}

impl Automaton {
    /// The automaton of the words that satisfy a formula.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn of(formula: &Formula) -> Result<Automaton, TooLarge> {
        let formula = formula.normalized();
        let mut parts = Parts::default();
        let whole = parts.add(&formula);
        if parts.untils.len() > UNTILS_MAX {
            return Err(TooLarge);
        }
        let mut automaton = Automaton {
            untils: parts.untils.len() as u32,
            ..Automaton::default()
        };
        let (mut nodes, mut numbers) = (Vec::new(), HashMap::new());
        automaton.first = number_all(parts.cover([whole])?, &mut nodes, &mut numbers);
        let mut at = 0;
        while let Some(node) = nodes.get(at).cloned() {
            if nodes.len() > STATES_MAX {
                return Err(TooLarge);
            }
            let next = parts.cover(node.later.iter().copied())?;
            automaton.states.push(State {
                holds: node.holds,
                fails: node.fails,
                owes: node.owes,
                next: number_all(next, &mut nodes, &mut numbers),
            });
            at += 1;
        }
        Ok(automaton)
    }
}

/// The numbers of nodes, some of which may be new.
fn number_all(of: Vec<Node>, nodes: &mut Vec<Node>, numbers: &mut HashMap<Node, u32>) -> Vec<u32> {
    let number = |node: Node| {
        let next = nodes.len() as u32;
        let number = *numbers.entry(node.clone()).or_insert(next);
        if number == next {
            nodes.push(node);
        }
        number
    };
    of.into_iter().map(number).collect()
}
