//! What a waiting access to memory waits for ([`Operation::waits`]).
//!
//! A loop that does nothing but look at one place of memory until it likes what it sees is one access
//! that blocks until then. The looks in vain are no events: nobody can tell how many there were.

use crate::{Argument, Detail, Operation};

/// How the value found compares with the one in the condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Test {
    /// The value equals the operand.
    Equal,
    /// The value differs from the operand.
    NotEqual,
    /// Unsigned value < operand.
    Below,
    /// Unsigned value ≤ operand.
    AtMost,
    /// Unsigned value > operand.
    Above,
    /// Unsigned value ≥ operand.
    AtLeast,
    /// Signed value < operand.
    SignedBelow,
    /// Signed value ≤ operand.
    SignedAtMost,
    /// Signed value > operand.
    SignedAbove,
    /// Signed value ≥ operand.
    SignedAtLeast,
}

const TESTS: [Test; 10] = [
    Test::Equal,
    Test::NotEqual,
    Test::Below,
    Test::AtMost,
    Test::Above,
    Test::AtLeast,
    Test::SignedBelow,
    Test::SignedAtMost,
    Test::SignedAbove,
    Test::SignedAtLeast,
];

/// A condition on what an access of at most 8 bytes finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// How it compares.
    pub test: Test,
    /// The number of bits that are compared, 1 to 64. What is found has zeros above its own.
    pub bits: u32,
    /// The bits of what is found that count.
    pub mask: u64,
    /// The operand: what is found is compared with it.
    pub value: u64,
}

/// What a read-modify-write makes of what it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The operation leaves the value as it is.
    Nothing,
    /// The operation stores this value.
    To(u64),
    /// The operation sets these bits of the value.
    SetBits(u64),
}

impl Condition {
    /// The test with this number.
    pub fn test(number: u32) -> Option<Test> {
        TESTS.get(number as usize).copied()
    }

    /// What is found equals `value`, of so many bits.
    pub const fn equal(bits: u32, value: u64) -> Self {
        Condition {
            test: Test::Equal,
            bits,
            mask: u64::MAX,
            value,
        }
    }

    /// True if it holds for what an access found.
    pub fn holds(&self, found: u64) -> bool {
        let unused = 64 - self.bits;
        let (a, b) = ((found & self.mask) << unused, self.value << unused);
        let (x, y) = (a as i64, b as i64);
        match self.test {
            Test::Equal => a == b,
            Test::NotEqual => a != b,
            Test::Below => a < b,
            Test::AtMost => a <= b,
            Test::Above => a > b,
            Test::AtLeast => a >= b,
            Test::SignedBelow => x < y,
            Test::SignedAtMost => x <= y,
            Test::SignedAbove => x > y,
            Test::SignedAtLeast => x >= y,
        }
    }

    /// If a loop makes this change again and again until the condition holds: when that does something,
    /// because the loop ends or memory changes. `None`: always, or not known.
    pub fn unless_in_vain(self, change: Change, bytes: u32) -> Option<Condition> {
        let all = u64::MAX >> (64 - 8 * bytes);
        let differs = |mask, value| Condition {
            test: Test::NotEqual,
            bits: 64,
            mask,
            value,
        };
        match change {
            Change::Nothing => Some(self),
            // What it does not change is what it stores.
            Change::To(value) if !self.holds(value) => Some(differs(all, value)),
            // Nothing changes if all these bits are there. No others count.
            Change::SetBits(set) if self.mask & all == set && !self.holds(set) => {
                Some(differs(set, set))
            }
            _ => None,
        }
    }

    /// The operation, waiting for this condition. It is a load or a read-modify-write of at most 8 bytes in
    /// one cell.
    pub fn of(self, operation: Operation) -> Operation {
        Operation {
            waits: true,
            argument: Argument::condition(self.test as u8, self.bits),
            detail: Detail::Condition {
                mask: self.mask,
                value: self.value,
            },
            ..operation
        }
    }

    /// What a waiting operation waits for.
    pub fn awaited(operation: &Operation) -> Option<Condition> {
        if !operation.waits {
            return None;
        }
        match operation.detail {
            Detail::Condition { mask, value } => Some(Condition {
                test: Condition::test(operation.test().0.into())?,
                bits: operation.test().1,
                mask,
                value,
            }),
            expected => {
                let bits = 8 * operation.bytes;
                Some(Condition::equal(bits, expected.expected() as u64))
            }
        }
    }

