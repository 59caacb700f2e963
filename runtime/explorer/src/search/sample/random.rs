//! A random walk: each thread that can go on has the same chance.

use super::draw::{Draw, Purpose};
use super::Candidate;

/// The one with the largest of numbers drawn for this step.
pub(super) fn choose(candidates: &[Candidate], step: u64, draw: &Draw) -> Candidate {
    let number = |candidate: &Candidate| draw.of_thread(Purpose::Thread, step, candidate.thread);
    let largest = candidates.iter().copied().max_by_key(number);
    largest.expect("asked only if there are some")
}
