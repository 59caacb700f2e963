//! Findings that lie in C++'s library and not in the program that calls it.
//!
//! Most of what is wrong in the library's headers is the caller's fault: two threads that change one `std::vector`, one
//! `std::string`, one `std::shared_ptr`. What tells the library's own faults apart is a promise: the standard lets threads
//! call members of some classes on one object at the same time, and says that these calls do not race. A race between two
//! accesses that such members themselves make, to what they keep, breaks the library's promise and not the caller's.
//!
//! | access | whose |
//! |---|---|
//! | made by a member of a class in [`FAMILIES`], or by a [helper](is_helper) that it calls | the library's |
//! | in a constructor or destructor of it: nobody may use the object meanwhile | the caller's |
//! | made by another function that it calls: a copy of what the caller handed over | the caller's |
//!
//! Both accesses of a race have to be the library's, of one family.

use crate::cxx_library::Name;

/// Classes with such a promise, and the functions that keep it for them.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The class, as its users write it.
    pub class: &'static str,
    /// Where the standard promises it.
    pub promise: &'static str,
    /// Beginnings of the linker's names, behind `_Z` and what says that a name is nested or const.
    begins: &'static [&'static str],
    /// A known race between two accesses that members of the class make.
    pub known_race: Option<KnownRace>,
}

/// A race of the library's own that was looked at.
#[derive(Debug, PartialEq, Eq)]
pub struct KnownRace {
    /// The fault in the library, in words.
    pub what: &'static str,
    /// Why all outcomes are explored though the accesses are judged in one order only.
    pub why_whole: &'static str,
}

/// The classes whose members keep such a promise.
pub const FAMILIES: &[Family] = &[
    Family {
        class: "std::atomic<std::shared_ptr>",
        promise: "[util.smartptr.atomic]",
        begins: &[
            "St10_Sp_atomicI",
            "St6atomicISt10shared_ptrI",
            "St6atomicISt8weak_ptrI",
        ],
        known_race: Some(KnownRace {
            what: "load() gives its lock back with memory_order_relaxed, which orders nothing in C++'s memory model",
            why_whole: "the lock keeps the two accesses apart in every interleaving",
        }),
    },
    Family {
        class: "std::counting_semaphore",
        promise: "[thread.sema.cnt]",
        begins: &[
            "St18counting_semaphoreI",
            "St18__atomic_semaphore",
            "St20__platform_semaphore",
        ],
        known_race: None,
    },
    Family {
        class: "std::latch",
        promise: "[thread.latch]",
        begins: &["St5latch"],
        known_race: None,
    },
    Family {
        class: "std::barrier",
        promise: "[thread.barrier]",
        begins: &["St7barrierI", "St14__tree_barrier", "St19__tree_barrier_base"],
        known_race: None,
    },
    Family {
        class: "std::promise",
        promise: "[futures.state]",
        begins: &["St13__future_base", "St7promiseI", "St23__atomic_futex_unsigned"],
        known_race: None,
    },
    Family {
        class: "std::atomic::wait",
        promise: "[atomics.wait]",
        begins: &[
            "St8__detail8__waiter",
            "St8__detail13__waiter",
            "St8__detail18__waiter_pool_base",
            "St8__detail11__enters_wait",
            "St8__detail10__bare_wait",
            "St8__detail15__platform_wait",
            "St8__detail17__platform_notify",
            "St8__detail13__atomic_spin",
            "St21__atomic_wait_address",
            "St23__atomic_wait_address_v",
            "St26__atomic_wait_address_bare",
            "St23__atomic_notify_address",
            "St28__atomic_notify_address_bare",
        ],
        known_race: None,
    },
];

/// Functions that only move what their caller names.
const HELPERS: &[&str] = &[
    "St4swapI",
    "St8exchangeI",
    "St4moveI",
    "St7forwardI",
    "St9addressofI",
    "St11__addressofI",
];

/// The part of a mangled name behind `_Z` and behind what says that the name is of a member, const, or local to one.
fn bare(function: &str) -> Option<&str> {
    let rest = function.strip_prefix("_Z")?;
    let rest = rest.strip_prefix('Z').unwrap_or(rest);
    let rest = rest.strip_prefix('N').unwrap_or(rest);
    Some(rest.trim_start_matches(['K', 'V', 'R', 'O']))
}

