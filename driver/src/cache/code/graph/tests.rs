//! Graphs by hand.

use super::*;
use dpor_abi::reach::key;

/// A module in the making.
#[derive(Default)]
struct Module(Part);

impl Module {
    /// Adds an entry, with what it refers to; its content is one letter.
    fn entry(mut self, name: &str, kind: u8, content: u8, refers: &[u32]) -> Module {
        self.0.entries.push(Entry {
            key: key(name.as_bytes()),
            kind,
            digest: [content; 16],
            refers: refers.to_vec(),
        });
        self
    }
}

const GLOBAL: u8 = kind::DEFINED;
const LOCAL: u8 = kind::DEFINED | kind::LOCAL;

/// Digest and number of what `main` reaches; `puts` is imported, `_end` is the linker's.
fn reach(modules: impl IntoIterator<Item = Module>) -> Result<([u8; 16], usize), String> {
    let parts: Vec<Part> = modules.into_iter().map(|module| module.0).collect();
    let outside = |name| match name {
        _ if name == key(b"puts") => Outside::Import(b"GLIBC_2.2.5".to_vec()),
        _ if name == key(b"_end") => Outside::Linked,
        _ if name == key(b"foreign") => Outside::Unknown("foreign".to_owned()),
        _ => Outside::Absent,
    };
    let graph = Graph::new(&parts);
    let found = graph.reach(&[key(b"main")], &outside, b"")?;
    Ok((found.digest, found.nodes))
}

/// `main` calls `f` of another module, which has `g` besides; both use a local variable.
fn program(main: u8, f: u8, g: u8, variable: u8) -> [Module; 2] {
    [
        Module::default()
            .entry("main", GLOBAL, main, &[1])
            .entry("f", 0, 0, &[]),
        Module::default()
            .entry("g", GLOBAL, g, &[2])
            .entry("f", GLOBAL, f, &[2])
            .entry("x", LOCAL, variable, &[]),
    ]
}

#[test]
fn what_is_reached_counts_and_nothing_else() {
    let (digest, nodes) = reach(program(1, 2, 3, 4)).unwrap();
    assert_eq!(nodes, 3);
    assert_eq!(reach(program(1, 2, 3, 4)).unwrap().0, digest);
    assert_eq!(
        reach(program(1, 2, 9, 4)).unwrap().0,
        digest,
        "g is not reached"
    );
    for changed in [
        program(9, 2, 3, 4),
        program(1, 9, 3, 4),
        program(1, 2, 3, 9),
    ] {
        assert_ne!(reach(changed).unwrap().0, digest);
    }
}

/// Local names and the places of entries in a record change with what else is in the module.
#[test]
fn names_and_places_of_what_is_local_are_nothing() {
    let first = Module::default()
        .entry("main", GLOBAL, 1, &[1, 2])
        .entry("x", LOCAL, 2, &[])
        .entry("y", LOCAL, 3, &[]);
    let second = Module::default()
        .entry("y.7", LOCAL, 3, &[])
        .entry("unused", GLOBAL, 5, &[])
        .entry("x.5", LOCAL, 2, &[])
        .entry("main", GLOBAL, 1, &[2, 0]);
    assert_eq!(reach([first]), reach([second]));
}

/// Equal contents that refer to one thing, or to two equal ones, are different.
#[test]
fn two_equal_variables_are_not_one() {
    let one = Module::default()
        .entry("main", GLOBAL, 1, &[1, 2])
        .entry("a", LOCAL, 2, &[3])
        .entry("b", LOCAL, 2, &[3])
        .entry("x", LOCAL, 3, &[]);
    let two = Module::default()
        .entry("main", GLOBAL, 1, &[1, 2])
        .entry("a", LOCAL, 2, &[3])
        .entry("b", LOCAL, 2, &[4])
        .entry("x", LOCAL, 3, &[])
        .entry("y", LOCAL, 3, &[]);
    assert_ne!(reach([one]).unwrap().0, reach([two]).unwrap().0);
}

