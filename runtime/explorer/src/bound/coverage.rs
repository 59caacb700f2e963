//! How much of the state space executions with few preemptions reach.
//!
//! A *state* is what a beginning of an execution leads to, and it stands for all beginnings that are equivalent: a
//! fingerprint of which events there are and what happens before what. Of each execution within the bound
//! every beginning counts.
//!
//! Source: Musuvathi, Qadeer 2007, section 4.3 (happens-before as the representation of a state).
//! Deviation: fingerprints are of 64 bits; two of n states have the same with a probability of about n² / 2^65.

use crate::end::End;
use crate::trace::Trace;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// What was reached with at most so many preemptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Preemptions.
    pub bound: u32,
    /// Executions with at most as many.
    pub executions: u64,
    /// Distinct states on them, the one before the first event included.
    pub states: u64,
}

/// The states seen so far.
#[derive(Default)]
struct States {
    seen: HashSet<u64, BuildHasherDefault<Itself>>,
    /// The fingerprints of the beginnings of the present execution, by their length in events.
    sums: Vec<u64>,
}

/// What a search within a bound of preemptions reached so far.
#[derive(Default)]
pub(crate) struct Reached {
    states: States,
    /// Executions within the present bound, redundant ones not counted.
    executions: u64,
    /// What was reached with each bound before the present one.
    before: Vec<Coverage>,
}

impl Reached {
    /// Takes note of an execution that ended and is new from event `depth` on. `is_within`: it is within the bound.
    pub fn note(&mut self, trace: &Trace, depth: usize, end: &End, is_within: bool) {
        self.states.truncate(depth);
        if is_within {
            self.states.note(trace);
            self.executions += u64::from(*end != End::Redundant);
        }
    }

    /// The bound, which was `bound`, rises.
    pub fn raise(&mut self, bound: u32) {
        self.before.push(self.present(bound));
    }

    /// What was reached with each bound, the present one last.
    pub fn all(&self, bound: u32) -> Vec<Coverage> {
        let before = self.before.iter().copied();
        before.chain([self.present(bound)]).collect()
    }

    fn present(&self, bound: u32) -> Coverage {
        Coverage {
            bound,
            executions: self.executions,
            states: self.states.count(),
        }
    }
}

/// A fingerprint is as good as its hash.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed")
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl States {
    pub fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    /// The next execution is new from event `depth` on.
    pub fn truncate(&mut self, depth: usize) {
        self.sums.truncate(depth + 1);
    }

    /// Notes the states on an execution.
    pub fn note(&mut self, trace: &Trace) {
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        for event in self.sums.len() - 1..trace.len() {
            // A sum, so that the order of what is not ordered makes no difference.
            let sum = self.sums[event].wrapping_add(fingerprint(trace, event));
            self.sums.push(sum);
        }
        self.seen.extend(&self.sums[..=trace.len()]);
    }
}

/// What tells an event of a beginning from others: its thread, its place in that, its alternative, and how many events
/// of each thread happen before it.
fn fingerprint(trace: &Trace, position: usize) -> u64 {
    let event = trace.event(position);
    let start = mix(u64::from(event.thread.0) << 32 | u64::from(event.decision.alternative));
    let clock = trace.clock(position).iter().enumerate();
    clock
        .filter(|(_, &end)| end > 0)
        .fold(start, |sum, (thread, &end)| {
            let all = trace.events_of(dpor_model::ThreadId(thread as u16));
            let before = all.partition_point(|&k| k < end) as u64;
            mix(sum ^ mix((thread as u64) << 32 | before))
        })
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
