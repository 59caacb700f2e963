//! What holds of every operation of one kind, whatever its object's state: THE table of kinds.
//!
//! Each module of an object lists its kinds with their facts ([`super::Automaton::KINDS`]); [`facts`] finds those of
//! a kind. A kind that no module lists, or that two list, does not compile.

use super::facts::{Facts, Life};
use super::LISTS;
use dpor_model::Kind;

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

/// What holds of every operation of a kind.
#[inline]
pub(crate) fn facts(kind: Kind) -> &'static Facts {
    &TABLE[kind as usize]
}

/// The word for an operation of a kind in reports.
pub fn name(kind: Kind) -> &'static str {
    facts(kind).name
}

/// The words for operations in reports, in the order of the kinds.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|facts| facts.name)
}

/// True if an operation of a kind initializes its object, if it succeeds.
pub fn makes(kind: Kind) -> bool {
    facts(kind).life == Life::Makes
}

/// True if an operation of a kind destroys its object, if it succeeds.
pub fn destroys(kind: Kind) -> bool {
    facts(kind).life == Life::Destroys
}

/// The kind that does the same, but waits where this one fails; `kind` itself, if that tries nothing.
pub fn that_waits(kind: Kind) -> Kind {
    facts(kind).waits_as.unwrap_or(kind)
}