/// The family of a function, by its linker's name.
pub fn family_of(function: &str) -> Option<&'static Family> {
    let bare = bare(function)?;
    FAMILIES
        .iter()
        .find(|family| family.begins.iter().any(|begin| bare.starts_with(begin)))
}

/// Whether a function belongs to one of the [`FAMILIES`].
pub fn is_of_family(function: &str) -> bool {
    family_of(function).is_some()
}

/// Whether what a function accesses is what its caller names.
pub fn is_helper(function: &str) -> bool {
    bare(function).is_some_and(|bare| HELPERS.iter().any(|begin| bare.starts_with(begin)))
}

/// The family that an access is of, by the functions that it is in, the innermost first, as far as they were inlined into
/// each other.
pub fn family_of_access<'a>(functions: impl Iterator<Item = &'a str>) -> Option<&'static Family> {
    let mut functions = functions
        .skip_while(|function| is_helper(function))
        .peekable();
    let family = functions.peek().copied().and_then(family_of)?;
    let mut own = functions.take_while(|function| is_of_family(function));
    let is_life = |function: &str| Name::read(function).is_some_and(|name| name.is_life);
    (!own.any(is_life)).then_some(family)
}

/// A call of the semaphore's that sleeps although the semaphore counts more than 0.
pub const STALE_SLEEP: &str =
    "std::counting_semaphore of libstdc++ may sleep with a value that is out of date, and nobody \
                               wakes it (GCC PR 104928)";

/// Whether a wait is one of the semaphore's for its counter.
pub fn is_semaphore_wait<'a>(mut functions: impl Iterator<Item = &'a str>) -> bool {
    functions.any(|function| {
        bare(function).is_some_and(|bare| {
            bare.starts_with("St18__atomic_semaphore")
                || bare.starts_with("St18counting_semaphoreI")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: &str = "_ZNKSt10_Sp_atomicISt10shared_ptrIiEE4loadESt12memory_order";
    const ATOMIC_LOAD: &str = "_ZNKSt6atomicISt10shared_ptrIiEE4loadESt12memory_order";
    const SWAP: &str = "_ZNSt10_Sp_atomicISt10shared_ptrIiEE4swapERS1_St12memory_order";

    fn class(functions: &[&str]) -> Option<&'static str> {
        family_of_access(functions.iter().copied()).map(|family| family.class)
    }

    #[test]
    fn the_library_s_own_accesses() {
        let shared = Some("std::atomic<std::shared_ptr>");
        assert_eq!(class(&[LOAD, ATOMIC_LOAD, "_Z3getv", "main"]), shared);
        assert_eq!(class(&["_ZSt4swapIPiEvRT_S2_", SWAP, "_Z3setv"]), shared);
        assert_eq!(
            class(&[
                "_ZZNSt18__atomic_semaphore10_M_acquireEvENKUlvE_clEv",
                "main"
            ]),
            Some("std::counting_semaphore")
        );
    }

    #[test]
    fn the_caller_s_accesses() {
        // One shared_ptr, one string, one vector in two threads.
        assert_eq!(
            class(&[
                "_ZNSt12__shared_ptrIiLN9__gnu_cxx12_Lock_policyE2EE4swapERS2_",
                "main"
            ]),
            None
        );
        assert_eq!(
            class(&[
                "_ZSt4swapIPiEvRT_S2_",
                "_ZNSt12__shared_ptrIiLN9__gnu_cxx12_Lock_policyE2EE4swapERS2_"
            ]),
            None
        );
        assert_eq!(class(&["_ZNSt6vectorIiSaIiEE9push_backERKi", "main"]), None);
        // A copy of what the caller hands over, inside a member that synchronizes.
        let copy = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_";
        let set = "_ZNSt13__future_base7_ResultINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE6_M_setERKS6_";
        assert_eq!(class(&[copy, set, "main"]), None);
        // An object that is not made yet.
        let made = "_ZNSt10_Sp_atomicISt10shared_ptrIiEEC2ES1_";
        assert_eq!(
            class(&[made, "_ZNSt6atomicISt10shared_ptrIiEEC2ES1_", "main"]),
            None
        );
        assert_eq!(class(&["_ZSt4swapIiEvRT_S1_", "main"]), None);
        assert_eq!(class(&["main"]), None);
    }
}
