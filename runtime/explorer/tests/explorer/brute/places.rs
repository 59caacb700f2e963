//! Loops that look at several places: the oracle's idea of when a thread waits after a turn.

use super::{Name, State, Touch};
use crate::interpreter::{Op, Threads, CELLS};
use dpor_model::update;

/// What an operation saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pc: usize,
    /// `None`: it may have done something. Otherwise cells, bits, values: one only, or none.
    looks: Option<Vec<(usize, u64, u64)>>,
}

/// What a step finds.
pub(super) struct Before {
    pc: usize,
    memory: [u64; CELLS],
}

/// The cells and bits that an operation of memory touches; `None` for others, and where what it does may depend on the
/// order of events that commute.
fn touched(op: Op) -> Option<Vec<(usize, u64)>> {
    let whole = |x: usize, width: usize| (x..x + width).map(|x| (x, u64::MAX)).collect();
    Some(match op {
        Op::Pause => vec![],
        Op::Load(x, _)
        | Op::Store(x, _)
        | Op::StoreSum(x, ..)
        | Op::FetchAdd(x, ..)
        | Op::Count(x, ..)
        | Op::IsLast(x, ..)
        | Op::Cas(x, ..)
        | Op::AwaitAdd(x, ..)
        | Op::AwaitCas(x, ..)
        | Op::UpdateSum(x, update::OTHER, ..) => whole(x, 1),
        Op::Await(x, (first, width), ..) | Op::Update(x, update::OTHER, (first, width), _) => {
            let bytes = (0..width).map(|i| 0xff_u64 << (8 * (u32::from(first) + i)));
            vec![(x, bytes.fold(0, |all, byte| all | byte))]
        }
        Op::StoreWide(x, _) | Op::CasWide(x, ..) => whole(x, 2),
        _ => return None,
    })
}

impl State {
    /// What is there before a step of thread `t`.
    pub(super) fn before_step(&self, t: usize) -> Before {
        Before {
            pc: self.machine.pc[t],
            memory: self.machine.memory,
        }
    }

    /// Notes what the step saw, and what its thread waits for now.
    pub(super) fn note_looks(&mut self, threads: &Threads, t: usize, before: Before) {
        let Before { pc, memory } = before;
        if self.seen[t].len() == self.machine.performed[t] {
            return;
        }
        let cells = touched(threads[t][pc]).filter(|_| self.machine.memory == memory);
        let look = |(x, mask)| (x, mask, memory[x] & mask);
        let looks = cells.map(|cells| cells.into_iter().map(look).collect());
        self.seen[t].push(Seen { pc, looks });
        if self.turns {
            self.note_stored(threads, t);
        }
        let looks = self.looks_in_vain(threads, t);
        self.parked[t] = self.turns && looks.is_some();
        let differ = |&(x, mask, value): &(usize, u64, u64),
                      &(y, other, found): &(usize, u64, u64)| {
            x == y && (value ^ found) & mask & other != 0
        };
        let is_one = |all: &Vec<_>| !all.iter().any(|a| all.iter().any(|b| differ(a, b)));
        self.gates[t] = looks.filter(is_one).unwrap_or_default();
    }

    /// Takes note of what a turn stored to, which ended where it began: whether it was in vain depends on what was there.
    fn note_stored(&mut self, threads: &Threads, t: usize) {
        let Some(turned) = &self.machine.turned[t] else {
            return;
        };
        for seen in &self.seen[t][turned.performed..] {
            if let Op::Store(x, _) | Op::StoreSum(x, ..) = threads[t][seen.pc] {
                self.awaited |= 1 << x;
            }
        }
    }

    /// What thread `t` saw in the turn that it has ended, if that was in vain.
    fn looks_in_vain(&self, threads: &Threads, t: usize) -> Option<Vec<(usize, u64, u64)>> {
        let turn = &self.seen[t][self.machine.turned[t]?.performed..];
        let all: Option<Vec<_>> = turn.iter().map(|seen| seen.looks.clone()).collect();
        let all: Vec<_> = all?.into_iter().flatten().collect();
        let first = turn.iter().find(|seen| threads[t][seen.pc] != Op::Pause)?;
        let waits = matches!(threads[t][first.pc], Op::AwaitAdd(..) | Op::AwaitCas(..));
        let again = self.machine.pc[t] == first.pc;
        (again && !waits).then_some(all)
    }

    /// Adds the cells that thread `t` waits for to what its operation touches.
    pub(super) fn touch_gate(&self, t: usize, touches: &mut Vec<(Name, Touch)>) {
        if self.turns {
            return;
        }
        for &(x, ..) in &self.gates[t] {
            if touches.iter().all(|touched| touched.0 != (1, x)) {
                touches.push(((1, x), Touch::Read));
            }
        }
    }

    /// True if thread `t` waits until one of several cells changes.
    pub(super) fn is_kept(&self, t: usize) -> bool {
        self.parked[t] || self.finds_the_same(t)
    }

    /// True if some thread goes no further, and would find something else than it did.
    pub(super) fn is_unsettled(&self) -> bool {
        (0..self.parked.len()).any(|t| self.parked[t] && !self.finds_the_same(t))
    }

    fn finds_the_same(&self, t: usize) -> bool {
        let gate = &self.gates[t];
        let same = |&(x, mask, value): &(usize, u64, u64)| self.machine.memory[x] & mask == value;
        !gate.is_empty() && gate.iter().all(same)
    }
}
