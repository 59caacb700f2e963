//! One value of each class: comparisons with constants cut the numbers into intervals, in each of which all results are
//! the same; intervals with the same results are one class.

use super::uses::{predicate, Constants, Step, Test};
use dpor_abi::CLASSES_MAX;
use std::collections::BTreeSet;

/// The lowest so many bits.
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// A number of so many bits, with its sign.
fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// A value of each class of numbers of so many bits, 0 first; `None`: there are too many.
pub fn representatives(bits: u32, tests: &[Test]) -> Option<Vec<u64>> {
    let mut begins = BTreeSet::from([0]);
    for test in tests {
        begins.extend(begins_of(bits, test));
    }
    let begins: Vec<u64> = begins.into_iter().collect();
    let mut values = Vec::new();
    let mut seen: BTreeSet<Vec<u64>> = BTreeSet::new();
    for (n, &begin) in begins.iter().enumerate() {
        let end = begins.get(n + 1).map_or(mask(bits), |next| next - 1);
        // Of negative numbers the one nearest to 0.
        let value = if signed(begin, bits) < 0 { end } else { begin };
        let results = tests.iter().map(|test| result(bits, test, value)).collect();
        if seen.insert(results) {
            values.push(value);
        }
    }
    (values.len() <= CLASSES_MAX).then_some(values)
}

/// The width that the steps make of so many bits.
fn width(bits: u32, steps: &[Step]) -> u32 {
    steps.iter().fold(bits, |bits, step| match step {
        Step::SignExtend(_, to) | Step::ZeroExtend(_, to) => *to,
        Step::Add(_) => bits,
    })
}

/// Where intervals begin in which the result of a test does not change.
fn begins_of(bits: u32, test: &Test) -> BTreeSet<u64> {
    let compared = width(bits, &test.steps);
    let constants = match &test.with {
        Constants::One(_, constant) => vec![*constant],
        Constants::Several(cases) => cases.iter().map(|case| case.0).collect(),
    };
    let all = constants.iter().flat_map(|&c| [c, c.wrapping_add(1)]);
    let mut begins: BTreeSet<u64> = all.map(|c| c & mask(compared)).collect();
    // Where numbers begin again at the smallest, without a sign and with one.
    begins.extend([0, 1 << (compared - 1)]);
    let mut bits = compared;
    for step in test.steps.iter().rev() {
        begins = match *step {
            Step::Add(by) => begins
                .iter()
                .map(|begin| begin.wrapping_sub(by) & mask(bits))
                .collect(),
            Step::SignExtend(from, _) | Step::ZeroExtend(from, _) => {
                bits = from;
                let kept = begins.iter().map(|begin| begin & mask(from));
                kept.chain([1 << (from - 1)]).collect()
            }
        };
        begins.insert(0);
    }
    begins
}

/// What a test makes of a value.
fn result(bits: u32, test: &Test, value: u64) -> u64 {
    let found = test.steps.iter().fold(value, |value, step| match *step {
        Step::SignExtend(from, to) => signed(value, from) as u64 & mask(to),
        Step::ZeroExtend(..) => value,
        // What is above is cut off where it is compared or extended.
        Step::Add(by) => value.wrapping_add(by),
    });
    let bits = width(bits, &test.steps);
    let found = found & mask(bits);
    match &test.with {
        Constants::One(predicate, constant) => {
            u64::from(compare(*predicate, found, *constant & mask(bits), bits))
        }
        Constants::Several(cases) => {
            let case = cases.iter().find(|case| case.0 & mask(bits) == found);
            case.map_or(0, |case| case.1)
        }
    }
}

fn compare(predicate: u32, left: u64, right: u64, bits: u32) -> bool {
    let (signed_left, signed_right) = (signed(left, bits), signed(right, bits));
    match predicate {
        predicate::EQUAL => left == right,
        predicate::NOT_EQUAL => left != right,
        predicate::ABOVE => left > right,
        predicate::AT_LEAST => left >= right,
        predicate::BELOW => left < right,
        predicate::AT_MOST => left <= right,
        predicate::SIGNED_ABOVE => signed_left > signed_right,
        predicate::SIGNED_AT_LEAST => signed_left >= signed_right,
        predicate::SIGNED_BELOW => signed_left < signed_right,
        _ => signed_left <= signed_right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(steps: &[Step], predicate: u32, constant: i64) -> Test {
        Test {
            steps: steps.to_vec(),
            with: Constants::One(predicate, constant as u64),
        }
    }

    #[test]
    fn intervals_with_the_same_results_are_one_class() {
        use predicate::{EQUAL, SIGNED_BELOW};
        let tests = [with(&[], SIGNED_BELOW, 5), with(&[], EQUAL, 9)];
        // Below 5; 9; all others, on both sides of 9.
        assert_eq!(representatives(32, &tests), Some(vec![0, 5, 9]));
        assert_eq!(representatives(32, &[]), Some(vec![0]));
    }

    #[test]
    fn negative_numbers() {
        let tests = [
            with(&[], predicate::SIGNED_BELOW, 0),
            with(&[], predicate::ABOVE, 3_000_000_000),
        ];
        // 0 to the largest; the smallest to 3,000,000,000 taken without a sign; the rest.
        let values = representatives(32, &tests);
        assert_eq!(values, Some(vec![0, 3_000_000_000, 0xffff_ffff]));
    }

    /// All numbers of eight bits have the results of the value that stands for them.
    #[test]
    fn every_number_has_the_results_of_one_of_the_values() {
        let steps: [&[Step]; 6] = [
            &[],
            &[Step::SignExtend(8, 32)],
            &[Step::ZeroExtend(8, 16), Step::Add(0xfff0)],
            &[Step::Add(0x7f)],
            &[Step::SignExtend(8, 64), Step::Add(3)],
            &[
                Step::Add(9),
                Step::ZeroExtend(8, 9),
                Step::SignExtend(9, 12),
            ],
        ];
        for steps in steps {
            for predicate in predicate::EQUAL..=predicate::SIGNED_AT_MOST {
                for constant in [-200, -128, -3, 0, 1, 17, 127, 128, 255, 256, 4000] {
                    let tests = [with(steps, predicate, constant)];
                    let values = representatives(8, &tests).unwrap();
                    let results = |v| result(8, &tests[0], v);
                    let kept: BTreeSet<u64> = values.iter().map(|&v| results(v)).collect();
                    let all: BTreeSet<u64> = (0..=255).map(results).collect();
                    assert_eq!(kept, all, "{tests:?}");
                    assert_eq!(values.len(), all.len(), "{tests:?}");
                }
            }
        }
    }
}
