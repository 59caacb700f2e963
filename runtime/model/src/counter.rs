//! Read-modify-writes of which nobody sees more than how one comparison of what they found turned out.

use crate::{update, Condition, Test};

/// A read-modify-write whose result is compared once, with a constant, and used for nothing else: a count that is
/// dropped (`fetch_sub(1) == 1`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counter {
    /// Its [`update`], never `OTHER`.
    pub operator: u8,
    /// What it adds, or another operand; extended by its sign.
    pub operand: i8,
    /// How what it found is compared.
    pub test: Test,
    /// The constant that what it found is compared with; extended by its sign.
    pub value: i8,
}

impl Counter {
    /// Drops one count and asks whether it was the last one: `fetch_sub(1) == 1`.
    pub const LAST: Counter = Counter {
        operator: update::ADD as u8,
        operand: -1,
        test: Test::Equal,
        value: 1,
    };

    /// The read-modify-write with these numbers, if they are small, the operator is an [`update`], and the test is one.
    pub fn of(operator: u64, operand: i64, test: u32, value: i64) -> Option<Counter> {
        let is_update = (update::ADD..=update::UMIN).contains(&operator);
        Some(Counter {
            operator: is_update.then_some(operator as u8)?,
            operand: i8::try_from(operand).ok()?,
            test: Condition::test(test)?,
            value: i8::try_from(value).ok()?,
        })
    }

    /// Number of bits of [`Counter::number`].
    pub const BITS: u32 = 23;

    /// The counter as a number.
    pub fn number(self) -> u32 {
        u32::from(self.operator - 1)
            | (self.test as u32) << 3
            | u32::from(self.operand as u8) << 7
            | u32::from(self.value as u8) << 15
    }

    /// The counter with this number.
    pub fn from_number(number: u32) -> Option<Counter> {
        let test = Condition::test(number >> 3 & 0xf)?;
        Some(Counter {
            operator: (number & 7) as u8 + 1,
            operand: (number >> 7) as u8 as i8,
            test,
            value: (number >> 15) as u8 as i8,
        })
    }

    /// How the comparison turns out for what was found in so many bytes.
    pub fn answer(self, found: u64, bytes: u32) -> bool {
        let condition = Condition {
            test: self.test,
            bits: 8 * bytes,
            mask: u64::MAX,
            value: i64::from(self.value) as u64,
        };
        condition.holds(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_what_was_found_in_its_width() {
        let last = |bytes, found| {
            let counter = Counter::of(update::ADD, -1, Test::Equal as u32, 1);
            counter.expect("small").answer(found, bytes)
        };
        assert!(last(4, 1) && !last(4, 2));
        assert!(!last(8, 1 << 32 | 1));
        let negative = Counter::of(update::ADD, 1, Test::Equal as u32, -1).expect("small");
        assert!(negative.answer(0xff, 1) && negative.answer(0xffff_ffff, 4));
        assert!(!negative.answer(0xff, 4));
        let below = Counter::of(update::ADD, 1, Test::SignedBelow as u32, 0).expect("small");
        assert!(below.answer(0x80, 1) && !below.answer(0x80, 2));
    }

    #[test]
    fn numbers_come_back() {
        for operator in update::ADD..=update::UMIN {
            for (operand, test, value) in [(-1, 0, 1), (127, 9, -128), (0, 4, 0)] {
                let counter = Counter::of(operator, operand, test, value).expect("small");
                assert!(counter.number() < 1 << Counter::BITS);
                assert_eq!(Counter::from_number(counter.number()), Some(counter));
            }
        }
    }

    #[test]
    fn has_small_numbers_only() {
        let with = |operator, operand, test, value| Counter::of(operator, operand, test, value);
        assert!(with(update::ADD, 127, 0, -128).is_some());
        assert_eq!(with(update::ADD, 128, 0, 0), None);
        assert_eq!(with(update::ADD, 1, 0, -129), None);
        assert_eq!(with(update::OTHER, 1, 0, 0), None);
        assert_eq!(with(update::UMIN + 1, 1, 0, 0), None);
        assert_eq!(with(update::ADD, 1, 10, 0), None);
    }
}