    /// What an operation of at most 8 bytes finds in its cell.
    pub fn found(operation: &Operation, cell: u64) -> u64 {
        let bits = 8 * operation.bytes;
        cell >> (8 * u32::from(operation.offset)) & (u64::MAX >> (64 - bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, SiteId};

    fn condition(test: Test, bits: u32, mask: u64, value: u64) -> Condition {
        Condition {
            test,
            bits,
            mask,
            value,
        }
    }

    #[test]
    fn compares_as_many_bits_as_it_says() {
        let all = u64::MAX;
        let check = |test, bits, mask, value, found, expect| {
            let c = condition(test, bits, mask, value);
            assert_eq!(c.holds(found), expect, "{c:?} {found:x}");
        };
        check(Test::Equal, 8, all, 0x1ff, 0xff, true);
        check(Test::Equal, 9, all, 0x1ff, 0xff, false);
        check(Test::NotEqual, 32, 4, 0, 0b1011, false);
        check(Test::NotEqual, 32, 4, 0, 0b1111, true);
        // -1 of 8 bits, and 255 of 32.
        check(Test::SignedBelow, 8, all, 0, 0xff, true);
        check(Test::SignedBelow, 32, all, 0, 0xff, false);
        check(Test::Below, 8, all, 0, 0xff, false);
        check(Test::SignedAtLeast, 64, all, u64::MAX, 0, true);
        check(Test::AtLeast, 64, all, u64::MAX, 0, false);
        check(Test::Above, 64, all, 1 << 63, u64::MAX, true);
        check(Test::SignedAbove, 64, all, 1 << 63, 0, true);
        check(Test::AtMost, 1, all, 0, 2, true);
        check(Test::SignedAtMost, 4, all, 7, 8, true);
    }

    /// For every value of a byte: it waits if and only if nothing would change and the loop would go on.
    #[test]
    fn waits_where_nothing_would_happen() {
        let all = u64::MAX;
        let mut waiting = 0;
        for (test, mask, value) in [
            (Test::Equal, all, 0),
            (Test::NotEqual, all, 1),
            (Test::Equal, 4, 0),
            (Test::NotEqual, 6, 6),
            (Test::Below, all, 3),
        ] {
            let ends = condition(test, 32, mask, value);
            for operand in [0, 1, 2, 4, 6, 0xff] {
                for change in [
                    Change::Nothing,
                    Change::To(operand),
                    Change::SetBits(operand),
                ] {
                    let Some(passes) = ends.unless_in_vain(change, 1) else {
                        continue;
                    };
                    waiting += 1;
                    for found in 0..=0xff {
                        let after = match change {
                            Change::Nothing => found,
                            Change::To(value) => value,
                            Change::SetBits(bits) => found | bits,
                        };
                        let in_vain = after == found && !ends.holds(found);
                        assert_eq!(passes.holds(found), !in_vain, "{ends:?} {change:?} {found}");
                    }
                }
            }
        }
        assert!(waiting > 40, "{waiting}");
        let free = condition(Test::Equal, 32, all, 0);
        assert!(free.unless_in_vain(Change::To(1), 1).is_some());
        let bit = condition(Test::Equal, 32, 4, 0);
        assert!(bit.unless_in_vain(Change::SetBits(4), 1).is_some());
    }

    #[test]
    fn is_what_was_put_into_the_operation() {
        for (number, test) in TESTS.into_iter().enumerate() {
            assert_eq!(Condition::test(number as u32), Some(test));
            let c = condition(test, 17, 0xabc, 0xdef);
            let mut load = Operation::new(Kind::Load, SiteId(3));
            load.bytes = 4;
            assert_eq!(Condition::awaited(&load), None);
            assert_eq!(Condition::awaited(&c.of(load)), Some(c));
        }
        assert_eq!(Condition::test(10), None);
    }

    #[test]
    fn finds_its_own_bytes() {
        let mut load = Operation::new(Kind::Load, SiteId::UNKNOWN);
        (load.offset, load.bytes) = (2, 2);
        assert_eq!(Condition::found(&load, 0x1122_3344_5566_7788), 0x5566);
        (load.offset, load.bytes) = (0, 8);
        assert_eq!(Condition::found(&load, u64::MAX), u64::MAX);
    }
}
