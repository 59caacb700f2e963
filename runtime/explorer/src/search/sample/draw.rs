//! The random numbers of a sample: each a function of seed, sample, and what it is for.
//!
//! Nothing is consumed in order, so that a number does not depend on how many were drawn before it.

use dpor_model::ThreadId;

/// What a number is for. Those of different purposes are independent.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Purpose {
    /// The choice of a thread at a step.
    Thread = 1,
    /// The choice of an alternative at a step.
    Alternative,
    /// The priority of a thread over the whole sample, or since it was created.
    Priority,
    /// The choice of an event.
    Event,
    /// Where priorities change.
    ChangePoint,
    /// Which events are of interest.
    Interest,
    /// The thread whose event comes next.
    Intent,
}

/// A number that was drawn for a purpose, from the seed and the sample's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub fn new(seed: u64, sample: u64) -> Self {
        Draw(mix(mix(0, seed), sample))
    }

    /// 64 random bits, for a purpose and two numbers.
    pub fn word(&self, purpose: Purpose, a: u64, b: u64) -> u64 {
        mix(mix(mix(self.0, purpose as u64), a), b)
    }

    /// A number below `n`, which is not 0. Off by at most n / 2^64 from equal chances.
    pub fn below(&self, purpose: Purpose, a: u64, b: u64, n: u64) -> u64 {
        let wide = u128::from(self.word(purpose, a, b)) * u128::from(n);
        (wide >> 64) as u64
    }

    /// A random number for a thread: who has the largest is any of them, with equal chances.
    pub fn of_thread(&self, purpose: Purpose, a: u64, thread: ThreadId) -> u64 {
        self.word(purpose, a, thread.0.into())
    }
}

/// Mixes a word into a hash: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), once for the word and
/// once for both.
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let finish = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let word = finish(word.wrapping_add(0x9E37_79B9_7F4A_7C15));
    finish(hash.rotate_left(17).wrapping_add(0x632B_E59B_D9B4_E019) ^ word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 cells, 160,000 draws: the statistic has 15 degrees of freedom; above 50 with a chance of 1 in
    /// 80,000. Once along each of the numbers that a draw depends on.
    #[test]
    fn draws_are_uniform() {
        let chi_square = |draw: &dyn Fn(u64) -> u64| {
            let mut cells = [0u32; 16];
            (0..160_000).for_each(|k| cells[draw(k) as usize] += 1);
            cells
                .iter()
                .map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0)
                .sum::<f64>()
        };
        let below = |seed, sample, a, b| Draw::new(seed, sample).below(Purpose::Thread, a, b, 16);
        let along: [&dyn Fn(u64) -> u64; 4] = [
            &|k| below(k, 0, 0, 0),
            &|k| below(0, k, 0, 0),
            &|k| below(0, 0, k, 0),
            &|k| below(0, 0, 0, k),
        ];
        for (number, draw) in along.into_iter().enumerate() {
            let statistic = chi_square(draw);
            assert!(statistic < 50.0, "number {number}: {statistic}");
        }
    }

    #[test]
    fn purposes_differ() {
        let draw = Draw::new(1, 2);
        assert_ne!(
            draw.word(Purpose::Thread, 3, 4),
            draw.word(Purpose::Alternative, 3, 4)
        );
        assert_ne!(
            draw.word(Purpose::Thread, 3, 4),
            draw.word(Purpose::Thread, 4, 3)
        );
    }
}
