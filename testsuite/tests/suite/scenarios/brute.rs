//! All interleavings of the steps of all scenarios of an object, and all orders of their calls. Nothing of the checker or
//! of its headers is used.
//!
//! A call goes on from its first step to its last: the shortest time that it can take in an interleaving, which leaves the
//! fewest orders.

use super::object::{Object, CELLS};

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

/// A call in an interleaving.
#[derive(Clone, Debug)]
struct Call {
    thread: usize,
    operation: usize,
    /// Numbers of its first and its last step.
    first: usize,
    last: usize,
    result: i64,
}

/// Whether every interleaving of every scenario of so many threads with so many calls each is explained.
pub fn is_explained(object: &Object, threads: usize, calls: usize, question: Question) -> bool {
    let count = threads * calls;
    let mut scenario = vec![0; count];
    loop {
        let mut run = Run {
            object,
            calls,
            scenario: &scenario,
            question,
        };
        let mut state = State {
            cells: [0; CELLS],
            at: vec![(0, 0, (0, 0)); threads],
            made: Vec::new(),
            steps: 0,
        };
        if !run.all(&mut state) {
            return false;
        }
        let Some(next) = (0..count).find(|&k| scenario[k] + 1 < object.operations.len()) else {
            return true;
        };
        scenario[next] += 1;
        scenario[..next].fill(0);
    }
}

#[derive(Clone)]
struct State {
    cells: [i64; CELLS],
    /// Of each thread: number of the call, of its next step, and its values.
    at: Vec<(usize, usize, (i64, i64))>,
    made: Vec<Call>,
    steps: usize,
}

struct Run<'a> {
    object: &'a Object,
    calls: usize,
    /// The operations of the first thread, of the second, …
    scenario: &'a [usize],
    question: Question,
}

impl Run<'_> {
    /// Whether all interleavings from here on are explained.
    fn all(&mut self, state: &mut State) -> bool {
        let mut is_over = true;
        for thread in 0..state.at.len() {
            if state.at[thread].0 == self.calls {
                continue;
            }
            is_over = false;
            let (call, step, _) = state.at[thread];
            let steps = &self.object.operations[self.scenario[thread * self.calls + call]];
            if !steps[step].is_enabled(&state.cells) {
                continue;
            }
            let mut next = state.clone();
            self.step(&mut next, thread);
            if !self.all(&mut next) {
                return false;
            }
        }
        !is_over || self.explains(&state.made)
    }

    fn step(&self, state: &mut State, thread: usize) {
        let (call, step, mut values) = state.at[thread];
        let operation = self.scenario[thread * self.calls + call];
        let steps = &self.object.operations[operation];
        steps[step].run(&mut state.cells, &mut values);
        if step == 0 {
            state.made.push(Call {
                thread,
                operation,
                first: state.steps,
                last: usize::MAX,
                result: 0,
            });
        }
        state.at[thread] = (call, step + 1, values);
        if step + 1 == steps.len() {
            let open = |made: &&mut Call| made.thread == thread && made.last == usize::MAX;
            let made = state.made.iter_mut().find(open).expect("it began");
            (made.last, made.result) = (state.steps, values.1);
            state.at[thread] = (call + 1, 0, (0, 0));
        }
        state.steps += 1;
    }

    fn explains(&self, made: &[Call]) -> bool {
        let must = |a: &Call, b: &Call| match self.question {
            Question::Linearizable => a.last < b.first,
            Question::SequentiallyConsistent => a.thread == b.thread && a.last < b.first,
            Question::Quiescent => (a.last + 1..=b.first)
                .any(|moment| !made.iter().any(|c| c.first < moment && moment <= c.last)),
        };
        self.order(made, &must, &mut vec![false; made.len()], 0, [0; CELLS])
    }

    /// Whether an order goes on from these calls with the results that there were.
    fn order(
        &self,
        made: &[Call],
        must: &dyn Fn(&Call, &Call) -> bool,
        taken: &mut Vec<bool>,
        count: usize,
        cells: [i64; CELLS],
    ) -> bool {
        if count == made.len() {
            return true;
        }
        for next in 0..made.len() {
            let waits =
                (0..made.len()).any(|k| !taken[k] && k != next && must(&made[k], &made[next]));
            if taken[next] || waits {
                continue;
            }
            let (mut cells, mut values) = (cells, (0, 0));
            for step in &self.object.operations[made[next].operation] {
                step.run(&mut cells, &mut values);
            }
            if values.1 != made[next].result {
                continue;
            }
            taken[next] = true;
            let is_one = self.order(made, must, taken, count + 1, cells);
            taken[next] = false;
            if is_one {
                return true;
            }
        }
        false
    }
}
