//! Holds the oracle's own conflict table against its own steps: swapping what does not conflict
//! must not matter (assumption A1 of docs/proof.md).

use super::{Name, State, Touch};
use crate::interpreter::{Op, Threads};
use dpor_model::TIMEOUT;

/// What a step would touch, if it conflicts with everything, and its result.
type Footprint = (Vec<(Name, Touch)>, bool, i32);

impl State {
    fn footprint(&self, threads: &Threads, t: usize, alternative: u32) -> Footprint {
        let op = self.op(threads, t);
        let Some(op) = op.filter(|_| self.machine.begun[t]) else {
            return (vec![], false, 0);
        };
        let mut plan = self.clone().apply(op, t, alternative);
        self.touch_gate(t, &mut plan.touches);
        let everything =
            plan.misuse || alternative == TIMEOUT || matches!(op, Op::Opaque | Op::Exit);
        (plan.touches, everything, plan.result)
    }

    /// Panics if steps that do not conflict enable, disable or change each other.
    pub fn check_independence(&self, threads: &Threads) {
        let all = self.moves(threads);
        for &(t, a) in &all {
            let first = self.footprint(threads, t, a);
            let mut after = self.clone();
            after.step(threads, t, a);
            let later = after.moves(threads);
            for u in (0..threads.len()).filter(|&u| u != t) {
                let of = |moves: &[(usize, u32)]| -> Vec<u32> {
                    { moves.iter() }.filter(|m| m.0 == u).map(|m| m.1).collect()
                };
                let (before, now) = (of(&all), of(&later));
                for &b in &before {
                    let second = self.footprint(threads, u, b);
                    if !conflict(&first, &second) {
                        assert_eq!(before, now, "{t} changes what {u} can do: {threads:?}");
                        let moved = after.footprint(threads, u, b);
                        assert_eq!(moved, second, "{t} changes what {u} does: {threads:?}");
                    }
                }
                if before.is_empty() && !now.is_empty() && !self.waits_for_edge(threads, u) {
                    let second = after.footprint(threads, u, now[0]);
                    assert!(conflict(&first, &second), "{t} enables {u}: {threads:?}");
                }
            }
        }
    }

    /// True if what enables the thread is an event with an edge to its next step.
    fn waits_for_edge(&self, threads: &Threads, t: usize) -> bool {
        let op = self.op(threads, t);
        let second_half = self.machine.waiting[t]
            || matches!(op, Some(Op::Reacquire(..) | Op::StayReacquire(..)));
        let passive = matches!(
            op,
            Some(Op::Join(_) | Op::TimedJoin(..) | Op::JoinAll | Op::LeaveBarrier(..))
        );
        !self.machine.begun[t] || second_half || passive
    }
}

fn conflict(a: &Footprint, b: &Footprint) -> bool {
    let clash = |x: &(Name, Touch)| b.0.iter().any(|y| x.0 == y.0 && !x.1.commutes(y.1));
    a.1 || b.1 || a.0.iter().any(clash)
}
