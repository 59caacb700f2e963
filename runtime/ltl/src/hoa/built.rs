//! From labels on edges to labels on states.

use super::{Reader, WrongHoa};
use crate::automaton::{Automaton, State, STATES_MAX};
use crate::Formula;
use std::collections::HashMap;

/// Literals that have to hold together: bits of propositions that hold, and of those that do not.
type Cube = (u64, u64);

/// What a label without time means, as a disjunction of conjunctions. `None`: there are too many.
fn cubes(label: &Formula) -> Option<Vec<Cube>> {
    let all = match label {
        Formula::True => vec![(0, 0)],
        Formula::Proposition(number) => vec![(1 << number, 0)],
        Formula::Not(inner) => match **inner {
            Formula::Proposition(number) => vec![(0, 1 << number)],
            _ => return cubes(&inner.negated()),
        },
        Formula::Or(one, other) => {
            let mut all = cubes(one)?;
            let more = cubes(other)?;
            all.extend(more);
            all
        }
        Formula::And(one, other) => {
            let (one, other) = (cubes(one)?, cubes(other)?);
            let mut all = Vec::new();
            for (holds, fails) in one {
                let both = other
                    .iter()
                    .map(|&(more, less)| (holds | more, fails | less));
                all.extend(both.filter(|(holds, fails)| holds & fails == 0));
                if all.len() > STATES_MAX {
                    return None;
                }
            }
            all
        }
        // A label has no others.
        Formula::False | Formula::Until(..) | Formula::Release(..) => Vec::new(),
    };
    let mut all = all;
    all.sort_unstable();
    all.dedup();
    (all.len() <= STATES_MAX).then_some(all)
}

/// Pairs of states of which the second may come behind the first, at most (chosen: 4 MB).
const NEXT_MAX: usize = 1_000_000;

impl Reader<'_> {
    /// The automaton that was read.
    pub(super) fn automaton(&self) -> Result<Automaton, WrongHoa> {
        let (_, wanted) = self.acceptance.unwrap_or_default();
        let mut states: Vec<State> = Vec::new();
        // The states made of the edges of each state, and where the edge of each leads.
        let (mut leaving, mut ends) = (HashMap::<u32, Vec<u32>>::new(), Vec::new());
        let mut numbers: Vec<&u32> = self.edges.keys().collect();
        numbers.sort_unstable();
        for number in numbers {
            for edge in &self.edges[number] {
                let reads = cubes(&edge.label.normalized());
                let reads = reads.filter(|reads| states.len() + reads.len() <= STATES_MAX);
                let Some(reads) = reads else {
                    let what = format!("the automaton has more than {STATES_MAX} edges");
                    return self.words.wrong(what);
                };
                for (holds, fails) in reads {
                    leaving
                        .entry(*number)
                        .or_default()
                        .push(states.len() as u32);
                    ends.push(edge.to);
                    states.push(State {
                        holds,
                        fails,
                        owes: packed(wanted & !edge.sets, wanted),
                        next: Vec::new(),
                    });
                }
            }
        }
        self.all_are_there()?;
        let behind = |state: &u32| leaving.get(state).cloned().unwrap_or_default();
        let mut next = 0;
        for (state, end) in states.iter_mut().zip(&ends) {
            state.next = behind(end);
            next += state.next.len();
            if next > NEXT_MAX {
                return self.words.wrong("the automaton is too large");
            }
        }
        Ok(Automaton {
            states,
            first: { self.start.iter() }
                .flat_map(|(state, _)| behind(state))
                .collect(),
            untils: wanted.count_ones(),
        })
    }

    /// States that are named have to be there: one that is missing would make the automaton accept less.
    fn all_are_there(&self) -> Result<(), WrongHoa> {
        let edges = self.edges.values().flatten();
        let ends = edges.map(|edge| (edge.to, edge.line));
        let named = self.start.iter().copied().chain(ends);
        let missing = named.filter(|(state, _)| !self.edges.contains_key(state));
        match missing.min_by_key(|&(_, line)| line) {
            None => Ok(()),
            Some((state, line)) => Err(WrongHoa {
                line,
                what: format!("there is no state {state}"),
            }),
        }
    }
}

/// The bits at the places of `wanted`, without those between.
fn packed(bits: u64, wanted: u64) -> u64 {
    let places = (0..u64::BITS).filter(|place| wanted >> place & 1 == 1);
    let all = places.enumerate();
    all.fold(0, |packed, (n, place)| packed | (bits >> place & 1) << n)
}
