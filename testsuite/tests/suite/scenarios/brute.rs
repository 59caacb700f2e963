//! All interleavings of the steps of all scenarios of an object, and all orders of their calls. Nothing of the checker or
//! of its headers is used.
//!
//! A call goes on from its first step to its last: the shortest time that it can take in an interleaving, which leaves the
//! fewest orders. Where its first step has to wait it may also begin before.

use super::object::{Cells, Object, Step, MADE};
use std::collections::HashSet;

/// Threads and calls of all of them, at most.
const THREADS: usize = 3;
const CALLS: usize = 4;

/// What the results must be explained by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Calls of which one ended before the other began stay in order.
    Linearizable,
    /// Each thread's calls stay in order.
    SequentiallyConsistent,
    /// Calls stay in order if there was a moment between them in which no call went on.
    Quiescent,
}

/// What is asked of all interleavings.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub threads: usize,
    /// Of each thread, at most.
    pub calls: usize,
    pub question: Question,
    /// How many calls give up waiting in an interleaving although somebody could go on, at most.
    pub early: u8,
}

/// Whether every interleaving of every scenario of this size is explained.
pub fn is_explained(object: &Object, asked: &Asked) -> bool {
    let lists = lists(object.operations.len(), asked.calls);
    // Threads are alike: of scenarios that differ in which of them makes which calls, one is enough.
    let mut scenario = vec![0; asked.threads];
    loop {
        let rows: Vec<&[usize]> = scenario.iter().map(|&list| &*lists[list]).collect();
        if has_roles(object, &rows) && !all_explained(object, &rows, asked) {
            return false;
        }
        let Some(next) = (0..asked.threads).find(|&t| scenario[t] + 1 < lists.len()) else {
            return true;
        };
        let list = scenario[next] + 1;
        scenario[..=next].fill(list);
    }
}

/// Whether no two threads make calls that are for one.
fn has_roles(object: &Object, rows: &[&[usize]]) -> bool {
    let roles = rows.iter().map(|row| {
        let roles = row.iter().map(|&operation| object.roles[operation]);
        roles.fold(0, |all, role| all | 1 << role)
    });
    // The lowest bit stands for none.
    let shared = roles.fold((0, 0), |(met, twice), own: u8| {
        (met | own, twice | met & own)
    });
    shared.1 >> 1 == 0
}

/// All lists of one call, of two, … up to so many.
fn lists(operations: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0..operations).map(|one| vec![one]).collect();
    let mut first = 0;
    for _ in 1..most {
        let end = all.len();
        for list in first..end {
            all.extend(
                (0..operations)
                    .map(|one| [&*all[list], &[one]].concat())
                    .collect::<Vec<_>>(),
            );
        }
        first = end;
    }
    all
}

fn all_explained(object: &Object, rows: &[&[usize]], asked: &Asked) -> bool {
    let mut calls = Vec::new();
    let mut first = [0; THREADS];
    for (thread, row) in rows.iter().enumerate() {
        first[thread] = calls.len();
        calls.extend(row.iter().map(|&operation| &*object.operations[operation]));
    }
    let mut run = Run {
        calls: &calls,
        first,
        rows,
        question: asked.question,
        seen: HashSet::new(),
        sequences: Vec::new(),
    };
    run.sequences(&mut Vec::new(), MADE);
    run.all(State {
        cells: MADE,
        at: [(0, 0, 0, 0); THREADS],
        begun: 0,
        returned: 0,
        quiet: 0,
        before: [0; CALLS],
        results: [0; CALLS],
        early: asked.early,
    })
}

/// Where an interleaving stands, with what matters of its past. Sets of calls are bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    cells: Cells,
    /// Of each thread: how many calls returned, the number of its next step, and the call's two values.
    at: [(u8, u8, i64, i64); THREADS],
    begun: u8,
    returned: u8,
    /// Calls that returned before the last moment at which no call went on.
    quiet: u8,
    /// Of each call, those that have to stay before it.
    before: [u8; CALLS],
    results: [i64; CALLS],
    early: u8,
}

