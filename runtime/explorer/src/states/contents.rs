//! Contents of states, each kept once and numbered: two have the same number if and only if they are the same bytes.

use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// No further content with the same hash.
const NONE: u32 = u32::MAX;

/// Bytes that are allocated at once.
const CHUNK: usize = 1 << 20;

/// Where a content is.
#[derive(Clone, Debug)]
struct Kept {
    chunk: u32,
    start: u32,
    bytes: u32,
    /// The one before with the same hash, or [`NONE`].
    before: u32,
}

/// Contents, each once. A hash finds those that are compared, and decides nothing.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    chunks: Vec<Vec<u8>>,
    all: Vec<Kept>,
    last_with: HashMap<u64, u32>,
    /// A test: all have the same hash.
    are_hashes_alike: bool,
    of_chunks: usize,
}

impl Contents {
    /// Takes all hashes for the same, for a test.
    pub(crate) fn with_hashes_alike(are_alike: bool) -> Self {
        Contents {
            are_hashes_alike: are_alike,
            ..Contents::default()
        }
    }

    /// The number of a content, which is kept if it is new.
    ///
    /// # Panics
    /// There are 2^32 contents, or one has so many bytes.
    pub fn number(&mut self, content: &[u8]) -> u32 {
        let hash = match self.are_hashes_alike {
            true => 0,
            false => xxh3_64(content),
        };
        let last = self.last_with.get(&hash).copied().unwrap_or(NONE);
        let mut at = last;
        while at != NONE {
            if self.get(at) == content {
                return at;
            }
            at = self.all[at as usize].before;
        }
        let number = u32::try_from(self.all.len()).ok().filter(|&n| n != NONE);
        let number = number.expect("fewer than 2^32 contents");
        let kept = self.keep(content, last);
        self.all.push(kept);
        self.last_with.insert(hash, number);
        number
    }

    fn keep(&mut self, content: &[u8], before: u32) -> Kept {
        let fits = |chunk: &Vec<u8>| chunk.len() + content.len() <= chunk.capacity();
        if !self.chunks.last().is_some_and(fits) {
            let capacity = CHUNK.max(content.len());
            self.chunks.push(Vec::with_capacity(capacity));
            self.of_chunks += capacity;
        }
        let chunk = self.chunks.len() - 1;
        let start = self.chunks[chunk].len();
        self.chunks[chunk].extend_from_slice(content);
        Kept {
            chunk: chunk as u32,
            start: start as u32,
            bytes: u32::try_from(content.len()).expect("fewer than 2^32 bytes"),
            before,
        }
    }

    fn get(&self, number: u32) -> &[u8] {
        let kept = &self.all[number as usize];
        let start = kept.start as usize;
        &self.chunks[kept.chunk as usize][start..start + kept.bytes as usize]
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        // A byte of control for each place of the table.
        let table = self.last_with.capacity() * (size_of::<(u64, u32)>() + 1);
        self.of_chunks + self.all.capacity() * size_of::<Kept>() + table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_has_one_number_whatever_the_hash_says() {
        for are_alike in [false, true] {
            let mut contents = Contents::with_hashes_alike(are_alike);
            let all: Vec<Vec<u8>> = (0..300_u32)
                .map(|n| n.to_le_bytes()[..1 + n as usize % 3].repeat(1 + n as usize % 50))
                .collect();
            let mut by_bytes = HashMap::new();
            for content in all.iter().chain(&all) {
                let next = by_bytes.len() as u32;
                let expected = *by_bytes.entry(content.clone()).or_insert(next);
                assert_eq!(contents.number(content), expected);
            }
            assert_eq!(contents.number(&[]), by_bytes.len() as u32);
            assert_eq!(
                contents.number(&vec![7; 3 * CHUNK]),
                by_bytes.len() as u32 + 1
            );
            assert_eq!(contents.number(&all[0]), by_bytes[&all[0]]);
            assert!((4 * CHUNK..5 * CHUNK).contains(&contents.bytes()));
        }
    }
}
