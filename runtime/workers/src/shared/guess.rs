//! How long each worker has to go, by its own estimate.

use crate::shared::{Ordering, Shared};
use core::sync::atomic::AtomicU64;
use dpor_explorer::Estimate;

/// An estimate, as the bits of its numbers, on a line of its own; zeros stand for none.
#[repr(C, align(64))]
pub struct Guess([AtomicU64; 3]);

impl Guess {
    fn write(&self, estimate: Option<Estimate>) {
        let numbers = estimate.map_or([0.0; 3], |e| [e.executions, e.low, e.high]);
        for (word, number) in self.0.iter().zip(numbers) {
            // A reader may see the words of two estimates; they are a tenth of a second apart.
            word.store(number.to_bits(), Ordering::Relaxed);
        }
    }

    fn read(&self) -> Option<Estimate> {
        let number = |k: usize| f64::from_bits(self.0[k].load(Ordering::Relaxed));
        let [executions, low, high] = [0, 1, 2].map(number);
        let is_some = executions > 0.0 && low > 0.0 && high > 0.0;
        is_some.then_some(Estimate {
            executions,
            low,
            high,
        })
    }
}

impl Shared {
    /// This worker's estimate of its part.
    pub fn estimate(&self, worker: usize, estimate: Option<Estimate>) {
        self.estimates[worker].write(estimate);
    }

    /// The sum of what all workers of this machine say. `None`: one of them that has run something says
    /// nothing.
    pub fn estimated(&self) -> Option<Estimate> {
        let mut sum = Estimate::default();
        for worker in 0..self.workers() {
            let run = self.executions[worker].0.load(Ordering::Relaxed);
            match self.estimates[worker].read() {
                Some(estimate) => sum = sum + estimate,
                None if run == 0 => {}
                None => return None,
            }
        }
        Some(sum)
    }
}
