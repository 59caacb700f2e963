//! Automata in the format HOA accept what they say.

use crate::automata::accepts;
use crate::random::Random;
use dpor_ltl::{holds_on_lasso, parse, Automaton, Hoa};
use std::fmt::Write;

fn number(name: &str) -> Option<u32> {
    name.strip_prefix('p')?.parse().ok()
}

fn read(text: &str) -> Hoa {
    Hoa::read(text, &number).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The label of a state of ours, with the numbers of the propositions in the text: there proposition 1 comes first.
fn label(holds: u64, fails: u64) -> String {
    let literals = (0..2).flat_map(|n| {
        let one = (holds >> n & 1 == 1).then(|| format!("{}", 1 - n));
        let other = (fails >> n & 1 == 1).then(|| format!("!{}", 1 - n));
        one.into_iter().chain(other)
    });
    let all: Vec<String> = literals.collect();
    match all.is_empty() {
        true => "t".to_owned(),
        false => all.join(" & "),
    }
}

/// The text of an automaton of ours. Labels and sets are those of states, or, with a first state of its own, of the edges
/// that lead to them.
fn written(automaton: &Automaton, on_edges: bool) -> String {
    let mut text = "HOA: v1 /* by /* a */ test */\nAP: 2 \"p1\" \"p0\"\n".to_owned();
    let sets = |owes: u64| {
        let kept = (0..automaton.untils).filter(|n| owes >> n & 1 == 0);
        let all: Vec<String> = kept.map(|n| n.to_string()).collect();
        format!("{{{}}}", all.join(" "))
    };
    let all: Vec<String> = (0..automaton.untils).map(|n| format!("Inf({n})")).collect();
    let condition = match all.is_empty() {
        true => "t".to_owned(),
        false => all.join(" & "),
    };
    let untils = automaton.untils;
    writeln!(text, "Acceptance: {untils} {condition}").expect("a text");
    let begin = automaton.states.len();
    if on_edges {
        writeln!(text, "Start: {begin}").expect("a text");
    } else {
        for first in &automaton.first {
            writeln!(text, "Start: {first}").expect("a text");
        }
        // Of an automaton without runs.
        writeln!(text, "Start: {begin}").expect("a text");
    }
    text.push_str("--BODY--\n");
    let edges = |next: &[u32]| {
        let edge = |to: &u32| {
            let state = &automaton.states[*to as usize];
            let label = label(state.holds, state.fails);
            format!("[{label}] {to} {}\n", sets(state.owes))
        };
        next.iter().map(edge).collect::<String>()
    };
    for (number, state) in automaton.states.iter().enumerate() {
        if on_edges {
            write!(text, "State: {number}\n{}", edges(&state.next)).expect("a text");
        } else {
            let label = label(state.holds, state.fails);
            let next: Vec<String> = state.next.iter().map(u32::to_string).collect();
            let (sets, next) = (sets(state.owes), next.join(" "));
            writeln!(text, "State: [{label}] {number} \"n\" {sets} {next}").expect("a text");
        }
    }
    let first = match on_edges {
        true => edges(&automaton.first),
        false => String::new(),
    };
    write!(text, "State: {begin}\n{first}--END--\n").expect("a text");
    text
}

#[test]
fn what_is_written_accepts_what_the_formula_says() {
    let (mut held, mut words) = (0, 0);
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let depth = 1 + random.below(3);
        let formula = random.formula(depth);
        let automaton = Automaton::of(&formula).expect("it is small");
        let both = [true, false].map(|on_edges| read(&written(&automaton, on_edges)).automaton);
        for _ in 0..4 {
            let (stem, around) = random.lasso();
            let holds = holds_on_lasso(&formula, &stem, &around);
            for (read, kind) in both.iter().zip(["edges", "states"]) {
                let found = accepts(read, &stem, &around);
                assert_eq!(found, holds, "{formula}, {kind}: {stem:?} {around:?}");
            }
            held += usize::from(holds);
            words += 1;
        }
    }
    let both_happen = (words / 4..words * 3 / 4).contains(&held);
    assert!(both_happen, "{held} of {words}");
}