struct Run<'a> {
    /// The steps of each call: the first thread's calls, then the second's.
    calls: &'a [&'a [Step]],
    /// Number of each thread's first call.
    first: [usize; THREADS],
    /// The operations that each thread calls.
    rows: &'a [&'a [usize]],
    question: Question,
    seen: HashSet<State>,
    /// All orders of the calls that keep each thread's, or with `quiescent` all: the calls, and what they return.
    sequences: Vec<(Vec<usize>, [i64; CALLS])>,
}

impl Run<'_> {
    /// Goes on from this order of calls, which leaves the cells so.
    fn sequences(&mut self, made: &mut Vec<(usize, i64)>, cells: Cells) {
        if made.len() == self.calls.len() {
            let mut results = [0; CALLS];
            made.iter()
                .for_each(|&(call, result)| results[call] = result);
            let order = made.iter().map(|&(call, _)| call).collect();
            self.sequences.push((order, results));
            return;
        }
        for call in 0..self.calls.len() {
            if made.iter().all(|&(other, _)| other != call) {
                let (mut cells, mut values) = (cells, (0, 0));
                for step in self.calls[call] {
                    step.run(&mut cells, &mut values);
                }
                made.push((call, values.1));
                self.sequences(made, cells);
                made.pop();
            }
        }
    }

    /// Whether all interleavings from here on are explained.
    fn all(&mut self, state: State) -> bool {
        if !self.seen.insert(state) {
            return true;
        }
        let (mut is_over, mut goes_on) = (true, false);
        // Threads that wait with a time limit.
        let mut limited = Vec::new();
        for thread in 0..self.rows.len() {
            let (number, step, ..) = state.at[thread];
            if usize::from(number) == self.rows[thread].len() {
                continue;
            }
            is_over = false;
            let call = self.first[thread] + usize::from(number);
            let waiting = self.calls[call][usize::from(step)];
            let mut next = state;
            if waiting.is_enabled(&state.cells) {
                self.step(&mut next, thread);
            } else if state.begun >> call & 1 == 0 {
                self.begin(&mut next, thread, call);
            } else {
                if matches!(waiting, Step::Take) {
                    limited.push(thread);
                }
                continue;
            }
            goes_on = true;
            if !self.all(next) {
                return false;
            }
        }
        if goes_on && state.early == 0 {
            return true;
        }
        for thread in limited {
            let mut next = state;
            next.early -= u8::from(goes_on);
            self.step(&mut next, thread);
            if !self.all(next) {
                return false;
            }
        }
        !is_over || self.explains(&state)
    }

    fn begin(&self, state: &mut State, thread: usize, call: usize) {
        if state.begun == state.returned {
            state.quiet = state.returned;
        }
        state.before[call] = match self.question {
            Question::Linearizable => state.returned,
            Question::SequentiallyConsistent => {
                (self.first[thread]..call).fold(0, |own, other| own | 1 << other)
            }
            Question::Quiescent => state.quiet,
        };
        state.begun |= 1 << call;
    }

    fn step(&self, state: &mut State, thread: usize) {
        let (number, step, r, h) = state.at[thread];
        let call = self.first[thread] + usize::from(number);
        if state.begun >> call & 1 == 0 {
            self.begin(state, thread, call);
        }
        let steps = self.calls[call];
        let mut values = (r, h);
        steps[usize::from(step)].run(&mut state.cells, &mut values);
        state.at[thread] = (number, step + 1, values.0, values.1);
        if usize::from(step) + 1 == steps.len() {
            state.returned |= 1 << call;
            state.results[call] = values.1;
            state.at[thread] = (number + 1, 0, 0, 0);
        }
    }

    /// Whether the calls have the results of an order in which each comes behind those that have to stay before it.
    fn explains(&self, state: &State) -> bool {
        self.sequences.iter().any(|(order, results)| {
            let mut taken = 0;
            *results == state.results
                && order.iter().all(|&call| {
                    let is_behind = state.before[call] & !taken == 0;
                    taken |= 1 << call;
                    is_behind
                })
        })
    }
}
