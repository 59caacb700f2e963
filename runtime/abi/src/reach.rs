//! What each function and variable of a program is made of and refers to: records that the pass leaves in section
//! [`SECTION`], one part for each module, and that nobody loads while the program runs.
//!
//! From them `dpor` finds the code and data that `main` can reach, and a digest of just that.
//!
//! ```text
//! part     magic (8 bytes), version (4), length of the part in bytes (4), flags (4), entries (4), words (16),
//!          then the entries, then for each defined entry the list of what it refers to
//! entry    key of the linker's name (8), bits of `kind` (1), and if it is defined the digest of its content (16)
//! list     its length, then indices of entries; numbers of 7 bits to a byte, low ones first, with bit 7 in all but the last
//! ```
//!
//! All fixed numbers are little-endian. Between parts there may be bytes that are 0.

/// ELF section of the parts. It takes no memory in the running program.
pub const SECTION: &str = ".dpor.reach";

/// A symbol that `dpor-cc` has the linker define: all that it linked has these records, as far as it could see, and no
/// option of the linker changes what names mean.
pub const VOUCHED: &str = "__dpor_reach_known";

/// First bytes of a part.
const MAGIC: [u8; 8] = *b"\x7fdporch\n";

/// Version of the layout, and of what goes into a digest.
const VERSION: u32 = 1;

/// Bytes of a part before its entries.
const HEAD: usize = 40;

/// Bits of [`Entry::kind`].
pub mod kind {
    /// The module defines it.
    pub const DEFINED: u8 = 1;
    /// No other module can name it.
    pub const LOCAL: u8 = 2;
    /// It is reached as soon as the module is linked: constructors run at start, other tools look for sections.
    pub const ROOT: u8 = 4;
    /// A word of inline assembly, which is a name only if something in the program has that name.
    pub const WORD: u8 = 8;
    /// It may be defined nowhere, and is null then.
    pub const WEAK: u8 = 16;
}

/// Bits of [`Part::flags`].
pub mod flag {
    /// The module has assembly that may define and refer to anything.
    pub const UNKNOWN: u32 = 1;
}

/// A function or variable: one that the module defines, or one that it refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// [`key`] of the linker's name; what is local and has no name has the key of the empty name.
    pub key: u64,
    /// Bits of [`kind`].
    pub kind: u8,
    /// Digest of what it is made of, without what it refers to; 0 if it is not defined here.
    pub digest: [u8; 16],
    /// Indices of the entries that it refers to, in the order in which the digest means them.
    pub refers: Vec<u32>,
}

impl Entry {
    /// True if all bits are set.
    pub fn is(&self, bits: u8) -> bool {
        self.kind & bits == bits
    }
}

/// The record of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Bits of [`flag`].
    pub flags: u32,
    /// Digest of what the runtime learns of the module, and of what it is compiled for.
    pub words: [u8; 16],
    /// The entries.
    pub entries: Vec<Entry>,
}

