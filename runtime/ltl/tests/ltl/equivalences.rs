//! Laws of the logic, as texts: the parser and the operators together.

use crate::random::Random;
use dpor_ltl::{holds_on_lasso, parse, Formula};

pub fn formula(text: &str) -> Formula {
    let number = |name: &str| {
        ["p", "q"]
            .iter()
            .position(|known| *known == name)
            .map(|n| n as u32)
    };
    parse(text, &number).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
}

#[test]
fn laws_hold_of_all_words() {
    let laws = [
        ("F p", "true U p"),
        ("<> p", "F p"),
        ("[] p", "G p"),
        ("G p", "false R p"),
        ("p W q", "(p U q) || G p"),
        ("p V q", "p R q"),
        ("p R q", "!(!p U !q)"),
        ("p M q", "(p R q) && F p"),
        ("p -> q", "!p || q"),
        ("p <-> q", "(p -> q) && (q -> p)"),
        ("!G p", "F !p"),
        ("F F p", "F p"),
        ("G F (p || q)", "G F p || G F q"),
        ("F G (p && q)", "F G p && F G q"),
        ("p U (p U q)", "p U q"),
        ("G (p -> F q)", "[](!p \\/ <>q)"),
        ("!p && q || p", "((!p) & q) | p"),
        ("p -> q -> p", "p -> (q -> p)"),
        ("p U q U p", "p U (q U p)"),
        ("p && q U p", "p && (q U p)"),
        ("1 /\\ ~ 0", "true"),
    ];
    for (a, b) in laws {
        let (left, right) = (formula(a), formula(b));
        for seed in 0..300 {
            let (stem, around) = Random(seed).lasso();
            let holds = |formula| holds_on_lasso(formula, &stem, &around);
            assert_eq!(
                holds(&left),
                holds(&right),
                "{a} is {b}: {stem:?} {around:?}"
            );
        }
    }
}

/// What is no law differs for some word: the test before can fail.
#[test]
fn what_is_no_law_is_refuted() {
    for (a, b) in [
        ("F p", "G p"),
        ("p U q", "p W q"),
        ("p R q", "q R p"),
        ("G F p", "F G p"),
        ("(p -> q) -> p", "p -> (q -> p)"),
    ] {
        let (left, right) = (formula(a), formula(b));
        let differs = (0..300).any(|seed| {
            let (stem, around) = Random(seed).lasso();
            holds_on_lasso(&left, &stem, &around) != holds_on_lasso(&right, &stem, &around)
        });
        assert!(differs, "{a} is not {b}");
    }
}

/// What is written can be read again.
#[test]
fn formulas_are_written_as_they_are_read() {
    let number = |name: &str| name.strip_prefix('p').and_then(|n| n.parse().ok());
    for seed in 0..500 {
        let formula = Random(seed).formula(4).normalized();
        let again = parse(&formula.to_string(), &number).expect("a formula");
        assert_eq!(again, formula);
    }
}
