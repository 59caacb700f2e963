//! The hash of the detector's maps: one multiplication.
//!
//! The standard hasher draws a random key through thread-local storage, which code that runs on a
//! program fiber must not touch. Keys are addresses and small numbers, not an opponent's choice.

use std::hash::{BuildHasherDefault, Hasher};

/// A map that uses no thread-local storage.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Multiply>>;

/// A set that uses none.
pub(crate) type Set<K> = std::collections::HashSet<K, BuildHasherDefault<Multiply>>;

/// Fibonacci hashing (Knuth, TAOCP 3, 6.4): the factor is 2^64 divided by the golden ratio.
#[derive(Default)]
pub(crate) struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        // The map takes bucket bits from the bottom, the product is mixed best at the top.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
