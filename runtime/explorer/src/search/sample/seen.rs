//! How many different traces the samples were, and how many others there may be.

use crate::operation::Mix;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// What the samples were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Executions drawn.
    pub samples: u64,
    /// Different Mazurkiewicz traces among them.
    pub traces: u64,
    /// Traces that came exactly once.
    pub once: u64,
}

impl Samples {
    /// Estimated chance that the next sample is a trace that did not come yet: the share of traces that
    /// came once among all samples (Good and Turing). 1 without samples.
    pub fn unseen_mass(&self) -> f64 {
        match self.samples {
            0 => 1.0,
            samples => self.once as f64 / samples as f64,
        }
    }
}

/// The hashes of all samples, and whether each came again.
#[derive(Default)]
pub(super) struct Seen {
    hashes: HashMap<u64, bool, BuildHasherDefault<Mix>>,
    samples: u64,
    once: u64,
}

impl Seen {
    pub fn note(&mut self, hash: u64) {
        self.samples += 1;
        match self.hashes.insert(hash, true) {
            Some(true) => {}
            Some(false) => self.once -= 1,
            None => {
                self.hashes.insert(hash, false);
                self.once += 1;
            }
        }
    }

    pub fn samples(&self) -> Samples {
        Samples {
            samples: self.samples,
            traces: self.hashes.len() as u64,
            once: self.once,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_came_once() {
        let mut seen = Seen::default();
        assert!((seen.samples().unseen_mass() - 1.0).abs() < 1e-9);
        // 5 once, 7 three times, 9 twice.
        for hash in [7, 5, 9, 7, 9, 7] {
            seen.note(hash);
        }
        let samples = seen.samples();
        let expect = Samples {
            samples: 6,
            traces: 3,
            once: 1,
        };
        assert_eq!(samples, expect);
        assert!((samples.unseen_mass() - 1.0 / 6.0).abs() < 1e-9);
    }
}
