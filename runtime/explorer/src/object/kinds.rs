//! What holds of every operation of one kind, whatever its object's state: THE table of kinds.
//!
//! Each module of an object lists its kinds with their facts ([`super::Automaton::KINDS`]); [`Kind::facts`] finds those of
//! a kind. A kind that no module lists, or that two list, does not compile.

use super::facts::{Facts, Life};
use super::LISTS;
use crate::program::Kind;

/// Number of kinds. `FutexRetract` is the last: a new one goes before it, so that one that is not listed is noticed.
const COUNT: usize = Kind::FutexRetract as usize + 1;

/// The facts of each kind, by its number.
static TABLE: [Facts; COUNT] = table();

const fn table() -> [Facts; COUNT] {
    let mut table = [Facts::new(""); COUNT];
    let mut list = 0;
    while list < LISTS.len() {
        let (of, kinds) = LISTS[list];
        let mut k = 0;
        while k < kinds.len() {
            let (kind, facts) = kinds[k];
            assert!(
                table[kind as usize].name.is_empty(),
                "a kind is listed twice"
            );
            table[kind as usize] = Facts { of, ..facts };
            k += 1;
        }
        list += 1;
    }
    let mut kind = 0;
    while kind < COUNT {
        assert!(!table[kind].name.is_empty(), "a kind is not listed");
        kind += 1;
    }
    table
}

impl Kind {
    /// What holds of every operation of this kind.
    #[inline]
    pub(crate) fn facts(self) -> &'static Facts {
        &TABLE[self as usize]
    }

    /// The word for an operation of this kind in reports.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// True if an operation of this kind initializes its object, if it succeeds.
    pub fn makes(self) -> bool {
        self.facts().life == Life::Makes
    }

    /// True if an operation of this kind destroys its object, if it succeeds.
    pub fn destroys(self) -> bool {
        self.facts().life == Life::Destroys
    }

    /// The kind that does the same, but waits where this one fails; this one, if it tries nothing.
    pub fn that_waits(self) -> Kind {
        self.facts().waits_as.unwrap_or(self)
    }
}
