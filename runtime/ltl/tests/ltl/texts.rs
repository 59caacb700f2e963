//! Texts that are no formulas: where, and why.

use dpor_ltl::parse;

fn wrong(text: &str) -> (usize, String) {
    let number = |name: &str| {
        ["p", "q", "in(f,T1)", "many"]
            .iter()
            .position(|known| *known == name)
    };
    let number = |name: &str| number(name).map(|n| if n == 3 { 64 } else { n as u32 });
    let wrong = parse(text, &number).expect_err(text);
    assert_eq!(wrong.to_string(), wrong.what);
    (wrong.at, wrong.what)
}

#[test]
fn the_place_and_the_reason_are_named() {
    for (text, at, what) in [
        ("", 0, "a formula is missing here"),
        ("  ", 2, "a formula is missing here"),
        ("p U", 3, "a formula is missing here"),
        ("(p && q", 7, "`)` is missing here"),
        ("p)", 1, "`)` has no `(`"),
        ("p q", 2, "an operator is missing here"),
        ("p && && q", 5, "a formula is missing here"),
        ("G(p -> F r)", 9, "there is no proposition `r`"),
        ("p + q", 2, "`+` means nothing in a formula"),
        (
            "G X p",
            2,
            "there is no next: how many steps something takes is the compiler's business",
        ),
        (
            "p && GF(in(f, T1))",
            5,
            "`GF` is one name here: operators need blanks between them",
        ),
        ("in(g, T1)", 0, "there is no proposition `in(g,T1)`"),
        ("many", 0, "more than 64 propositions"),
        ("\u{e9} && p", 0, "there is no proposition `\u{e9}`"),
    ] {
        assert_eq!(wrong(text), (at, what.to_owned()), "{text}");
    }
}

#[test]
fn what_is_nested_without_end_is_refused() {
    for text in [
        "!".repeat(100_000),
        "(".repeat(100_000),
        "p U ".repeat(100_000),
        "G".repeat(3) + &"G ".repeat(100_000),
    ] {
        let (_, what) = wrong(&text);
        let known = [
            "the formula is nested too deep",
            "there is no proposition `GGGG`",
        ];
        assert!(known.contains(&&*what), "{what}");
    }
}

/// Each equivalence has both of its sides twice: 60 of them in a row would fill the memory.
#[test]
fn what_grows_without_end_is_refused() {
    let (_, what) = wrong(&("p <-> ".repeat(60) + "q"));
    assert_eq!(what, "the formula is too large");
}

#[test]
fn names_may_have_arguments() {
    let number = |name: &str| (name == "in(f,T1)").then_some(5);
    let formula = parse("G !in( f, T1 )", &number).expect("a formula");
    assert_eq!(formula.to_string(), "(false R !(p5))");
}
