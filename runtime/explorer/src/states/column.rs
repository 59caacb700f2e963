//! Lists that grow without being copied, and a table of their entries, in few bytes each.

/// Entries that are allocated together. (A vector that grows by copying would take up to twice what it holds.)
const CHUNK: usize = 1 << 12;

/// A list.
pub(super) struct Column<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Column { chunks: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    /// The number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        full + self.chunks.last().map_or(0, Vec::len)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let capacity: usize = self.chunks.iter().map(Vec::capacity).sum();
        capacity * size_of::<T>()
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, entry: T) {
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => last.push(entry),
            None => {
                // The first grows with what it holds: most programs are small.
                let capacity = if self.chunks.is_empty() { 16 } else { CHUNK };
                let mut chunk = Vec::with_capacity(capacity);
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    /// The entry with this number.
    #[inline]
    pub fn get(&self, number: u32) -> T {
        self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    /// The entry with this number, to change it.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }
}

/// Lists of words, one after the other, each by where it begins.
#[derive(Default)]
pub(super) struct Rows {
    chunks: Vec<Vec<u32>>,
}

/// Words of which places in rows are multiples, so that a number of 32 bits reaches far enough.
const CHUNK_OF_ROWS: usize = 1 << 14;

impl Rows {
    /// Adds the words of a row, at most 2^14, and returns where it begins.
    pub fn add(&mut self, row: &[u32]) -> u32 {
        let fits = |last: &Vec<u32>| last.len() + row.len().max(1) <= CHUNK_OF_ROWS;
        if !self.chunks.last().is_some_and(fits) {
            self.chunks.push(Vec::new());
        }
        let at = self.chunks.len() - 1;
        let begin = at * CHUNK_OF_ROWS + self.chunks[at].len();
        self.chunks[at].extend_from_slice(row);
        u32::try_from(begin).expect("fewer than 2^32 words")
    }

    /// The words from a place on, which is where a row begins.
    #[inline]
    pub fn from(&self, begin: u32) -> &[u32] {
        &self.chunks[begin as usize / CHUNK_OF_ROWS][begin as usize % CHUNK_OF_ROWS..]
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        let capacity: usize = self.chunks.iter().map(Vec::capacity).sum();
        capacity * size_of::<u32>()
    }
}

/// No entry.
const FREE: u8 = 0;

/// A table of numbers, which are found by a hash of what they stand for; what that is, the caller knows. Five bytes for each
/// place, of which two thirds to five sixths are taken.
#[derive(Default)]
pub(super) struct Table {
    /// Of each place a part of the entry's hash, which is not 0, or [`FREE`].
    tags: Vec<u8>,
    numbers: Vec<u32>,
    taken: usize,
}

impl Table {
    /// The place at which the search for a hash begins.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.tags.len() as u128) >> 64) as usize
    }

    #[inline]
    fn tag(hash: u64) -> u8 {
        hash as u8 | 1
    }

    /// The number with this hash of which `is_it` says so.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.tags.is_empty() {
            return None;
        }
        let (mut at, tag) = (self.first(hash), Self::tag(hash));
        loop {
            match self.tags[at] {
                FREE => return None,
                found if found == tag && is_it(self.numbers[at]) => return Some(self.numbers[at]),
                _ => {}
            }
            at += 1;
            if at == self.tags.len() {
                at = 0;
            }
        }
    }

    /// Adds a number that is not there. `hash_of`: the hash of each number that is.
    pub fn insert(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        if self.taken * 6 >= self.tags.len() * 5 {
            let places = (self.tags.len() + self.tags.len() / 4).max(16);
            let tags = std::mem::replace(&mut self.tags, vec![FREE; places]);
            let numbers = std::mem::replace(&mut self.numbers, vec![0; places]);
            for (tag, number) in tags.into_iter().zip(numbers) {
                if tag != FREE {
                    self.put(hash_of(number), number);
                }
            }
        }
        self.put(hash, number);
        self.taken += 1;
    }

    /// Puts a number into the first place that is free. There is one.
    fn put(&mut self, hash: u64, number: u32) {
        let mut at = self.first(hash);
        while self.tags[at] != FREE {
            at += 1;
            if at == self.tags.len() {
                at = 0;
            }
        }
        (self.tags[at], self.numbers[at]) = (Self::tag(hash), number);
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.tags.capacity() + self.numbers.capacity() * size_of::<u32>()
    }
}

/// A hash of a number of which all bits matter and few may differ: the finalizer of MurmurHash3 (Appleby, public domain), of
/// both halves.
#[inline]
pub(super) fn mixed(number: u128) -> u64 {
    let mut word = number as u64 ^ ((number >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    word = (word ^ word >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    word ^ word >> 33
}

/// A hasher for small keys of the search's own, of which nobody chooses the values: a multiplication for each word.
#[derive(Default, Clone, Copy)]
pub(super) struct Words(u64);

/// Makes [`Words`].
pub(super) type ByWords = std::hash::BuildHasherDefault<Words>;

impl std::hash::Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(1);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        mixed(self.0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn lists_have_what_was_added() {
        let (mut column, mut rows, mut begins) = (Column::default(), Rows::default(), Vec::new());
        for n in 0..20_000_u32 {
            assert_eq!(column.len(), n as usize);
            column.push(n);
            begins.push(rows.add(&vec![n; n as usize % 7]));
        }
        *column.get_mut(5_000) = 1;
        for n in 0..20_000 {
            assert_eq!(column.get(n), if n == 5_000 { 1 } else { n });
            let row = rows.from(begins[n as usize]);
            assert!(row[..n as usize % 7].iter().all(|&word| word == n));
        }
        assert!(column.bytes() < 4 * (20_000 + CHUNK) && rows.bytes() > 4 * 3 * 19_000);
    }

    /// Against a map of the standard library, with hashes of which many are the same.
    #[test]
    fn a_table_finds_what_is_there() {
        for bits in [2, 8, 64] {
            let hash = |n: u32| mixed(u128::from(n) % (1 << bits)).rotate_left(7);
            let (mut table, mut known) = (Table::default(), HashMap::new());
            for n in 0..2_000_u32 {
                let key = n.wrapping_mul(2_654_435_761) % 1_500;
                let found = table.find(hash(key), |number| number == key);
                assert_eq!(found, known.get(&key).copied());
                if found.is_none() {
                    table.insert(hash(key), key, hash);
                    known.insert(key, key);
                }
            }
            assert!(table.bytes() < 9 * known.len() + 200);
        }
    }
}
