//! Counts the Mazurkiewicz traces of threads without branches and locks, as lexicographic normal
//! forms, without running anything.
//!
//! Of the orders that make one trace, exactly one is least, where events compare by their threads.
//! It is built event by event: whoever was passed over, though it came first in the alphabet, may
//! not follow as long as everything since commutes with it. Where two prefixes have the same
//! positions and the same threads that may not follow, they have the same continuations, so that
//! millions of traces are counted in a few thousand states.
//!
//! **Source**: lexicographic normal forms of traces (Anisimov, Knuth 1979).

use std::collections::HashMap;

/// A read or write of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Commutes with reads, and with accesses to other cells.
    Read(usize),
    /// Commutes with accesses to other cells.
    Write(usize),
}

impl Access {
    fn cell(self) -> usize {
        match self {
            Access::Read(cell) | Access::Write(cell) => cell,
        }
    }

    fn commutes(self, other: Access) -> bool {
        let reads = matches!((self, other), (Access::Read(_), Access::Read(_)));
        self.cell() != other.cell() || reads
    }
}

/// Number of traces of these threads, which start together.
pub fn count(threads: &[Vec<Access>]) -> u64 {
    let state = State {
        positions: vec![0; threads.len()],
        passed_over: vec![false; threads.len()],
    };
    state.count(threads, &mut HashMap::new())
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    positions: Vec<usize>,
    passed_over: Vec<bool>,
}

impl State {
    fn next(&self, threads: &[Vec<Access>], thread: usize) -> Option<Access> {
        threads[thread].get(self.positions[thread]).copied()
    }

    fn count(self, threads: &[Vec<Access>], known: &mut HashMap<State, u64>) -> u64 {
        if let Some(&count) = known.get(&self) {
            return count;
        }
        let steps = (0..threads.len()).filter_map(|t| Some((t, self.next(threads, t)?)));
        let steps: Vec<(usize, Access)> = steps.collect();
        let mut sum = u64::from(steps.is_empty());
        for &(thread, access) in &steps {
            if self.passed_over[thread] {
                continue;
            }
            let mut after = self.clone();
            after.positions[thread] += 1;
            after.passed_over.fill(false);
            for &(other, next) in &steps {
                let earlier = other < thread || self.passed_over[other];
                after.passed_over[other] = other != thread && earlier && access.commutes(next);
            }
            sum += after.count(threads, known);
        }
        known.insert(self, sum);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Access::{Read, Write};

    #[test]
    fn textbook_numbers() {
        let check = |threads: &[Vec<Access>], expect| assert_eq!(count(threads), expect);
        check(&[vec![Write(0)], vec![Write(1)]], 1);
        check(&[vec![Write(0)], vec![Write(0)]], 2);
        check(&[vec![Read(0)], vec![Read(0)], vec![Read(0)]], 1);
        check(&[vec![Read(0)], vec![Read(0)], vec![Write(0)]], 4);
        // Store buffering: each reads before or after the other's write, and not both before.
        check(&[vec![Write(0), Read(1)], vec![Write(1), Read(0)]], 3);
    }
}
