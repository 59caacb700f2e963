//! Runs the explorer and holds what it did against the oracle.

use crate::brute::{Ending, State};
use crate::interpreter::{Interpreter, Threads};
use dpor_explorer::{Config, End, Explorer, Mutation, Order, SearchKind};
use dpor_model::ThreadId;
use std::collections::HashMap;

/// A bound of events that no execution of a program with so few moves reaches.
const EVENTS_MAX: u64 = 4_000;

/// What was wrong.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Defects {
    pub missed: usize,
    pub extra: usize,
    pub duplicate: usize,
    pub redundant: usize,
    /// The search gave up.
    pub fault: usize,
    /// An execution was longer than any of the oracle's. Several workers: they did not notice that they were done, or
    /// never were.
    pub unfinished: usize,
    /// The end of an execution was named otherwise than the oracle names it.
    pub misnamed: usize,
}

impl Defects {
    pub fn any(&self) -> bool {
        *self != Defects::default()
    }

    /// Notes an execution. `commute`: the oracle's changes commute with their like.
    pub fn note(
        &mut self,
        threads: &Threads,
        commute: bool,
        expected: &HashMap<u128, State>,
        seen: &mut HashMap<u128, usize>,
        end: &End,
        schedule: &[(ThreadId, u32)],
    ) {
        match end {
            End::Redundant => self.redundant += 1,
            End::EventBound => self.unfinished += 1,
            _ => {}
        }
        if matches!(end, End::Redundant | End::EventBound) {
            return;
        }
        let any = expected.values().next().expect("some execution is maximal");
        let mut state = State::with(threads, commute).crowding(&any.crowded);
        state = state.leaving_out(any.turns).incrementing(any.increments);
        state = state.looking(any.looks);
        state.settle(threads);
        for &(thread, alternative) in schedule {
            state.step(threads, usize::from(thread.0), alternative);
            state.settle(threads);
        }
        self.extra += usize::from(!expected.contains_key(&state.form));
        self.misnamed += usize::from(state.ending(threads) != name(end));
        *seen.entry(state.form).or_default() += 1;
    }

    /// Counts what is missing, and what is there twice.
    pub fn count(&mut self, expected: &HashMap<u128, State>, seen: &HashMap<u128, usize>) {
        let unseen = expected.keys().filter(|form| !seen.contains_key(form));
        self.missed = unseen.count();
        self.duplicate = seen.values().map(|n| n - 1).sum();
    }
}

pub fn config(order: Order, mutation: Mutation, checkpoints: bool) -> Config {
    let mut config = Config::default();
    config.search = SearchKind::Optimal;
    config.reductions.counters = true;
    config.order = order;
    config.mutation = mutation.into();
    config.checkpoints = checkpoints;
    // Many, so that they are part of what is tested.
    config.checkpoint_after = 3;
    config.max_events = Some(EVENTS_MAX);
    config
}

/// The oracle's name of an end.
pub fn name(end: &End) -> Ending {
    match end {
        End::Complete => Ending::Complete,
        End::Blocked => Ending::Blocked,
        End::Deadlock(_) => Ending::Deadlock,
        End::Exited => Ending::Exited,
        End::Misuse(_) => Ending::Misuse,
        other => panic!("no maximal execution ends so: {other:?}"),
    }
}

/// Explores and compares the executions with the oracle's traces.
pub fn compare(threads: &Threads, expected: &HashMap<u128, State>, config: Config) -> Defects {
    let commute = config.reductions.commute;
    compare_search(threads, commute, expected, &mut Explorer::new(config))
}

/// Compares a search that was prepared with brute force. `commute`: the search has that reduction.
pub fn compare_search(
    threads: &Threads,
    commute: bool,
    expected: &HashMap<u128, State>,
    explorer: &mut Explorer,
) -> Defects {
    let mut program = Interpreter::new(threads);
    let mut seen: HashMap<u128, usize> = HashMap::new();
    let mut defects = Defects::default();
    let mut restarts = 0;
    // A wrong search might not end.
    for _ in 0..10 * expected.len() + 100 {
        let execution = match explorer.next(&mut program) {
            Ok(Some(execution)) => execution,
            Ok(None) => break,
            Err(_) => {
                defects.fault += 1;
                break;
            }
        };
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            seen.clear();
            defects = Defects::default();
        }
        defects.note(
            threads,
            commute,
            expected,
            &mut seen,
            &execution.end,
            &explorer.schedule(),
        );
    }
    defects.count(expected, &seen);
    defects
}