/// A number for the linker's name of a function or variable: FNV-1a of 64 bits.
pub fn key(name: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    name.iter().fold(OFFSET, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

impl Part {
    /// The bytes of the part.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        for entry in &self.entries {
            bytes.extend(entry.key.to_le_bytes());
            bytes.push(entry.kind);
            if entry.is(kind::DEFINED) {
                bytes.extend(entry.digest);
            }
        }
        for entry in self.entries.iter().filter(|entry| entry.is(kind::DEFINED)) {
            number(&mut bytes, entry.refers.len() as u32);
            for &index in &entry.refers {
                number(&mut bytes, index);
            }
        }
        let count = self.entries.len() as u32;
        bytes[..8].copy_from_slice(&MAGIC);
        let words = [VERSION, bytes.len() as u32, self.flags, count];
        for (at, word) in words.into_iter().enumerate() {
            bytes[8 + 4 * at..][..4].copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..HEAD].copy_from_slice(&self.words);
        bytes
    }

    /// The parts of a section; `None` if one is damaged or of another version.
    pub fn all(section: &[u8]) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut rest = section;
        while let Some(start) = rest.iter().position(|&byte| byte != 0) {
            rest = &rest[start..];
            let length = u32::from_le_bytes(rest.get(12..16)?.try_into().ok()?) as usize;
            parts.push(Part::parse(rest.get(..length)?)?);
            rest = &rest[length..];
        }
        Some(parts)
    }

    fn parse(bytes: &[u8]) -> Option<Part> {
        let mut at = Reader(bytes);
        if at.take(8)? != MAGIC || at.word()? != VERSION {
            return None;
        }
        at.word()?;
        let (flags, count) = (at.word()?, at.word()? as usize);
        let words = at.take(16)?.try_into().ok()?;
        // Each entry takes nine bytes at least: no damaged number makes us ask for much memory.
        let mut entries = Vec::with_capacity(count.min(bytes.len() / 9));
        for _ in 0..count {
            let key = u64::from_le_bytes(at.take(8)?.try_into().ok()?);
            let kind = at.take(1)?[0];
            let digest = match kind & kind::DEFINED {
                0 => [0; 16],
                _ => at.take(16)?.try_into().ok()?,
            };
            entries.push(Entry {
                key,
                kind,
                digest,
                refers: Vec::new(),
            });
        }
        for entry in entries.iter_mut().filter(|entry| entry.is(kind::DEFINED)) {
            for _ in 0..at.number()? {
                let index = at.number()?;
                if index as usize >= count {
                    return None;
                }
                entry.refers.push(index);
            }
        }
        at.0.is_empty().then_some(Part {
            flags,
            words,
            entries,
        })
    }
}

/// Appends a number of 7 bits to a byte.
fn number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The bytes of a part that were not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let byte = u32::from(self.take(1)?[0]);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function `f` that refers to a local variable, to itself and to 200 others.
    fn example() -> Part {
        let other = |index: u8| Entry {
            key: key(&[b'a', index]),
            ..Entry::default()
        };
        let function = Entry {
            key: key(b"f"),
            kind: kind::DEFINED | kind::ROOT,
            digest: [7; 16],
            refers: [1, 0].into_iter().chain(2..202).collect(),
        };
        let variable = Entry {
            key: key(b""),
            kind: kind::DEFINED | kind::LOCAL,
            digest: [8; 16],
            refers: Vec::new(),
        };
        let entries = [function, variable].into_iter();
        Part {
            flags: flag::UNKNOWN,
            words: [9; 16],
            entries: entries.chain((0..200).map(other)).collect(),
        }
    }

    #[test]
    fn parts_come_back_as_they_were_written() {
        let (first, empty) = (example(), Part::default());
        let section = [first.bytes(), vec![0; 5], empty.bytes(), vec![0; 3]].concat();
        assert_eq!(Part::all(&section), Some(vec![first, empty]));
        assert_eq!(Part::all(&[]), Some(Vec::new()));
    }

    /// Head, one defined entry and one that is not, then a list of one index.
    #[test]
    fn a_part_is_as_long_as_its_layout_says() {
        let mut part = example();
        part.entries.truncate(3);
        part.entries.remove(1);
        part.entries[0].refers = vec![1];
        assert_eq!(part.bytes().len(), 40 + 25 + 9 + 2);
    }

    #[test]
    fn what_is_damaged_is_nothing() {
        let bytes = example().bytes();
        for cut in [1, 8, 15, 39, 40, 60, bytes.len() - 1] {
            assert_eq!(Part::all(&bytes[..cut]), None, "{cut}");
        }
        for changed in [0, 8, 12, 20] {
            let mut bytes = bytes.clone();
            bytes[changed] ^= 1;
            assert_eq!(Part::all(&bytes), None, "{changed}");
        }
        let mut behind = bytes.clone();
        behind.push(3);
        assert_eq!(Part::all(&behind), None);
    }

    /// Values of the FNV authors' list of test vectors.
    #[test]
    fn keys_are_those_of_fnv() {
        assert_eq!(key(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(key(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(key(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
