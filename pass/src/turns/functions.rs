//! Functions outside of the module whose effects in a loop are known by their names.

use crate::escape::knowledge::{ALLOCATORS, DEALLOCATORS};
use crate::llvm::Value;

/// Functions that let time pass, and have no other effect unless a signal or a request to end interrupts them: then the
/// runtime asks of no turn whether it was in vain.
const SLEEPS: [&str; 5] = [
    "usleep",
    "sleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
];

/// Functions that take a lock, try to, or let it go: events of which the runtime tells whether they left it as it was.
const LOCKS: [&str; 17] = [
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "sem_wait",
    "sem_trywait",
    "sem_post",
];

/// Functions that only read what they are given.
const READ: [&str; 7] = [
    "memcmp", "bcmp", "memchr", "strlen", "strcmp", "strncmp", "strchr",
];

/// Members of `std::string` that only read it and what they are given, as their names go on behind [`STRING`]. They
/// live in libstdc++.so. (`copy` writes to what it is given, `substr` to its result.)
const READ_STRING: [&str; 17] = [
    "7compareE",
    "4findE",
    "5rfindE",
    "13find_first_ofE",
    "12find_last_ofE",
    "17find_first_not_ofE",
    "16find_last_not_ofE",
    "4sizeE",
    "6lengthE",
    "5emptyE",
    "8capacityE",
    "4dataE",
    "5c_strE",
    "2atE",
    "ixE",
    "5frontE",
    "4backE",
];

/// Beginning of the names of `std::string`'s const members.
const STRING: &str = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

/// Functions that say something about the turn, and do nothing.
const MARKS: [&str; 4] = [
    "dpor_progress",
    "dpor_section_begin",
    "dpor_section_end",
    "__dpor_endless",
];

/// Functions that tell the thread where something is that is its own.
const OWN: [&str; 1] = ["__errno_location"];

/// Intrinsics that compute something from their arguments alone.
const PURE: [&str; 13] = [
    "llvm.umin.",
    "llvm.umax.",
    "llvm.smin.",
    "llvm.smax.",
    "llvm.abs.",
    "llvm.ctpop.",
    "llvm.cttz.",
    "llvm.ctlz.",
    "llvm.fshl.",
    "llvm.fshr.",
    "llvm.assume",
    "llvm.expect.",
    "llvm.experimental.noalias.scope.decl",
];

/// True for a member of `std::string` of [`READ_STRING`].
pub fn reads_string(name: &str) -> bool {
    let member = name.strip_prefix(STRING);
    member.is_some_and(|member| READ_STRING.iter().any(|read| member.starts_with(read)))
}

/// True for a function of the heap.
pub fn allocates_or_frees(name: &str) -> bool {
    ALLOCATORS.contains(&name) || DEALLOCATORS.contains(&name)
}

/// True for a call that only lets time pass.
pub fn sleeps(call: Value) -> bool {
    let callee = call.callee();
    if !callee.is_function() {
        return false;
    }
    let name = callee.name();
    SLEEPS.contains(&name.as_str()) || name == "poll" && polls_nothing(call)
}

/// True for a `poll` of no descriptors with a time limit, an old way to sleep for milliseconds.
fn polls_nothing(call: Value) -> bool {
    let is_of_none = call.operand(1).constant_integer() == Some(0);
    let is_limited = call
        .operand(2)
        .constant_integer()
        .is_some_and(|limit| limit >= 0);
    is_of_none && is_limited
}

/// The memory that a call of an intrinsic fills, and that is all it does.
pub fn fills(call: Value) -> Option<Value> {
    let name = call.callee().name();
    let is_filling = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memset.");
    is_filling.then(|| call.operand(0))
}

/// True for a function that takes a lock, tries to, or lets it go.
pub fn locks(name: &str) -> bool {
    LOCKS.contains(&name)
}

/// True for a function that only reads what it is given.
pub fn reads(name: &str) -> bool {
    READ.contains(&name)
}

/// True for a call that has no effect that others, or later iterations, can tell.
pub fn does_nothing(call: Value) -> bool {
    let name = call.callee().name();
    sleeps(call)
        || OWN.contains(&name.as_str())
        || MARKS.contains(&name.as_str())
        || PURE.iter().any(|begin| name.starts_with(begin))
}
