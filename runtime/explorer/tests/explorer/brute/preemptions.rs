//! The smallest number of preemptions of each trace, by trying all schedules.
//!
//! Nothing here knows of clocks or of orders of a finished trace: schedules are run forward, and two beginnings
//! are merged if they have the same canonical form and the same last thread. The one with fewer preemptions
//! stays.

use super::State;
use crate::interpreter::{Op, Threads};
use std::collections::HashMap;

impl State {
    /// True if leaving `t` is a preemption.
    pub fn could_go_on(&self, threads: &Threads, t: usize) -> bool {
        self.is_enabled(threads, t) && !matches!(self.op(threads, t), Some(Op::Pause))
    }
}

/// For each canonical form of a maximal execution from `start`: its smallest number of preemptions.
/// `None`: more than `moves_max` moves.
pub fn least_preemptions(
    start: &State,
    threads: &Threads,
    moves_max: usize,
) -> Option<HashMap<u128, u32>> {
    let mut start = start.clone();
    start.settle(threads);
    let mut level = HashMap::from([((start.key(), usize::MAX), (0, start))]);
    let mut least: HashMap<u128, u32> = HashMap::new();
    let mut moves = 0;
    while !level.is_empty() {
        let mut next: HashMap<(u128, usize), (u32, State)> = HashMap::new();
        for ((_, last), (preemptions, state)) in level {
            let all = state.moves(threads);
            moves += all.len();
            if moves > moves_max {
                return None;
            }
            if all.is_empty() {
                let known = least.entry(state.form).or_insert(preemptions);
                *known = preemptions.min(*known);
            }
            for (t, alternative) in all {
                let preempts = last != usize::MAX && last != t && state.could_go_on(threads, last);
                let preemptions = preemptions + u32::from(preempts);
                let mut after = state.clone();
                after.step(threads, t, alternative);
                after.settle(threads);
                let known = next.entry((after.key(), t)).or_insert((preemptions, after));
                known.0 = preemptions.min(known.0);
            }
        }
        level = next;
    }
    Some(least)
}