/// The order in which one thing refers to others is part of it.
#[test]
fn references_have_places() {
    let program = |refers: &[u32]| {
        Module::default()
            .entry("main", GLOBAL, 1, refers)
            .entry("f", GLOBAL, 2, &[])
            .entry("g", GLOBAL, 2, &[])
    };
    assert_ne!(
        reach([program(&[1, 2])]).unwrap(),
        reach([program(&[2, 1])]).unwrap()
    );
}

#[test]
fn circles_end() {
    let program = |content| {
        Module::default()
            .entry("main", GLOBAL, 1, &[1])
            .entry("even", LOCAL, 2, &[2])
            .entry("odd", LOCAL, content, &[1, 0])
    };
    assert_eq!(reach([program(3)]).unwrap().1, 3);
    assert_ne!(reach([program(3)]).unwrap(), reach([program(4)]).unwrap());
}

/// The linker takes one of several definitions; which one, we do not ask.
#[test]
fn all_definitions_of_a_name_count() {
    let program = |second| {
        let other = Module::default().entry("f", GLOBAL, second, &[]);
        let main = Module::default().entry("main", GLOBAL, 1, &[1]);
        [main.entry("f", GLOBAL, 2, &[]), other]
    };
    assert_ne!(reach(program(3)).unwrap(), reach(program(4)).unwrap());
}

#[test]
fn local_functions_of_one_name_are_apart() {
    let program = |other| {
        [
            Module::default()
                .entry("main", GLOBAL, 1, &[1])
                .entry("f", LOCAL, 2, &[]),
            Module::default().entry("f", LOCAL, other, &[]),
        ]
    };
    assert_eq!(reach(program(3)).unwrap(), reach(program(4)).unwrap());
}

#[test]
fn constructors_are_reached() {
    let program = |content| {
        [
            Module::default().entry("main", GLOBAL, 1, &[]),
            Module::default()
                .entry("", LOCAL | kind::ROOT, 2, &[1])
                .entry("start", LOCAL, content, &[]),
        ]
    };
    assert_eq!(reach(program(3)).unwrap().1, 3);
    assert_ne!(reach(program(3)).unwrap(), reach(program(4)).unwrap());
}

#[test]
fn modules_that_nothing_reaches_count_by_their_words_alone() {
    let with = |words: u8| {
        let mut other = Module::default().entry("f", GLOBAL, 2, &[]);
        other.0.words = [words; 16];
        [Module::default().entry("main", GLOBAL, 1, &[]), other]
    };
    let alone = reach([Module::default().entry("main", GLOBAL, 1, &[])]).unwrap();
    assert_eq!(reach(with(0)).unwrap(), alone);
    assert_ne!(reach(with(1)).unwrap(), alone);
}

#[test]
fn names_outside_are_told_apart() {
    let program = |name: &str, kind| {
        let main = Module::default().entry("main", GLOBAL, 1, &[1]);
        reach([main.entry(name, kind, 0, &[])])
    };
    assert!(program("puts", 0).is_ok());
    assert!(program("_end", 0).is_ok());
    assert_ne!(program("puts", 0), program("_end", 0));
    for kind in [0, kind::WEAK, kind::WORD] {
        assert!(program("foreign", kind).is_err());
    }
    assert!(program("nowhere", 0).is_err());
    assert!(program("nowhere", kind::WEAK).is_ok());
    assert!(program("nowhere", kind::WORD).is_ok());
}

#[test]
fn a_word_of_assembly_may_be_a_function() {
    let program = |content| {
        let main = Module::default().entry("main", GLOBAL, 1, &[1]);
        [
            main.entry("f", kind::WORD, 0, &[]),
            Module::default().entry("f", GLOBAL, content, &[]),
        ]
    };
    assert_ne!(reach(program(3)).unwrap(), reach(program(4)).unwrap());
}

#[test]
fn assembly_beside_functions_is_not_understood() {
    let mut module = Module::default().entry("main", GLOBAL, 1, &[]);
    module.0.flags = flag::UNKNOWN;
    assert!(reach([module]).is_err());
}