/// Written by hand, in the ways in which translators write, each with the formula that it is for.
const BY_HAND: [(&str, &str); 5] = [
    (
        "G F p0 && G F p1",
        "HOA: v1 name: \"GFa & GFb\" States: 1 Start: 0 AP: 2 \"p0\" \"p1\"
         acc-name: generalized-Buchi 2 Acceptance: 2 Inf(0)&Inf(1)
         properties: trans-labels explicit-labels trans-acc deterministic stutter-invariant
         --BODY-- State: 0 [!0&!1] 0 [0&!1] 0 {0} [!0&1] 0 {1} [0&1] 0 {0 1} --END--",
    ),
    (
        "F G p0",
        "HOA: v1 States: 2 Start: 0 AP: 1 \"p0\" acc-name: Buchi Acceptance: 1 Inf(0)
         properties: trans-labels explicit-labels state-acc stutter-invariant
         --BODY-- State: 0 [t] 0 [0] 1 State: 1 {0} [0] 1 --END--",
    ),
    (
        "!G(p0 -> F p1)",
        "HOA: v1 States: 2 Start: 0 AP: 2 \"p0\" \"p1\" Alias: @owed !1 Alias: @begins 0 & @owed
         Acceptance: 1 Inf(0)
         --BODY-- State: 0 [t] 0 [@begins] 1 State: 1 \"waits\" {0} [@owed] 1 --END--",
    ),
    // A set that does not have to be met, and brackets in labels.
    (
        "p0 U (p0 <-> p1)",
        "HOA: v1 Start: 0 AP: 2 \"p1\" \"p0\" Acceptance: 3 Inf(2)
         --BODY-- State: 0 {0} [1] 0 {1} [(0 | !1) & !(0 & !1)] 1 State: 1 [t] 1 {2} --END--",
    ),
    (
        "G p0 || G p1",
        "HOA: v1 Start: 7 Start: 3 AP: 2 \"p0\" \"p1\" Acceptance: 0 t
         --BODY-- State: 3 [0] 3 State: [1] 7 7 --END--",
    ),
];

#[test]
fn what_is_written_by_hand_accepts_what_the_formula_says() {
    for (formula, text) in BY_HAND {
        let formula = parse(formula, &number).expect("a formula");
        let read = read(text);
        let mut held = 0;
        for seed in 0..500 {
            let (stem, around) = Random(seed).lasso();
            let holds = holds_on_lasso(&formula, &stem, &around);
            let found = accepts(&read.automaton, &stem, &around);
            assert_eq!(found, holds, "{formula}: {stem:?} {around:?}\n{text}");
            held += usize::from(holds);
        }
        assert!((5..495).contains(&held), "{formula}: {held} of 500");
    }
}

#[test]
fn the_head_says_what_it_is() {
    let [first, second, third, ..] = BY_HAND.map(|(_, text)| read(text));
    assert_eq!(first.name.as_deref(), Some("GFa & GFb"));
    let invariant = [&first, &second, &third].map(|read| read.is_stutter_invariant);
    assert_eq!(invariant, [true, true, false]);
    assert_eq!([first.propositions, second.propositions], [3, 1]);
    let spaced = "HOA: v1 Start: 0 AP: 1 \"in(f, T1)\" Acceptance: 0 t --BODY-- State: 0 --END--";
    let known = |name: &str| (name == "in(f,T1)").then_some(5);
    let read = Hoa::read(spaced, &known).expect("white space is left out");
    assert_eq!(read.propositions, 1 << 5);
}

