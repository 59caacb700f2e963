//! What a formula says of a word, by definition.

use crate::Formula;

/// True if a formula holds of the word `stem` `loop` `loop` …, by the definition of each operator: an answer to hold
/// automata against. A valuation has bit n if proposition n holds.
///
/// # Panics
/// If the loop is empty.
pub fn holds_on_lasso(formula: &Formula, stem: &[u64], around: &[u64]) -> bool {
    assert!(!around.is_empty(), "a word is infinite");
    let word: Vec<u64> = stem.iter().chain(around).copied().collect();
    values(formula, &word, stem.len())[0]
}

/// Whether the formula holds from each place of the word on, whose end is followed by its place `back`.
fn values(formula: &Formula, word: &[u64], back: usize) -> Vec<bool> {
    let of = |formula: &Formula| values(formula, word, back);
    let both = |a: &Formula, b: &Formula, op: fn(bool, bool) -> bool| -> Vec<bool> {
        of(a)
            .into_iter()
            .zip(of(b))
            .map(|(a, b)| op(a, b))
            .collect()
    };
    match formula {
        Formula::True => vec![true; word.len()],
        Formula::False => vec![false; word.len()],
        Formula::Proposition(n) => word.iter().map(|now| now >> n & 1 == 1).collect(),
        Formula::Not(inner) => of(inner).into_iter().map(|holds| !holds).collect(),
        Formula::And(a, b) => both(a, b, |a, b| a && b),
        Formula::Or(a, b) => both(a, b, |a, b| a || b),
        Formula::Until(a, b) | Formula::Release(a, b) => {
            let is_until = matches!(formula, Formula::Until(..));
            let (a, b) = (of(a), of(b));
            // The least solution of `b || a && next`; the greatest of `b && (a || next)`.
            let mut now = vec![!is_until; word.len()];
            for _ in 0..=word.len() {
                now = (0..word.len())
                    .map(|i| {
                        let next = now[if i + 1 < word.len() { i + 1 } else { back }];
                        match is_until {
                            true => b[i] || a[i] && next,
                            false => b[i] && (a[i] || next),
                        }
                    })
                    .collect();
            }
            now
        }
    }
}
