//! Random formulas and words.

use dpor_ltl::Formula;

/// A generator of numbers: the same ones for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        // SplitMix64 (Steele and others, OOPSLA 2014).
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }

    /// A formula over propositions 0 and 1, of at most this depth.
    pub fn formula(&mut self, depth: u64) -> Formula {
        if depth == 0 || self.below(7) == 0 {
            let proposition = Formula::Proposition(self.below(2) as u32);
            return match self.below(8) {
                0 => Formula::True,
                1 => Formula::False,
                2..=4 => proposition.negated(),
                _ => proposition,
            };
        }
        let first = self.formula(depth - 1);
        match self.below(9) {
            0 => Formula::Not(Box::new(first)),
            1 | 2 => first.finally(),
            3 | 4 => first.globally(),
            5 => first.and(self.formula(depth - 1)),
            6 => first.or(self.formula(depth - 1)),
            7 => first.until(self.formula(depth - 1)),
            _ => first.release(self.formula(depth - 1)),
        }
    }

    /// A stem and a loop.
    pub fn lasso(&mut self) -> (Vec<u64>, Vec<u64>) {
        let (stem, around) = (self.below(5), 1 + self.below(4));
        let mut valuations = |n: u64| (0..n).map(|_| self.below(4)).collect();
        (valuations(stem), valuations(around))
    }
}
