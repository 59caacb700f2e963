//! A set of numbers that is kept in few bits each, and may take a number that is new for one that it has.
//!
//! Source: Bloom, CACM 1970; for states of programs Holzmann, 1988 (bitstate hashing).

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Bits that are set for each number.
const EACH: u32 = 3;

/// Bits of a word.
const WORD: u64 = u64::BITS as u64;

/// Words of a page.
const PAGE: usize = 512;

/// A Bloom filter.
pub(super) struct Bits {
    /// Pages that have a bit that is set; of the others, and of their zeros, no memory is taken.
    pages: Vec<Option<Box<[u64; PAGE]>>>,
    words: u64,
    /// Bits that are set.
    set: u64,
    seed: u64,
}

impl Bits {
    /// An empty set that takes so many bytes, rounded down to words; at least one.
    pub fn new(bytes: u64, seed: u64) -> Self {
        let words = (bytes / (WORD / 8)).max(1);
        let mut pages = Vec::new();
        pages.resize_with((words as usize).div_ceil(PAGE), || None);
        Bits {
            pages,
            words,
            set: 0,
            seed,
        }
    }

    /// Forgets all numbers.
    pub fn clear(&mut self) {
        for page in self.pages.iter_mut().flatten() {
            page.fill(0);
        }
        self.set = 0;
    }

    /// Adds a number. False if it is there, or is taken for others that are.
    pub fn insert(&mut self, number: u128) -> bool {
        let hash = xxh3_128_with_seed(&number.to_le_bytes(), self.seed);
        let (first, step) = (hash as u64, (hash >> 64) as u64);
        let mut is_new = false;
        for n in 0..u64::from(EACH) {
            let bit = first.wrapping_add(n.wrapping_mul(step)) % self.bits();
            let at = (bit / WORD) as usize;
            let page = self.pages[at / PAGE].get_or_insert_with(|| Box::new([0; PAGE]));
            let word = &mut page[at % PAGE];
            let mask = 1 << (bit % WORD);
            if *word & mask == 0 {
                *word |= mask;
                self.set += 1;
                is_new = true;
            }
        }
        is_new
    }

    fn bits(&self) -> u64 {
        self.words * WORD
    }

    /// Bytes that the set takes.
    pub fn bytes(&self) -> u64 {
        self.bits() / 8
    }

    /// The chance that a number that is new would be taken for others now: that all its bits are set.
    pub fn taken_for_others(&self) -> f64 {
        (self.set as f64 / self.bits() as f64).powi(EACH as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_there_and_few_others_are_taken_for_them() {
        for seed in [1, 2] {
            // 10 bits for each of 8,000 numbers: (1 − e^(−3/10))³ = 1.7 % are taken for others.
            let mut bits = Bits::new(10_000, seed);
            assert_eq!(bits.bytes(), 10_000);
            let new = (0..8_000).filter(|&n| bits.insert(n)).count();
            assert!((7_900..=8_000).contains(&new), "{new}");
            assert!((0..8_000).all(|n| !bits.insert(n)), "they are there");
            assert!((0.015..0.020).contains(&bits.taken_for_others()));
            let words = bits.pages.iter().flatten().flat_map(|page| page.iter());
            let set: u32 = words.map(|word| word.count_ones()).sum();
            assert_eq!(u64::from(set), bits.set);
            bits.clear();
            assert!(bits.insert(1) && bits.taken_for_others() < 1e-9);
        }
    }

    #[test]
    fn what_is_taken_for_others_is_as_often_as_it_says_and_depends_on_the_seed() {
        let taken = |seed| -> Vec<u128> {
            let mut bits = Bits::new(4_000, seed);
            for number in 0..10_000 {
                bits.insert(number);
            }
            let share = bits.taken_for_others();
            let others = 10_000..20_000;
            let taken: Vec<u128> = others
                .filter(|&n| {
                    let mut again = Bits {
                        pages: bits.pages.clone(),
                        ..bits
                    };
                    !again.insert(n)
                })
                .collect();
            let measured = taken.len() as f64 / 10_000.0;
            assert!((measured - share).abs() < 0.02, "{measured} {share}");
            taken
        };
        assert_ne!(taken(1), taken(2));
    }
}