#[test]
fn what_is_not_supported_is_refused_with_its_line() {
    let refused = |head: &str, body: &str, expected: &str| {
        let text = format!("HOA: v1\nStart: 0\n{head}\n--BODY--\n{body}\n--END--\n");
        let why = Hoa::read(&text, &number).expect_err(&text).to_string();
        assert!(why.starts_with(expected), "{why}\n{text}");
    };
    let (state, one) = ("State: 0 [t] 0", "Acceptance: 1 Inf(0)");
    let only = "line 3: only generalized Büchi acceptance is supported";
    for condition in [
        "1 Fin(0)",
        "2 Inf(0)|Inf(1)",
        "1 Inf(!0)",
        "1 f",
        "2 Fin(0) & Inf(1)",
    ] {
        refused(&format!("Acceptance: {condition}"), state, only);
    }
    for condition in ["1 Inf(0)&", "1 Inf(0) Inf(0)", "0"] {
        refused(&format!("Acceptance: {condition}"), state, "line ");
    }
    refused(
        "Acceptance: 1 Inf(1)",
        state,
        "line 3: there is no acceptance set 1",
    );
    refused("name: \"x\"", state, "line 4: `Acceptance:` is missing");
    let body = "State: 0\n[t] 0&0";
    refused(one, body, "line 6: alternating automata");
    refused(one, "State: 0 0", "line 5: edges without a label");
    refused(one, "State: 0 [t] 1", "line 5: there is no state 1");
    refused(one, "State: 1 [t] 1", "line 2: there is no state 0");
    refused(one, "State: 0\nState: 0", "line 6: state 0 comes twice");
    refused(one, "State: 0 [0] 0", "line 5: `0` is not defined");
    refused(one, "State: 0 [@a] 0", "line 5: `@a` is not defined");
    refused(one, "State: 0 [t & ] 0", "line 5: a label is missing");
    refused(one, "State: 0 [(t] 0", "line 5: `)` is missing");
    refused(one, "State: 0 {1}", "line 5: there is no acceptance set 1");
    refused(one, "State: 0 [t] 0 $", "line 5: this sign means nothing");
    refused(one, "/* State: 0", "line 5: a comment has no end");
    refused("Cost: 3", state, "line 3: `Cost:` is not supported");
    refused(
        "AP: 1 \"other\"",
        state,
        "line 3: there is no proposition `other`",
    );
    refused("AP: 1 \"p64\"", state, "line 3: more than 64 propositions");
    let sensitive = "Acceptance: 0 t\nproperties: complete stutter-sensitive";
    refused(sensitive, state, "line 4: it counts steps");
    for text in ["", "never { T0: skip }", "HOA: v2", "HOA: v1\nAP:"] {
        assert!(Hoa::read(text, &number).is_err(), "{text}");
    }
    let without = "HOA: v1\nAcceptance: 0 t\n--BODY--\n--END--";
    let why = Hoa::read(without, &number).expect_err("it has no start");
    assert_eq!(
        why.to_string(),
        "line 3: `Start:` is missing before this line"
    );
    let aborted = "HOA: v1 Start: 0 Acceptance: 0 t --BODY--\nState: 0\n--ABORT--";
    let why = Hoa::read(aborted, &number).expect_err("it is no automaton");
    assert_eq!(
        why.to_string(),
        "line 3: the translator gave up (`--ABORT--`)"
    );
}

/// A label may stand for many conjunctions.
#[test]
fn what_is_too_large_is_refused() {
    let names: Vec<String> = (0..60).map(|n| format!("\"p{n}\"")).collect();
    let pairs: Vec<String> = { 0..30 }.map(|n| format!("({n} | {})", n + 30)).collect();
    let text = format!(
        "HOA: v1 AP: 60 {} Start: 0 Acceptance: 0 t --BODY-- State: 0 [{}] 0 --END--",
        names.join(" "),
        pairs.join("&")
    );
    let why = Hoa::read(&text, &number).expect_err("2^30 conjunctions");
    assert!(why.what.contains("more than 10000 edges"), "{why}");
    let aliases: String = { 0..50 }
        .map(|n| format!("Alias: @a{} @a{n}&@a{n} ", n + 1))
        .collect();
    let deep = "!".repeat(300) + "t";
    let long = "t|".repeat(2_000) + "t";
    for (head, label, expected) in [
        (&aliases, "t", "the label is too large"),
        (&String::new(), &*deep, "nested too deep"),
        (&String::new(), &*long, "the label is too large"),
    ] {
        let text = format!("HOA: v1 Alias: @a0 t {head} Start: 0 Acceptance: 0 t --BODY-- State: 0 [{label}] 0 --END--");
        let why = Hoa::read(&text, &number).expect_err(expected);
        assert!(why.what.contains(expected), "{why}");
    }
    let edges = "[t] 0 ".repeat(2_000);
    let text = format!("HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 {edges} --END--");
    let why = Hoa::read(&text, &number).expect_err("4,000,000 pairs");
    assert!(why.what.contains("too large"), "{why}");
}
