//! Calls in the text that gcc wrote: of what, and what is to be announced of them.

use dpor_abi::cxx_library::{begins_with_flag, known, may_matter, Known, BEHIND_FLAG};
use dpor_abi::uninstrumented::{reads, Reads};
use std::collections::HashSet;

/// What is put before a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Announcement<'a> {
    /// Nothing: the function is of the module, or one of the hooks.
    None,
    /// The function has no effect but events, or that time passes.
    Idle,
    /// The function reads nothing of what threads share.
    ReadsNothing,
    /// The function reads what its arguments point to.
    ReadsArguments,
    /// The function of this name may read anything.
    OfSymbol(&'a str),
    /// The function whose address is in this register, or at this place, may read anything.
    OfOperand(&'a str),
}

/// The operand of the call in a line; `None`: it has none.
pub fn callee(line: &str) -> Option<&str> {
    let line = line.strip_prefix("notrack").map_or(line, str::trim_start);
    let rest = { line.strip_prefix("call") }.map(|rest| rest.strip_prefix('q').unwrap_or(rest))?;
    let operand = rest.strip_prefix([' ', '\t'])?.trim();
    let operand = operand.split('#').next().unwrap_or(operand).trim();
    (!operand.is_empty()).then_some(operand)
}

/// First characters of the names of ThreadSanitizer's functions that are hooks. Its others order threads, and count only
/// if their call was announced.
const HOOKS: [&str; 11] = [
    "__tsan_read",
    "__tsan_write",
    "__tsan_unaligned",
    "__tsan_volatile",
    "__tsan_vptr",
    "__tsan_atomic",
    "__tsan_func",
    "__tsan_init",
    "__tsan_ignore",
    "__tsan_mem",
    "__dpor_",
];

/// Functions whose calls are parts of sequences that the linker replaces, or of no interest.
const UNTOUCHED: [&str; 2] = ["__tls_get_addr", "__stack_chk_fail"];

/// Functions of libc's whose accesses their arguments say, and what of the runtime's tells of them and calls them.
const TOLD: [(&str, &str); 16] = [
    ("memcpy", "__tsan_memcpy"),
    ("memmove", "__tsan_memmove"),
    ("mempcpy", "__dpor_mempcpy"),
    ("__mempcpy", "__dpor_mempcpy"),
    ("memset", "__tsan_memset"),
    ("memset_explicit", "__tsan_memset"),
    ("memcmp", "__dpor_memcmp"),
    ("bcmp", "__dpor_memcmp"),
    ("bcopy", "__dpor_bcopy"),
    ("bzero", "__dpor_bzero"),
    ("__bzero", "__dpor_bzero"),
    ("explicit_bzero", "__dpor_bzero"),
    ("__memcpy_chk", "__dpor_memcpy_chk"),
    ("__memmove_chk", "__dpor_memmove_chk"),
    ("__mempcpy_chk", "__dpor_mempcpy_chk"),
    ("__memset_chk", "__dpor_memset_chk"),
];

/// The function of the runtime's that is to be called instead.
pub fn told(operand: &str, defined: &HashSet<&str>) -> Option<&'static str> {
    let name = symbol(operand).filter(|name| !defined.contains(name))?;
    let entry = TOLD.iter().find(|(function, _)| *function == name);
    entry.map(|(_, instead)| *instead)
}

/// Bytes of an object of C++'s library that count as accessed. Nobody says how large it is: the smallest is one pointer.
const OBJECT_BYTES: u64 = 8;

/// The text that tells of the accesses of a function of C++'s library, if it makes some: the function is in r11, what it does
/// in r10, which is free where C++ calls.
pub fn of_library(operand: &str, defined: &HashSet<&str>) -> Option<String> {
    let name = symbol(operand).filter(|name| !defined.contains(name))?;
    let Known::Call(call) = may_matter(name).then(|| known(name))? else {
        return None;
    };
    let flag = match begins_with_flag(name) {
        true => BEHIND_FLAG,
        false => 0,
    };
    let word = u64::from(call.to_word(OBJECT_BYTES, OBJECT_BYTES)) | flag;
    Some(format!(
        "\tmovq\t{name}@GOTPCREL(%rip), %r11\n\tmovabsq\t${word}, %r10\n\tcall\t*__dpor_announce_member@GOTPCREL(%rip)\n"
    ))
}

/// Functions without an effect but events, which the search knows, or that time passes: those that the pass lets loops
/// call that may wait (`pass/src/turns/functions.rs`).
const IDLE: [&str; 29] = [
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "dpor_yield",
    "usleep",
    "sleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
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
    "dpor_progress",
    "dpor_section_begin",
    "dpor_section_end",
];

/// Whether a call is a hook of an access.
pub fn is_access(callee: &str) -> bool {
    let name = symbol(callee).unwrap_or_default();
    let others = [
        "__tsan_func",
        "__tsan_init",
        "__tsan_ignore",
        "__tsan_mem",
        "__dpor_",
    ];
    HOOKS.iter().any(|begin| name.starts_with(begin))
        && !others.iter().any(|begin| name.starts_with(begin))
}

/// The name of the function, if the operand is one.
fn symbol(operand: &str) -> Option<&str> {
    let direct = match operand.strip_prefix('*') {
        Some(place) => place.strip_suffix("@GOTPCREL(%rip)")?,
        None => operand,
    };
    let name = direct.split(['@', '+', '-']).next().unwrap_or(direct);
    (!name.is_empty() && !name.contains(['%', '(', '$'])).then_some(name)
}

/// What is to be announced of a call. `defined`: the functions of the module.
pub fn announcement<'a>(operand: &'a str, defined: &HashSet<&str>) -> Announcement<'a> {
    let Some(name) = symbol(operand) else {
        let is_descriptor = operand.to_ascii_lowercase().contains("@tls");
        return match operand.strip_prefix('*') {
            Some(place) if !is_descriptor => Announcement::OfOperand(place),
            _ => Announcement::None,
        };
    };
    let is_hook = HOOKS.iter().any(|begin| name.starts_with(begin));
    if is_hook || UNTOUCHED.contains(&name) || defined.contains(name) || name.starts_with(".L") {
        return Announcement::None;
    }
    if IDLE.contains(&name) {
        return Announcement::Idle;
    }
    match reads(name) {
        Reads::Nothing => Announcement::ReadsNothing,
        Reads::Arguments { .. } => Announcement::ReadsArguments,
        Reads::Anything => Announcement::OfSymbol(name),
    }
}
