//! Tests of the table of what functions of libc read and write.

use super::*;
use crate::libc_call::CALLS;

#[test]
fn every_name_once_and_in_the_right_table() {
    let is_call = |name| CALLS.iter().any(|call| call.name == name);
    for (at, (name, _)) in ACCESSES.iter().enumerate() {
        assert!(!is_call(*name), "{name} is an event");
        assert!(
            ACCESSES[at + 1..].iter().all(|other| other.0 != *name),
            "{name}"
        );
    }
    for (at, (name, _)) in OF_CALLS.iter().enumerate() {
        assert!(is_call(*name), "{name} is no event");
        assert!(
            OF_CALLS[at + 1..].iter().all(|other| other.0 != *name),
            "{name}"
        );
    }
}

/// The runtime calls the one in place of the other.
#[test]
fn every_one_with_values_has_one_with_a_list() {
    for (name, shape) in ACCESSES.iter().chain(OF_CALLS) {
        let mut expected = *shape;
        match &mut expected {
            Shape::Print { list, .. } | Shape::Scan { list, .. } if !*list => *list = true,
            _ => continue,
        }
        let (prefix, rest) = split_prefix(name);
        let list = format!("{prefix}v{rest}");
        let mut all = ACCESSES.iter().chain(OF_CALLS);
        let found = all.find(|entry| entry.0 == list);
        assert_eq!(found.map(|entry| entry.1), Some(expected), "{name}");
    }
}

/// Against the prototypes in <stdio.h>.
#[test]
fn formats_as_declared() {
    let shape = |name| {
        let mut all = ACCESSES.iter().chain(OF_CALLS);
        all.find(|entry| entry.0 == name).map(|entry| entry.1)
    };
    assert_eq!(shape("snprintf"), Some(print(2, MemoryOf)));
    assert_eq!(shape("__snprintf_chk"), Some(print(4, MemoryOf)));
    assert_eq!(shape("__vsprintf_chk"), Some(print_list(3, Memory)));
    assert_eq!(shape("__fprintf_chk"), Some(print(2, Elsewhere)));
    assert_eq!(shape("dprintf"), Some(print(1, Elsewhere)));
}
